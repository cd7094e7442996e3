"""From values to statistics, where values carry logarithms and repeat."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import reference
from reference import aggregate, values

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Jsonl = Callable[[list[dict[str, Any]]], Path]


def test_equal_decimals_are_added_as_often_as_they_occur() -> None:
    counted: list[tuple[values.Value, int]] = [(Decimal("0.25"), 3), (Fraction(1, 2), 2)]
    assert aggregate.moments(counted) == (Decimal("1.75"), Decimal("0.6875"), 1)


def test_equal_values_without_a_last_digit_deviate_by_nothing() -> None:
    """Σv² − (Σv)²/n of equal logarithms may round to a hair below 0, which has no root."""
    with localcontext(values.WORKING):
        for rank in range(2, 200):
            value = 1 / (Decimal(rank + 1).ln() / Decimal(2).ln())
            for n in (3, 4, 7):
                sums = aggregate.moments([(value, 1)] * n)
                assert sums.deviation(n, n - 1) < Decimal("1e-50")


def test_queries_with_the_same_irrational_ndcg_each_count(jsonl: Jsonl) -> None:
    """Three queries with gold at rank 2 and one with gold at rank 1: (3/log2(3) + 1)/4."""
    rows = [
        {"query_id": str(i), "candidates": ["x", "g"][:: 1 if i else -1], "gold": ["g"]}
        for i in range(4)
    ]
    found = reference.exact(jsonl(rows))["ndcg@10|positives_only|all|mean"]
    with values.high_precision():
        expected = (3 * values.as_decimal(values.discount(2)) + 1) / 4
    assert isinstance(found, Decimal)
    assert abs(found - expected) < Decimal(10) ** -49


def test_slices_of_each_family_are_those_of_section_13(jsonl: Jsonl) -> None:
    rows = [
        {
            "post_id": "p", "criterion_id": c, "fold": 0, "candidates": ["a"], "scores": [1],
            "node_probs": [1], "gold": ["a"], "prob": 0.5, "selected": ["a"],
        }
        for c in "AB"
    ]  # fmt: skip
    ledger = reference.evaluate(
        jsonl(rows), {"tau_neg": 0.1, "tau_pos": 0.9, "views": {"v": ["A"]}, "k": [10]}
    )
    slices: dict[str, set[str]] = {}
    for key in ledger:
        metric, _, where, _ = key.split("|")
        slices.setdefault(metric, set()).add(where.partition("=")[0])
    with_view = {"all", "fold", "folds", "view"}
    expected = {
        "queries": {"all", "fold", "criterion", "state", "view"},
        "recall@all": {"all", "fold", "folds", "criterion", "state", "view"},
        "ndcg@10": {"all", "fold", "folds", "criterion", "state", "view", "criteria"},
        "map@10/tie_low": {"all"},
        "brier": {*with_view, "criterion"},
        "auroc/strict": {*with_view, "criterion"},
        "reliability@10/bin=3": {"all"},
        "tp": {"all", "fold", "criterion", "view"},
        "k": {*with_view, "state", "has_evidence"},
        "k/hist=1": {"all", "state", "has_evidence"},
        "avg_k": with_view,
        "evidence_precision": {*with_view, "criterion"},
        "evidence_recall/all_queries": with_view,
        "evidence_recall/pooled": with_view,
        "k_below_min": {"all", "fold", "view"},
        "deployment_f1": with_view,
        "neg_rate": with_view,
        "n_neg": {"all", "fold", "view"},
        "k@gamma=0.9": {"all", "fold", "folds"},
        "sentences@gamma=0.9": {"all", "fold"},
        "exact_match": {"all", "fold", "folds"},
        "n_queries": {"criterion"},
        "n_positive": {"criterion"},
        "positive_rate": {"all", "criterion", "criteria"},
    }
    assert {metric: slices[metric] for metric in expected} == expected
