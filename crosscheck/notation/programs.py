"""What the readers of programs' outputs share: a line of a measure, a topic and a value.

The measures' names, and the contract's metrics that they are, are in `programs.toml`.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from crosscheck.model.key import escape
from crosscheck.notation.pieces import Passed, Printed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crosscheck.notation.pieces import Piece
    from crosscheck.notation.written import Written

ALL = "all"
PER_QUERY = "per-query"
"""The slice of one query alone."""
_NUMBER = re.compile(r"[-+]?\d")
_PLAIN = re.compile(r"\d{1,6}(?:\.\d{1,6})?")


@cache
def program(name: str) -> dict[str, Any]:
    """Give what a program calls the contract's metrics."""
    text = files("crosscheck.notation").joinpath("programs.toml").read_text("utf-8")
    found: dict[str, Any] = tomllib.loads(text)[name]
    return found


def meant(name: str, measure: str) -> str:
    """Give the metric or the count that a measure of a program is; empty where it is none."""
    known = program(name)
    if measure in known:
        return str(known[measure])
    for template, metric in known.items():
        before, _, after = template.partition("{}")
        if "{}" in template and measure.startswith(before) and measure.endswith(after):
            number = measure[len(before) : len(measure) - len(after)]
            if _PLAIN.fullmatch(number):
                return str(metric.format(_written(number)))
    return ""


def _written(number: str) -> str:
    """Write a number as keys do: 0.10 is 0.1, 015 is 15."""
    whole, _, rest = number.partition(".")
    rest = rest.rstrip("0")
    return f"{int(whole)}.{rest}" if rest else str(int(whole))


def said(
    measure: Written,
    meant: str,
    value: Written,
    topic: Written | None,
    population: str = "all_queries",
    *,
    system: str = "",
) -> Iterator[Piece]:
    """Give the pieces of a line; `meant` is a metric, a count after `#`, or empty.

    `topic` is None where the line is about all topics; a mean is then over the population.
    """
    if topic is not None:
        yield Passed.of(topic, "name")
    query = topic.text if topic is not None else ""
    if not meant:
        yield Passed.of(measure, "name")
        yield Passed.of(value, "measure" if _NUMBER.match(value.text) else "text")
    elif meant.startswith("#"):
        yield Printed(measure, value, counted=meant[1:], query=query)
    else:
        key = _key(meant, query, population)
        yield Printed(measure, value, key=key, query=query, system=system)


def _key(metric: str, query: str, population: str) -> str:
    """Give the key of a metric over all topics, or of one of them."""
    if query:
        return f"{metric}|all_queries|{PER_QUERY}={escape(query)}|mean"
    statistic = {"gmap": "value", "queries": "n"}.get(metric, "mean")
    return f"{metric}|{population}|all|{statistic}"
