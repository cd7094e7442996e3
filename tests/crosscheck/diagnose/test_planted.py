"""A sample of `make forensics`, and how far digits can be trusted."""

from __future__ import annotations

import sys
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from crosscheck.diagnose.chance import CHANCE, Chance, simplest
from crosscheck.diagnose.forensics import Diagnosis, explain
from crosscheck.diagnose.scene import Scene
from crosscheck.mistakes.formulas import FORMULAS
from crosscheck.notation.number import parse

if TYPE_CHECKING:
    from collections.abc import Iterator

PLANTED = Path(__file__).parents[2] / "bench" / "planted"
MRR = "mrr@all|positives_only|all|mean"


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Any]]:
    """Put the plants of the two small studies to the search."""
    before = list(sys.path)
    sys.path.insert(0, str(PLANTED))
    try:
        import classes  # noqa: PLC0415 - found on the path that was just made
        import graded  # noqa: PLC0415 - the same
        from plant import judged  # noqa: PLC0415 - the same

        yield [
            one
            for study in (classes, graded)
            for one in judged(study.plants(), study.of(tmp_path_factory.mktemp("study")))
        ]
    finally:
        sys.path[:] = before


def test_nine_planted_mistakes_of_ten_come_first(verdicts: list[Any]) -> None:
    behind = [(one.plant.what, one.place, one.first) for one in verdicts if one.place != 1]
    assert len(verdicts) >= 60
    assert len(behind) <= len(verdicts) / 10, behind


def test_every_planted_mistake_is_among_the_first_three(verdicts: list[Any]) -> None:
    assert [one.plant.what for one in verdicts if one.place > 3] == []


def test_where_another_comes_first_the_answer_says_that_it_cannot_be_known(
    verdicts: list[Any],
) -> None:
    assert [one.sentence for one in verdicts if one.place != 1 and not one.told] == []


def explained(case: Scene, key: str, text: str) -> Diagnosis:
    number = parse(text).number
    assert number is not None
    return explain(key, number, case)


def few(**columns: list[Any]) -> Scene:
    return Scene(pl.DataFrame(columns))


def test_all_digits_of_a_simple_fraction_are_no_reason() -> None:
    """Seven queries: every digit of 5/7 is what several mistakes give, and chance does too."""
    case = few(
        query_id=list("abcdefg"),
        candidates=[["x", "y", "z"]] * 7,
        gold=[["x"], ["y"], ["x"], ["x"], ["z"], ["x"], ["y"]],
    )
    found = explained(case, MRR, repr(5 / 7))
    assert found.explanations
    assert found.explanations[0].surprise > CHANCE
    assert "the digits do not tell the reason" in found.sentence


def test_digits_count_where_values_are_dense() -> None:
    ledger = {MRR: 0.5371, "queries|positives_only|all|n": 5000}
    number = parse("0.61234567").number
    assert number is not None
    chance = Chance(number, MRR, ledger, percent=False)
    assert chance.of_one < 1e-6


@pytest.mark.parametrize(
    ("low", "high", "denominator"),
    [("0.3", "0.34", 3), ("0.49", "0.51", 2), ("-0.26", "-0.24", 4), ("-1", "1", 1), ("2", "3", 1)],
)
def test_the_simplest_fraction_between_two_numbers(low: str, high: str, denominator: int) -> None:
    assert simplest(Fraction(low), Fraction(high)) == denominator


def test_what_could_not_be_tried_is_counted_and_named() -> None:
    case = few(
        query_id=["a", "b", "c"],
        fold=[0, 0, 1],
        candidates=[["x", "y"], ["y", "x"], ["x", "z"]],
        gold=[["x"], ["x"], ["z"]],
    )
    case.bench.refused[FORMULAS["ranking-reversed"]] = "row 1: no"
    found = explained(case, MRR, "0.1234567")
    assert found.untried == {"ranking-reversed": "row 1: no"}
    assert "1 could not be tried: ranking-reversed (row 1: no)" in found.sentence


def test_a_witness_that_answers_nan_explains_nothing() -> None:
    case = few(query_id=["a", "b"], candidates=[["x"], ["y"]], gold=[["x"], ["x"]])
    wrong = Scene(case.data, known=dict.fromkeys(case.ledger, float("nan")))
    assert explained(wrong, MRR, "0.7").suspects == ()


def test_a_cut_off_that_nobody_asked_for_is_tried() -> None:
    """Of 20 candidates two of the first ten are gold, and four of the first fifteen."""
    names = [f"d{i:02d}" for i in range(20)]
    case = few(query_id=["a"], candidates=[names], gold=[[names[i] for i in (3, 8, 11, 14)]])
    found = explained(case, "precision@10|positives_only|all|mean", "0.26667")
    assert ("other-cutoff", "precision@15") in {one.mistakes[0] for one in found.suspects}


def test_trec_ties_are_kept_where_mistakes_are_tried(tmp_path: Path) -> None:
    """Scores that tie in 32 bits stay in trec_eval's order when the rows are evaluated again."""
    (tmp_path / "qrels").write_text("1 0 a 1\n2 0 a 1\n2 0 b 0\n", encoding="utf-8")
    scores = "1 Q0 a 1 18.0000001 r\n1 Q0 b 2 18.0 r\n2 Q0 a 1 3 r\n2 Q0 b 2 2 r\n"
    (tmp_path / "run").write_text(scores, encoding="utf-8")
    data = {"qrels": tmp_path / "qrels", "run": tmp_path / "run"}
    case = Scene(data, {"ties": "trec_eval"})
    assert case.ledger[MRR] == 0.75  # b stands above a in 32 bits
    assert case.bench.columns["mrr@all"].mean() == 0.75
    names = {one.names for one in explained(case, MRR, "1.0000").suspects}
    assert {("scores-in-64-bits",), ("ties-by-ascending-id",)} <= names
