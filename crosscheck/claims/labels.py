"""What a row label, a column header or a level of a nested file says about a number.

A label can name a metric, a population, a slice, a statistic, a change between systems, or none
of these: then it names the system. Words are data (`words.toml`); metric names are the contract's.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crosscheck.claims.metric_names import folded, lookup
from crosscheck.contract import load
from crosscheck.model.key import escape

if TYPE_CHECKING:
    from crosscheck.contract.parameters import Parameter

_ARROWS = re.compile(r"[↑↓▲▼†‡§¶*]+|\((?:higher|lower) is better\)", re.IGNORECASE)
_PERCENT = re.compile(r"\s*(?:[(\[]\s*(?:in\s*)?%\s*[)\]]|,?\s+(?:in\s+)?%)\s*$")
_SLICE = re.compile(
    r"^(?P<kind>fold|criterion|view|state)(?:\s*[=:_#-]\s*|\s+|(?=\d))(?P<value>[^|]+)$",
    re.IGNORECASE,
)
_QUALIFIED = re.compile(r"^(?P<head>.*\S)\s*[(\[](?P<tail>[^()\[\]]*)[)\]]$")
_MANY_FOLDS = re.compile(
    r"\d+[\s-]*folds?\b|\bcross[\s-]?validat|\b(?:over|across)\s+(?:the\s+)?(?:\d+\s+)?folds\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Label:
    """What one label, or several taken together, say; None where they say nothing."""

    metric: str | None = None
    template: str | None = None
    parameter: tuple[str, str] | None = None
    """A symbol and its value, such as K and 10."""
    population: str | None = None
    slice: str | None = None
    statistic: str | None = None
    change: bool = False
    percent: bool = False
    listing: str | None = None
    neutral: bool = False
    other: tuple[str, ...] = ()
    problem: str | None = None
    suggestions: tuple[str, ...] = ()

    def plus(self, inner: Label) -> Label:
        """Add an inner label: where both speak, the inner one holds."""
        own = inner.metric or inner.template or inner.problem
        return Label(
            metric=inner.metric or (None if own else self.metric),
            template=inner.template or (None if own else self.template),
            parameter=inner.parameter or self.parameter,
            population=inner.population or self.population,
            slice=inner.slice or self.slice,
            statistic=inner.statistic or self.statistic,
            change=inner.change or self.change,
            percent=inner.percent or self.percent,
            listing=inner.listing,
            other=self.other + inner.other,
            problem=inner.problem if own else self.problem,
            suggestions=inner.suggestions if own else inner.suggestions or self.suggestions,
        )

    @property
    def names_metric(self) -> bool:
        """Whether a metric is meant, even if it is not clear which."""
        return bool(self.metric or self.template or (self.problem and not self.other))


@cache
def words() -> dict[str, Any]:
    """Read the word lists."""
    return tomllib.loads((Path(__file__).parent / "words.toml").read_text(encoding="utf-8"))


@cache
def _index(table: str) -> dict[str, str]:
    return {folded(word): name for name, listed in words()[table].items() for word in listed}


@cache
def listed(table: str, name: str = "words") -> frozenset[str]:
    """Give the folded words of one list."""
    return frozenset(folded(word) for word in words()[table][name])


def says_folds(text: str) -> bool:
    """Whether a caption or title says that numbers are over folds."""
    return _MANY_FOLDS.search(text) is not None


@lru_cache(maxsize=8192)
def read(text: str) -> Label:
    """Read one label."""
    plain = _ARROWS.sub("", text).strip()
    percent = _PERCENT.search(plain) is not None
    plain = _PERCENT.sub("", plain).strip(" :")
    label = _key(plain) or _word(plain) or _metric(plain) or _compound(plain)
    if label is None:
        named = lookup(plain)
        label = Label(other=(plain,) if plain else (), suggestions=named.suggestions)
    return replace(label, percent=True) if percent else label


def _key(text: str) -> Label | None:
    """Read a whole ledger key, or its beginning: `recall@10|positives_only`."""
    if "|" not in text:
        return None
    parts = [part.strip() for part in text.split("|")]
    known = load().find(parts[0])
    metric = known.text if known else lookup(parts[0]).metric
    if not metric or len(parts) > 4:  # noqa: PLR2004 - a key has four parts
        return None
    parts += [""] * (4 - len(parts))
    if not _known_words(*parts[1:]):
        return None
    return Label(metric, None, None, parts[1] or None, parts[2] or None, parts[3] or None)


def _known_words(population: str, where: str, statistic: str) -> bool:
    """Whether the contract has these parts of a key; an empty one is left open."""
    contract = load()
    populations = {one.id for one in contract.populations} | {""}
    slices = {one.id for one in contract.slices} | {""}
    statistics = {one.id for one in contract.statistics} | {""}
    return (
        population in populations
        and where.partition("=")[0] in slices
        and (statistic in statistics or statistic.partition("/")[0] in {"ci_low", "ci_high"})
    )


def _word(text: str) -> Label | None:
    name = folded(text)
    if not name:
        return None
    parameter = _parameter(text)
    if parameter is not None:
        return parameter
    found = _SLICE.match(text)
    if found and not _index("listing").get(name):
        value = found["value"].strip()
        return Label(slice=f"{found['kind'].lower()}={escape(value)}")
    if name in listed("change") or text.strip() == "Δ":
        return Label(change=True)
    if name in _index("listing"):
        folds = _index("listing")[name] == "fold" and name == "folds"
        return Label(listing=_index("listing")[name], slice="folds" if folds else None)
    if name in listed("folds"):
        return Label(slice="folds")
    if name in _index("population"):
        return Label(population=_index("population")[name])
    if name in _index("statistic"):
        return Label(statistic=_index("statistic")[name])
    if name in listed("neutral"):
        return Label(neutral=True)
    return None


def _parameter(text: str) -> Label | None:
    """Read a value that stands alone, such as `@10` or `top-10`."""
    for one in load().parameters:
        pattern = one.alone.replace("{}", f"(?P<value>{one.pattern})")
        found = re.fullmatch(pattern, text, re.IGNORECASE) if pattern else None
        if found:
            return Label(parameter=(one.symbol, found["value"].lower()))
    return None


def headed(heading: str) -> Parameter | None:
    """Say which parameter the folded heading of a column names."""
    for one in load().parameters:
        if heading in map(folded, one.headings):
            return one
    return None


def _metric(text: str) -> Label | None:
    named = lookup(text)
    if named.metric:
        return Label(metric=named.metric, population=named.population)
    if named.template or named.ambiguous:
        return Label(template=named.template, problem=named.problem, suggestions=named.suggestions)
    return None


def _compound(text: str) -> Label | None:
    """Read `nDCG@10 (positives only)`, `auroc_std`, `mean MRR`, `recall@10/positives_only`."""
    qualified = _QUALIFIED.match(text)
    if qualified:
        head, tail = read(qualified["head"]), _word(qualified["tail"])
        if head.names_metric and tail is None and says_folds(qualified["tail"]):
            tail = Label(slice="folds")
        if head.names_metric and tail is not None:
            return head.plus(tail) if not tail.neutral else head
        return None
    for pattern in (r"[\s_/.-]+", r"\s+"):
        pieces = re.split(f"({pattern})", text)
        for cut in range(1, len(pieces), 2):
            first, last = "".join(pieces[:cut]), "".join(pieces[cut + 1 :])
            joined = _joined(first, last)
            if joined:
                return joined
    return None


def _joined(first: str, last: str) -> Label | None:
    """Read a metric's name with one word before or after it."""
    for outer, inner in ((last, first), (first, last)):
        word = _word(outer)
        if word is None or word.neutral or word.change or word.parameter:
            continue
        name = _metric(inner)
        if name is not None:
            return name.plus(replace(word, listing=None))
    return None


def path(parts: tuple[str, ...]) -> Label:
    """Read the levels of a nested file from the outside in."""
    whole = Label()
    for part in parts:
        listing = whole.listing
        inner = read(part)
        if listing and inner.slice is None and not inner.names_metric and inner.statistic is None:
            value = re.sub(rf"^{listing}[\s_=-]*", "", part.strip("[]"), flags=re.IGNORECASE)
            inner = Label(slice=f"{listing}={escape(value)}")
        if inner.neutral:
            inner = Label()
        whole = whole.plus(inner)
    return whole
