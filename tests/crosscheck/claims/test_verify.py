"""Claims against a ledger: what holds, what is wrong, what cannot be verified."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import primary
from crosscheck.claims import ClaimOutcome, read, verify
from crosscheck.claims.judging.remedies import remedy
from crosscheck.claims.reading import read_text

if TYPE_CHECKING:
    from pathlib import Path

KEY = "ndcg@10|positives_only|all|mean"


def outcome(printed: str, computed: float, key: str = KEY) -> ClaimOutcome:
    claims = read_text(json.dumps({key: "X"}).replace('"X"', printed), "c.json", "json")
    (found,) = verify(claims, {key: computed})
    return found


@pytest.mark.parametrize(
    ("printed", "computed"),
    [
        ("0.7330", 0.73296),
        ("0.733", 0.7334999),
        ('"73.3%"', 0.73299),
        ('"73.3"', 0.73299),
        ("0.1234", 0.12345),  # half-even
        ("0.1235", 0.12345),  # half-up
        ("0.6901598854925282", 0.69015988549252821),
        ('"< 0.05"', 0.049),
    ],
)
def test_a_claim_holds_if_the_value_rounds_to_it(printed: str, computed: float) -> None:
    assert outcome(printed, computed).status == "holds"


@pytest.mark.parametrize(
    ("printed", "computed"),
    [("0.7330", 0.7331), ("0.733", 0.7336), ('"73.3%"', 0.734), ("0.6901598854925282", 0.69016)],
)
def test_a_claim_is_wrong_if_it_does_not(printed: str, computed: float) -> None:
    assert outcome(printed, computed).status == "wrong"


def test_a_wrong_claim_within_the_tolerance_says_so() -> None:
    found = outcome("0.7330", 0.7340)
    assert found.tolerated
    assert "tolerance of 1%" in found.sentence
    assert found.computed == 0.7340
    assert not outcome("0.7330", 0.75).tolerated


def test_counts_are_equal_or_wrong() -> None:
    key = "tp|all_queries|all|value"
    assert outcome("1379", 1379, key).status == "holds"
    found = outcome("1379", 1380, key)
    assert (found.status, found.tolerated) == ("wrong", False)


def test_mean_and_spread_over_folds_are_two_claims() -> None:
    text = "| Model | AUROC |\n|---|---|\n| A | 0.897 ± 0.011 |\n"
    ledger = {"auroc|all_queries|folds|mean": 0.8969, "auroc|all_queries|folds|std": 0.0125}
    found = verify(read_text(text, "t.md", "markdown"), ledger)
    assert [one.status for one in found] == ["holds", "wrong"]


def test_an_interval_may_differ_by_what_resampling_varies() -> None:
    text = '{"auroc": {"ci": [0.8941, 0.9050]}}'
    stem = "auroc|all_queries|all|"
    ledger = {f"{stem}ci_low/post/percentile": 0.8943, f"{stem}ci_high/post/percentile": 0.9001}
    found = verify(read_text(text, "c.json", "json"), ledger)
    assert [one.status for one in found] == ["holds", "wrong"]


def test_improvements_come_from_two_ledgers() -> None:
    text = "| Model | MRR |\n|---|---|\n| A | 0.50 |\n| B | 0.60 |\n| Improvement | {} |\n"
    key = "mrr@all|positives_only|all|mean"
    ledgers = {"A": {key: 0.5}, "B": {key: 0.6}}
    for printed, status in (("+20.0%", "holds"), ("+21.0%", "wrong")):
        claims = read_text(text.format(printed), "t.md", "markdown")
        found = verify(claims, ledgers["A"], system="A", rankings=["A", "B"], ledgers=ledgers)
        assert [one.status for one in found if one.claim.role == "improvement"] == [status]


def test_claims_belong_to_the_ranking_they_are_nested_under() -> None:
    claims = read_text('{"a": {"MRR": 0.5}, "b": {"MRR": 0.6}}', "c.json", "json")
    ledger = {"mrr@all|positives_only|all|mean": 0.5}
    (found,) = verify(claims, ledger, system="a", rankings=["a", "b"])
    assert found.status == "holds"


def test_a_ranking_that_the_run_does_not_have_is_unverified_once() -> None:
    claims = read_text('{"a": {"MRR": 0.5}, "c": {"MRR": 0.6}}', "c.json", "json")
    ledger = {"mrr@all|positives_only|all|mean": 0.5}
    first = verify(claims, ledger, system="a", rankings=["a", "b"])
    second = verify(claims, ledger, system="b", rankings=["a", "b"])
    assert [one.status for one in first] == ["holds", "unverified"]
    assert "“c”, which is no ranking" in first[1].sentence
    assert second == []


def test_the_only_system_of_a_file_is_the_only_one_of_the_run() -> None:
    claims = read_text('{"ours": {"MRR": 0.5}}', "c.json", "json")
    (found,) = verify(claims, {"mrr@all|positives_only|all|mean": 0.5})
    assert found.status == "holds"


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ('{"positives_only": {"skip_no_positives": true}}', "holds"),
        ('{"positives_only": {"skip_no_positives": false}}', "wrong"),
        ('{"eval_split": "test"}', "holds"),
        ('{"eval_split": "dev"}', "wrong"),
        ('{"eval_mode": "dual"}', "holds"),
        ('{"eval_mode": "other"}', "unverified"),
    ],
)
def test_settings_are_checked(text: str, status: str) -> None:
    (found,) = verify(read_text(text, "c.json", "json"), {})
    assert found.status == status


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"Macro F1": 0.5}', "f1_macro/per_post"),
        ('{"fluency": 12}', "no metric"),
        ('{"auroc": {"std": 0.1}}', "no fold column"),
        ('{"queries_total": "~1500"}', "approximate"),
    ],
)
def test_what_cannot_be_verified_says_why(text: str, reason: str) -> None:
    (found,) = verify(read_text(text, "c.json", "json"), {"auroc|all_queries|all|value": 0.9})
    assert found.status == "unverified"
    assert reason in found.sentence


def test_all_claims_of_the_study_hold(shared_data: Path) -> None:
    claims = read(shared_data / "study" / "summary.json")
    rankings = {"retriever": "retriever_topk", "reranked": "reranked_topk"}
    held = 0
    for name, column in rankings.items():
        settings = {"columns": {"candidates": column}}
        ledger = primary.evaluate(shared_data / "study" / "per_query.csv", settings)
        found = verify(claims, ledger, system=name, rankings=list(rankings))
        assert [one.sentence for one in found if one.status != "holds"] == []
        held += sum(one.claim.role == "value" for one in found)
    assert held == 64


def test_a_metric_of_two_classes_is_offered_by_what_it_is_of_several() -> None:
    claims = read_text('{"AUROC": 0.9}', "c.json", "json")
    (found,) = verify(claims, {"auroc/ovr_macro|all_queries|all|value": 0.9})
    assert found.status == "unverified"
    assert "of several classes there are auroc/ovr_macro" in found.sentence
    assert '[definitions]\nauroc = "ovr_macro"' in remedy(found, ["study"])
