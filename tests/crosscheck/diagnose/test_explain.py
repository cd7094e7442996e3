"""`crosscheck explain KEY[=VALUE]`: the question read, the lesson taught, the mistake named."""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING

import polars as pl
import pytest
from click.testing import CliRunner, Result

from crosscheck import cli
from crosscheck.answers.explained import read_question
from crosscheck.claims.reading import read_text
from crosscheck.claims.verify import verify
from crosscheck.commands.explain import command
from crosscheck.contract.page import Bullets, Page
from crosscheck.diagnose import lesson
from crosscheck.diagnose.forensics import explanations_of
from crosscheck.diagnose.scene import Scene
from crosscheck.errors import UserError
from crosscheck.mistakes.formulas import FORMULAS

if TYPE_CHECKING:
    from pathlib import Path

ROWS = {
    "post_id": ["p", "p", "q", "q"],
    "criterion_id": ["A.1", "A.2", "A.1", "A.2"],
    "candidates": [["a", "b", "c", "d"], ["b", "a", "d", "c"], ["e", "f", "g"], ["f", "e", "g"]],
    "gold": [["b", "d"], [], ["g"], ["f", "e"]],
    "prob": [0.8, 0.3, 0.3, 0.9],
    "selected": [["a", "b"], [], ["e"], ["f", "e"]],
}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    file = tmp_path / "rows.parquet"
    pl.DataFrame(ROWS).write_parquet(file)
    return file


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(command, [str(a) for a in arguments], standalone_mode=False)


@pytest.mark.parametrize(
    ("text", "key", "value", "percent"),
    [
        ("nDCG@10", "ndcg@10|positives_only|all|mean", None, False),
        ("nDCG@10=0.82", "ndcg@10|positives_only|all|mean", "0.82", False),
        ("MRR=77.03", "mrr@all|positives_only|all|mean", "77.03", True),
        ("MRR = 77.03%", "mrr@all|positives_only|all|mean", "77.03", True),
        ("tpr@fpr=5%", "tpr@fpr=5%|all_queries|all|value", None, False),
        ("tpr@fpr=5%=0.41", "tpr@fpr=5%|all_queries|all|value", "0.41", False),
        ("k@gamma=0.9", "k@gamma=0.9|all_queries|all|mean", None, False),
        ("auroc|all_queries|fold=0|value=0.9", "auroc|all_queries|fold=0|value", "0.9", False),
        ("tp=1379", "tp|all_queries|all|value", "1379", False),
    ],
)
def test_a_question_is_a_key_and_perhaps_a_value(
    text: str, key: str, value: str | None, *, percent: bool
) -> None:
    question = read_question(text)
    assert question.key == key
    assert (str(question.number.value) if question.number else None) == value
    assert question.percent is percent


@pytest.mark.parametrize(("text", "said"), [("nDGC@10=0.8", "ndcg@10"), ("Recall", "sensitivity")])
def test_an_unclear_question_comes_back_with_suggestions(text: str, said: str) -> None:
    with pytest.raises(UserError, match=re.escape(said)):
        read_question(text)


def test_a_value_that_is_no_number_is_named() -> None:
    with pytest.raises(UserError, match="abc is no number"):
        read_question("MRR=abc")


def test_the_lesson_shows_definitions_witnesses_and_a_worked_query(data: Path) -> None:
    result = run("map@3", data)
    assert result.exception is None
    for said in ("reference", "map@3/by_gold|positives_only", "Worked on this data", "S3 B.5"):
        assert said in result.output


def test_a_value_is_traced_to_its_mistake(data: Path) -> None:
    """MRR over all queries: (1/2 + 0 + 1/3 + 1) / 4 instead of / 3."""
    result = run(f"MRR={(1 / 2 + 1 / 3 + 1) / 4:.4f}", data)
    assert "another population" in result.output
    assert "all queries instead of" in result.output


def test_a_right_value_is_called_right(data: Path) -> None:
    assert "is right" in run(f"MRR={(1 / 2 + 1 / 3 + 1) / 3:.3f}", data).output


def test_json_holds_the_explanations(data: Path) -> None:
    answer = json.loads(run(f"MRR={(1 / 2 + 1 / 3 + 1) / 4:.4f}", data, "--json").output)
    assert answer["key"] == "mrr@all|positives_only|all|mean"
    assert answer["explanations"][0]["title"] == "another population"


def test_a_key_that_the_data_lack_is_the_users_error(data: Path) -> None:
    result = run("auroc|all_queries|fold=0|value", data)
    assert isinstance(result.exception, UserError)
    assert "auroc|all_queries|all|value" in str(result.exception)


def steps(page: Page) -> list[str]:
    return [item for block in page if isinstance(block, Bullets) for item in block.items]


@pytest.mark.parametrize(
    ("metric", "step"),
    [
        ("recall@3", "hits / gold = 1 / 2"),
        ("precision@3", "hits / places = 1 / 3"),
        ("precision@5/k_eff", "hits / places = 2 / 4"),
        ("hit@1", "at least one hit: 1"),
        ("mrr@all", "1 / rank of the first hit = 1 / 2"),
        ("map@5", "precision at each hit: 1/2 + 2/4 = 1.000000"),
        ("map@3/by_hits", "divided by the hits = 1: 0.500000"),
        ("ndcg@3", "DCG = 1/log2(3) = 0.630930"),
    ],
)
def test_a_ranking_metric_is_worked_out_on_a_telling_query(metric: str, step: str) -> None:
    page = lesson.worked(f"{metric}|positives_only|all|mean", Scene(pl.DataFrame(ROWS)))
    assert step in steps(page)


def test_the_worked_value_is_the_contracts_own() -> None:
    case = Scene(pl.DataFrame(ROWS))
    for metric in ("ndcg@3", "map@3", "map@5/by_gold", "recall@3", "mrr@all"):
        lines = steps(lesson.worked(f"{metric}|positives_only|all|mean", case))
        assert lines[-1].startswith(f"{metric} of this query is ")
        if metric.startswith(("ndcg", "map")):
            assert lines[-1].split()[-1] in lines[-2]


@pytest.mark.parametrize(
    ("key", "step"),
    [
        ("auroc|all_queries|all|value", "1 of 1 negatives are below it, 0 are equal"),
        ("brier|all_queries|all|value", "= 0.040000; Brier is the mean of these"),
        ("sensitivity|all_queries|all|value", "tp / (tp + fn) = 2 / (2 + 1) = 0.666667"),
        ("evidence_recall|positives_only|all|mean", "1 / 2 (gold) = 0.500000"),
        ("ece@10|all_queries|all|value", "the sum over all 10 bins is ece@10"),
    ],
)
def test_a_gate_metric_is_worked_out(key: str, step: str) -> None:
    lines = steps(lesson.worked(key, Scene(pl.DataFrame(ROWS))))
    assert any(step in line for line in lines), lines


def test_a_wrong_outcome_is_explained_for_the_gate() -> None:
    case = Scene(pl.DataFrame(ROWS))
    claims = read_text('{"positives_only": {"MRR": 0.4583, "recall@1": 0.1667}}', "c.json", "json")
    wrong, holds = verify(claims, case.ledger)
    assert (wrong.status, holds.status) == ("wrong", "holds")
    # Three queries of four have gold: one query too many is the same number here.
    titles = [one.title for one in explanations_of(wrong, case)]
    assert titles == ["another population", "one query too many"]
    assert explanations_of(holds, case) == []


def test_the_gate_and_explain_give_one_answer(tmp_path: Path) -> None:
    """Graded gains are a definition of their own, which both name."""
    qrels, trec_run, claims = tmp_path / "qrels", tmp_path / "run", tmp_path / "claims.json"
    qrels.write_text("q 0 a 1\nq 0 b 3\nq 0 c 0\nr 0 a 2\nr 0 c 1\n", encoding="utf-8")
    ranked = [f"{query} Q0 {uid} {i} {9 - i} x" for query in "qr" for i, uid in enumerate("acb")]
    trec_run.write_text("\n".join(ranked) + "\n", encoding="utf-8")
    ideal = 3 + 1 / math.log2(3), 2 + 1 / math.log2(3)
    graded = ((1 + 3 / 2) / ideal[0] + 1) / 2
    claims.write_text(f'{{"nDCG@3": {graded:.5f}}}', encoding="utf-8")
    data = ("--qrels", str(qrels), "--run", str(trec_run))
    answer = json.loads(run(f"nDCG@3={graded:.5f}", *data, "--json").output)
    assert answer["explanations"][0]["title"] == "another definition"
    assert "ndcg@3/graded" in answer["sentence"]
    out = tmp_path / "out"
    asked = ["gate", *data, "--claims", str(claims), "--no-intervals", "--witness", "trec_eval"]
    assert cli.run([*asked, "--out", str(out), "-q"]) == 1
    findings = json.loads((out / "report.json").read_text(encoding="utf-8"))["findings"]
    (wrong,) = (one for one in findings if one["rule"] == "XC901")
    assert answer["sentence"] in wrong["message"]
    assert wrong["explanations"] == answer["explanations"]


def test_mistakes_are_tried_on_columns_that_go_by_other_names() -> None:
    renamed = {name: values for name, values in ROWS.items() if name != "candidates"}
    frame = pl.DataFrame(renamed | {"mine": ROWS["candidates"]})
    case = Scene(frame, {"columns": {"candidates": "mine"}})
    same = Scene(pl.DataFrame(ROWS))
    key = "mrr@all|positives_only|all|mean"
    for name in ("ranking-reversed", "map-by-k", "missing-gold-dropped"):
        assert FORMULAS[name].at(case.bench, key) == FORMULAS[name].at(same.bench, key)
    assert FORMULAS["ranking-reversed"].at(case.bench, key) == pytest.approx((1 + 1 + 1 / 2) / 3)


@pytest.fixture
def two(tmp_path: Path) -> list[str]:
    """Two systems: 5/6 by the new one, 7/12 by the old; the change is 42.857 %."""
    rows = {
        "query_id": ["a", "b", "c", "d"],
        "gold": [["x"]] * 4,
        "new": [["x", "y", "z"]] * 3 + [["y", "z", "x"]],
        "old": [["x", "y", "z"], ["y", "x", "z"], ["y", "x", "z"], ["y", "z", "x"]],
    }
    file = tmp_path / "two.parquet"
    pl.DataFrame(rows).write_parquet(file)
    return [str(file), "--ranking", "ours=new", "--ranking", "baseline MF=old", "--json"]


def test_a_change_on_the_command_line_is_recomputed(two: list[str]) -> None:
    found = json.loads(run("MRR improvement = +42.86%", *two).output)
    assert found["against"] == "baseline MF"
    assert found["change"] == pytest.approx(100 * (5 / 6 - 7 / 12) / (7 / 12))
    assert found["holds"]


def test_a_change_divided_by_the_new_value_is_named(two: list[str]) -> None:
    found = json.loads(run("MRR improvement over baseline = +30.000%", *two).output)
    assert found["explanations"][0]["title"] == "divided by the new value"


def test_a_change_needs_a_second_system(two: list[str]) -> None:
    answer = run("MRR improvement = +42.86%", *two[:3])
    assert isinstance(answer.exception, UserError)
    assert "between two systems: name both" in str(answer.exception)


def test_a_change_against_a_system_that_is_not_there_says_which_are(two: list[str]) -> None:
    answer = run("MRR improvement over BM25 = +42.86%", *two)
    assert isinstance(answer.exception, UserError)
    assert "one of baseline MF: “BM25” is none of them" in str(answer.exception)


def test_a_change_is_read_with_what_it_is_against() -> None:
    question = read_question("nDCG@10 improvement over BM25 = +10.48%")
    assert (question.key, question.change, question.against) == (
        "ndcg@10|positives_only|all|mean", "gain", "BM25",
    )  # fmt: skip


def test_a_p_value_on_the_command_line_is_held_against_the_permutation_test(two: list[str]) -> None:
    """Two of four queries differ, both in one direction: p is near 1/2, never 0.01."""
    found = json.loads(run("MRR p-value over baseline = 0.01", *two).output)
    assert not found["holds"]
    assert found["change"] == pytest.approx(0.5, abs=0.1)
    assert json.loads(run("MRR p = 0.5", *two).output)["holds"]
