"""Printed numbers keep their digits and become the interval of values that round to them."""

from __future__ import annotations

from fractions import Fraction

import pytest

from crosscheck.notation.interval import Interval
from crosscheck.notation.number import parse

CELLS = {
    "0.7330 ± 0.031": {"number": "0.7330", "spread": "0.031"},
    "73.3": {"number": "73.3"},
    "73.3%": {"number": "73.3"},
    ".733": {"number": "0.733"},
    "0.897 (0.894–0.900)": {"number": "0.897", "low": "0.894", "high": "0.900"},
    "0.897 [0.894, 0.900]": {"number": "0.897", "low": "0.894", "high": "0.900"},
    "[0.894, 0.900]": {"low": "0.894", "high": "0.900"},
    "0.8972 ± 0.0015 (95% CI: [0.8941, 0.9003])": {
        "number": "0.8972",
        "spread": "0.0015",
        "low": "0.8941",
        "high": "0.9003",
    },
    "+10.48%": {"number": "10.48"},
    "−3.1": {"number": "-3.1"},
    "-3.1": {"number": "-3.1"},
    "1,379": {"number": "1379"},
    "14\u2009770": {"number": "14770"},
    "0,733": {"number": "0.733"},
    "73,3": {"number": "73.3"},
    "1e-3": {"number": "0.001"},
    "1.2×10^-3": {"number": "0.0012"},
    "0.8206 (+10.48%)": {"number": "0.8206", "change": "10.48"},
    "0.733 (0.031)": {"number": "0.733", "bracket": "0.031"},
    "0.73 +/- 0.03": {"number": "0.73", "spread": "0.03"},
    "0.91†": {"number": "0.91"},
    "~11,800": {"number": "11800"},
}


@pytest.mark.parametrize("text", CELLS)
def test_a_cell_says(text: str) -> None:
    cell = parse(text)
    names = ("number", "spread", "bracket", "low", "high", "change")
    said = {name: str(getattr(cell, name).value) for name in names if getattr(cell, name)}
    assert said == CELLS[text]


@pytest.mark.parametrize("text", ["", "–", "—", "-", "n/a", "N/A", "nan", "…", "  "])
def test_a_blank_cell_says_nothing(text: str) -> None:
    assert parse(text).blank
    assert parse(text).number is None


@pytest.mark.parametrize("text", ["abc", "0.9 or so", "1.2.3", "10/20", "2026-01-17", "A.1"])
def test_what_is_not_a_number_is_text(text: str) -> None:
    assert parse(text).number is None
    assert not parse(text).blank


def test_trailing_zeros_count() -> None:
    short, long = parse("0.733").number, parse("0.7330").number
    assert short is not None
    assert long is not None
    assert short.interval == Interval.of(Fraction("0.7325"), Fraction("0.7335"))
    assert long.interval == Interval.of(Fraction("0.73295"), Fraction("0.73305"))


def test_one_percent_sign_serves_the_whole_cell() -> None:
    cell = parse("73.3 ± 3.1%")
    assert cell.number is not None
    assert cell.spread is not None
    assert cell.number.percent
    assert cell.spread.percent
    assert cell.number.scaled(percent=True).holds(Fraction("0.7334"))


def test_more_digits_than_floats_hold_claim_no_more_than_exactness() -> None:
    number = parse("0.41988095238095235").number
    assert number is not None
    assert number.scaled(percent=False).holds(Fraction("0.4198809523")) is True
    assert number.scaled(percent=False).holds(Fraction("0.4198809")) is False


@pytest.mark.parametrize(("text", "relation"), [("< 0.05", "<"), ("≥0.7", ">"), ("≈0.7", "~")])
def test_a_bound_keeps_its_relation(text: str, relation: str) -> None:
    number = parse(text).number
    assert number is not None
    assert number.relation == relation
