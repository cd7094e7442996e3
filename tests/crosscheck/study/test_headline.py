"""The study's numbers come near the published ones (documents S2, S3, S4)."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    Numbers = Callable[[str], dict[str, float]]

PUBLISHED = [
    ("full", "ndcg@10|positives_only|all|mean", 0.8206, 0.01),
    ("full", "mrr@all|positives_only|all|mean", 0.7703, 0.015),
    ("full", "recall@10|positives_only|all|mean", 0.9606, 0.01),
    ("full", "ndcg@10|positives_only|folds|std", 0.030, 0.01),
    ("full", "auroc|all_queries|all|value", 0.8972, 0.002),
    ("full", "tpr@fpr=1%|all_queries|all|value", 0.326, 0.01),
    ("full", "auroc|all_queries|criterion=A.10|value", 0.665, 0.005),
    ("full", "positive_rate|all_queries|criterion=A.10|value", 0.058, 0.0005),
    ("retriever", "ndcg@10|positives_only|all|mean", 0.7330, 0.01),
    ("retriever", "mrr@all|positives_only|all|mean", 0.6746, 0.01),
]


@pytest.mark.parametrize(("system", "key", "published", "tolerance"), PUBLISHED)
def test_near_the_published_number(
    system: str, key: str, published: float, tolerance: float, answers: Numbers
) -> None:
    assert answers(system)[key] == pytest.approx(published, abs=tolerance)


def test_targets_of_the_contract_are_met(answers: Numbers) -> None:
    full = answers("full")
    assert 0.55 <= full["auprc|all_queries|all|value"] <= 0.6
    assert full["ece@10|all_queries|all|value"] < 0.05
    assert full["brier|all_queries|all|value"] < 0.1
    assert full["evidence_recall|positives_only|all|mean"] >= 0.70
    assert full["screening_sensitivity|all_queries|all|value"] >= 0.995
    assert full["screening_fn_per_1000|all_queries|all|value"] <= 5
    assert full["alert_precision|all_queries|all|value"] >= 0.90


def test_the_hardest_criterion_is_a10(answers: Numbers) -> None:
    full = answers("full")
    by_auroc = sorted(
        range(1, 11), key=lambda number: full[f"auroc|all_queries|criterion=A.{number}|value"]
    )
    assert by_auroc[0] == 10


def test_every_ranker_improves_on_the_one_before(answers: Numbers) -> None:
    found = [
        answers(system)["ndcg@10|positives_only|all|mean"]
        for system in ("retriever", "reranker", "graph")
    ]
    assert found == sorted(found)
    assert min(after - before for before, after in itertools.pairwise(found)) > 0.03


def test_the_later_steps_leave_the_ranking_alone(answers: Numbers) -> None:
    found = {
        answers(system)["ndcg@10|positives_only|all|mean"]
        for system in ("graph", "dynamic_k", "ne_gate", "full")
    }
    assert len(found) == 1
