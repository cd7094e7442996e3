"""How likely an unrelated hypothesis is to print the same digits.

Digits alone say little where values stand on a lattice. A mean over n queries whose values are
simple fractions can only be moved in steps of a simple fraction divided by n, and a rate of n rows
is a fraction with a small denominator: there a coincidence reproduces all digits at once, however
many are printed. So the chance of one hypothesis is the larger of two: the share of the values
around the claim that round to it, and one in the number of values that can be attained there.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from crosscheck.notation.number import Quantity

CHANCE = 0.1
"""Above so many matches by chance nothing is offered as the reason."""
_NEIGHBOURHOOD = 0.05
_FAREY = 3 / math.pi**2
"""Times q² there are so many fractions between 0 and 1 whose denominator is at most q."""
_COINCIDING = 2
"""So many hypotheses to a value around the claim tell that few values can be attained at all."""
_ACCIDENT = 0.05
_FINEST = 10**6
"""Denominators from here on are no longer simple."""


class Chance:
    """What would match a printed number by accident, on these data."""

    def __init__(
        self,
        number: Quantity,
        key: str,
        ledger: Mapping[str, int | float],
        *,
        percent: bool,
    ) -> None:
        interval = number.scaled(percent=percent)
        self.centre = float(interval.low + interval.high) / 2
        width = float(interval.high - interval.low)
        self.reach = max(_NEIGHBOURHOOD * max(1.0, abs(self.centre)), width)
        low, high = Fraction(interval.low), Fraction(interval.high)
        slack = Fraction(1, 10**10)
        attainable = _attainable(low - slack, high + slack, key, ledger, 2 * self.reach)
        self.of_one = min(1.0, max(width / (2 * self.reach), 1 / attainable))

    def near(self, value: float) -> bool:
        """Say whether a value lies around the claim."""
        return abs(value - self.centre) <= self.reach

    def expected(self, values: Iterable[float]) -> float:
        """Give how many of these hypotheses' values, each counted once, match by chance."""
        distinct = {round(value, 10) for value in values if self.near(value)}
        return max(1, len(distinct)) * self.of_one

    def crowded(self, values: Iterable[float]) -> None:
        """Take note of all values tried: where they coincide, only so many can be attained."""
        near = [round(value, 10) for value in values if self.near(value)]
        distinct = len(set(near))
        if distinct and len(near) >= _COINCIDING * distinct:
            self.of_one = max(self.of_one, 1 / distinct)


def _attainable(
    low: Fraction, high: Fraction, key: str, ledger: Mapping[str, int | float], span: float
) -> float:
    """Count the values around a claim that are as simple as it is, or simpler."""
    if key.count("|") != 3:  # noqa: PLR2004 - a change or a p-value, not a number of the ledger
        return math.inf
    _, population, where, statistic = key.split("|")
    places = (f"{population}|{where}", f"{population}|all", "all_queries|all")
    rows = [ledger.get(f"queries|{place}|n", 0) for place in places]
    count = next((int(one) for one in rows if one and math.isfinite(one)), 1)
    if statistic != "mean":
        simple = simplest(low, high)
        finest = max(simple, count) if _is_simple(simple, high - low) else count
        return max(1.0, _FAREY * finest**2 * span)
    if not math.isfinite(ledger[key]):
        return math.inf
    right = Fraction(ledger[key])
    simple = simplest((low - right) * count, (high - right) * count)
    if not _is_simple(simple, (high - low) * count):
        return math.inf
    return max(1.0, max(1.0, _FAREY * simple**2) * count * span)


def _is_simple(denominator: int, width: Fraction) -> bool:
    """Say whether so small a denominator is no accident between numbers so far apart."""
    return _FAREY * denominator**2 * float(width) < _ACCIDENT


def simplest(low: Fraction, high: Fraction) -> int:
    """Give the denominator of the simplest fraction between two numbers, or the finest looked at.

    >>> simplest(Fraction(3, 10), Fraction(34, 100))
    3
    """
    if high < 0:
        low, high = -high, -low
    if low <= 0:
        return 1
    # Down the Stern–Brocot tree, by continued fractions.
    below = (0, 1)
    while True:
        whole = low.numerator // low.denominator
        if low == whole or whole + 1 <= high:
            step = whole if low == whole else whole + 1
            return min(step * below[0] + below[1], _FINEST)
        below = (whole * below[0] + below[1], below[0])
        if below[0] >= _FINEST:
            return _FINEST
        low, high = 1 / (high - whole), 1 / (low - whole)
