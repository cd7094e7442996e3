"""How many queries stand behind a number: by a column of its own, a label, the caption, the text.

A size is known where the option gives it, or the table counts the queries of that very population.
Any other may count something else (training data, repetitions), and is used under that condition.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from crosscheck.notation.metric_names import folded

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from crosscheck.notation.claim import Claim

_FOLDS = re.compile(
    r"\b(?P<folds>\d{1,3})(?:[\s-]*folds?|[\s-]+(?:random )?seeds)\b"
    r"|\b(?:over|across) (?P<runs>\d{1,3}) (?:\w+ )?(?:runs|repetitions|trials)\b",
    re.IGNORECASE,
)
_N = re.compile(
    r"(?:\b[nN]\s*=\s*|\b(?:[Oo]ver|[Oo]n|of)\s+(?:the\s+|all\s+)?)(?P<n>\d[\d,]*)\s*(?P<what>[a-z]*)"
)
_UNITS = {"", "queries", "query", "questions", "topics", "samples", "examples", "instances"}
_QUERIES = re.compile(
    r"(?<![\d.,@=])(?P<n>\d{1,3}(?:,\d{3})+|\d{1,6}) (?:(?:test|held-out|positive|judged) ){0,2}"
    r"(?:queries|questions|topics)\b"
)
_REPEATED = re.compile(r"bootstrap|resampl|permutation|iteration|seed|run|fold|repe", re.IGNORECASE)
"""Words beside which n may be the number of repetitions."""
_LABEL = re.compile(r"[(\[,;]\s*[nN]\s*=\s*(?P<n>\d[\d,]*)\s*[)\],;]")
BEHIND = frozenset(
    ("n", "cases", "testsize", "testsamples", "testqueries", "ntest", "questions", "topics")
) | frozenset(("patients", "images"))
"""Folded names of columns that count what a share is of; samples may be those of training."""


@dataclass(frozen=True, slots=True)
class Size:
    """How many there are, and what would have to be true for it to be the number's own n."""

    n: int
    only_if: str = ""


@dataclass(frozen=True, slots=True)
class Sizes:
    """What a document says about how many there are."""

    given: int | None
    stated: Mapping[tuple[object, ...], tuple[str, int]]
    columns: Mapping[tuple[str, str, int], tuple[str, int]]
    spoken: int | None

    @classmethod
    def of(cls, claims: Sequence[Claim], n: int | None = None, text: str = "") -> Sizes:
        """Read all of it; `n` is what the person who asks says."""
        return cls(n, _stated(claims), _columns(claims), _spoken(text))

    def behind(self, claim: Claim) -> Size | None:
        """Give the n of one number, the nearest first."""
        if self.given:
            return Size(self.given)
        population = claim.population
        for system in (claim.system, None):
            found = self.stated.get((claim.file, claim.table, system, claim.dataset, population))
            if found:
                return Size(found[1])
        own = [(name, many) for name, many in claim.sizes if name in BEHIND]
        beside = self.columns.get((claim.file, claim.table, claim.at[0]))
        own += [beside] if beside else []
        if own:
            one = own[0]
            return Size(one[1], f"its {one[0]} is what it is a share of") if len(own) == 1 else None
        for system in (claim.system, None):
            counted = self.stated.get((claim.file, claim.table, system, claim.dataset, None))
            if counted:
                return Size(counted[1], f"it is over the {counted[1]} queries of its {counted[0]}")
        many = _labelled(claim) or caption_n(claim) or self.spoken
        return Size(many, f"it is over {many} queries, once") if many else None


def folds_in(claim: Claim) -> int | None:
    """Read over how many folds, seeds or runs a caption or heading says that numbers are."""
    found = {int(one["folds"] or one["runs"]) for one in _FOLDS.finditer(claim.title)} - {0, 1}
    return found.pop() if len(found) == 1 else None


def caption_n(claim: Claim) -> int | None:
    """Read how many queries a caption or heading says that there are; None where two are said."""
    found = {one["n"] for one in _N.finditer(claim.title) if one["what"].lower() in _UNITS}
    if len(found) != 1 or _REPEATED.search(claim.title):
        return None
    return int(found.pop().replace(",", ""))


def _stated(claims: Sequence[Claim]) -> dict[tuple[object, ...], tuple[str, int]]:
    """Read the table's own counts of queries; a last None stands for any population."""
    found: dict[tuple[object, ...], tuple[str, int]] = {}
    for claim in claims:
        if claim.metric == "queries" and claim.number is not None and not claim.number.relation:
            place = (claim.file, claim.table, claim.system, claim.dataset)
            told = (claim.name, int(claim.number.value))
            found[*place, claim.population] = told
            found[*place, None] = told
    return found


def _columns(claims: Sequence[Claim]) -> dict[tuple[str, str, int], tuple[str, int]]:
    """Read columns such as “Questions”, which name no metric and hold whole numbers."""
    found = {}
    for claim in claims:
        number = claim.number
        if claim.role != "unknown" or number is None or folded(claim.name) not in BEHIND:
            continue
        if number.step == 1 and not number.relation and number.value > 0:
            found[claim.file, claim.table, claim.at[0]] = claim.name, int(number.value)
    return found


def _labelled(claim: Claim) -> int | None:
    """Read `(n = 40)` from the row or the column that a number stands in."""
    found = {one["n"] for one in _LABEL.finditer(claim.label)}
    return int(found.pop().replace(",", "")) if len(found) == 1 else None


def _spoken(text: str) -> int | None:
    """Read how many queries a document says that there are, if it names one number only."""
    found = {one["n"].replace(",", "") for one in _QUERIES.finditer(text)}
    return int(found.pop()) if len(found) == 1 else None
