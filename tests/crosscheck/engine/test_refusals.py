"""What the contract refuses, an engine refuses: file, query, column, remedy."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

import primary
from crosscheck.engine.base import EngineError
from crosscheck.engine.connect import connect, files_of
from crosscheck.engine.evaluate import evaluate

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Write = Callable[..., str]

GOOD: dict[str, list[Any]] = {
    "query_id": ["a", "b", "c"],
    "candidates": [["x", "z"], ["y"], ["q", "y"]],
    "scores": [[1.0, 2.0], [0.5], [2.0, 2.0]],
    "gold": [["x"], [], ["y"]],
    "has_evidence": [1, 0, 1],
    "prob": [0.5, 0.2, 0.9],
    "selected": [["x"], [], []],
}
NAN = float("nan")
BAD: dict[str, tuple[dict[str, list[Any]], str]] = {
    "twice": ({"query_id": ["a", "b", "a"]}, "query a, column query_id: the key stands 2 times"),
    "empty id": ({"query_id": ["a", "", "c"]}, "column query_id: the id is empty"),
    "uid twice": ({"candidates": [["x", "x"], ["y"], ["q", "y"]]}, "query a, column candidates"),
    "empty uid": ({"gold": [[""], [], ["y"]]}, "query a, column gold: an id of the list is"),
    "not among": ({"selected": [["x"], ["no"], []]}, "query b, column selected: an id is not"),
    "unequal": ({"scores": [[1.0], [0.5], [2.0, 2.0]]}, "query a, column scores: the list is not"),
    "nan score": ({"scores": [[1.0, NAN], [0.5], [2.0, 2.0]]}, "query a, column scores"),
    "prob": ({"prob": [0.5, 1.5, 0.9]}, "query b, column prob: it is missing, or not"),
    "nan prob": ({"prob": [0.5, 0.2, NAN]}, "query c, column prob"),
    "label": ({"has_evidence": [1, 2, 0]}, "query b, column has_evidence: found something else"),
    "pred": ({"pred": [1, None, 0]}, "query b, column pred"),
    "state": ({"state": ["POS", "neg", "NEG"]}, "query b, column state: found no state"),
    "split": ({"split": ["EVAL", "eval", "TEST"]}, "column split: found 'eval' as a split"),
    "no EVAL": ({"split": ["TUNE", "TRAIN", "TUNE"]}, "no row is an EVAL row"),
    "fold": ({"fold": ["1", "x", "2"]}, "query b, column fold"),
    "no TUNE": (
        {"fold": [1, 1, 2], "split": ["EVAL", "TUNE", "EVAL"]},
        "fold 2, column split: has no TUNE rows",
    ),
    "grades": ({"grades": [[0], [], [1]]}, "query a, column grades: a grade is below 1"),
}


def refused(path: str, settings: dict[str, Any] | None = None) -> str:
    with closing(connect("duckdb")) as engine, pytest.raises(EngineError) as caught:
        evaluate(engine, files_of(path), settings or {})
    return str(caught.value)


@pytest.mark.parametrize("name", BAD)
def test_bad_rows_are_refused_as_the_primary_refuses_them(name: str, written: Write) -> None:
    change, told = BAD[name]
    path = written({**GOOD, **change})
    assert told in refused(path)
    with pytest.raises(primary.InputError):
        primary.describe(path, {})


def test_all_problems_are_told_together_with_their_file(written: Write) -> None:
    change = {"prob": [2.0, 0.2, 0.9], "has_evidence": [1, 0, 7]}
    path = written({**GOOD, **change})
    told = refused(path)
    assert f"{path}: query a, column prob" in told
    assert f"{path}: query c, column has_evidence" in told


def test_a_key_in_two_files_names_both(written: Write, tmp_path: Path) -> None:
    written(GOOD, "one.parquet")
    written(GOOD, "two.parquet")
    told = refused(str(tmp_path))
    assert "one.parquet: query a" in told
    assert "(also in" in told
    assert "two.parquet)" in told


def test_a_post_without_a_criterion_is_refused(written: Write) -> None:
    rows = {key: value for key, value in GOOD.items() if key != "query_id"}
    rows |= {"post_id": ["p", "p", "q"], "criterion_id": ["1", "2", "1"], "pred": [1, 0, 1]}
    assert "post q, column criterion_id: has 1 of the criteria" in refused(written(rows))


def test_types_that_cannot_be_meant_are_refused(written: Write) -> None:
    told = refused(written({**GOOD, "query_id": [1.0, 2.0, 3.0]}))
    assert "column query_id, which is query_id, is of the type double" in told
    told = refused(written({**GOOD, "ne_prob": [0.1, 0.2, 0.3]}))
    assert "columns prob and ne_prob could both be prob" in told


def test_files_that_an_engine_would_silently_make_alike_are_refused(
    written: Write, tmp_path: Path
) -> None:
    import pyarrow as pa  # noqa: PLC0415 - this test alone makes its own tables
    from pyarrow import parquet  # noqa: PLC0415 - the same

    def beside(name: str, change: dict[str, Any], lost: str = "") -> str:
        folder = tmp_path / name
        folder.mkdir()
        written(GOOD, f"{name}/one.parquet")
        other = {**GOOD, "query_id": [*"def"], **change}
        other.pop(lost, None)
        parquet.write_table(pa.table(other), folder / "two.parquet")
        return refused(str(folder))

    single = {"prob": pa.array([0.1, 0.2, 0.3], pa.float32())}
    assert "column prob is of the type float, and of double" in beside("widths", single)
    assert "two.parquet: has no column prob, which" in beside("lost", {}, "prob")
    (tmp_path / "fold=1").mkdir()
    written({**GOOD, "fold": [0, 0, 0]}, "fold=1/one.parquet")
    assert "stands in the file and in the folder's name" in refused(str(tmp_path / "fold=1"))
    (tmp_path / "broken.parquet").write_bytes(b"PAR1")
    assert "broken.parquet: cannot be read" in refused(str(tmp_path / "broken.parquet"))


def test_a_fold_with_a_space_is_refused(written: Write) -> None:
    assert "query b, column fold" in refused(written({**GOOD, "fold": ["1", " 1", "2"]}))


def test_an_empty_cell_is_a_slice_of_its_own(written: Write) -> None:
    path = written({**GOOD, "corpus": ["x", None, ""]})
    with closing(connect("duckdb")) as engine:
        settings = {"slices": {"set": "corpus"}, "k": [3], "recall_levels": [0.5]}
        found = evaluate(engine, [path], settings).ledger
    assert found["queries|all_queries|set=|n"] == 2
