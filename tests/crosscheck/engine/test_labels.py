"""Labels of two values, one class against the rest, and rows that nothing but their place names."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

import primary
import reference
from crosscheck.engine.base import EngineError
from crosscheck.engine.connect import connect, files_of
from crosscheck.engine.evaluate import evaluate

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Columns = dict[str, list[Any]]
    Write = Callable[..., str]
    Differing = Callable[..., list[tuple[str, object, object]]]

BASE: Columns = {"query_id": [*"abcdef"]}
SPELLED: dict[str, Columns] = {
    "whole numbers": {"label": [1, 0, 1, 1, 0, 0], "predicted": [1, 1, 0, 1, 0, 0]},
    "fractions": {"y_true": [1.0, 0.0, 1.0, 1.0, 0.0, 0.0], "y_pred": [1, 1, 0, 1, 0, 0]},
    "text": {
        "target": ["True", " 1.0", "0", "false\t", "FALSE", "1"],
        "predicted": ["0.0", "1", "true", "TRUE ", "0", "0"],
    },
    "booleans": {"label": [True, False, True, False, True, True], "score": [0.5, 2, -1, 3, 0, 1]},
    "predictions of other splits": {
        "label": ["1", "0", "1", "0", "1", ""],
        "predicted": ["1", "0", "0", "1", "none", "cat"],
        "split": ["EVAL", "TEST", "", "EVAL", "TUNE", "TRAIN"],
    },
}


def answered(path: str, settings: dict[str, Any], address: str = "duckdb") -> Any:
    with closing(connect(address)) as engine:
        return evaluate(engine, files_of(path), settings)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("how", SPELLED)
def test_two_values_are_told_and_read_as_everywhere(
    how: str, sail: str, written: Write, differing: Differing
) -> None:
    path = written({**BASE, **SPELLED[how]})
    answer = answered(path, {})
    expected = reference.describe(path, {})
    assert "classes" not in answer.facts["families"]
    assert answer.facts["columns"] == expected["columns"]
    assert differing(path, {}, answer.ledger) == []
    assert answered(path, {}, sail).ledger == answer.ledger


CLASSES: Columns = {
    "label": ["spam", "ham", "it's", "spam", "ham", "ham"],
    "predicted": ["spam", "spam", "ham", "it's", "ham", "it's"],
    "prob": [0.9, 0.8, 0.1, 0.3, 0.2, 0.6],
}


@pytest.mark.parametrize("positive", ["spam", "it's"])
def test_one_class_against_the_rest_is_the_references(
    positive: str, written: Write, differing: Differing
) -> None:
    path = written({**BASE, **CLASSES})
    settings = {"positive": positive}
    answer = answered(path, settings)
    assert differing(path, settings, answer.ledger) == []
    assert answer.facts["queries"] == reference.describe(path, settings)["queries"]


@pytest.mark.parametrize(
    ("change", "settings", "told"),
    [
        ({}, {"positive": "Spam"}, "positive = “Spam”: no row has that class as its label"),
        ({}, {"positive": "spam", "classes": ["spam", "ham", "it's"]}, "what is asked about"),
        ({}, {"positive": "spam", "task": "multiclass"}, "what is asked about"),
        ({"label": None}, {"positive": "spam"}, "the files have no label"),
        (
            {"label": ["spam", "", *["ham"] * 4]},
            {"positive": "spam"},
            "query b, column has_evidence",
        ),
    ],
)
def test_a_positive_class_that_cannot_be_meant_is_refused(
    change: dict[str, Any], settings: dict[str, Any], told: str, written: Write
) -> None:
    columns = {name: some for name, some in {**BASE, **CLASSES, **change}.items() if some}
    path = written(columns)
    with pytest.raises(EngineError, match=told):
        answered(path, settings)
    with pytest.raises(primary.InputError):
        primary.describe(path, settings)


@pytest.mark.filterwarnings("ignore")
def test_rows_without_a_key_are_numbered_over_all_files(
    sail: str, written: Write, tmp_path: Path, differing: Differing
) -> None:
    # The last file of the folder is written first; a quote and a percent sign stand in a name.
    for name, share in (("c's 2%41", 0.3), ("b", 0.5), ("a", 0.9)):
        rows = 20 + 3 * len(name)
        probs = [round(share * at / rows, 3) for at in range(rows)]
        written({"has_evidence": [at % 2 for at in range(rows)], "prob": probs}, f"{name}.parquet")
    for settings in ({}, {"sample": 3}):
        answer = answered(str(tmp_path), dict(settings))
        assert differing(str(tmp_path), settings, answer.ledger) == []
        for fact in ("key", "columns", "rows", "straddling"):
            assert answer.facts[fact] == reference.describe(str(tmp_path), settings)[fact]
    bad = {"has_evidence": [1, 0], "prob": [0.5, 7.0]}
    path = written(bad, "z.parquet")
    with pytest.raises(EngineError, match=r"z.parquet: query 92, column prob: it is missing"):
        answered(str(tmp_path), {})
    with pytest.raises(EngineError, match="this engine does not say in which order"):
        answered(path, {}, sail)
