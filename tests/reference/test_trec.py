"""TREC's two files: comments, levels, samples, and where a problem is."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

import reference
from reference import Problem

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Trec = Callable[[str, str], dict[str, Path]]

RUN = "1 Q0 d1 1 3.5 tag\n"
FIELDS = {
    "qrels": "query iteration document relevance",
    "run": "query Q0 document rank score tag",
}


@pytest.fixture
def trec(tmp_path: Path) -> Trec:
    """Write judgements and a run, and say where."""

    def write(qrels: str, run: str) -> dict[str, Path]:
        for name, text in (("qrels", qrels), ("run", run)):
            (tmp_path / name).write_text(text, encoding="utf-8")
        return {"qrels": tmp_path / "qrels", "run": tmp_path / "run"}

    return write


def refused(data: object, settings: dict[str, Any] | None = None) -> list[Problem]:
    with pytest.raises(reference.InputError) as caught:
        reference.describe(data, settings)
    return caught.value.problems


def test_facts_of_two_files(trec: Trec) -> None:
    facts = reference.describe(trec("1 0 d1 1\n1 0 d9 1\n2 0 d1 0\n", RUN + "3 Q0 d1 1 1 t\n"))
    facts.pop("missing")
    assert facts == {
        "rows": {"EVAL": 2, "TUNE": 0, "TRAIN": 0},
        "columns": {},
        "families": ["has_evidence_slices", "judged", "pairs", "ranking", "ties"],
        "folds": [],
        "criteria": [],
        "posts": None,
        "queries": {
            "all_queries": 2,
            "positives_only": 1,
            "has_evidence": 1,
            "predicted_positive": None,
        },
        "max_k": None,
        "queries_with_ties": 0,
        "float32_ties": 0,
        "gold_not_in_candidates": 1,
        "lookalikes": 0,
        "dropped_queries": 1,
        "missing_topics": 1,
        "duplicates_removed": 0,
        "grade_max": None,
        "classes": [],
        "disagreeing_predictions": None,
        "straddling": None,
        "seeds": [],
        "slices": {},
        "key": "columns",
        "contradictions": {"has_evidence": 0, "state": 0, "pred": 0},
    }


def test_comments_and_blank_lines_are_passed_over(trec: Trec) -> None:
    data = trec("# judged\n\n1 0 d1 1\n#\n2 0 d1 1\n", f"# a run\n\n{RUN}\n2 Q0 #d 1 2 t\n")
    assert reference.per_query(data, {"k": [1]})["hit@1"] == [1.0, 0.0]


@pytest.mark.parametrize(("level", "gold"), [(1, 1), (0, 2), (-5, 2), (2, 0)])
def test_judged_at_the_level_is_gold_and_minus_one_never(trec: Trec, level: int, gold: int) -> None:
    qrels = "1 0 d1 1\n1 0 d2 0\n1 0 d3 -1\n"
    facts = reference.describe(trec(qrels, "1 Q0 x 1 1 t\n"), {"relevance_level": level})
    assert facts["gold_not_in_candidates"] == gold


def in_sample(name: str, sample: int) -> bool:
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big") % sample == 0


@pytest.mark.parametrize("sample", [1, 2, 3])
def test_a_sample_keeps_queries_by_their_hash(trec: Trec, sample: int) -> None:
    judged, stray = [f"q{i}" for i in range(20)], [f"s{i}" for i in range(20)]
    data = trec(
        "".join(f"{name} 0 d1 1\n" for name in judged),
        "".join(f"{name} Q0 d1 1 1 t\n" for name in (*judged, *stray)),
    )
    settings = {"sample": sample}
    kept = [name for name in judged if in_sample(name, sample)]
    dropped = sum(in_sample(name, sample) for name in stray)
    assert 0 < len(kept) <= 20
    assert reference.per_query(data, settings)["query_id"] == kept
    assert reference.describe(data, settings)["dropped_queries"] == dropped


def test_an_empty_sample_is_refused(trec: Trec) -> None:
    data = trec("1 0 d1 1\n", RUN)
    (problem,) = refused(data, {"sample": 10**9})
    assert problem == Problem("no query is in the sample", "Take a larger one", str(data["qrels"]))


def test_a_threshold_by_fold_fits_no_trec_file(trec: Trec) -> None:
    data = trec("1 0 d1 1\n", RUN)
    (problem,) = refused(data, {"threshold": {"0": 0.5}})
    assert problem.what == "threshold is given by fold, but not for rows without a fold"
    assert problem.file == str(data["qrels"])


@pytest.mark.parametrize(
    ("file", "line", "expected"),
    [
        (
            "qrels",
            "2 0 d1 1\n2 0 d1 1",
            Problem("document d1 is there twice", "Keep one", query="2", column="document"),
        ),
        (
            "run",
            "2 Q0 d1 1 1 t\n2 Q0 d1 2 1 t",
            Problem("document d1 is there twice", "Keep one", query="2", column="document"),
        ),
        (
            "qrels",
            "2 0 d1 1\n3 0 d1 x",
            Problem(
                "found 'x' where a whole number of 32 bits is expected",
                "Give a whole number",
                query="3",
                column="relevance",
            ),
        ),
        (
            "run",
            "2 Q0 d1 1 1 t\n3 Q0 d1 1 x t",
            Problem(
                "found 'x' where a finite number is expected",
                "Give a number",
                query="3",
                column="score",
            ),
        ),
        (
            "qrels",
            "2 0 d1 1\n3 0 d1 1 1",
            Problem("has 5 fields where 4 are expected", f"Write: {FIELDS['qrels']}"),
        ),
        (
            "run",
            "2 Q0 d1 1 1 t\n3 Q0 d1 1 1",
            Problem("has 5 fields where 6 are expected", f"Write: {FIELDS['run']}"),
        ),
    ],
)
def test_a_problem_names_file_row_query_and_field(
    trec: Trec, file: str, line: str, expected: Problem
) -> None:
    texts = {"qrels": "1 0 d1 1\n", "run": RUN}
    texts[file] += f"{line}\n"
    data = trec(texts["qrels"], texts["run"])
    assert refused(data) == [replace(expected, file=str(data[file]), row=3)]


@pytest.mark.parametrize("comment", ["# by hand", "  # 3 Q0 d1 1 1 t"])
@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
def test_comments_and_blank_lines_are_skipped_and_counted(
    trec: Trec, comment: str, end: str
) -> None:
    qrels, run = f"{comment}{end}{end}1 0 d1 1{end}", f"{comment}{end} {end}1 Q0 d1 1 best t{end}"
    assert reference.describe(trec(qrels, RUN))["rows"]["EVAL"] == 1
    assert [problem.row for problem in refused(trec(qrels, run))] == [3]


def test_every_bad_line_is_told(trec: Trec) -> None:
    found = refused(trec("1 0 d1\n1 0 d2 y\n2 0 d1 1\n", "1 Q0 d1\n1 Q0 d2 1 z t\n"))
    assert [problem.row for problem in found] == [1, 2, 1, 2]


@pytest.mark.parametrize("file", ["qrels", "run"])
def test_an_empty_file_is_refused(trec: Trec, file: str) -> None:
    texts = {"qrels": "1 0 d1 1\n", "run": RUN, file: ""}
    data = trec(texts["qrels"], texts["run"])
    assert refused(data) == [Problem("is empty", f"Write: {FIELDS[file]}", str(data[file]))]


@pytest.mark.parametrize(
    ("data", "said"),
    [({"run": "r"}, "run"), ({"qrels": "q", "run": "r", "x": 1}, "qrels, run, x"), ({}, "nothing")],
)
def test_a_mapping_must_name_both_files(data: dict[str, Any], said: str) -> None:
    (problem,) = refused(data)
    assert problem.what == f"data is a mapping with {said}"
    assert problem.remedy == "Give the two paths qrels and run"
