"""The five documents: the metrics of each, named one by one, and that every citation exists."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from crosscheck.contract import Contract

# What each document defines or tabulates → the meaning that the contract gives it.
S0 = {
    "Recall@K": "recall@K",
    "MRR@K": "mrr@K",
    "MAP@K": "map@K",
    "nDCG@K": "ndcg@K",
    "K_eff in precision": "precision@K/k_eff",
    "K_eff in MAP": "map@K/k_eff",
    "K_eff in nDCG": "ndcg@K/k_eff",
    "AUROC": "auroc",
    "AUPRC": "auprc",
    "TPR@FPR": "tpr@fpr=α",
}
S1 = {
    "Recall@K": "recall@K",
    "MRR@K": "mrr@K",
    "MAP@K": "map@K",
    "nDCG@K": "ndcg@K",
    "AUROC": "auroc",
    "AUPRC": "auprc",
    "TPR@FPR": "tpr@fpr=α",
    "Threshold at target FPR": "threshold@fpr=α/last_index",
    "its FPR": "fpr@fpr=α/last_index",
    "Evidence Recall": "evidence_recall/all_queries",
    "Evidence Precision": "evidence_precision/all_queries",
    "avg_K": "avg_k",
    "k_min": "k_below_min",
    "k_max": "k_above_max",
    "k_min against k_max": "k_min_unreachable",
    "ECE": "ece@M/half_open",
}
S2 = {
    "nDCG@K": "ndcg@K",
    "Evidence Recall@K": "recall@K/retrieved",
    "MRR": "mrr@K",
    "MAP@K": "map@K",
    "Precision@K": "precision@K",
    "Hit@K": "hit@K",
    "AUROC": "auroc/strict",
    "AUPRC": "auprc/trapezoid",
    "Sensitivity": "sensitivity",
    "Specificity": "specificity",
}
S3 = {
    "A.1": "auroc/strict",
    "A.2": "auprc/trapezoid",
    "A.3 TPR": "sensitivity",
    "A.3 TP": "tp",
    "A.3 FN": "fn",
    "A.4 FPR": "fpr",
    "A.4 FP": "fp",
    "A.4 TN": "tn",
    "A.5": "specificity",
    "A.6": "precision",
    "A.7": "f1",
    "A.8": "mcc",
    "A.9": "balanced_accuracy",
    "A.10": "tpr@fpr=α/tuned",
    "B.1": "recall@K",
    "B.2": "hit@K",
    "B.3": "mrr@K",
    "B.4": "ndcg@K",
    "B.5": "map@K/by_hits",
    "C.1, C.2": "avg_k",
    "C.3": "evidence_recall/pooled",
    "C.4": "evidence_recall/pooled_conditional",
    "C.5": "k",
    "C.5 histogram": "k/hist=j",
    "D.1 TP": "deployment_tp",
    "D.1 FN": "deployment_fn",
    "D.1 FP": "deployment_fp",
    "D.1 TN": "deployment_tn",
    "D.2": "deployment_fpr",
    "D.3": "deployment_fnr",
    "D.4": "deployment_precision",
    "D.5": "deployment_recall",
    "D.6": "deployment_f1",
    "E.1": "exact_match",
    "E.2": "hamming_score",
    "E.3": "f1_micro",
    "E.4": "f1_macro/per_criterion",
    "G.1": "threshold@fpr=α",
    "G.2 FPR": "fpr@fpr=α",
    "G.2 FPR on EVAL": "fpr@fpr=α/tuned",
    "G.2 Precision": "precision@fpr=α/tuned",
    "G.2 F1": "f1@fpr=α/tuned",
    "G.2 MCC": "mcc@fpr=α/tuned",
}
S4 = {
    "AUROC": "auroc",
    "TPR @ FPR": "tpr@fpr=α",
    "AUPRC": "auprc",
    "TP": "tp",
    "TN": "tn",
    "FP": "fp",
    "FN": "fn",
    "Sensitivity": "sensitivity",
    "Specificity": "specificity",
    "FPR": "fpr",
    "Precision": "precision",
    "NPV": "npv",
    "F1": "f1",
    "MCC": "mcc",
    "Balanced Accuracy": "balanced_accuracy",
    "ECE": "ece@M",
    "Brier": "brier",
    "Calibration plot": "reliability@M/bin=j",
    "Recall@K": "recall@K",
    "Precision@K": "precision@K",
    "HitRate@K": "hit@K",
    "MRR": "mrr@K",
    "MAP@K": "map@K/by_gold",
    "nDCG@K": "ndcg@K",
    "Selected K": "k",
    "Evidence Recall": "evidence_recall",
    "Evidence Precision": "evidence_precision",
    "NEG": "n_neg",
    "UNCERTAIN": "n_uncertain",
    "POS": "n_pos",
    "NEG Rate": "neg_rate",
    "UNCERTAIN Rate": "uncertain_rate",
    "POS Rate": "pos_rate",
    "Alert Rate per 1000": "alert_rate_per_1000",
    "Screening Sensitivity": "screening_sensitivity",
    "Screening FN per 1000": "screening_fn_per_1000",
    "Alert Precision": "alert_precision",
    "Exact Match": "exact_match",
    "Hamming Score": "hamming_score",
    "Hamming Loss": "hamming_loss",
    "Micro F1": "f1_micro",
    "Macro F1": "f1_macro/per_post",
    "Weighted F1, as described": "f1_weighted/per_post",
    "Weighted F1, as in sklearn": "f1_weighted/per_criterion",
    "n_queries_c": "n_queries",
    "n_positive_c": "n_positive",
    "positive_rate_c": "positive_rate",
    "γ sweep, mean K": "k@gamma=γ",
    "γ sweep, Evidence Recall": "evidence_recall@gamma=γ",
    "γ sweep, workload": "sentences@gamma=γ",
    "grid, Screening Sensitivity": "screening_sensitivity@tau=τ",
    "grid, Alert Precision": "alert_precision@tau=τ",
    "grid, alerts": "alert_rate_per_1000@tau=τ",
    "grid, skipped": "neg_rate@tau=τ",
}
DOCUMENTS = {"S0": S0, "S1": S1, "S2": S2, "S3": S3, "S4": S4}


@pytest.mark.parametrize("label", DOCUMENTS)
def test_every_metric_of_the_document_has_its_meaning(contract: Contract, label: str) -> None:
    found = {
        f"{metric.id}/{saying.variant}" if saying.variant else metric.id
        for metric in contract.metrics
        for saying in metric.says
        if saying.label == label
    }
    assert set(DOCUMENTS[label].values()) <= found


def test_there_are_five_documents(contract: Contract) -> None:
    assert [document.label for document in contract.documents] == ["S0", "S1", "S2", "S3", "S4"]


def test_precedence_is_s0_then_s4_s3_s1_s2(contract: Contract) -> None:
    assert contract.precedence.order == ("S0", "S4", "S3", "S1", "S2")


def test_traps_are_those_of_sections_12_15_and_17(contract: Contract) -> None:
    counts = {"T": 21, "F": 7, "C": 6}
    assert [trap.id for trap in contract.traps] == [
        f"{letter}{number}" for letter, count in counts.items() for number in range(1, count + 1)
    ]


def test_s3_s_checklist_has_six_items_and_one_that_data_cannot_show(contract: Contract) -> None:
    assert len(contract.checklist) == 6
    assert [item.id for item in contract.checklist if not item.seen] == ["no_gold_features"]


def test_every_variant_s_conflict_is_explained(contract: Contract) -> None:
    # Variants that the contract itself adds (sections 15 to 17) contradict no document.
    with_variants = {
        metric.id
        for metric in contract.metrics
        if any(saying.variant and saying.label != "C" for saying in metric.says)
    }
    told = {c.metric for c in contract.conflicts} | {
        m for c in contract.conflicts for m in c.metrics
    }
    # FPR at a budget follows from the threshold that was chosen; its conflict is the threshold's.
    assert with_variants - told == {"fpr@fpr=α"}


def test_every_conflict_has_positions_of_documents(contract: Contract) -> None:
    assert all(contract.positions(conflict) for conflict in contract.conflicts)


def _cited(contract: Contract) -> set[str]:
    sources = {saying.source for metric in contract.metrics for saying in metric.says}
    sources |= {p.source for conflict in contract.conflicts for p in conflict.positions}
    sources |= {statistic.source for statistic in contract.statistics}
    sources |= {metric.target.source for metric in contract.metrics if metric.target}
    return sources | set(contract.profile.sources)


def test_every_section_cited_exists_in_its_document(contract: Contract, root: Path) -> None:
    seeds = root.parent / "shared" / "seeds"
    if not seeds.is_dir():
        pytest.skip("needs the five source documents in ../shared/seeds, which are not here")
    files = {document.label: seeds / document.file for document in contract.documents}
    headings = {
        label: re.findall(r"^#+ (.*)$", file.read_text("utf-8"), re.MULTILINE)
        for label, file in files.items()
    }
    missing = []
    for source in sorted(_cited(contract)):
        label, _, section = source.partition(" ")
        pattern = re.compile(rf"(?:^|[ `]){re.escape(section)}(?:[.` )]|$)")
        if label != "C" and not any(pattern.search(heading) for heading in headings[label]):
            missing.append(source)
    assert missing == []
