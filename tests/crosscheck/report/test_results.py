from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from crosscheck.contract import headline_keys, load, read_name
from crosscheck.report.pivot import natural, pivot
from crosscheck.report.results import (
    CLASSES,
    CRITERIA,
    GAMMA,
    GRADED,
    GRID,
    MATRIX,
    RECALL,
    SEEDS,
    SELECTED_K,
    TABLES,
    TUNED,
    VIEWS,
)

if TYPE_CHECKING:
    from crosscheck.report.view import RowView, SystemView

OF_FIELD = {CLASSES, MATRIX, "several classes", GRADED, SEEDS, RECALL} | {
    "rankings as a whole",
    "decisions",
    "curves",
    "calibration",
}
"""Tables of metrics that the source documents do not have."""


def find(rows: list[RowView], key: str) -> RowView:
    (found,) = [row for row in rows if row.key == key]
    return found


def test_the_headline_is_every_headline_key_over_all_the_data(
    study: Any, system: SystemView
) -> None:
    owed = [key for key in headline_keys(study.facts, study.source.settings) if "|all|" in key]
    assert [row.key for row in system.headline] == owed


def test_every_row_has_what_s4_asks_for(system: SystemView) -> None:
    for rows in (system.headline, *system.tables.values()):
        for row in rows:
            assert row.name
            assert row.meaning
            assert row.population


def test_a_row_states_the_ledgers_numbers(study: Any, system: SystemView) -> None:
    stated = study.ledgers["primary"]
    row = find(system.headline, "ndcg@10|positives_only|all|mean")
    assert row.value == stated["ndcg@10|positives_only|all|mean"]
    assert row.folds_mean == stated["ndcg@10|positives_only|folds|mean"]
    assert row.folds_std == stated["ndcg@10|positives_only|folds|std"]
    assert row.n == stated["queries|positives_only|all|n"]
    assert row.witnesses == ["primary", "reference", "ranx"]


def test_the_interval_by_post_and_percentile_is_shown_first(study: Any, system: SystemView) -> None:
    row = find(system.headline, "ndcg@10|positives_only|all|mean")
    order = [(each.unit, each.method) for each in row.intervals]
    assert order == [
        ("post", "percentile"),
        ("query", "percentile"),
        ("post", "bca"),
        ("query", "bca"),
    ]
    low = study.ledgers["primary"]["ndcg@10|positives_only|folds|ci_low/post/percentile"]
    assert row.folds_intervals[0].low == low


def test_targets_are_told_apart_from_what_was_reached(system: SystemView) -> None:
    row = find(system.headline, "auroc|all_queries|all|value")
    assert row.target == "≥ 0.85"
    assert row.target_met is (row.value >= 0.85)


def test_only_the_headline_population_has_a_target(system: SystemView) -> None:
    assert all(row.target is None for row in system.tables["pairs"])


def test_every_table_has_rows_on_complete_data(system: SystemView) -> None:
    assert [title for title in system.tables if title not in OF_FIELD] == [
        title for title in TABLES if title not in OF_FIELD
    ]


def test_criteria_are_those_of_section_9(study: Any, system: SystemView) -> None:
    metrics = {row.metric for row in system.tables[CRITERIA]}
    assert metrics == {
        "auroc",
        "auprc",
        "sensitivity",
        "precision",
        "n_queries",
        "n_positive",
        "positive_rate",
        "recall@10",
        "ndcg@10",
        "mrr@all",
    }
    assert len(system.tables[CRITERIA]) == 10 * len(study.facts["criteria"])


def test_criteria_come_in_natural_order(system: SystemView) -> None:
    table = pivot(CRITERIA, system.tables[CRITERIA])
    assert table is not None
    assert [name for name, _ in table.rows][:3] == ["A.1", "A.2", "A.10"]


@pytest.mark.parametrize("title", [CRITERIA, SELECTED_K, GAMMA, GRID, TUNED, VIEWS])
def test_a_table_with_two_sides_loses_no_number(title: str, system: SystemView) -> None:
    table = pivot(title, system.tables[title])
    assert table is not None
    shown = [cell.key for _, cells in table.rows for cell in cells if cell is not None]
    assert sorted(shown) == sorted(row.key for row in system.tables[title])


def test_the_legend_says_what_each_column_means(system: SystemView) -> None:
    table = pivot(GAMMA, system.tables[GAMMA])
    assert table is not None
    assert [meaning.name for meaning in table.legend] == table.columns
    assert all(meaning.text and meaning.subset for meaning in table.legend)


def test_over_pairs_a_metric_is_told_by_its_definition(system: SystemView) -> None:
    meanings = {row.metric: row.meaning for row in system.tables["pairs"]}
    assert meanings["auroc"] == load().metric("auroc").definition
    assert [text for text in meanings.values() if "queries" in text] == []


def test_a_list_has_no_second_side(system: SystemView) -> None:
    assert pivot("states", system.tables["states"]) is None


def test_natural_order_of_mixed_names() -> None:
    names = ["b", "A.10", "A.2", "", "10", "9"]
    assert sorted(names, key=natural) == ["", "9", "10", "A.2", "A.10", "b"]


def test_headline_names_are_read_back_to_their_metric(system: SystemView) -> None:
    misread = {
        row.name: read_name(row.name).metrics
        for row in system.headline
        if read_name(row.name).metric != row.metric
    }
    assert misread == {}
