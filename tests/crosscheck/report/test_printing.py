from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from crosscheck.report import printing
from crosscheck.report.view import IntervalView, RowView

if TYPE_CHECKING:
    from crosscheck.model.findings import Finding


def row(**changes: object) -> RowView:
    fields: dict[str, object] = {
        "key": "auroc|all_queries|all|value",
        "metric": "auroc",
        "name": "AUROC",
        "population": "all_queries",
        "n": 14770,
        "value": 0.89718,
        "meaning": "How well it tells them apart.",
    }
    return RowView.model_validate(fields | changes)


def ends(low: float, high: float) -> IntervalView:
    return IntervalView(unit="post", method="percentile", low=low, high=high)


def test_a_result_is_printed_as_the_documents_ask() -> None:
    stated = row(
        folds_mean=0.89721,
        folds_std=0.00149,
        folds_intervals=[ends(0.89413, 0.90031)],
        intervals=[ends(0.1, 0.2)],
    )
    assert printing.statement(stated) == "AUROC = 0.8972 ± 0.0015 (95 % CI [0.8941, 0.9003])"


def test_without_folds_the_value_has_its_own_interval() -> None:
    stated = row(intervals=[ends(0.89413, 0.90031)])
    assert printing.statement(stated) == "AUROC = 0.8972 (95 % CI [0.8941, 0.9003])"


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (0.89718, 4, "0.8972"),
        (0.00005, 4, "0.0000"),
        (0.00015, 4, "0.0002"),
        (2.675, 2, "2.68"),
        (-0.0912, 2, "−0.09"),
        (-0.00001, 2, "0.00"),
        (math.inf, 4, "∞"),
        (1e-7, 8, "0.00000010"),
    ],
)
def test_rounding_is_of_the_shown_decimal_half_to_even(
    value: float, digits: int, text: str
) -> None:
    assert printing.number(value, digits) == text


@pytest.mark.parametrize(
    ("uncertainty", "digits"),
    [(0.0015, 4), (0.0302, 3), (0.12, 2), (1.66, 1), (23.0, 0), (0.00996, 3), (0.0, 4)],
)
def test_two_significant_digits_of_an_uncertainty_decide_the_place(
    uncertainty: float, digits: int
) -> None:
    assert printing.places(uncertainty) == digits


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (3.24e-16, "3.2e−16"),
        (0.0211, "2.11 %"),
        (1.0, "100.00 %"),
        (1e30, f"1{'0' * 32}.00 %"),
        (float("inf"), "∞"),
    ],
)
def test_relative_differences(value: float, text: str) -> None:
    assert printing.tiny(value) == text


def test_counts_are_whole_and_shares_have_decimals() -> None:
    assert printing.value_text(14770) == "14,770"
    assert printing.value_text(1.0) == "1.0000"


@pytest.mark.parametrize(("value", "text"), [(0.1, "+0.10"), (-0.1, "−0.10"), (0.0, "0.00")])
def test_differences_show_their_sign(value: float, text: str) -> None:
    assert printing.signed(value, 2) == text


def test_what_fails_the_gate_comes_first_and_what_was_waived_last(findings: list[Finding]) -> None:
    assert [found.rule for found in printing.worst_first(findings)] == ["XC401", "XC950", "XC402"]
