"""Whether labels are two-valued or classes, and which columns of another task count."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import pytest

import reference

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from reference import Problem

    Jsonl = Callable[[list[dict[str, Any]]], Path]
    Csv = Callable[[str], Path]

RANKED = "query_id,label,predicted,candidates,gold\nq,x,y,a|b,a\nr,y,y,a|b,b\n"
SCORED = "query_id,label,predicted,gold,score\nq,x,y,a,oops\nr,y,y,b,1\n"


def refused(data: Path, settings: dict[str, Any] | None = None) -> list[Problem]:
    with pytest.raises(reference.InputError) as caught:
        reference.describe(data, settings)
    return caught.value.problems


@pytest.mark.parametrize(
    ("text", "families"),
    [
        (RANKED, ["classes"]),
        (RANKED, ["classes", "curves"]),
        (SCORED, ["classes"]),
        (SCORED, ["classes", "ranking"]),
    ],
)
def test_a_second_task_in_columns_that_are_not_read_is_none(
    csv_file: Csv, text: str, families: list[str]
) -> None:
    facts = reference.describe(csv_file(text), {"families": families})
    assert facts["families"] == ["classes"]
    assert facts["columns"].keys() == {"query_id", "label", "predicted", "gold"}


@pytest.mark.parametrize(
    ("text", "families"),
    [
        (RANKED, ["classes", "ties"]),
        (RANKED, ["k_bounds"]),
        (SCORED, ["classes", "confusion"]),
        (SCORED.replace("score", "prob"), ["classes"]),
    ],
)
def test_a_second_task_in_columns_that_are_read_is_refused(
    csv_file: Csv, text: str, families: list[str]
) -> None:
    (problem,) = refused(csv_file(text), {"families": families})
    assert problem.what.startswith("the file holds two tasks: classes in label and predicted")


@pytest.mark.parametrize("cell", [math.nan, math.inf, ["x"], {"x": 1}, "\ud800"])
@pytest.mark.parametrize(
    "settings", [{}, {"task": "binary"}, {"families": ["curves"]}, {"classes": ["0", "1"]}]
)
def test_what_no_label_can_be_is_refused_in_a_lone_label(
    jsonl: Jsonl, cell: object, settings: dict[str, Any]
) -> None:
    rows = [{"query_id": "q", "label": 1, "prob": 0.5}, {"query_id": "r", "label": cell, "prob": 1}]
    (problem,) = refused(jsonl(rows), settings)
    assert (problem.row, problem.column) == (2, "label")


@pytest.mark.parametrize("split", ["EVAL", "TUNE", "TRAIN"])
@pytest.mark.parametrize("settings", [{}, {"task": "multiclass"}, {"families": ["curves"]}])
def test_labels_are_looked_at_in_every_split(
    jsonl: Jsonl, split: str, settings: dict[str, Any]
) -> None:
    rows = [
        {"query_id": "q", "label": "x", "predicted": "y"},
        {"query_id": "r", "label": math.nan, "predicted": "y", "split": split},
    ]
    (problem,) = refused(jsonl(rows), settings)
    assert (problem.row, problem.column) == (2, "label")


def test_where_the_task_is_told_labels_are_read_for_classes_alone(jsonl: Jsonl) -> None:
    path = jsonl([{"query_id": "q", "label": math.nan, "predicted": "y"}])
    settings = {"task": "multiclass", "families": ["curves"]}
    assert reference.describe(path, settings)["families"] == []


@pytest.mark.parametrize("predicted", [2, math.nan, None, ["x"]])
@pytest.mark.parametrize("split", ["TUNE", "TRAIN"])
def test_what_was_predicted_counts_in_eval_rows_alone(
    jsonl: Jsonl, predicted: object, split: str
) -> None:
    rows = [
        {"query_id": "q", "label": 1, "predicted": 0},
        {"query_id": "r", "label": 0, "predicted": predicted, "split": split},
    ]
    facts = reference.describe(jsonl(rows))
    assert facts["columns"] == {
        "query_id": "query_id", "has_evidence": "label", "pred": "predicted", "split": "split",
    }  # fmt: skip
    assert facts["queries"]["predicted_positive"] == 0


def test_a_class_in_the_label_of_any_row_makes_classes(csv_file: Csv) -> None:
    path = csv_file("query_id,label,predicted,split\nq,1,0,\nr,0,0,TEST\ns,x,,TRAIN\n")
    assert reference.describe(path)["classes"] == ["0", "1"]


@pytest.mark.parametrize(
    ("row", "settings", "read"),
    [
        ({"has_evidence": 1}, {}, None),
        ({"label": "x"}, {}, None),
        ({"has_evidence": 1}, {"task": "binary"}, False),
        ({"label": "x", "predicted": "y"}, {"task": "binary"}, False),
        ({"label": 1, "predicted": 0}, {}, True),
        ({"label": 1, "predicted": 0}, {"task": "binary"}, True),
    ],
)
def test_class_probs_need_classes_unless_the_task_is_another(
    jsonl: Jsonl, row: dict[str, Any], settings: dict[str, Any], read: bool | None
) -> None:
    path = jsonl([{"query_id": "q", "prob": 0.5, "class_probs": [0.5, 0.5], **row}])
    if read is None:
        (problem,) = refused(path, settings)
        assert problem.what == "class_probs need the setting classes"
    else:
        assert ("class_probs" in reference.describe(path, settings)["columns"]) is read


def test_problems_of_labels_name_the_file_and_its_own_row(tmp_path: Path) -> None:
    for name, label in (("a", 1), ("b", math.nan)):
        row = {"query_id": name, "label": label, "prob": 0.5}
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(row), encoding="utf-8")
    (problem,) = refused(tmp_path)
    assert (problem.file, problem.row) == (str(tmp_path / "b.jsonl"), 1)


def test_a_table_of_which_nothing_is_known_is_refused(csv_file: Csv) -> None:
    (problem,) = refused(csv_file("query_id;prob\nq;0.5\n"))
    assert problem.what == "no column is known"
    assert reference.describe(csv_file("x\na\n"), {"slices": {"s": "x"}})["slices"] == {"s": ["a"]}
