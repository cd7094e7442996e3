"""Names as people write them."""

from __future__ import annotations

import pytest

from crosscheck.contract import read_name


@pytest.mark.parametrize(
    ("written", "metric"),
    [
        ("NDCG@10", "ndcg@10"),
        ("nDCG_10", "ndcg@10"),
        ("nDCG@5", "ndcg@5"),
        (r"\textbf{nDCG@10} $\uparrow$", "ndcg@10"),
        ("ndcg_cut_10", "ndcg@10"),
        ("R@5", "recall@5"),
        ("Recall@5", "recall@5"),
        ("recall at 5", "recall@5"),
        ("Recall@all", "recall@all"),
        ("Hit@1", "hit@1"),
        ("HitRate@1", "hit@1"),
        ("Success@1", "hit@1"),
        ("P@3", "precision@3"),
        ("Precision@10", "precision@10"),
        ("MRR@10", "mrr@10"),
        ("MRR", "mrr@all"),
        ("mAP", "map@all"),
        ("MAP@10", "map@10"),
        ("AUC", "auroc"),
        ("ROC-AUC", "auroc"),
        ("AUROC", "auroc"),
        ("PR-AUC", "auprc"),
        ("TPR@5%FPR", "tpr@fpr=5%"),
        (r"TPR@5\%FPR", "tpr@fpr=5%"),
        ("TPR@FPR=5%", "tpr@fpr=5%"),
        ("TPR@FPR=0.05", "tpr@fpr=5%"),
        ("TPR @ 1% FPR", "tpr@fpr=1%"),
        ("Sensitivity", "sensitivity"),
        ("PPV", "precision"),
        ("F1 Score", "f1"),
        ("ECE", "ece@10"),
        ("ECE (15 bins)", "ece@15"),
        ("Brier", "brier"),
        ("Evidence Recall", "evidence_recall"),
        ("EvidenceRecall_conditional", "evidence_recall/pooled_conditional"),
        ("avgK_pred_pos", "avg_k|predicted_positive"),
        ("Micro F1", "f1_micro"),
        ("Alert Rate per 1000", "alert_rate_per_1000"),
        ("queries_total", "queries|all_queries"),
        ("map@10/by_gold", "map@10/by_gold"),
        ("tpr@fpr=5%/tuned", "tpr@fpr=5%/tuned"),
        ("Accuracy", "accuracy"),
        ("Acc.", "accuracy"),
        ("Balanced Accuracy", "balanced_accuracy"),
        ("R-precision", "rprecision"),
        ("Rprec", "rprecision"),
        ("bpref", "bpref"),
        ("ERR@20", "err@20"),
        ("RBP(p=0.8)", "rbp@p=0.8"),
        ("iprec_at_recall_0.10", "iprec@recall=0.1"),
        ("gm_map", "gmap"),
        ("Graded nDCG@10", "ndcg@10/graded"),
        ("ndcg_burges@10", "ndcg@10/exponential"),
        ("F1@5", "f1@5"),
        ("F0.5", "f_beta@beta=0.5"),
        ("F2", "f_beta@beta=2"),
        ("Cohen's kappa", "kappa"),
        ("Log loss", "log_loss"),
        ("MCE", "mce@10"),
        ("Macro Precision", "precision/macro"),
        ("AUROC (OvR)", "auroc/ovr_macro"),
        ("Top-3 accuracy", "top_k_accuracy@3"),
        ("top_k_accuracy@5", "top_k_accuracy@5"),
        ("Top-k accuracy@5", "top_k_accuracy@5"),
        ("Prevalence", "positive_rate"),
        ("prevalence", "positive_rate"),
        ("F₁", "f1"),
        ("R@1K", "recall@1000"),
        ("nDCG@10 ↑", "ndcg@10"),
        ("MRR†", "mrr@all"),
    ],
)
def test_a_name_means_one_metric(written: str, metric: str) -> None:
    assert read_name(written).metric == metric


@pytest.mark.parametrize(
    ("written", "metrics"),
    [
        ("Evidence Recall@10", ("recall@10", "recall@10/retrieved")),
        ("Recall", ("sensitivity", "recall@all", "deployment_recall", "evidence_recall")),
        ("nDCG", ("ndcg@all", "ndcg@10")),
        ("Average Precision", ("auprc", "map@all")),
        ("Macro F1", ("f1_macro/per_criterion", "f1_macro/per_post", "f1/macro")),
        ("f1_macro", ("f1_macro/per_criterion", "f1_macro/per_post", "f1/macro")),
        ("Weighted F1", ("f1_weighted/per_criterion", "f1_weighted/per_post", "f1/weighted")),
        ("Subset Accuracy", ("exact_match", "hamming_score")),
        ("avg_K", ("avg_k|predicted_positive", "avg_k|all_queries", "k")),
    ],
)
def test_an_ambiguous_name_is_never_guessed(written: str, metrics: tuple[str, ...]) -> None:
    reading = read_name(written)
    assert reading.metric is None
    assert reading.metrics == metrics
    assert reading.why


@pytest.mark.parametrize(
    "written",
    [
        *("ΔMRR", r"\Delta MRR", "σ(MRR)", "√MRR", "MRR²", "MRR+", "MRR (训练集)"),
        *("map@-3", "map@ −3", "nDCG@10 5", "nDCG@10_5", "nDCG@10 (5)"),
    ],
)
def test_a_sign_that_changes_what_is_meant_is_part_of_the_name(written: str) -> None:
    assert read_name(written).metrics == ()


@pytest.mark.parametrize("written", ["Throughput", "", "10", "@", "Recall@0.5", "BLEU-4"])
def test_an_unknown_name_means_nothing(written: str) -> None:
    assert read_name(written).metrics == ()


def test_an_unknown_name_comes_with_suggestions() -> None:
    assert read_name("nDGC@10").suggestions[0] == "ndcg@10"
