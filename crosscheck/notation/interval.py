"""Closed intervals of exact fractions: what a printed number can have been before rounding.

Every audit works on these. An answer that follows from intervals is a proof, because nothing is
rounded on the way.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

_ROOT_DIGITS = 10**20


@dataclass(frozen=True, slots=True)
class Interval:
    """All values from `low` to `high`, both included."""

    low: Fraction
    high: Fraction

    @classmethod
    def of(cls, low: Fraction | float, high: Fraction | float | None = None) -> Interval:
        """Make an interval, or a point where `high` is left out."""
        return cls(Fraction(low), Fraction(low if high is None else high))

    def __add__(self, other: Interval) -> Interval:
        return Interval(self.low + other.low, self.high + other.high)

    def __sub__(self, other: Interval) -> Interval:
        return Interval(self.low - other.high, self.high - other.low)

    def __mul__(self, other: Interval) -> Interval:
        corners = [a * b for a in (self.low, self.high) for b in (other.low, other.high)]
        return Interval(min(corners), max(corners))

    def over(self, other: Interval) -> Interval | None:
        """Divide; None where the divisor can be zero."""
        if other.low <= 0 <= other.high:
            return None
        return self * Interval(1 / other.high, 1 / other.low)

    def times(self, factor: Fraction | int) -> Interval:
        """Scale by an exact factor."""
        return self * Interval(Fraction(factor), Fraction(factor))

    def meets(self, other: Interval) -> bool:
        """Say whether the two share a value."""
        return self.low <= other.high and other.low <= self.high

    def cut(self, other: Interval) -> Interval | None:
        """Give what both hold; None where nothing is left."""
        low, high = max(self.low, other.low), min(self.high, other.high)
        return Interval(low, high) if low <= high else None

    def wider(self, slack: Fraction) -> Interval:
        """Give the same interval with `slack` more on either side."""
        return Interval(self.low - slack, self.high + slack)

    def holds(self, value: Fraction | float) -> bool:
        """Say whether a value lies inside."""
        return self.low <= Fraction(value) <= self.high

    def __str__(self) -> str:
        return f"{short(self.low)} to {short(self.high)}"


UNIT = Interval.of(0, 1)


def root_above(value: Fraction) -> Fraction:
    """Give a fraction just above the square root, so that a bound stays a bound."""
    if value <= 0:
        return Fraction(0)
    scaled = value.numerator * _ROOT_DIGITS**2 // value.denominator + 1
    return Fraction(isqrt(scaled) + 1, _ROOT_DIGITS)


def short(value: Fraction | float, digits: int = 6) -> str:
    """Write a value with at most `digits` decimals and no trailing zeros."""
    text = f"{float(value):.{digits}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text
