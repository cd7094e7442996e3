"""Logarithms and powers are those of many decimal digits, rounded once."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest

from primary.arithmetic.exact import exponential, powers
from primary.arithmetic.logarithms import DOUBT, _pair, natural, of_decimals

RANDOM = np.random.default_rng(20260119)
NUMBERS = np.concatenate(
    [
        RANDOM.random(1500),
        1 - RANDOM.random(500) / 10**9,
        1 + RANDOM.random(500) / 10**12,
        np.ldexp(RANDOM.random(1000) + 0.5, RANDOM.integers(-1060, 1000, 1000)),
        RANDOM.integers(1, 10_000, 500) / 10_000,
        [5e-324, 1e-310, 1.7e308, np.nextafter(1, 0), np.nextafter(1, 2), 2, 0.5],
    ]
)


def exact(number: float) -> Decimal:
    with localcontext(prec=60):
        return Decimal(number).ln()


def test_every_logarithm_is_rounded_correctly() -> None:
    found = natural(NUMBERS)
    assert [one for one, got in zip(NUMBERS, found, strict=True) if got != float(exact(one))] == []
    assert natural(np.array([1.0, 0.0])).tolist() == [0.0, -np.inf]
    assert natural(np.empty(0)).tolist() == []


def test_the_pair_is_closer_than_the_doubt_allows() -> None:
    high, low = _pair(NUMBERS)
    for number, upper, lower in zip(NUMBERS, high, low, strict=True):
        with localcontext(prec=60):
            truth = exact(number)
            assert abs((Decimal(float(upper)) + Decimal(float(lower)) - truth) / truth) < DOUBT / 8


def test_the_smallest_numbers_mean_their_decimals() -> None:
    small = np.array([5e-324, 1.5e-320, 3e-308, 0.25, 0.0])
    assert of_decimals(small).tolist() == [
        *(float(Decimal(repr(one)).ln()) for one in (5e-324, 1.5e-320, 3e-308, 0.25)),
        -np.inf,
    ]


@pytest.mark.parametrize("base", [Fraction(1, 2), Fraction(4, 5), Fraction(19, 20), Fraction(1, 3)])
def test_weights_of_ranks_are_powers_rounded_once(base: Fraction) -> None:
    weights = powers(base, 200)
    assert weights[0] == 0
    assert weights[1:201].tolist() == [float((1 - base) * base**rank) for rank in range(200)]
    assert not weights.flags.writeable


def test_exponentials_are_rounded_once() -> None:
    for number in (0.0, -11.512925464970229, 0.6931471805599453, -700.0):
        with localcontext(prec=60):
            assert exponential(number) == float(Decimal(number).exp())
