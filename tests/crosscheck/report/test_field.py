"""Tables of the field: grades, classes, seeds and declared slices, each laid out to be read."""

from __future__ import annotations

from typing import Any

import pytest

from crosscheck.report.pivot import Pivot, pivot
from crosscheck.report.reading import reading
from crosscheck.report.results import CLASSES, GRADED, MATRIX, RECALL, SEEDS, TableSource, tables

UNSCALED = (
    'taken for a score without a scale; if it is a probability, say so: [columns] prob = "logit".'
)
RANKING: dict[str, int | float] = {
    "ndcg@10|positives_only|all|mean": 0.5,
    "ndcg@10/graded|positives_only|all|mean": 0.4,
    "ndcg@10/exponential|positives_only|all|mean": 0.3,
    "err@10|positives_only|all|mean": 0.2,
    "bpref|positives_only|all|mean": 0.6,
    "iprec@recall=0|positives_only|all|mean": 0.9,
    "iprec@recall=0.1|positives_only|all|mean": 0.8,
    "rprecision|positives_only|all|mean": 0.35,
    "gmap|positives_only|all|value": 0.1,
    "ndcg@10/graded|positives_only|dataset=nq|mean": 0.4,
    "ndcg@10/graded|positives_only|dataset=|mean": 0.45,
    "ndcg@10/graded|positives_only|dataset|macro": 0.425,
    "ndcg@10|positives_only|dataset=nq|mean": 0.5,
    "ndcg@10/graded|positives_only|seed=1|mean": 0.39,
    "ndcg@10/graded|positives_only|seed=2|mean": 0.41,
    "ndcg@10/graded|positives_only|seeds|mean": 0.4,
    "ndcg@10/graded|positives_only|seeds|std": 0.014,
}
CLASSED: dict[str, int | float] = {
    "count@true=a%2Cb,predicted=a%2Cb|all_queries|all|value": 3,
    "count@true=a%2Cb,predicted=c|all_queries|all|value": 1,
    "count@true=c,predicted=a%2Cb|all_queries|all|value": 0,
    "count@true=c,predicted=c|all_queries|all|value": 2,
    "precision|all_queries|class=a%2Cb|value": 1.0,
    "recall|all_queries|class=a%2Cb|value": 0.75,
    "support|all_queries|class=a%2Cb|value": 4,
    "precision|all_queries|class=c|value": 0.5,
    "recall|all_queries|class=c|value": 1.0,
    "support|all_queries|class=c|value": 2,
    "f1/micro|all_queries|all|value": 0.8333,
}


def source(ledger: dict[str, int | float], **facts: Any) -> TableSource:
    known = {"families": [], "columns": {}, "queries": {"all_queries": 6}, "rows": {}}
    return TableSource({"primary": ledger}, known | facts)


def turned(title: str, ledger: dict[str, int | float], **facts: Any) -> Pivot:
    found = pivot(title, tables(source(ledger, **facts))[title])
    assert found is not None
    return found


def cells(table: Pivot) -> dict[str, list[float | None]]:
    return {name: [cell and cell.value for cell in row] for name, row in table.rows}


def test_graded_metrics_stand_under_their_full_names_by_cut_off() -> None:
    table = turned(GRADED, RANKING)
    assert table.columns == ["@10"]
    assert cells(table) == {"Graded nDCG": [0.4], "Exponential nDCG": [0.3], "ERR": [0.2]}


def test_interpolated_precision_is_one_line() -> None:
    assert turned(RECALL, RANKING).columns == ["0", "0.1"]


def test_what_has_no_cut_off_is_a_table_of_its_own() -> None:
    found = tables(source(RANKING))["rankings as a whole"]
    assert [row.metric for row in found] == ["bpref", "rprecision", "gmap"]


def test_a_declared_slice_is_a_leaderboard_with_its_averages() -> None:
    table = turned("by dataset", RANKING, slices={"dataset": ["", "nq"]})
    assert table.corner == "dataset"
    assert cells(table) == {
        "nq": [0.4, 0.5],
        "(empty)": [0.45, None],
        "macro average": [0.425, None],
    }


def test_seeds_stand_side_by_side_with_their_spread() -> None:
    table = turned(SEEDS, RANKING)
    assert table.columns == ["seed 1", "seed 2", "mean over seeds", "std over seeds"]
    assert cells(table) == {"Graded nDCG@10": [0.39, 0.41, 0.4, 0.014]}


def test_the_confusion_matrix_is_a_matrix() -> None:
    table = turned(MATRIX, CLASSED)
    assert table.columns == ["a,b", "c"]
    assert cells(table) == {"a,b": [3, 1], "c": [0, 2]}


def test_each_class_is_a_line() -> None:
    table = turned(CLASSES, CLASSED)
    assert cells(table) == {"a,b": [1.0, 0.75, 4], "c": [0.5, 1.0, 2]}


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({"key": "rows"}, ["The file has no key column; the number of the row stands for it."]),
        (
            {"columns": {"score": "logit"}},
            [
                f"Curves are by the column logit, {UNSCALED}",
                "Columns under other names: score from logit.",
            ],
        ),
        (
            {"columns": {"score": "score", "prob": "prob"}},
            ["The column score is not read: there are probabilities."],
        ),
        ({"grade_max": 3}, ["Grades count up to 3 (grade_max)."]),
        (
            {"missing_topics": 1, "dropped_queries": 2, "families": ["ranking"]},
            [
                "1 judged query is not in the run; it counts with an empty ranking.",
                "2 queries of the run are not judged, and are left out.",
            ],
        ),
        ({}, []),
    ],
)
def test_how_the_data_were_read_is_said(facts: dict[str, Any], said: list[str]) -> None:
    assert reading(facts) == said
