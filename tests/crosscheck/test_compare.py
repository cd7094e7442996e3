"""Section 11.3: when two values are exact, drift or wrong."""

from __future__ import annotations

import math

import pytest

from crosscheck.compare import (
    compare,
    compare_structure,
    differing_rows,
    judge,
    relative_difference,
    structure,
)


@pytest.mark.parametrize(
    ("first", "second", "verdict"),
    [
        (0.5, 0.5, "exact"),
        (0.5, 0.5 + 5e-10, "exact"),
        (0.5, 0.5 + 5e-9, "drift"),
        (0.5, 0.504, "drift"),
        (0.5, 0.506, "wrong"),
        (0.99, 1.0, "wrong"),  # exactly 1 % of the larger: not below 1 %
        (1.0, 0.990001, "drift"),
        (1000.0, 1000.0 + 5e-7, "exact"),  # within 1e-9 · 1000
        (1000.0, 1000.0 + 5e-6, "drift"),
        (0.0, 5e-13, "exact"),
        (0.0, 2e-12, "wrong"),  # no ratio to zero is below 1 %
        (1e-10, 2e-10, "wrong"),  # the 1 % rule comes before closeness
        (-0.2, 0.2, "wrong"),
        (5, 5, "exact"),
        (5, 6, "wrong"),
        (1000000, 1000001, "wrong"),  # integers are equal or wrong
        (5, 5.0, "exact"),
        (5, 5.0000001, "wrong"),
        (math.inf, math.inf, "exact"),
        (math.inf, 1.0, "wrong"),
        (1.0, math.inf, "wrong"),
        (math.nan, 0.5, "wrong"),
        (math.nan, math.nan, "wrong"),
    ],
)
def test_two_values_are_judged(first: float, second: float, verdict: str) -> None:
    assert judge(first, second) == verdict
    assert judge(second, first) == verdict


def test_the_tolerance_can_be_set() -> None:
    assert judge(0.5, 0.504, tolerance=0.001) == "wrong"
    assert judge(0.5, 0.6, tolerance=0.5) == "drift"


def test_the_relative_difference_has_the_larger_value_below() -> None:
    assert relative_difference(0.5, 0.4) == pytest.approx(0.2)
    assert relative_difference(0.4, 0.5) == pytest.approx(0.2)
    assert relative_difference(0.0, 1e-13) == 0.0
    assert relative_difference(math.inf, 1.0) == math.inf


def test_every_shared_key_is_counted_once_and_the_worst_is_named() -> None:
    first = {"a": 1.0, "b": 0.5, "c": 3, "d": 0.1, "only": 1.0}
    second = {"a": 1.0, "b": 0.501, "c": 4, "d": 0.1 + 1e-12, "extra": 2.0}
    found = compare(("x", "y"), first, second)
    pair = found.pair()
    assert (pair.shared, pair.exact, pair.drift, pair.wrong) == (4, 2, 1, 1)
    assert (found.only_first, found.only_second) == (("only",), ("extra",))
    assert (pair.worst_key, pair.worst_difference) == ("c", 0.25)
    assert [one.key for one in found.differences] == ["b", "c"]


def test_nothing_shared_has_no_worst_key() -> None:
    pair = compare(("x", "y"), {"a": 1.0}, {"b": 1.0}).pair()
    assert (pair.shared, pair.worst_key, pair.worst_difference) == (0, None, None)


def test_structure_tells_missing_extra_and_retyped_keys_apart() -> None:
    expected = structure({"kept": 1.0, "missing": 2, "retyped": 3})
    found = compare_structure(expected, structure({"kept": 9.0, "retyped": 3.0, "extra": 1}))
    assert found.missing == ("missing",)
    assert found.extra == ("extra",)
    assert found.retyped == (("retyped", "int", "float"),)


def test_structures_that_share_nothing_are_told_apart_key_by_key() -> None:
    found = compare_structure({"a": "int", "b": "int"}, {"c": "float"})
    assert (found.missing, found.extra, found.retyped) == (("a", "b"), ("c",), ())


def test_equal_structures_have_no_differences() -> None:
    found = compare_structure({"a": "int"}, {"a": "int"})
    assert (found.missing, found.extra, found.retyped) == ((), (), ())


def test_differing_rows_come_worst_first_then_in_file_order() -> None:
    first = [0.0, 0.5, 1.0, 0.2, None, 0.3]
    second = [0.0, 0.6, 0.0, 0.3, 0.1, 0.3 + 1e-12]
    assert differing_rows(first, second) == [4, 2, 1, 3]
