"""Section 11.3: when two values are exact, drift or wrong."""

from __future__ import annotations

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from crosscheck.model.frozen import shown
from crosscheck.model.ledgers import (
    Difference,
    compare,
    compare_structure,
    differing_rows,
    judge,
    relative_difference,
    structure,
)
from crosscheck.report.assemble import pair_of


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


def test_one_percent_itself_is_too_much() -> None:
    assert judge(0.75, 1.0, tolerance=0.25) == "wrong"
    assert judge(0.75, 1.0, tolerance=0.2500001) == "drift"


def test_exact_reaches_one_part_in_a_thousand_million_of_the_larger_value() -> None:
    assert judge(1e9, 1e9 - 1) == "exact"  # apart by 1e-9 · 1e9, and not of 1e9 − 1
    assert judge(1e9 - 1, 1e9) == "exact"
    assert judge(1e9, 1e9 - 1.5) == "drift"


def test_exact_reaches_1e_9_below_one() -> None:
    assert judge(0.5, 0.5 + 9e-10) == "exact"
    assert judge(0.5, 0.5 + 1.5e-9) == "drift"


def test_zeros_reach_to_1e_12_on_either_side() -> None:
    assert relative_difference(1e-12, -1e-12) == 0.0
    assert relative_difference(0.0, 1e-12) == 0.0
    assert relative_difference(1e-12, 0.0) == 0.0
    assert relative_difference(0.0, 1.1e-12) == 1.0


def test_every_shared_key_is_counted_once_and_the_worst_is_named() -> None:
    found = compare(
        ("x", "y"),
        {"only": 1.0, "a": 1.0, "b": 0.5, "c": 3, "d": 0.1, "e": 0.8},
        {"a": 1.0, "b": 0.501, "c": 4, "d": 0.1 + 1e-12, "e": 0.801, "extra": 2.0},
    )
    assert (found.shared, found.worst, found.furthest) == (
        5,
        Difference("c", 3, 4, 0.25, "wrong"),
        0.25,
    )
    assert [found.count(verdict) for verdict in ("exact", "drift", "wrong")] == [2, 2, 1]


def test_a_difference_keeps_both_values_and_how_far_they_are_apart() -> None:
    found = compare(("x", "y"), {"a": 0.5, "b": 1.0, "only": 1.0}, {"a": 1.0, "b": 1.0, "more": 2})
    assert found.differences == (Difference("a", 0.5, 1.0, 0.5, "wrong"),)
    assert (found.only_first, found.only_second) == (("only",), ("more",))


def test_of_equally_bad_keys_the_first_is_named() -> None:
    found = compare(("x", "y"), {"a": 1.0, "b": 2.0}, {"a": 0.5, "b": 1.0})
    assert found.worst == Difference("a", 1.0, 0.5, 0.5, "wrong")


def test_ledgers_are_compared_by_the_tolerance_asked_for() -> None:
    found = compare(("x", "y"), {"a": 1.0}, {"a": 0.5}, 0.6)
    assert [one.verdict for one in found.differences] == ["drift"]


def test_a_difference_without_a_ratio_is_shown_as_1() -> None:
    found = compare(("x", "y"), {"a": math.inf}, {"a": 0.5})
    assert found.worst is not None
    assert found.worst.relative == math.inf
    assert found.furthest == 1.0


def test_how_far_apart_exact_values_are_is_not_said() -> None:
    first, second = {"a": 0.1, "b": 3}, {"a": 0.1 + 1e-13, "b": 3}
    pair = pair_of(compare(("x", "y"), first, second))
    assert (pair.exact, pair.worst_key, pair.worst_difference) == (2, None, None)


@given(value=st.floats(1, 100), apart=st.floats(1e-8, 0.5), steps=st.integers(-4, 4))
def test_last_digits_do_not_change_how_a_difference_is_told(
    value: float, apart: float, steps: int
) -> None:
    theirs = value * (1 + apart)
    elsewhere = theirs + steps * math.ulp(theirs)
    assume(shown(theirs) == shown(elsewhere))  # all but a few in a hundred thousand
    here, there = (compare(("x", "y"), {"a": value}, {"a": one}) for one in (theirs, elsewhere))
    assert here.differences == there.differences
    [difference] = here.differences
    assert difference.first != difference.second


def test_rows_that_are_equally_bad_keep_the_order_of_the_file_on_every_machine() -> None:
    ours = [0.1, 0.2, 0.3]
    theirs = [value + 0.25 for value in ours]
    elsewhere = [theirs[0], math.nextafter(theirs[1], 1), math.nextafter(theirs[2], 0)]
    assert differing_rows(ours, theirs) == differing_rows(ours, elsewhere) == [0, 1, 2]


def test_nothing_shared_has_no_worst_key() -> None:
    pair = compare(("x", "y"), {"a": 1.0}, {"b": 1.0})
    assert (pair.shared, pair.worst, pair.furthest) == (0, None, None)


def test_structure_tells_missing_extra_and_retyped_keys_apart() -> None:
    expected = structure({"kept": 1.0, "missing": 2, "retyped": 3})
    found = compare_structure(expected, structure({"kept": 9.0, "retyped": 3.0, "extra": 1}))
    assert found.missing == ("missing",)
    assert found.extra == ("extra",)
    assert found.retyped == (("retyped", "int", "float"),)


def test_structures_that_share_nothing_are_told_apart_key_by_key() -> None:
    found = compare_structure({"a": "int", "b": "int"}, {"c": "float"})
    assert (found.missing, found.extra, found.retyped) == (("a", "b"), ("c",), ())


@pytest.mark.parametrize(
    ("found", "missing", "extra", "retyped"),
    [
        ({"a": "int"}, ("b",), (), ()),
        ({"a": "int", "b": "int", "c": "int"}, (), ("c",), ()),
        ({"a": "int", "b": "float"}, (), (), (("b", "int", "float"),)),
    ],
)
def test_a_structure_that_departs_in_one_way_departs_in_no_other(
    found: dict[str, str], missing: object, extra: object, retyped: object
) -> None:
    departs = compare_structure({"a": "int", "b": "int"}, found)
    assert (departs.missing, departs.extra, departs.retyped) == (missing, extra, retyped)


def test_equal_structures_have_no_differences() -> None:
    found = compare_structure({"a": "int"}, {"a": "int"})
    assert (found.missing, found.extra, found.retyped) == ((), (), ())


def test_differing_rows_come_worst_first_then_in_file_order() -> None:
    first = [0.0, 0.5, 1.0, 0.2, None, 0.3]
    second = [0.0, 0.6, 0.0, 0.3, 0.1, 0.3 + 1e-12]
    assert differing_rows(first, second) == [4, 2, 1, 3]


def test_rows_that_both_lack_or_that_are_equal_do_not_differ() -> None:
    same = [None, math.nan, math.inf, 0.5]
    assert differing_rows(same, list(same)) == []


def test_a_value_against_none_or_against_no_number_differs_the_most() -> None:
    assert differing_rows([0.0, None, 0.5], [0.9, 0.5, math.nan]) == [1, 2, 0]
    assert differing_rows([math.nan], [0.5]) == [0]


def test_rows_differ_beyond_1e_9_of_the_larger_value() -> None:
    assert differing_rows([1e9, 1e9 - 1, 1e9, 0.5], [1e9 - 1, 1e9, 1e9 - 1.5, 0.5 + 1.5e-9]) == [
        2,
        3,
    ]
    assert differing_rows([0.1], [0.1 + 5e-10]) == []


def test_rows_that_only_one_side_has_are_not_compared() -> None:
    assert differing_rows([0.5, 0.5], [0.5]) == []
