from __future__ import annotations

import pytest

from crosscheck.contract.naming import base_name, meaning_of, name_of, name_of_key, subset_of
from crosscheck.model.key import Key


@pytest.mark.parametrize(
    ("metric", "name"),
    [
        ("ndcg@10", "nDCG@10"),
        ("mrr@all", "MRR"),
        ("map@5/by_gold", "MAP@5 (by gold)"),
        ("recall@3/tie_low", "Recall@3 (tie low)"),
        ("tpr@fpr=5%", "TPR@5%FPR"),
        ("ece@10", "ECE"),
        ("ece@15", "ECE@15"),
        ("f1_macro/per_post", "Macro F1 (per post)"),
        ("k@gamma=0.9", "K at γ = 0.9"),
        ("alert_precision@tau=0.1,0.8", "Alert precision at τ = 0.1, 0.8"),
        ("mcc", "MCC"),
        ("k/hist=3", "Histogram of K: 3"),
        ("reliability@10/bin=2", "Reliability diagram, one bin 3 of 10"),
    ],
)
def test_names(metric: str, name: str) -> None:
    assert name_of(metric) == name


def test_a_statistic_is_named_unless_it_is_the_plain_one() -> None:
    assert name_of_key(Key("k", "all_queries", "all", "p90")).startswith("Selected K, ")
    assert name_of_key(Key("k", "all_queries", "all", "mean")) == "Selected K"


@pytest.mark.parametrize(
    ("cut", "subset"),
    [
        ("all", "all_queries"),
        ("folds", "all_queries"),
        ("criterion=a%7Cb", "all_queries, criterion a|b"),
    ],
)
def test_the_subset_is_population_and_slice(cut: str, subset: str) -> None:
    assert subset_of(Key("auroc", "all_queries", cut, "value")) == subset


def test_a_meaning_speaks_of_its_own_cut_off() -> None:
    assert "first 10 sentences" in meaning_of("recall@10")
    assert "first K sentences" in meaning_of("recall@10", general=True)
    assert "α" not in meaning_of("tpr@fpr=5%")


def test_a_column_of_all_cut_offs_has_the_bare_name() -> None:
    assert base_name("ndcg@10") == "nDCG"
