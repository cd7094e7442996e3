"""The arithmetic that everything else stands on."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest

from reference import values


def test_a_number_means_the_decimal_that_it_shows() -> None:
    assert Fraction(values.shortest_decimal(0.3)) == Fraction(3, 10)
    assert Fraction(values.shortest_decimal(1e-7)) == Fraction(1, 10**7)


@pytest.mark.parametrize(
    ("number", "text"),
    [
        ("0.50", "0.5"),
        ("1E+1", "10"),
        ("0", "0"),
        ("0.0", "0"),
        ("-0.0", "0"),
        ("1e-7", "0.0000001"),
    ],
)
def test_numbers_in_keys_are_shortest_decimals(number: str, text: str) -> None:
    assert values.as_text(Decimal(number)) == text


def test_a_root_of_squares_is_a_fraction() -> None:
    assert values.root(Fraction(9, 16)) == Fraction(3, 4)
    assert isinstance(values.root(Fraction(9, 16)), Fraction)


def test_another_root_has_a_hundred_digits_and_more() -> None:
    found = values.root(Fraction(2))
    assert isinstance(found, Decimal)
    assert abs(Fraction(found) ** 2 - 2) < Fraction(1, 10**118)


@pytest.mark.parametrize(("rank", "expected"), [(1, "1"), (3, "1/2"), (7, "1/3"), (1023, "1/10")])
def test_the_discount_at_a_power_of_two_is_a_fraction(rank: int, expected: str) -> None:
    assert str(values.discount(rank)) == expected


def test_the_discount_at_rank_2_is_one_over_log2_of_3() -> None:
    known = "0.63092975357145743709952711434276085429958564"  # log_3(2), OEIS A102525
    assert str(values.discount(2)).startswith(known)


def test_zero_denominators_give_zero() -> None:
    assert values.ratio(3, 0) == 0
    assert values.ratio(Decimal(3), Decimal(0)) == 0


@pytest.mark.parametrize("count", [5, values.EXACT_TERMS, values.EXACT_TERMS + 1])
def test_very_many_terms_are_added_to_seventy_digits(count: int) -> None:
    """Σ 1/(i·(i+1)) = 1 − 1/(n+1)."""
    found = values.sum_of_ratios([(1, i * (i + 1)) for i in range(1, count + 1)])
    exact = Fraction(count, count + 1)
    assert abs(Fraction(found) - exact) < Fraction(1, 10**70)
    assert (found == exact) == (count <= values.EXACT_TERMS)
