"""Intervals, deviations and p-values that are printed together.

A paired t-test over n values has t² = n·d²/s², with s the deviation of the differences; that lies
between |s₁ − s₂| and s₁ + s₂ whatever the correlation. So mean ± sd of two systems bound p. An
interval holds its estimate, and for a mean of shares it is at most so wide.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING

from crosscheck.audit import subjects
from crosscheck.audit.rates import interval
from crosscheck.audit.single import folds_in
from crosscheck.audit.verdicts import Tally, exact, listed, named

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crosscheck.notation.claim import Claim
    from crosscheck.notation.interval import Interval

_BOOTSTRAP = re.compile(
    r"bootstrap|wilcoxon|permutation|mcnemar|sign test|holm|bonferroni", re.IGNORECASE
)
_FINE = 10**6
"""Parts of one to which a quantile is rounded, away from what would convict."""


def audit(claims: Sequence[Claim], folds: int | None = None) -> Tally:
    """Audit every interval and every p-value."""
    tally = Tally()
    _intervals(claims, tally)
    for claim in claims:
        if claim.role == "p_value" and claim.number is not None and claim.key:
            _test(claim, claims, folds, tally)
    return tally


def _intervals(claims: Sequence[Claim], tally: Tally) -> None:
    """Hold every interval against the estimate of its cell."""
    ends: dict[tuple[object, ...], dict[str, Claim]] = {}
    for claim in claims:
        if claim.readable and claim.key and claim.role in {"value", "ci_low", "ci_high"}:
            metric, population, where, _ = claim.key.split("|")
            place = (claim.beside, claim.place, claim.at, metric, population, where)
            ends.setdefault(place, {}).setdefault(claim.role, claim)
    for found in ends.values():
        if not {"value", "ci_low", "ci_high"} <= found.keys():
            continue
        value, low, high = (found[role] for role in ("value", "ci_low", "ci_high"))
        tally.looked_at((value, low, high))
        if interval(low).low > interval(high).high:
            tally.found(
                "XC926",
                (low, high),
                f"{value.label}: the interval begins at {low.printed} and ends at {high.printed}",
                "the smaller end first",
                worked=f"{exact(interval(low).low)} > {exact(interval(high).high)}",
            )
        elif interval(value).high < interval(low).low or interval(value).low > interval(high).high:
            under = interval(value).high < interval(low).low
            one, two = (value, low) if under else (high, value)
            tally.found(
                "XC926",
                (value, low, high),
                f"{named(value)} lies outside its own interval, {low.printed} to {high.printed}",
                f"{value.label} between {low.printed} and {high.printed}",
                worked=f"{exact(interval(one).high)} < {exact(interval(two).low)}",
                only_if="the interval is of this number, by a method that holds its estimate",
            )


def _test(claim: Claim, claims: Sequence[Claim], folds: int | None, tally: Tally) -> None:
    """Hold a p-value against the means and deviations that it can be between."""
    count = folds or folds_in(claim)
    own = _cell(claim, claims, claim.system)
    others = {c.system for c in claims if c.table == claim.table and c.system != claim.system}
    pairs = [_cell(claim, claims, system) for system in others]
    given = [pair for pair in pairs if pair is not None]
    if count is None or own is None or not given or _BOOTSTRAP.search(claim.title):
        tally.reasons.setdefault(claim, "the means, deviations and n of its test are not printed")
        return
    tally.looked_at((claim, *own, *(c for pair in given for c in pair)))
    told = [_broken(claim, own, other, count) for other in given]
    if all(told):
        other = given[0]
        tally.found(
            "XC926",
            (claim, *own, *other),
            f"{named(claim)} cannot come from {listed((own[0], other[0]))} with standard "
            f"deviations {own[1].printed} and {other[1].printed} over {count} values, whatever "
            "their correlation",
            "",
            ("another test, or another number of values, stands behind it",),
            worked=told[0],
            only_if=f"p is of a paired t-test over {count} values",
        )


def _cell(claim: Claim, claims: Sequence[Claim], system: str | None) -> tuple[Claim, Claim] | None:
    """Give the mean and deviation of a system in the column of a p-value."""
    found: dict[str, Claim] = {}
    base = (claim.key or "").rpartition("|")[0]
    for other in claims:
        if other.readable and other.system == system and other.role in {"value", "std"}:
            same = subjects.context(other) == subjects.context(claim)
            if same and (other.key or "").rpartition("|")[0] == base:
                found.setdefault(other.role, other)
    return (found["value"], found["std"]) if {"value", "std"} <= found.keys() else None


def _broken(claim: Claim, own: tuple[Claim, Claim], other: tuple[Claim, Claim], count: int) -> str:
    """Write why no correlation gives this p; empty where one does."""
    if claim.number is None:
        return ""
    gaps = _ends(interval(own[0]), interval(other[0]))
    far, near = gaps[-1], gaps[0]
    s, z = interval(own[1]), interval(other[1])
    narrow = _ends(s, z)[0]
    wide = s.high + z.high, f"({exact(s.high)} + {exact(z.high)})"
    p = claim.number.interval
    most = p.high if claim.number.relation != ">" else Fraction(1)
    least = p.low if claim.number.relation != "<" else Fraction(0)
    if narrow[0] and 0 < most < 1:
        needed = _quantile(most, count, -1)
        if needed > 0 and count * far[0] ** 2 < (needed * narrow[0]) ** 2:
            return _squares(count, far[1], needed, narrow[1], "<")
    if 0 < least < 1 and wide[0]:
        allowed = _quantile(least, count, 1)
        if count * near[0] ** 2 > (allowed * wide[0]) ** 2:
            return _squares(count, near[1], allowed, wide[1], ">")
    return ""


def _ends(one: Interval, other: Interval) -> list[tuple[Fraction, str]]:
    """Give the least and the most by which two numbers can differ, each with its working."""
    ends = sorted(
        (abs(a - b), f"({exact(a)} − {exact(b)})")
        for a, b in ((one.low, other.high), (one.high, other.low))
    )
    return [(Fraction(0), "0"), ends[-1]] if one.meets(other) else ends


def _squares(count: int, gap: str, quantile: Fraction, spread: str, sign: str) -> str:
    side = f"({exact(quantile)}·{spread})"
    return f"{count}·{gap}·{gap} {sign} {side}·{side}"


def _quantile(p: Fraction, count: int, side: int) -> Fraction:
    """Give the |t| of a two-sided test over `count` pairs, a little below (−1) or above (1)."""
    from scipy.stats import t as student  # noqa: PLC0415 - a second, and few tables state a test

    exactly = float(student.isf(float(p) / 2, count - 1))
    return Fraction(round(exactly * _FINE) + side, _FINE)
