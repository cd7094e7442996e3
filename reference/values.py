"""Exact numbers: what a number in a file means, and the arithmetic that keeps it exact.

A value is a `Fraction` as long as it is rational, and a `Decimal` once a logarithm or a root came
in. Decimals are worked out to 120 digits; of a logarithmic quantity 50 are kept, so that sums of
squares of kept numbers still fit into the 120 and nothing is lost before the one last rounding.

Every number of this package is the same bits on every machine. So all of it computes with integers
and fractions; with decimals, whose + − × ÷, root, `ln` and `exp` are fixed to the last digit; with
floats only as IEEE 754 rounds them: + − × ÷, root, `math.fsum`, from text and to text. Never by the
machine's mathematics library (`math.log`, `exp`, `erf`, `statistics`), never by `**` but for
written-out integers, never by `sum` over floats, never in the order of a set.
tests/reference/test_same_bits.py holds this.
"""

from __future__ import annotations

import math
from decimal import Context, Decimal, Inexact, localcontext
from fractions import Fraction
from functools import cache, lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from contextlib import AbstractContextManager

Value = Fraction | Decimal
Exact = int | Fraction | Decimal | float  # float: `inf` only

WORKING = Context(prec=120)
KEPT = Context(prec=50)
# Sums and products of decimals from a file never need 4,000 digits; were they to, it would raise.
EXACT = Context(prec=4000, traps=[Inexact])
EXACT_TERMS = 20_000

ZERO, HALF, ONE = Fraction(0), Fraction(1, 2), Fraction(1)


def high_precision() -> AbstractContextManager[Context]:
    """Work to 120 digits inside this block."""
    return localcontext(WORKING)


@lru_cache(maxsize=65_536)  # the probabilities of a file are often few
def shortest_decimal(number: float) -> Decimal:
    """Return the decimal that the shortest form of a float64 shows: 0.3 is three tenths."""
    return Decimal(repr(number))


def in_units(numbers: Iterable[float]) -> dict[float, int]:
    """Return float64 numbers, as the decimals meant, in units of the last decimal place of any."""
    decimals = {number: shortest_decimal(number).as_integer_ratio() for number in numbers}
    unit = math.lcm(*(below for _, below in decimals.values()))
    return {number: above * (unit // below) for number, (above, below) in decimals.items()}


def as_text(number: Decimal) -> str:
    """Write a decimal in the shortest way, without an exponent: section 13's numbers in keys."""
    return format(number.normalize(), "f") if number else "0"


def as_decimal(value: Value | int) -> Decimal:
    """Turn a fraction into a decimal of working precision."""
    if isinstance(value, Decimal):
        return value
    return WORKING.divide(Decimal(value.numerator), Decimal(value.denominator))


def ratio(numerator: Value | int, denominator: Value | int) -> Value:
    """Divide; any zero denominator gives 0 (section 3; S0 5)."""
    if not numerator or not denominator:
        return ZERO
    if isinstance(numerator, int) and isinstance(denominator, int):
        return _fraction(numerator, denominator)
    if isinstance(numerator, Decimal) or isinstance(denominator, Decimal):
        if numerator == denominator:
            return ONE
        return KEPT.divide(as_decimal(numerator), as_decimal(denominator))
    return Fraction(numerator) / denominator if denominator != 1 else Fraction(numerator)


_fraction = lru_cache(maxsize=65_536)(Fraction)  # the counts of many queries are the same


def total(values: Iterable[Value]) -> Value:
    """Add; the sum is a fraction if every term is."""
    terms = list(values)
    if Decimal in map(type, terms):
        return sum((as_decimal(term) for term in terms), Decimal(0))
    return sum_of_ratios([term.as_integer_ratio() for term in terms])


def counted_total(values: Sequence[Value], counts: Sequence[int]) -> Value:
    """Add values, each as often as it is there; the sum is a fraction if every term is."""
    there = [(value, count) for value, count in zip(values, counts, strict=True) if count]
    if Decimal in {type(value) for value, _ in there}:
        return sum((as_decimal(value) * count for value, count in there), Decimal(0))
    ratios = [(value.as_integer_ratio(), count) for value, count in there]
    return sum_of_ratios([(above * count, below) for (above, below), count in ratios])


def sum_of_ratios(terms: Sequence[tuple[int, int]]) -> Value:
    """Add integer ratios over one common denominator.

    Beyond 20,000 terms that denominator would have a million digits: then 256 binary places for
    each term, an error below 10⁻⁷⁰ in all.
    """
    if len(terms) > EXACT_TERMS:
        fixed = sum((numerator << 256) // denominator for numerator, denominator in terms)
        return as_decimal(Fraction(fixed, 1 << 256))
    over: dict[int, int] = {}
    for numerator, denominator in terms:
        over[denominator] = over.get(denominator, 0) + numerator
    common = math.lcm(*over)
    return Fraction(sum(above * (common // below) for below, above in over.items()), common)


def root(square: Value) -> Value:
    """Take the square root; a fraction if both its terms are squares."""
    if isinstance(square, Decimal):
        return WORKING.sqrt(square)
    return root_of_ratio(*square.as_integer_ratio())


def root_of_ratio(above: int, below: int, times: int = 1) -> Value:
    """Take the square root of above / (below · times²); a fraction if it is one."""
    product = above * below
    whole = math.isqrt(product)
    if whole * whole == product:
        return Fraction(whole, below * times)
    return WORKING.sqrt(WORKING.divide(Decimal(above), Decimal(below * times * times)))


@cache
def discount(rank: int) -> Value:
    """Return 1 / log2(rank + 1); a fraction where rank + 1 is a power of two."""
    exponent = rank.bit_length()
    if rank + 1 == 1 << exponent:
        return Fraction(1, exponent)
    return WORKING.divide(WORKING.ln(2), WORKING.ln(rank + 1))


@cache
def powers(base: int) -> Callable[[int], int]:
    """Return the powers of an integer, each worked out once."""
    known = [1]

    def to_the(exponent: int) -> int:
        while len(known) <= exponent:
            known.append(known[-1] * base)
        return known[exponent]

    return to_the


def rounded(value: Exact) -> int | float:
    """Round once, at the very end: the nearest float; counts stay integers."""
    return value if isinstance(value, int | float) else float(value)
