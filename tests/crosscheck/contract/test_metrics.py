"""Every metric and variant of the contract, named one by one: leaving one out fails here."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from crosscheck.contract import load

if TYPE_CHECKING:
    from crosscheck.contract import Contract
    from crosscheck.contract.model import Metric

SECTION_3 = """
recall@K recall@K/retrieved precision@K precision@K/k_eff hit@K mrr@K map@K map@K/by_gold
map@K/by_hits map@K/k_eff ndcg@K ndcg@K/k_eff ndcg@K/graded ndcg@K/exponential
"""
SECTION_4 = """
auroc auroc/strict auroc/decisions auroc/ovr_macro auroc/ovr_weighted auroc/ovo_macro
auprc auprc/trapezoid tpr@fpr=α tpr@fpr=α/tuned threshold@fpr=α
threshold@fpr=α/last_index threshold@fpr=α/tuned fpr@fpr=α fpr@fpr=α/last_index fpr@fpr=α/tuned
precision@fpr=α/tuned f1@fpr=α/tuned mcc@fpr=α/tuned
tp fp tn fn sensitivity specificity fpr fnr precision npv f1 mcc balanced_accuracy
precision/macro precision/weighted f1/macro f1/micro f1/weighted mcc/multiclass
balanced_accuracy/multiclass
"""
SECTION_5 = """
ece@M ece@M/half_open ece@M/equal_mass ece@M/top_label brier reliability@M/bin=j
"""
SECTION_6 = """
k k/hist=j avg_k evidence_recall evidence_recall/all_queries evidence_recall/pooled
evidence_recall/pooled_conditional evidence_precision evidence_precision/all_queries
k_below_min k_above_max k_min_unreachable
deployment_tp deployment_fp deployment_tn deployment_fn deployment_fpr deployment_fnr
deployment_precision deployment_recall deployment_f1
k@gamma=γ evidence_recall@gamma=γ sentences@gamma=γ
"""
SECTION_7 = """
n_neg n_uncertain n_pos neg_rate uncertain_rate pos_rate alert_rate_per_1000 screening_sensitivity
screening_fn_per_1000 alert_precision screening_sensitivity@tau=τ alert_precision@tau=τ
alert_rate_per_1000@tau=τ neg_rate@tau=τ
"""
SECTION_8 = """
exact_match hamming_score hamming_loss f1_micro f1_macro/per_criterion f1_macro/per_post
f1_weighted/per_criterion f1_weighted/per_post
"""
SECTION_15 = """
f1@K rprecision bpref judged@K err@K rbp@p=ρ iprec@recall=r gmap dcg@K/graded dcg@K/exponential
"""
SECTION_16 = """
accuracy error_rate f_beta@beta=β jaccard kappa informedness markedness fdr fomr prevalence max_f1
threshold@max_f1 gini auroc/partial@fpr=α log_loss brier/skill mce@M
"""
SECTION_17 = """
recall recall/macro recall/weighted support count@true=a,predicted=b top_k_accuracy@k
classes_left_out brier/multiclass
"""
SECTIONS = {
    "2": "queries",
    "3": SECTION_3,
    "4": SECTION_4,
    "5": SECTION_5,
    "6": SECTION_6,
    "7": SECTION_7,
    "8": SECTION_8,
    "9": "n_queries n_positive positive_rate",
    "15": SECTION_15,
    "16": SECTION_16,
    "17": SECTION_17,
}


@pytest.mark.parametrize("section", SECTIONS)
def test_the_contract_has_exactly_the_metrics_of_the_section(
    contract: Contract, section: str
) -> None:
    found = {t for m in contract.metrics if m.section == section for t in m.templates}
    assert found == set(SECTIONS[section].split())


@pytest.mark.parametrize("metric", load().metrics, ids=lambda m: m.id)
def test_every_meaning_has_a_source(metric: Metric) -> None:
    meanings = [""] * metric.bare + [variant.id for variant in metric.variants]
    assert all(metric.sources(meaning) for meaning in meanings)


HEADLINES = {
    "positives_only": "recall@K precision@K hit@K mrr@K map@K ndcg@K evidence_recall "
    "evidence_precision",
    "all_queries": "auroc auprc tpr@fpr=α ece@M brier sensitivity specificity fpr fnr precision "
    "npv f1 mcc balanced_accuracy neg_rate uncertain_rate pos_rate alert_rate_per_1000 "
    "screening_sensitivity screening_fn_per_1000 alert_precision accuracy kappa log_loss "
    "brier/multiclass",
    "posts": "exact_match hamming_score hamming_loss f1_micro f1_macro f1_weighted",
}


@pytest.mark.parametrize("population", HEADLINES)
def test_headline_metrics_are_those_of_section_10(contract: Contract, population: str) -> None:
    found = {m.id for m in contract.metrics if m.headline and m.population == population}
    assert found == set(HEADLINES[population].split())


def test_headline_variants_are_those_of_the_field(contract: Contract) -> None:
    found = {f"{m.id}/{v.id}" for m in contract.metrics for v in m.variants if v.headline}
    assert found == {
        "ndcg@K/graded", "ece@M/equal_mass", "mcc/multiclass", "balanced_accuracy/multiclass",
        "f1/macro", "f1/weighted", "auroc/ovr_macro",
    }  # fmt: skip


def test_targets_are_those_of_section_11_8(contract: Contract) -> None:
    assert {name: str(target) for name, target in contract.targets.items()} == {
        "auroc": "≥ 0.85",
        "auprc": "≥ 0.55",
        "ece@10": "< 0.05",
        "brier": "< 0.1",
        "evidence_recall": "≥ 0.70",
        "screening_sensitivity": "≥ 0.995",
        "screening_fn_per_1000": "≤ 5",
        "alert_precision": "≥ 0.90",
    }


def test_reference_ranges_are_those_of_s1_7(contract: Contract) -> None:
    found = {name: (r.baseline, r.good) for name, r in contract.reference_ranges.items()}
    assert found == {
        "ndcg@10": ((0.70, 0.80), (0.85, 0.90)),
        "recall@10": ((0.75, 0.85), (0.90, 0.95)),
        "mrr@10": ((0.65, 0.75), (0.80, 0.90)),
        "auroc": ((0.55, 0.65), (0.70, 0.80)),
        "tpr@fpr=5%": ((0.08, 0.15), (0.20, 0.35)),
    }


@pytest.mark.parametrize(
    ("value", "place"),
    [(0.69, "below"), (0.7, "baseline"), (0.8, "baseline"), (0.82, "between"), (0.85, "good"),
     (0.91, "above")],
)  # fmt: skip
def test_a_value_has_a_place_in_the_reference_range(
    contract: Contract, value: float, place: str
) -> None:
    assert contract.reference_ranges["ndcg@10"].place(value) == place


@pytest.mark.parametrize(
    ("metric", "met", "missed"),
    [("auroc", 0.85, 0.8499), ("ece@10", 0.0499, 0.05), ("screening_fn_per_1000", 5.0, 5.1)],
)
def test_a_target_is_met_or_missed(
    contract: Contract, metric: str, met: float, missed: float
) -> None:
    target = contract.targets[metric]
    assert target.met(met)
    assert not target.met(missed)
