"""Metric names as people write them → contract ids, through the contract's own reader of names.

What could mean several metrics, and what means none, is told with the reason and with
suggestions; nothing is guessed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from crosscheck.contract import load, read_name
from crosscheck.contract.names import says_nothing


@dataclass(frozen=True, slots=True)
class Named:
    """What a name means: a metric id (with a population where the name says it), or a problem."""

    metric: str | None = None
    population: str | None = None
    problem: str | None = None
    suggestions: tuple[str, ...] = ()
    template: str | None = None
    """For a name that lacks only its parameter (`Recall` beside a column K): `recall@K`."""
    ambiguous: bool = False


def folded(text: str) -> str:
    """Give a text in small letters without blanks and punctuation: what words are compared by."""
    return "".join(one for one in text.lower() if one == "%" or not says_nothing(one))


@lru_cache(maxsize=8192)
def lookup(text: str) -> Named:
    """Say which metric a name means."""
    plain = text.strip()
    exact = load().find(plain.lower())
    if exact is not None and (exact.metric.named or exact.text != exact.metric.id):
        return Named(exact.text)
    reading = read_name(plain, suggest=False)
    if reading.metric:
        metric, _, population = reading.metric.partition("|")
        return Named(metric, population or None, template=reading.template or None)
    template = reading.template or None
    if reading.metrics:
        problem = f"“{plain}” could mean {' or '.join(reading.metrics)}: {reading.why}"
        return Named(None, None, problem, reading.metrics, template, ambiguous=True)
    if template:
        return _unfinished(plain, template)
    return Named(None, None, f"“{plain}”: {reading.why}")


@lru_cache(maxsize=8192)
def similar(text: str) -> tuple[str, ...]:
    """Name the metrics that an unknown name is closest to."""
    return read_name(text.strip()).suggestions


def _unfinished(name: str, template: str) -> Named:
    notation = load().notation
    lacking = notation.of(template)[0]
    values = (lacking.shown, *lacking.always)
    shown = tuple(notation.fill(template, {lacking.symbol: value}) for value in values)
    return Named(
        None, None, f"“{name}” lacks its {lacking.people} {lacking.symbol}", shown, template
    )
