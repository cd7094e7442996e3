"""Intervals: they hold their estimate, and they agree with the p-value beside them."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING

from crosscheck.audit.verdicts import Tally, exact, named

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crosscheck.audit.beside.figures import Figure

CORRECTED = re.compile(
    r"holm|bonferroni|corrected|adjusted|fdr|benjamini|one-?sided", re.IGNORECASE
)
"""Words beside which a p-value is not that of the interval."""


def audit(figures: Sequence[Figure]) -> Tally:
    """Hold every interval against its estimate, and every interval of a change against its p."""
    tally = Tally()
    for one in figures:
        low, high = one.span("low"), one.span("high")
        if low is None or high is None:
            continue
        ends = one.beside["low"], one.beside["high"]
        tally.looked_at((one.value, *ends))
        if low.low > high.high:
            tally.found(
                "XC926",
                ends,
                f"{one.value.label}: the interval begins at {ends[0].printed} and ends at "
                f"{ends[1].printed}",
                "the smaller end first",
                worked=f"{exact(low.low)} > {exact(high.high)}",
            )
            continue
        _estimate(one, tally)
        if one.value.role == "improvement":
            _p(one, tally)
    return tally


def _estimate(one: Figure, tally: Tally) -> None:
    """Say where an estimate lies outside its own interval."""
    low, high = one.span("low"), one.span("high")
    value = one.value.interval
    if low is None or high is None or one.value.role != "value":
        return
    if not (value.high < low.low or value.low > high.high):
        return
    under = value.high < low.low
    less, more = (value, low) if under else (high, value)
    begins, ends = one.beside["low"], one.beside["high"]
    tally.found(
        "XC926",
        (one.value, begins, ends),
        f"{named(one.value)} lies outside its own interval, {begins.printed} to {ends.printed}",
        f"{one.value.label} between {begins.printed} and {ends.printed}",
        worked=f"{exact(less.high)} < {exact(more.low)}",
        only_if="the interval is of this number, by a method that holds its estimate",
    )


def _p(one: Figure, tally: Tally) -> None:
    """Hold a change's p against its interval: 0 lies outside just where p is below the level."""
    low, high, p = one.span("low"), one.span("high"), one.span("p")
    claim = one.beside.get("p")
    if low is None or high is None or p is None or claim is None or claim.number is None:
        return
    if CORRECTED.search(f"{claim.title} {claim.name}"):
        return
    tally.looked_at((claim,))
    level = 1 - Fraction(one.level) / 100
    relation = claim.number.relation
    outside = low.low > 0 or high.high < 0
    inside = low.high < 0 < high.low
    if outside and relation != "<" and p.low > level:
        ends = f"0 < {exact(low.low)}" if low.low > 0 else f"{exact(high.high)} < 0"
        told, worked = "does not hold 0", f"{exact(p.low)} > {exact(level)}"
    elif inside and relation != ">" and p.high < level:
        ends = f"{exact(low.high)} < 0 < {exact(high.low)}"
        told, worked = "holds 0", f"{exact(p.high)} < {exact(level)}"
    else:
        return
    begins, finishes = one.beside["low"], one.beside["high"]
    tally.found(
        "XC926",
        (one.value, begins, finishes, claim),
        f"{named(one.value)}: the interval {begins.printed} to {finishes.printed} {told} ({ends}), "
        f"but p is {claim.printed}",
        f"p {'below' if outside else 'above'} {exact(level)}, or another interval",
        ("interval and p are of two methods, or p is corrected or one-sided",),
        worked=worked,
        only_if=f"the interval is of {one.level} %, and p is of the same two-sided test",
    )
