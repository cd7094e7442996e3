"""Concrete ids: what they resolve to, and what an unknown one is told."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from crosscheck.errors import UserError

if TYPE_CHECKING:
    from crosscheck.contract import Contract


@pytest.mark.parametrize(
    ("text", "template", "parameters", "bound"),
    [
        ("ndcg@10", "ndcg@K", {"K": "10"}, ""),
        ("mrr@all", "mrr@K", {"K": "all"}, ""),
        ("map@10/by_gold", "map@K/by_gold", {"K": "10"}, ""),
        ("map@10/by_hits/tie_low", "map@K/by_hits", {"K": "10"}, "tie_low"),
        ("ndcg@10/tie_high", "ndcg@K", {"K": "10"}, "tie_high"),
        ("tpr@fpr=5%/tuned", "tpr@fpr=α/tuned", {"α": "5"}, ""),
        ("threshold@fpr=2.5%/last_index", "threshold@fpr=α/last_index", {"α": "2.5"}, ""),
        ("precision", "precision", {}, ""),
        ("precision@5", "precision@K", {"K": "5"}, ""),
        ("precision@fpr=5%/tuned", "precision@fpr=α/tuned", {"α": "5"}, ""),
        ("k", "k", {}, ""),
        ("k/hist=3", "k/hist=j", {"j": "3"}, ""),
        ("k@gamma=0.95", "k@gamma=γ", {"γ": "0.95"}, ""),
        ("reliability@10/bin=2", "reliability@M/bin=j", {"M": "10", "j": "2"}, ""),
        ("screening_sensitivity@tau=0.1,0.8", "screening_sensitivity@tau=τ", {"τ": "0.1,0.8"}, ""),
        ("f1_macro/per_post", "f1_macro/per_post", {}, ""),
    ],
)
def test_an_id_resolves(
    contract: Contract, text: str, template: str, parameters: dict[str, str], bound: str
) -> None:
    found = contract.metric(text)
    assert (found.template, dict(found.parameters), found.bound) == (template, parameters, bound)


@pytest.mark.parametrize(
    "text",
    ["f1_macro", "ndcg@K", "ndcg", "ndcg@0", "ndcg@10/k_eff/x", "auroc/tie_low", "tpr@fpr=5", "",
     "precision@fpr=5%", "k/hist=", "map@10/tie_low/by_gold", "ece@10.5", "ndcg@10 "],
)  # fmt: skip
def test_what_is_no_id_is_refused(contract: Contract, text: str) -> None:
    assert contract.find(text) is None
    with pytest.raises(UserError, match="is not a metric of the contract"):
        contract.metric(text)


def test_an_unknown_id_is_told_the_closest(contract: Contract) -> None:
    with pytest.raises(UserError, match=re.escape("did you mean map@5/by_gold")):
        contract.metric("map@5/bygold")


def test_a_variant_has_its_own_definition_formula_and_source(contract: Contract) -> None:
    found = contract.metric("map@10/by_hits")
    assert found.formula == "Σ_{i≤K} rel(i)·P(i) / |R_K ∩ G|"
    assert found.sources == ("S3 B.5",)
    assert found.definition.endswith("divided by how many those are.")


@pytest.mark.parametrize(
    ("key", "written"),
    [
        ("ndcg@10|positives_only|all|mean", "[0, 1]"),
        ("mcc|all_queries|fold=1|value", "[−1, 1]"),
        ("tp|all_queries|all|value", "[0, ∞)"),
        ("k|all_queries|all|max", "[0, ∞)"),
        ("k|all_queries|all|std", "[0, ∞)"),
        ("alert_rate_per_1000|all_queries|all|value", "[0, 1000]"),
        ("alert_rate_per_1000|all_queries|folds|std", "[0, 707.107]"),
        ("threshold@fpr=5%|all_queries|all|value", "[0, 1] or inf"),
        ("ndcg@10|positives_only|folds|std/population", "[0, 1.41421]"),
        ("ndcg@10|positives_only|all|difference", "[−2, 2]"),
        ("ndcg@10|positives_only|all|improvement", "(−∞, ∞)"),
        ("ndcg@10|positives_only|all|p/holm", "[0, 1]"),
        ("mcc|all_queries|all|ci_low/post/bca", "[−1, 1]"),
        ("queries|all_queries|all|n", "[0, ∞)"),
        ("reliability@10/bin=2|all_queries|all|n", "[0, ∞)"),
    ],
)
def test_ranges_are_those_of_section_11_1(contract: Contract, key: str, written: str) -> None:
    assert str(contract.range_of(key)) == written


@pytest.mark.parametrize(
    ("value", "inside"), [(0.0, True), (1.0, True), (1.1, False), (float("inf"), True)]
)
def test_a_threshold_is_a_share_or_inf(contract: Contract, value: float, inside: bool) -> None:
    assert contract.range_of("threshold@fpr=5%|all_queries|all|value").contains(value) == inside


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -0.1])
def test_a_share_is_finite_and_not_negative(contract: Contract, value: float) -> None:
    assert not contract.range_of("ndcg@10|positives_only|all|mean").contains(value)


@pytest.mark.parametrize(
    ("key", "kind"),
    [
        ("queries|all_queries|all|n", "integer"),
        ("tp|all_queries|all|value", "integer"),
        ("deployment_fn|all_queries|all|value", "integer"),
        ("n_uncertain|all_queries|all|value", "integer"),
        ("k_above_max|all_queries|all|value", "integer"),
        ("k/hist=3|all_queries|state=POS|n", "integer"),
        ("reliability@10/bin=2|all_queries|all|n", "integer"),
        ("reliability@10/bin=2|all_queries|all|mean_prob", "float"),
        ("k|all_queries|all|min", "integer"),
        ("k|all_queries|all|max", "integer"),
        ("k|all_queries|all|median", "float"),
        ("sentences@gamma=0.9|all_queries|all|value", "integer"),
        ("n_positive|all_queries|criterion=A.1|value", "integer"),
        ("threshold@fpr=5%/tuned|all_queries|fold=0|value", "threshold"),
        ("fpr@fpr=5%|all_queries|all|value", "float"),
        ("auroc|all_queries|criteria|macro", "float"),
    ],
)
def test_kinds_are_those_of_section_13(contract: Contract, key: str, kind: str) -> None:
    assert contract.kind_of(key) == kind


def test_a_key_is_described_in_one_sentence(contract: Contract) -> None:
    assert contract.describe("ndcg@10|positives_only|fold=0|mean") == (
        "ndcg@10, mean: the discounted gain of the gold sentences within the first 10, divided by "
        "that of an ideal ranking with min(|G|, 10) gold sentences first; over the queries with "
        "gold evidence of fold 0."
    )


@pytest.mark.parametrize(
    ("key", "word"),
    [
        ("auroc|everyone|all|value", "population"),
        ("auroc|all_queries|3rd=3|value", "slice"),
        ("auroc|all_queries|all|mode", "statistic"),
    ],
)
def test_an_unknown_word_in_a_key_is_named(contract: Contract, key: str, word: str) -> None:
    with pytest.raises(UserError, match=f"is not a {word}"):
        contract.describe(key)
