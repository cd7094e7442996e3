"""Sections 14 to 17: what the data leave to a convention is counted and told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import primary
from crosscheck.checks import Evidence, Result, confusion, inputs, splits
from crosscheck.data.case import Case

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    CaseOf = Callable[..., Case]
    PrimarySays = Callable[..., Evidence]


def messages(evidence: Evidence) -> dict[str, str]:
    return {one.rule: one.message for one in inputs.check(evidence).findings}


def shared_posts(result: Result) -> list[str]:
    return [one.message for one in result.findings if one.rule in {"XC801", "XC802"}]


@pytest.fixture
def trec(tmp_path: Path) -> Callable[..., Case]:
    def make(qrels: str, run: str, **settings: Any) -> Case:
        paths = {"qrels": tmp_path / "qrels", "run": tmp_path / "run"}
        for name, text in (("qrels", qrels), ("run", run)):
            paths[name].write_text(text, encoding="utf-8")
        data = {name: str(path) for name, path in paths.items()}
        return Case("study", data, settings, primary.describe(data, settings), ())

    return make


def test_judged_topics_that_the_run_lacks_are_counted(
    trec: Callable[..., Case], primary_says: PrimarySays
) -> None:
    case = trec("t 0 a 1\nu 0 b 1\nv 0 c 1\n", "t Q0 a 1 1.0 r\nu Q0 b 1 1.0 r\n")
    told = messages(primary_says(case))
    assert told["XC111"].startswith("1 judged queries are not in the run")
    assert "XC120" not in told


def test_a_run_that_answers_fewer_than_half_of_them_fails(
    trec: Callable[..., Case], primary_says: PrimarySays
) -> None:
    case = trec("t 0 a 1\nu 0 b 1\nv 0 c 1\n", "t Q0 a 1 1.0 r\n")
    told = messages(primary_says(case))
    assert told["XC120"].startswith("2 of 3 judged queries are not in the run")
    assert "XC111" not in told


def test_a_run_that_answers_no_judged_query_fails(
    trec: Callable[..., Case], primary_says: PrimarySays
) -> None:
    case = trec("t 0 a 1\nu 0 b 1\n", "T1 Q0 a 1 1.0 r\nT2 Q0 b 1 1.0 r\n")
    found = {one.rule: one for one in inputs.check(primary_says(case)).findings}
    assert "XC111" not in found
    assert found["XC120"].severity == "error"
    assert found["XC120"].message.startswith("none of the 2 judged queries is in the run")


def test_grades_above_1_are_shown_both_ways(
    trec: Callable[..., Case], primary_says: PrimarySays
) -> None:
    case = trec("t 0 a 2\nt 0 b 1\n", "t Q0 b 1 2.0 r\nt Q0 a 2 1.0 r\n", k=[3])
    ledger = primary.evaluate(case.data, case.settings)
    told = messages(primary_says(case, ledger))
    assert told["XC112"].startswith("grades go up to 2; ndcg@3 counts every grade of at least 1")
    assert "is 1, ndcg@3/graded is 0.8597" in told["XC112"]
    ones = trec("t 0 a 1\n", "t Q0 a 1 1.0 r\n")
    assert "XC112" not in messages(primary_says(ones, primary.evaluate(ones.data, {})))


def test_documents_twice_are_refused_or_counted(
    trec: Callable[..., Case], primary_says: PrimarySays
) -> None:
    qrels, run = "t 0 a 1\n", "t Q0 a 1 3.0 r\nt Q0 b 2 2.0 r\nt Q0 a 3 1.0 r\n"
    with pytest.raises(primary.InputError):
        trec(qrels, run)
    told = messages(primary_says(trec(qrels, run, dedupe="first")))
    assert "1 documents stand twice" in told["XC113"]
    assert 'dedupe = "first"' in told["XC113"]


def test_ids_that_look_alike_are_named(case_of: CaseOf, primary_says: PrimarySays) -> None:
    rows = [{"query_id": "q", "candidates": ["Doc ", "x"], "gold": ["doc"]}]
    told = messages(primary_says(case_of(*rows)))
    assert "first 'doc' beside 'Doc ' in query q" in told["XC114"]


def test_scores_that_tie_in_32_bits_are_counted(case_of: CaseOf, primary_says: PrimarySays) -> None:
    rows = [
        {"query_id": "q", "candidates": ["a", "b"], "scores": [1.000000001, 1.0], "gold": ["a"]}
    ]
    told = messages(primary_says(case_of(*rows)))
    assert told["XC115"].startswith("1 queries have different scores that are equal as 32-bit")


def test_predictions_against_their_probabilities_are_counted(
    case_of: CaseOf, primary_says: PrimarySays
) -> None:
    rows = [{"query_id": "q", "label": "x", "predicted": "y", "class_probs": [0.75, 0.25]}]
    case = case_of(*rows, settings={"classes": ["x", "y"]})
    assert messages(primary_says(case))["XC116"].startswith("1 rows have a predicted class")


def test_probabilities_on_both_sides_of_a_cut_are_counted(
    case_of: CaseOf, primary_says: PrimarySays
) -> None:
    rows = [{"query_id": f"q{n}", "has_evidence": n % 2, "prob": 0.5} for n in range(4)]
    case = case_of(*rows, settings={"bins": [2]})
    assert messages(primary_says(case))["XC117"].startswith("4 rows have a probability")


def test_row_numbers_as_keys_and_scores_like_probabilities_are_told(
    case_of: CaseOf, primary_says: PrimarySays
) -> None:
    rows = [{"y_true": 1, "y_score": 0.5}, {"y_true": 0, "y_score": 0.25}]
    told = messages(primary_says(case_of(*rows)))
    assert "the number of its row stands for it" in told["XC118"]
    assert told["XC119"].startswith("every y_score is between 0 and 1")
    beyond = [{"y_true": 1, "y_score": 1.5}, {"y_true": 0, "y_score": 0.25}]
    assert "XC119" not in messages(primary_says(case_of(*beyond)))


def test_splits_are_looked_at_within_a_seed(case_of: CaseOf, primary_says: PrimarySays) -> None:
    def row(seed: str, fold: int, split: str) -> dict[str, Any]:
        key = {"post_id": "p", "criterion_id": "A", "seed": seed, "fold": fold, "split": split}
        return key | {"has_evidence": 1, "prob": 0.5}

    # Seed 2 draws other folds than seed 1: the same post may be anywhere.
    apart = [row("1", 0, "EVAL"), row("2", 1, "EVAL"), row("1", 1, "TRAIN"), row("2", 0, "TRAIN")]
    assert shared_posts(splits.check(primary_says(case_of(*apart)))) == []
    shared = [*apart, row("2", 1, "TRAIN"), row("1", 0, "TRAIN")]
    assert shared_posts(splits.check(primary_says(case_of(*shared)))) == [
        "post p of seed 1 is in EVAL and TRAIN of fold 0",
        "post p of seed 2 is in EVAL and TRAIN of fold 1",
    ]


def test_a_class_has_its_labels_counted_in_the_data(
    case_of: CaseOf, primary_says: PrimarySays
) -> None:
    rows = [
        {"query_id": "q1", "label": "x", "predicted": "y"},
        {"query_id": "q2", "label": "y", "predicted": "y"},
    ]
    case = case_of(*rows)
    ledger = primary.evaluate(case.data, case.settings)
    assert confusion.check(primary_says(case, ledger)).findings == ()
    wrong = ledger | {"tp|all_queries|class=y|value": 2, "tn|all_queries|class=y|value": 0}
    found = confusion.check(primary_says(case, wrong)).findings
    assert "XC612" in {one.rule for one in found}


def test_scores_ordered_as_trec_eval_does_need_no_advice(
    trec: Callable[..., Case], primary_says: PrimarySays
) -> None:
    case = trec("q 0 a 1\n", "q Q0 a 1 1.000000001 r\nq Q0 b 2 1.0 r\n", ties="trec_eval")
    assert case.facts["float32_ties"] == 1
    assert "XC115" not in messages(primary_says(case))
