"""Graded nDCG: what holds whatever the grades.

A query without a hit among K has no gain, so nDCG@K ≤ Hit@K. With its first hit at rank r, each
gain stands at rank r + j or later where the ideal has it at 1 + j, so nDCG is at most
log₂(K − r + 2)/log₂(K + 1). A line above all these points, as a function of 1/r, bounds the mean:
nDCG@K ≤ a·MRR@K + b·Hit@K.
"""

from __future__ import annotations

import math
from collections import defaultdict
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

from crosscheck.audit.rates import interval
from crosscheck.audit.subjects import values as plain
from crosscheck.audit.verdicts import Tally, exact, listed
from crosscheck.notation.interval import UNIT, Interval
from crosscheck.notation.measure import Measure

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from crosscheck.audit.contradictions import Contradiction
    from crosscheck.notation.claim import Claim

VARIANTS = ("graded", "exponential")
_DIGITS = 10**6
_MOST_K = 1000


def audit(claims: Sequence[Claim]) -> Tally:
    """Hold every graded nDCG against the hits and reciprocal ranks beside it."""
    tally = Tally()
    groups: dict[tuple[str, ...], dict[str, Claim]] = defaultdict(dict)
    for claim in plain(claims):
        metric, population, where, statistic = (claim.key or "|||").split("|")
        if statistic == "mean":
            groups[*claim.beside, population, where].setdefault(metric, claim)
    for cells in groups.values():
        for metric, claim in cells.items():
            measure = Measure.parse(metric)
            if measure is None or measure.kind != "ndcg" or measure.variant not in VARIANTS:
                continue
            hit, mrr = (cells.get(f"{kind}@{int(measure.k)}") for kind in ("hit", "mrr"))
            beside = tuple(c for c in (hit, mrr) if c is not None)
            tally.looked_at((claim, *beside) if beside else ())
            broken = bound(int(measure.k), interval(claim), _of(hit), _of(mrr))
            if broken:
                tally.found(
                    "XC912",
                    (claim, *beside),
                    f"{listed((claim, *beside))}: whatever the grades, no ranking gives so much "
                    "gain for these hits",
                    worked=broken,
                )
    return tally


def _of(claim: Claim | None) -> Interval | None:
    return interval(claim) if claim is not None else None


def bound(k: int, gain: Interval, hit: Interval | None, mrr: Interval | None) -> str:
    """Write the bound that a graded nDCG breaks; empty where it breaks none."""
    if hit is not None and gain.low > hit.high:
        return f"{exact(hit.high)} < {exact(gain.low)}"
    if mrr is None or k > _MOST_K:
        return ""
    hits = hit or UNIT
    for a, b in _lines(k):
        share = hits.high if b >= 0 else hits.low
        if gain.low > a * mrr.high + b * share:
            return f"{exact(a)}·{exact(mrr.high)} + {exact(b)}·{exact(share)} < {exact(gain.low)}"
    return ""


def _lines(k: int) -> list[tuple[Fraction, Fraction]]:
    """Give lines a·(1/r) + b, above every point of a first hit at rank r."""
    points = [(1 / r, math.log2(k - r + 2) / math.log2(k + 1)) for r in range(k, 0, -1)]
    hull: list[tuple[float, float]] = []
    for x, y in points:
        while len(hull) > 1 and _slope(hull[-2], hull[-1]) <= _slope(hull[-2], (x, y)):
            hull.pop()
        hull.append((x, y))
    found = []
    for left, right in pairwise(hull):
        slope = _slope(left, right)
        if slope >= 0:
            a = Fraction(math.ceil(slope * _DIGITS), _DIGITS)
            b = Fraction(math.ceil((left[1] - slope * left[0]) * _DIGITS) + 1, _DIGITS)
            found.append((a, b))
    return found


def _slope(one: tuple[float, float], two: tuple[float, float]) -> float:
    return (two[1] - one[1]) / (two[0] - one[0])


def beyond_grades(one: Contradiction, values: Mapping[Measure, Interval]) -> bool:
    """Whether a contradiction with nDCG in it stays one if nDCG is graded."""
    cells = {m: values[m] for m in one.cells}
    for measure, gain in cells.items():
        if measure.kind != "ndcg":
            continue
        at = {m.kind: i for m, i in cells.items() if m.k == measure.k}
        hit = at.get("hit") or (at.get("precision") or at.get("mrr") if measure.k == 1 else None)
        if hit is None and "precision" in at:  # a hit needs at least one of K places
            hit = at["precision"].times(int(measure.k))
        if bound(int(measure.k), gain, hit, at.get("mrr")):
            return True
    return False
