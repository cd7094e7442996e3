"""Exact numbers on the driver: whole numbers at a scale, fractions, and one rounding at the end."""

from __future__ import annotations

import math
from decimal import Context, Decimal
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Exact = int | Fraction | float
"""A count, an exact value, or `inf`."""
BITS = 192
"""A value of a query is a whole number of 2^-192: what is lost below is far below a rounding."""
FINE = 1280
"""The same for values that may themselves be very small."""
DIGITS = Context(prec=70)
ROOT = 2 * 128


def fraction(number: float | str | Decimal) -> Fraction:
    """Read a number as the decimal that its shortest form shows."""
    return Fraction(str(number))


def ratio(above: Exact, below: Exact) -> Exact:
    """Divide; a zero denominator gives 0 (section 2)."""
    if isinstance(above, float) or isinstance(below, float):
        raise TypeError("an infinite number cannot be divided exactly")
    return Fraction(above, 1) / below if below else Fraction(0)


@cache
def first_at_least(edge: Fraction) -> float:
    """Give the smallest number whose shortest form shows a decimal of at least the edge."""
    number = float(edge)
    while fraction(repr(number)) >= edge:
        number = math.nextafter(number, -math.inf)
    while fraction(repr(number)) < edge:
        number = math.nextafter(number, math.inf)
    return number


def root(value: Fraction) -> Fraction:
    """Take a square root to 128 bits behind the point, relative to its size."""
    if not value:
        return Fraction(0)
    shift = ROOT + 2 * max(0, value.denominator.bit_length() - value.numerator.bit_length())
    return Fraction(math.isqrt((value.numerator << shift) // value.denominator), 1 << (shift // 2))


def logarithm(value: Fraction) -> Fraction:
    """Take a natural logarithm to 70 digits."""
    number = DIGITS.divide(Decimal(value.numerator), Decimal(value.denominator))
    return Fraction(DIGITS.ln(number))


def exponential(value: Fraction) -> Fraction:
    """Undo a logarithm."""
    number = DIGITS.divide(Decimal(value.numerator), Decimal(value.denominator))
    return Fraction(DIGITS.exp(number))


@cache
def discount(rank: int) -> int:
    """Give 1 / log2(rank + 1) at the usual scale."""
    value = DIGITS.divide(DIGITS.ln(Decimal(2)), DIGITS.ln(Decimal(rank + 1)))
    return int(Fraction(value) * (1 << BITS))


def spread(values: Sequence[tuple[Fraction, int]]) -> tuple[int, Fraction, Fraction]:
    """Count, add up, and add up the squares of values that stand so often."""
    count = sum(often for _, often in values)
    total = sum((value * often for value, often in values), Fraction(0))
    squares = sum((value * value * often for value, often in values), Fraction(0))
    return count, total, squares


def mean(values: Iterable[Exact]) -> Exact:
    """Average; of nothing 0, with any infinite value infinite."""
    listed = list(values)
    if any(value == math.inf for value in listed):
        return math.inf
    return ratio(sum((Fraction(value) for value in listed), Fraction(0)), len(listed))


def deviation(values: Iterable[Exact], less: int) -> Exact:
    """Take the standard deviation, with n − `less` in the denominator; of too few values 0."""
    listed = list(values)
    if any(value == math.inf for value in listed):
        return math.inf
    if len(listed) <= less:
        return Fraction(0)
    count, total, squares = spread([(Fraction(value), 1) for value in listed])
    return root((squares - total * total / count) / (count - less))


def rounded(value: Exact) -> float | int:
    """Round an exact value once; a count stays one."""
    return value if isinstance(value, int | float) else value.numerator / value.denominator
