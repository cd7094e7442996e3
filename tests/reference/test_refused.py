"""Every input that the contract refuses, and what the refusal says."""

from __future__ import annotations

import gzip
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import reference
from reference import Problem

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Jsonl = Callable[[list[dict[str, Any]]], Path]
    Csv = Callable[[str], Path]

GOOD = {
    "query_id": "q1",
    "candidates": ["a", "b"],
    "scores": [2, 1],
    "gold": ["a"],
    "has_evidence": 1,
    "prob": 0.5,
    "pred": 1,
    "state": "POS",
    "selected": ["a"],
    "node_probs": [0.5, 0.25],
    "fold": 0,
    "split": "EVAL",
}


def problems(data: object, settings: dict[str, Any] | None = None) -> list[Problem]:
    with pytest.raises(reference.InputError) as caught:
        reference.evaluate(data, settings)
    assert str(caught.value).startswith(str(caught.value.problems[0]).split(": ")[0])
    return caught.value.problems


@pytest.mark.parametrize(
    ("column", "cell", "said"),
    [
        ("query_id", None, "found None where an id is expected"),
        ("query_id", "", "the id is empty"),
        ("fold", "one", "found 'one' where a fold is expected"),
        ("fold", 1.5, "found 1.5 where a fold is expected"),
        ("fold", True, "found True where a fold is expected"),
        ("fold", None, "found None where a fold is expected"),
        ("split", "DEVEL", "unknown split 'DEVEL'"),
        ("candidates", ["a", "b", "a"], "uid 'a' is in the list twice"),
        ("candidates", ["a", 2], "uid 2 is not text"),
        ("candidates", ["a", ""], "a uid is empty"),
        ("candidates", 5, "found 5 where a list is expected"),
        ("candidates", "['a' 'b']", "which is no list that can be read"),
        ("candidates", "['a', 'b", "which is no list that can be read"),
        ("candidates", "[]]", "which is no list that can be read"),
        ("candidates", "['\\x', 'b']", "with a broken string in it"),
        ("scores", [1], "1 scores for 2 candidates"),
        ("scores", [1, "2"], "found '2' where a number is expected"),
        ("scores", [1, True], "found True where a finite number is expected"),
        ("scores", "1|x", "found 'x' where a finite number is expected"),
        ("scores", "[1, NaN]", "found nan where a finite number is expected"),
        ("scores", [1, 10**400], "where a finite number is expected"),
        ("gold", ["a", "a"], "uid 'a' is in the list twice"),
        ("has_evidence", 2, "found 2 where a label is expected"),
        ("has_evidence", 1.0, "found 1.0 where a label is expected"),
        ("has_evidence", "yes", "found 'yes' where a label is expected"),
        ("has_evidence", None, "found None where a label is expected"),
        ("prob", 1.5, "found 1.5, outside [0, 1]"),
        ("prob", -0.25, "found -0.25, outside [0, 1]"),
        ("prob", "NaN", "found 'NaN' where a number is expected"),
        ("prob", "1_0", "found '1_0' where a number is expected"),
        ("prob", None, "found None where a finite number is expected"),
        ("pred", None, "found None where a label is expected"),
        ("pred", "maybe", "found 'maybe' where a label is expected"),
        ("state", "pos", "unknown state 'pos'"),
        ("state", None, "unknown state None"),
        ("state", ["POS"], "unknown state ['POS']"),
        ("selected", ["c"], "selected uid 'c' is not among the candidates"),
        ("node_probs", [0.5], "1 node_probs for 2 candidates"),
        ("node_probs", [0.5, 1.5], "found 1.5, outside [0, 1]"),
    ],
)
def test_bad_cell(jsonl: Jsonl, column: str, cell: object, said: str) -> None:
    path = jsonl([GOOD, {**GOOD, "query_id": "q2", column: cell}])
    (problem,) = problems(path)
    assert said in problem.what
    assert (problem.file, problem.row, problem.column) == (str(path), 2, column)
    assert problem.query == (None if column in {"query_id", "fold", "split"} else "q2")
    assert problem.remedy


def test_duplicate_key(jsonl: Jsonl) -> None:
    path = jsonl([GOOD, GOOD])
    remedy = "Keep one row per query and fold in split EVAL"
    expected = Problem("the key is there twice", remedy, str(path), 2, "q1", "query_id")
    assert problems(path) == [expected]


def test_duplicate_post_and_criterion(csv_file: Csv) -> None:
    path = csv_file("post_id,criterion_id,split\np,A,TUNE\np,A,TUNE\np,A,EVAL\n")
    remedy = "Keep one row per query and fold in split TUNE"
    expected = Problem("the key is there twice", remedy, str(path), 2, "p/A", "post_id")
    assert problems(path) == [expected]


def test_rows_whose_id_cannot_be_read_are_no_duplicates(jsonl: Jsonl) -> None:
    found = problems(jsonl([{**GOOD, "query_id": None}] * 2))
    assert [problem.what for problem in found] == ["found None where an id is expected"] * 2


def test_test_and_eval_are_one_split_for_the_key(jsonl: Jsonl) -> None:
    (problem,) = problems(jsonl([GOOD, {**GOOD, "split": "TEST"}]))
    assert problem.what == "the key is there twice"


@pytest.mark.parametrize("split", ["TUNE", "TRAIN"])
@pytest.mark.parametrize(("column", "cell"), [("prob", 2), ("has_evidence", "x")])
def test_label_and_prob_of_other_splits_are_read(
    jsonl: Jsonl, split: str, column: str, cell: object
) -> None:
    (problem,) = problems(jsonl([GOOD, {**GOOD, "split": split, column: cell}]))
    assert (problem.row, problem.query, problem.column) == (2, "q1", column)


def test_lists_of_tune_rows_are_not_looked_at_where_there_is_a_label(jsonl: Jsonl) -> None:
    tune = {**GOOD, "split": "TUNE", "gold": ["a", "a"], "candidates": 5}
    assert reference.describe(jsonl([GOOD, tune]))["rows"]["TUNE"] == 1


@pytest.mark.parametrize(
    ("header", "missing", "column"),
    [
        ("post_id,gold", "criterion_id", "criterion_id"),
        ("criterion_id,gold", "post_id", "post_id"),
    ],
)
def test_missing_key_column(csv_file: Csv, header: str, missing: str, column: str) -> None:
    path = csv_file(f"{header}\np,a\n")
    columns = header.replace(",", ", ")
    remedy = f"Give post_id and criterion_id, or query_id; the columns are {columns}"
    expected = Problem(f"the key column {missing} is missing", remedy, str(path), column=column)
    assert problems(path) == [expected]


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({}, "there is no EVAL row"),
        ({"sample": 2}, "there is no EVAL row in the sample"),
    ],
)
def test_no_eval_row(jsonl: Jsonl, settings: dict[str, Any], said: str) -> None:
    path = jsonl([{**GOOD, "split": "TUNE"}])
    expected = Problem(said, "Every number is over EVAL rows", str(path))
    assert problems(path, settings) == [expected]


def test_data_that_only_rank_need_not_have_every_criterion(csv_file: Csv) -> None:
    path = csv_file("post_id,criterion_id,candidates,gold\np,A,x,x\np,B,x,\nq,A,y,y\n")
    assert reference.evaluate(path, {})["queries|all_queries|criterion=B|n"] == 1


def test_post_without_a_criterion(csv_file: Csv) -> None:
    path = csv_file("post_id,criterion_id,pred,has_evidence\np,A,1,1\np,B,1,1\nq,A,1,1\n")
    expected = Problem(
        "post q has no row for criterion B",
        "Give every EVAL post a row for every criterion",
        str(path),
        3,
        "q/A",
        "criterion_id",
    )
    assert problems(path) == [expected]


def test_fold_without_tune_rows(jsonl: Jsonl) -> None:
    path = jsonl([GOOD, {**GOOD, "split": "TUNE"}, {**GOOD, "fold": 1}])
    expected = Problem(
        "fold 1 has no TUNE rows, while another fold has",
        "Give every fold its TUNE rows, or none",
        str(path),
        column="fold",
    )
    assert problems(path) == [expected]


KNOWN = (
    "Known names are post_id, criterion_id, query_id, fold, split, candidates, scores, gold, "
    "has_evidence, prob, pred, state, selected, node_probs, grades, judged, label, predicted, "
    "class_probs, seed, score"
)


@pytest.mark.parametrize(
    ("header", "mapped", "expected"),
    [
        (
            "query_id,gold,gold",
            {},
            Problem("two columns are called 'gold'", "Rename one of them", column="gold"),
        ),
        (
            "query_id,gold,gold_ids",
            {},
            Problem(
                "columns gold and gold_ids could both be gold",
                "Say which one in the config: [columns] gold = …",
                column="gold",
            ),
        ),
        ("query_id,gold,x", {"golden": "x"}, Problem("'golden' cannot be mapped", KNOWN)),
        (
            "query_id,gold,x",
            {"prob": "y"},
            Problem(
                "there is no column 'y' to read prob from",
                "The columns are query_id, gold, x",
                column="y",
            ),
        ),
    ],
)
def test_columns_that_cannot_be_told(
    csv_file: Csv, header: str, mapped: dict[str, str], expected: Problem
) -> None:
    path = csv_file(f"{header}\nq,a,b\n")
    assert problems(path, {"columns": mapped}) == [replace(expected, file=str(path))]


@pytest.mark.parametrize(
    ("fold", "settings", "expected"),
    [
        (
            3,
            {"threshold": {"0": 0.5}},
            Problem(
                "threshold is given by fold, but not for fold 3",
                "Add fold 3 to threshold, or give one number",
            ),
        ),
        (
            3,
            {"tau_neg": {"3": 0.1}, "tau_pos": {"0": 0.9}},
            Problem(
                "tau_pos is given by fold, but not for fold 3",
                "Add fold 3 to tau_pos, or give one number",
            ),
        ),
        (
            None,
            {"threshold": {"0": 0.5}},
            Problem(
                "threshold is given by fold, but not for rows without a fold",
                "Give one number for threshold",
            ),
        ),
    ],
)
def test_a_fold_without_its_threshold(
    jsonl: Jsonl, fold: int | None, settings: dict[str, Any], expected: Problem
) -> None:
    row = {name: cell for name, cell in GOOD.items() if name != "fold" or fold is not None}
    path = jsonl([row if fold is None else {**row, "fold": fold}])
    assert problems(path, settings) == [replace(expected, file=str(path))]


def test_all_problems_come_together_and_one_of_many_rows_is_told_once(jsonl: Jsonl) -> None:
    rows = [{**GOOD, "query_id": f"q{i}", "prob": 7} for i in range(25)]
    with pytest.raises(reference.InputError) as caught:
        reference.evaluate(jsonl(rows))
    assert len(caught.value.problems) == 25
    assert len(str(caught.value).splitlines()) == 1
    assert "; 24 more of this kind, first in row 2, query q1; row 3" in str(caught.value)


@pytest.mark.parametrize(
    ("name", "raw", "said"),
    [
        ("data.csv", b"", "is empty"),
        ("data.csv", b"query_id,gold\n", "has no data rows"),
        ("data.csv", b"query_id,gold\nq1,a\nq2\n", "has 1 fields where the header has 2"),
        ("data.csv", b'query_id,gold\nq1,"a', "unexpected end of data"),
        ("data.csv", b"query_id,gold\nq1,\xff\n", "cannot be read"),
        ("data.csv", b"query_id,gold,gold\nq1,a,b\n", "two columns are called 'gold'"),
        ("data.csv", b"query_id,gold,gold_ids\nq1,a,b\n", "could both be gold"),
        (
            "data.csv.gz",
            gzip.compress(b"query_id,gold\nq1,a\n" * 99, mtime=0)[:30],
            "cannot be read",
        ),
        ("data.csv.gz", b"query_id,gold\nq1,a\n", "cannot be read"),
        ("data.jsonl", b"", "is empty"),
        ("data.jsonl", b'{"query_id": "q1"}\n{"query', "is not JSON"),
        ("data.jsonl", b"[1]\n", "is not a JSON object"),
        ("data.jsonl", b'{"query_id": "q1", "query_id": "q2"}\n', "a name appears twice"),
        ("data.parquet", b"PAR1", "cannot be read"),
        ("data.xlsx", b"PK", "files that end in .xlsx are not known"),
    ],
)
def test_bad_file(tmp_path: Path, name: str, raw: bytes, said: str) -> None:
    path = tmp_path / name
    path.write_bytes(raw)
    (problem,) = problems(path)
    assert said in problem.what
    assert problem.file == str(path)


def test_missing_file(tmp_path: Path) -> None:
    (problem,) = problems(tmp_path / "none.csv")
    assert "No such file" in problem.what


def test_truncated_parquet(tmp_path: Path) -> None:
    path = tmp_path / "data.parquet"
    pq.write_table(pa.table({"query_id": ["q1"], "prob": [0.5]}), path)
    path.write_bytes(path.read_bytes()[:-20])
    assert "cannot be read" in problems(path)[0].what


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"treshold": 0.5}, "unknown setting 'treshold'"),
        ({"threshold": 1.5}, "setting threshold is 1.5"),
        ({"threshold": {"a": 0.5}}, "setting threshold is {'a': 0.5}"),
        ({"threshold": {"1": 0.5}}, "threshold is given by fold, but not for fold 0"),
        ({"tau_neg": 0.5}, "only one of tau_neg and tau_pos is set"),
        ({"tau_neg": 0.5, "tau_pos": 0.4}, "tau_neg 0.5 is above tau_pos 0.4"),
        ({"tau_neg": {"0": 0.5}, "tau_pos": 0.4}, "tau_neg 0.5 is above tau_pos 0.4 in fold 0"),
        ({"k": [0]}, "setting k is [0]"),
        ({"k": 5}, "setting k is 5"),
        ({"k": [True]}, "setting k is [True]"),
        ({"fpr": [101]}, "setting fpr is [101]"),
        ({"fpr": ["x"]}, "setting fpr is ['x']"),
        ({"bins": [2.5]}, "setting bins is [2.5]"),
        ({"gamma": [None]}, "setting gamma is [None]"),
        ({"grid": {"tau": [0.1]}}, "setting grid is"),
        ({"views": {"a": "A.1"}}, "setting views is"),
        ({"columns": {"gold": 3}}, "setting columns is"),
        ({"columns": []}, "setting columns is []"),
        ({"columns": {"gold": "truth"}}, "there is no column 'truth' to read gold from"),
        ({"columns": {"golden": "gold"}}, "'golden' cannot be mapped"),
        ({"ties": "random"}, "setting ties is 'random'"),
        ({"sample": 0}, "setting sample is 0"),
        ({"sample": 10**9}, "there is no EVAL row in the sample"),
    ],
)
def test_bad_setting(jsonl: Jsonl, given: dict[str, Any], said: str) -> None:
    found = problems(jsonl([GOOD]), given)
    assert any(said in problem.what for problem in found)
    assert all(problem.remedy for problem in found)


def test_data_of_a_strange_kind() -> None:
    remedy = "Give a path, or a mapping with qrels and run"
    assert problems(17) == [Problem("data is int", remedy)]
    assert problems({"qrels": "q"})[0].what == "data is a mapping with qrels"


QRELS, RUN = "1 0 d1 1\n", "1 Q0 d1 1 3.5 tag\n"


@pytest.mark.parametrize(
    ("qrels", "run", "said"),
    [
        ("", RUN, "is empty"),
        (QRELS, "", "is empty"),
        (QRELS * 2, RUN, "document d1 is there twice"),
        (QRELS, RUN * 2, "document d1 is there twice"),
        ("1 0 d1\n", RUN, "has 3 fields where 4 are expected"),
        ("1 0 d1 x\n", RUN, "found 'x' where a whole number of 32 bits is expected"),
        (QRELS, "1 Q0 d1 1 3.5\n", "has 5 fields where 6 are expected"),
        (QRELS, "1 Q0 d1 1 inf tag\n", "found 'inf' where a finite number is expected"),
    ],
)
def test_bad_trec_files(tmp_path: Path, qrels: str, run: str, said: str) -> None:
    (tmp_path / "q").write_text(qrels, encoding="utf-8")
    (tmp_path / "r").write_text(run, encoding="utf-8")
    (problem,) = problems({"qrels": tmp_path / "q", "run": tmp_path / "r"})
    assert said in problem.what
    assert problem.file in {str(tmp_path / "q"), str(tmp_path / "r")}
