from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from crosscheck import contract
from crosscheck.report.results import TableSource
from crosscheck.report.sensitivity import conflicts, sensitivity

if TYPE_CHECKING:
    from crosscheck.report.view import Sensitivity, SystemView

FACTS = {
    "families": ["ranking", "ties", "posts"],
    "folds": [0, 1, 2, 3, 4],
    "criteria": [],
    "queries": {"all_queries": 10, "positives_only": 5, "predicted_positive": None},
    "missing": {},
}
STATED: dict[str, int | float] = {
    "map@10|positives_only|all|mean": 0.8,
    "map@10|all_queries|all|mean": 0.4,
    "map@10/by_gold|positives_only|all|mean": 0.6,
    "map@10/tie_low|positives_only|all|mean": 0.8,
    "map@10/tie_high|positives_only|all|mean": 0.88,
    "map@10|positives_only|folds|mean": 0.8,
    "map@10|positives_only|folds|std": 0.1118034,
    "map@10|positives_only|folds|std/population": 0.1,
    "mrr@all|positives_only|all|mean": 0.0,
    "mrr@10|positives_only|all|mean": 0.0,
}


@pytest.fixture
def lines() -> list[Sensitivity]:
    return sensitivity(TableSource({"primary": STATED}, FACTS))


def about(lines: list[Sensitivity], metric: str) -> dict[str, float | None]:
    return {
        line.alternative[:20]: None if line.change is None else round(line.change, 2)
        for line in lines
        if line.metric == metric
    }


def test_each_other_reading_of_map_is_shown_with_its_change(lines: list[Sensitivity]) -> None:
    assert about(lines, "MAP@10") == {
        "The sum of the preci": -25.0,
        "Queries without gold": -50.0,
        "Best order of equal ": 10.0,
    }


def test_a_bound_that_changes_nothing_is_left_out(lines: list[Sensitivity]) -> None:
    assert not any(line.alternative.startswith("Worst") for line in lines)


def test_the_spread_with_n_is_shown_once_a_population(lines: list[Sensitivity]) -> None:
    assert about(lines, "MAP@10, std over folds") == {"n instead of n − 1 f": -10.56}


def test_a_change_from_zero_has_no_percentage(lines: list[Sensitivity]) -> None:
    assert about(lines, "MRR") == {"0 if no gold is amon": None}


def test_a_variants_source_is_named(lines: list[Sensitivity]) -> None:
    (line,) = [line for line in lines if line.alternative_value == 0.6]
    assert "S4 3.5" in line.source


def test_real_data_show_macro_f1_both_ways(system: SystemView) -> None:
    names = {line.metric for line in system.sensitivity}
    assert {"Macro F1 (per post)", "Macro F1 (per criterion)"} <= names


def test_every_conflict_of_the_contract_is_carried_over() -> None:
    found = conflicts()
    assert [each.topic for each in found] == [c.question for c in contract.load().conflicts]
    assert all(each.says and each.decided and each.reason for each in found)
