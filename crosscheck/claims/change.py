"""Printed changes between two systems: which two, and which kind of change fits.

`Improvement +10.48%` is 100·(new − old)/old by the contract. Tables also print points, the share
of the new value, or the reduction of error; and the old system may be the neighbour, the one that
is called baseline, or the best of the others. A column is read the way that fits most of it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from crosscheck.notation.interval import Interval
from crosscheck.notation.metric_names import folded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crosscheck.notation.claim import Claim

READINGS = {
    "relative": "100·(new − old)/old",
    "points": "100·(new − old), in points",
    "difference": "new − old",
    "of the new value": "100·(new − old)/new",
    "error reduction": "100·(new − old)/(1 − old)",
    "ratio": "(new − old)/old",
}


@dataclass(frozen=True, slots=True)
class Step:
    """A printed change with the two cells it is between."""

    claim: Claim
    old: Claim
    new: Claim


def pairs(claim: Claim, claims: Sequence[Claim]) -> list[tuple[Claim, Claim]]:
    """List the (old, new) cells that a change can be between, likeliest first."""
    beside = [
        other
        for other in claims
        if other.role == "value"
        and other.file == claim.file
        and other.table == claim.table
        and other.metric == claim.metric
        and other.key is not None
        and claim.key is not None
        and other.key.split("|")[1] == claim.key.split("|")[1]
        and other.number is not None
        and (other.dataset, other.split) == (claim.dataset, claim.split)
    ]
    if claim.system:
        mine = [other for other in beside if other.system == claim.system]
        rest = [other for other in beside if other.system != claim.system]
        return [(old, new) for new in mine for old in _by_likelihood(rest, new)]
    beside.sort(key=lambda other: other.at)
    before = [other for other in beside if other.at <= claim.at] or beside
    found = [(before[-2], before[-1])] if len(before) > 1 else []
    for new in reversed(before):
        found += [(old, new) for old in _by_likelihood([o for o in beside if o != new], new)]
    return list(dict.fromkeys(found))


def _by_likelihood(others: list[Claim], new: Claim) -> list[Claim]:
    """Order candidates for the baseline: named so, then first in the table, then the best other."""

    def rank(other: Claim) -> tuple[bool, bool, tuple[int, int]]:
        return (not _is_baseline(other), other.at > new.at, other.at)

    return sorted(others, key=rank)


def rivals(claim: Claim, claims: Sequence[Claim]) -> list[tuple[str, Claim, Claim]]:
    """List the pairs (how, old, new) that a printed change is commonly between, no others.

    The new one is its own system or the last value before it; the old one is the system it is
    said to be against, else the one called baseline, the neighbour, the first, or the best other.
    """
    every = sorted(set(pairs(claim, claims)), key=lambda pair: pair[1].at)
    if not every:
        return []
    last = max((new.at for _, new in every if claim.system or new.at <= claim.at), default=None)
    mine = [pair for pair in every if pair[1].at == last] or every
    if claim.against:
        named = folded(claim.against)
        return [("named", old, new) for old, new in mine if folded(old.system or "") == named]
    olds = sorted((old for old, _ in mine), key=lambda old: old.at)
    new = mine[0][1]
    before = [old for old in olds if old.at < new.at]
    base = [old for old in olds if _is_baseline(old)]
    best = max(olds, key=lambda old: old.number.value if old.number else 0)
    ways = {
        "baseline": base[:1],
        "neighbour": before[-1:],
        "first": olds[:1],
        "best other": [best],
    }
    return [(how, some[0], new) for how, some in ways.items() if some]


def _is_baseline(other: Claim) -> bool:
    return re.search(r"\bbase(line)?\b", other.system or "", re.IGNORECASE) is not None


def kinds(claim: Claim) -> tuple[str, ...]:
    """Say how a printed change may be counted, by its label and its sign."""
    number = claim.number
    if number is not None and number.points:
        return ("points",)
    if claim.change == "relative" and not claim.percent:
        return ("relative", "ratio")
    if claim.change in {"relative", "points", "difference"}:
        return (claim.change,)
    if claim.percent:
        return ("relative",) if claim.change == "gain" else ("relative", "points")
    return ("difference", "points", "relative")


def span(old: Interval, new: Interval, reading: str) -> Interval | None:
    """Give the changes that two rounded values allow; None where the old one can be zero."""
    hundred = Fraction(100)
    if reading == "difference":
        return new - old
    if reading == "points":
        return (new - old).times(hundred)
    if reading in {"relative", "ratio"}:
        # new/old − 1 uses each value once, so no width is lost to counting it twice.
        ratio = new.over(old)
        scale = hundred if reading == "relative" else Fraction(1)
        return None if ratio is None else (ratio - Interval.of(1)).times(scale)
    if reading == "of the new value":
        ratio = old.over(new)
        return None if ratio is None else (Interval.of(1) - ratio).times(hundred)
    left = Interval.of(1) - old
    ratio = (Interval.of(1) - new).over(left)
    return None if ratio is None else (Interval.of(1) - ratio).times(hundred)


def change(old: Fraction, new: Fraction, reading: str) -> Fraction:
    """Give the change between two exact values, neither of which makes it undefined."""
    below = {"relative": old, "of the new value": new, "error reduction": 1 - old}
    factor = 1 if reading == "difference" else 100
    return factor * (new - old) / below.get(reading, Fraction(1))
