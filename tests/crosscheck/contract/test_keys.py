"""The keys owed, against complete lists written out and counted by hand (section 13)."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from crosscheck.contract import (
    decimal,
    headline_keys,
    intervals_owed,
    keys_owed,
    load,
    not_owed,
    parameter_values,
)

GATE_ONLY = """
queries|positives_only|all|n
queries|all_queries|all|n
queries|predicted_positive|all|n
auroc|all_queries|all|value
auroc/strict|all_queries|all|value
auroc/decisions|all_queries|all|value
auprc|all_queries|all|value
auprc/trapezoid|all_queries|all|value
tpr@fpr=5%|all_queries|all|value
threshold@fpr=5%|all_queries|all|value
threshold@fpr=5%/last_index|all_queries|all|value
fpr@fpr=5%|all_queries|all|value
fpr@fpr=5%/last_index|all_queries|all|value
tp|all_queries|all|value
fp|all_queries|all|value
tn|all_queries|all|value
fn|all_queries|all|value
sensitivity|all_queries|all|value
specificity|all_queries|all|value
fpr|all_queries|all|value
fnr|all_queries|all|value
precision|all_queries|all|value
npv|all_queries|all|value
f1|all_queries|all|value
mcc|all_queries|all|value
balanced_accuracy|all_queries|all|value
ece@2|all_queries|all|value
ece@2/half_open|all_queries|all|value
ece@2/equal_mass|all_queries|all|value
brier|all_queries|all|value
reliability@2/bin=0|all_queries|all|n
reliability@2/bin=0|all_queries|all|mean_prob
reliability@2/bin=0|all_queries|all|mean_label
reliability@2/bin=1|all_queries|all|n
reliability@2/bin=1|all_queries|all|mean_prob
reliability@2/bin=1|all_queries|all|mean_label
accuracy|all_queries|all|value
error_rate|all_queries|all|value
f_beta@beta=0.5|all_queries|all|value
f_beta@beta=2|all_queries|all|value
jaccard|all_queries|all|value
kappa|all_queries|all|value
informedness|all_queries|all|value
markedness|all_queries|all|value
fdr|all_queries|all|value
fomr|all_queries|all|value
prevalence|all_queries|all|value
max_f1|all_queries|all|value
threshold@max_f1|all_queries|all|value
gini|all_queries|all|value
auroc/partial@fpr=5%|all_queries|all|value
log_loss|all_queries|all|value
brier/skill|all_queries|all|value
mce@2|all_queries|all|value
"""

CLASSES_BY_SEED = """
queries|all_queries|all|n
queries|all_queries|seed=7|n
queries|all_queries|dataset=x%7C|n
precision|all_queries|class=a%2C|value
precision|all_queries|class=b|value
accuracy|all_queries|all|value
accuracy|all_queries|seed=7|value
accuracy|all_queries|dataset=x%7C|value
accuracy|all_queries|seeds|mean
accuracy|all_queries|seeds|std
accuracy|all_queries|seeds|std/population
accuracy|all_queries|dataset|macro
accuracy|all_queries|dataset|micro
support|all_queries|class=a%2C|value
support|all_queries|class=b|value
count@true=a%2C,predicted=a%2C|all_queries|all|value
count@true=a%2C,predicted=a%2C|all_queries|seed=7|value
count@true=a%2C,predicted=a%2C|all_queries|dataset=x%7C|value
"""

STATES_BY_FOLD = """
queries|positives_only|all|n
queries|positives_only|fold=7|n
queries|positives_only|state=NEG|n
queries|positives_only|state=UNCERTAIN|n
queries|positives_only|state=POS|n
queries|all_queries|all|n
queries|all_queries|fold=7|n
queries|all_queries|state=NEG|n
queries|all_queries|state=UNCERTAIN|n
queries|all_queries|state=POS|n
n_neg|all_queries|all|value
n_neg|all_queries|fold=7|value
n_uncertain|all_queries|all|value
n_uncertain|all_queries|fold=7|value
n_pos|all_queries|all|value
n_pos|all_queries|fold=7|value
neg_rate|all_queries|all|value
neg_rate|all_queries|fold=7|value
neg_rate|all_queries|folds|mean
neg_rate|all_queries|folds|std
neg_rate|all_queries|folds|std/population
uncertain_rate|all_queries|all|value
uncertain_rate|all_queries|fold=7|value
uncertain_rate|all_queries|folds|mean
uncertain_rate|all_queries|folds|std
uncertain_rate|all_queries|folds|std/population
pos_rate|all_queries|all|value
pos_rate|all_queries|fold=7|value
pos_rate|all_queries|folds|mean
pos_rate|all_queries|folds|std
pos_rate|all_queries|folds|std/population
alert_rate_per_1000|all_queries|all|value
alert_rate_per_1000|all_queries|fold=7|value
alert_rate_per_1000|all_queries|folds|mean
alert_rate_per_1000|all_queries|folds|std
alert_rate_per_1000|all_queries|folds|std/population
screening_sensitivity|all_queries|all|value
screening_sensitivity|all_queries|fold=7|value
screening_sensitivity|all_queries|folds|mean
screening_sensitivity|all_queries|folds|std
screening_sensitivity|all_queries|folds|std/population
screening_fn_per_1000|all_queries|all|value
screening_fn_per_1000|all_queries|fold=7|value
screening_fn_per_1000|all_queries|folds|mean
screening_fn_per_1000|all_queries|folds|std
screening_fn_per_1000|all_queries|folds|std/population
alert_precision|all_queries|all|value
alert_precision|all_queries|fold=7|value
alert_precision|all_queries|folds|mean
alert_precision|all_queries|folds|std
alert_precision|all_queries|folds|std/population
"""

PER_CRITERION = """
queries|positives_only|all|n
queries|positives_only|criterion=a%7Cb|n
queries|positives_only|criterion=c%25|n
queries|positives_only|view=v%7C|n
queries|all_queries|all|n
queries|all_queries|criterion=a%7Cb|n
queries|all_queries|criterion=c%25|n
queries|all_queries|view=v%7C|n
n_queries|all_queries|criterion=a%7Cb|value
n_queries|all_queries|criterion=c%25|value
n_positive|all_queries|criterion=a%7Cb|value
n_positive|all_queries|criterion=c%25|value
positive_rate|all_queries|criterion=a%7Cb|value
positive_rate|all_queries|criterion=c%25|value
positive_rate|all_queries|all|value
positive_rate|all_queries|criteria|macro
positive_rate|all_queries|criteria|micro
"""


OF_THE_FIELD = ("graded", "exponential", "judged", "classes", "class_probs", "confusion_matrix")
"""Families that the built-in study has no columns for."""


def test_a_gate_without_folds_owes_exactly_these(make_facts: Any) -> None:
    facts = make_facts("calibration confusion curves has_evidence_slices")
    assert keys_owed(facts, {"fpr": [5], "bins": [2]}) == GATE_ONLY.split()


def test_classes_by_seed_and_data_set_owe_these_with_names_escaped(make_facts: Any) -> None:
    facts = make_facts(
        "classes confusion_matrix",
        seeds=["7"],
        slices={"dataset": ["x|"]},
        classes=["a,", "b"],
        queries={"positives_only": None, "has_evidence": None, "predicted_positive": None},
    )
    wanted = ("queries|", "precision|", "accuracy|", "support|", "count@true=a%2C,predicted=a%2C|")
    owed = [key for key in keys_owed(facts) if key.startswith(wanted)]
    assert owed == CLASSES_BY_SEED.split()


def test_seeds_have_what_enters_folds_and_no_tuned_threshold(make_facts: Any) -> None:
    families = "ranking ties curves tuned per_criterion"
    facts = make_facts(families, folds=[0], criteria=["A"], seeds=["1", "2"])
    keys = set(keys_owed(facts, {"k": [1], "fpr": [5]}))
    over = {key.split("|")[0] for key in keys if "|seeds|" in key}
    assert {"hit@1", "gmap", "auroc", "tpr@fpr=5%/tuned"} <= over
    assert not over & {"hit@1/tie_low", "positive_rate", "threshold@fpr=5%", "queries"}
    assert "threshold@fpr=5%/tuned|all_queries|fold=0|value" not in keys
    assert "hit@1/tie_low|positives_only|seed=1|mean" in keys
    assert "positive_rate|all_queries|seed=2|value" in keys
    one = keys_owed(facts | {"seeds": ["1"]}, {"k": [1], "fpr": [5]})
    assert "threshold@fpr=5%/tuned|all_queries|fold=0|value" in one


def test_intervals_of_unit_seed_are_percentile_over_all_and_over_seeds(make_facts: Any) -> None:
    facts = make_facts("per_post calibration posts", posts=2, seeds=["1", "2"])
    keys = [key for key in intervals_owed(facts, {"bins": [5]}) if "/seed/" in key]
    metrics = {key.split("|")[0] for key in keys}
    assert {"brier", "log_loss", "exact_match"} <= metrics
    assert {key.split("|")[2] for key in keys} == {"all", "seeds"}
    assert all(key.endswith("/percentile") for key in keys)
    alone = intervals_owed(facts | {"seeds": ["1"]})
    assert not [key for key in alone if "/seed/" in key]


def test_top_k_is_below_the_number_of_classes(make_facts: Any) -> None:
    facts = make_facts("class_probs", classes=[*"abcd"], queries={"positives_only": None})
    owed = {key.split("|")[0] for key in keys_owed(facts)}
    assert "top_k_accuracy@3" in owed
    assert "top_k_accuracy@5" not in owed


def test_states_without_labels_owe_exactly_these(make_facts: Any) -> None:
    facts = make_facts("state_slices states", folds=[7], queries={"predicted_positive": None})
    assert keys_owed(facts) == STATES_BY_FOLD.split()


def test_labels_by_criterion_owe_exactly_these_with_names_escaped(make_facts: Any) -> None:
    facts = make_facts(
        "per_criterion has_evidence_slices",
        criteria=["a|b", "c%"],
        queries={"predicted_positive": None},
    )
    assert keys_owed(facts, {"views": {"v|": ["a|b"]}}) == PER_CRITERION.split()


def test_a_view_is_not_owed_without_criteria(make_facts: Any) -> None:
    keys = keys_owed(make_facts(""), {"views": {"v": ["A"]}})
    assert not [key for key in keys if "view=" in key]


# By hand: ids × places, and three more over the folds for every id that is averaged.
STUDY = {
    "queries": 3 * 20,
    "ranking": 72 * 2 * 20 * 5 + 72 * 2 * 3,
    "ties": 72 * 2 * 2,
    "curves": 24 * 17 + 16 * 3,
    "pairs": 4 * 7 + 4 * 3,
    "calibration": 3 * 17 + 3 * 3,
    "confusion": 13 * 17 + 9 * 3,
    "tuned": 24 * 5 + 20 * 3,
    "reliability": 10 * 3,
    "k": 2 * 12 * 8 + 2 * 3,
    "k/hist": 11 * 6,
    "avg_k": 2 * 7 + 2 * 3,
    "evidence": 2 * 17 * 5 + 2 * 3,
    "evidence, all queries": 2 * 7 + 2 * 3,
    "evidence, pooled": 2 * 7 + 2 * 3,
    "k bounds": 3 * 7,
    "deployment": 9 * 7 + 5 * 3,
    "gamma": 12 * 6 + 8 * 3,
    "states": 10 * 7 + 7 * 3,
    "grid": 80 * 5 + 80 * 3,
    "per post": 8 * 6 + 8 * 3,
    "per criterion": 3 * 10 + 1 + 8 * 2,
    # f1@K at 6, rprecision, rbp at 3, iprec at 11; gmap; 12 + 6 + 4 ids and a threshold.
    "ranking, further": 21 * 2 * 20 * 5 + 21 * 2 * 3 + 21 * 2 * 2 + 2 * 20 + 2 * 3,
    "binary, further": (12 + 6 + 4) * 20 + 17,
}


def test_the_study_owes_22652_keys(study_facts: Any, study_settings: Any) -> None:
    keys = keys_owed(study_facts, study_settings)
    assert len(keys) == len(set(keys)) == sum(STUDY.values()) == 22652


def test_the_study_s_keys_fall_into_families_as_counted(
    study_facts: Any, study_settings: Any
) -> None:
    contract = load()
    found: Counter[str] = Counter()
    for key in keys_owed(study_facts, study_settings):
        metric, population, part, _ = key.split("|")
        entry = contract.metric(metric)
        found[_further(entry) or _family(entry, population, part)] += 1
    assert found == STUDY


def _further(metric: Any) -> str:
    if metric.variant and metric.variant.id in {"decisions", "equal_mass"}:
        return "binary, further"
    return {"15": "ranking, further", "16": "binary, further"}.get(metric.metric.section, "")


def _family(metric: Any, population: str, part: str) -> str:
    names = {
        "deployment": "deployment", "n_": "states", "k_": "k bounds", "reliability": "reliability",
        "avg_k": "avg_k", "k/hist": "k/hist",
    }  # fmt: skip
    if part == "criteria" or metric.metric.section == "9":
        return "per criterion"
    if population in {"pairs", "tune_queries", "posts"}:
        return {"pairs": "pairs", "tune_queries": "grid", "posts": "per post"}[population]
    if "gamma" in metric.text:
        return "gamma"
    for start, name in names.items():
        if metric.text.startswith(start):
            return name
    if metric.text.endswith("/tuned"):
        return "tuned"
    if metric.text.startswith("evidence"):
        variant = metric.variant.id if metric.variant else ""
        return {"": "evidence", "all_queries": "evidence, all queries"}.get(
            variant, "evidence, pooled"
        )
    if metric.bound:
        return "ties"
    curves = ("auroc", "auprc")
    if metric.metric.section == "4":
        is_curve = metric.text.startswith(curves) or "@fpr=" in metric.text
        return "curves" if is_curve else "confusion"
    whole = {"2": "queries", "3": "ranking", "5": "calibration", "6": "k", "7": "states"}
    return whole[metric.metric.section]


EXAMPLES = """
ndcg@10|positives_only|fold=0|mean map@10/by_gold|positives_only|all|mean
ndcg@10/tie_low|positives_only|all|mean auroc|all_queries|criterion=A.3|value
auroc|all_queries|folds|std tpr@fpr=5%|all_queries|all|value
tpr@fpr=5%/tuned|all_queries|fold=2|value tp|all_queries|all|value
ece@10|all_queries|view=dsm5|value evidence_recall/pooled|positives_only|all|value
k/hist=3|all_queries|state=POS|n screening_sensitivity@tau=0.1,0.8|tune_queries|folds|mean
queries|positives_only|fold=1|n f1_macro/per_post|posts|all|value
ndcg@10|positives_only|criteria|macro map@10/by_hits/tie_low|all_queries|all|mean
evidence_recall/pooled_conditional|positives_only|all|value k@gamma=0.9|all_queries|all|mean
evidence_recall@gamma=0.9|positives_only|fold=1|mean sentences@gamma=0.9|all_queries|all|value
auroc|pairs|view=dsm5|value k|positives_only|has_evidence=0|mean positive_rate|all_queries|all|value
mrr@all|positives_only|criteria|micro fpr@fpr=5%/last_index|all_queries|folds|std/population
"""


@pytest.mark.parametrize("key", EXAMPLES.split())
def test_an_example_of_section_13_is_owed(key: str, study_facts: Any, study_settings: Any) -> None:
    assert key in keys_owed(study_facts, study_settings)


NOT_OWED = """
threshold@fpr=5%|all_queries|folds|mean tp|all_queries|folds|mean n_neg|all_queries|folds|mean
k_below_min|all_queries|folds|mean sentences@gamma=0.9|all_queries|folds|mean
deployment_tp|all_queries|folds|mean queries|all_queries|folds|mean
threshold@fpr=5%/tuned|all_queries|folds|mean tpr@fpr=5%/tuned|all_queries|all|value
f1_macro|posts|all|value ndcg@10|all_queries|criteria|macro ndcg@5|positives_only|criteria|macro
auroc/strict|all_queries|criteria|macro ndcg@10/k_eff|positives_only|criteria|macro
auroc|pairs|criterion=A.1|value ndcg@10/tie_low|positives_only|fold=0|mean
screening_sensitivity@tau=0.1,0.8|all_queries|all|value n_queries|all_queries|all|value
k/hist=11|all_queries|all|n k|all_queries|criterion=A.1|mean positive_rate|all_queries|fold=0|value
"""


@pytest.mark.parametrize("key", NOT_OWED.split())
def test_what_section_2_and_13_leave_out_is_not_owed(
    key: str, study_facts: Any, study_settings: Any
) -> None:
    assert key not in keys_owed(study_facts, study_settings)


def test_without_folds_there_are_no_fold_keys(study_facts: Any, study_settings: Any) -> None:
    keys = keys_owed(study_facts | {"folds": []}, study_settings)
    assert not [key for key in keys if "|fold" in key]


def test_settings_decide_about_parameters() -> None:
    assert parameter_values({"k": [2, 2], "fpr": [2.5, "10"], "gamma": [0.70], "bins": [5]}) == {
        "K": ["2", "all"],
        "α": ["2.5", "10"],
        "M": ["5"],
        "γ": ["0.7"],
        "ρ": ["0.5", "0.8", "0.95"],
        "r": [decimal(tenths / 10) for tenths in range(11)],
        "β": ["0.5", "2"],
        "k": ["3", "5"],
        "τ": parameter_values({})["τ"],
    }


def test_the_grid_skips_crossed_pairs() -> None:
    grid = {"tau_neg": [0.1, 0.6], "tau_pos": ["0.5", 0.60]}
    assert parameter_values({"grid": grid})["τ"] == ["0.1,0.5", "0.1,0.6", "0.6,0.6"]


def test_the_default_grid_has_twenty_points() -> None:
    points = parameter_values({})["τ"]
    assert (len(points), points[0], points[-1]) == (20, "0.05,0.5", "0.3,0.9")


@pytest.mark.parametrize(
    ("number", "written"),
    [(5, "5"), (5.0, "5"), (100, "100"), (0.95, "0.95"), ("0.50", "0.5"), (1e-05, "0.00001")],
)
def test_numbers_in_keys_are_shortest_decimals(number: float | str, written: str) -> None:
    assert decimal(number) == written


HEADLINE = """
recall@3 precision@3 hit@3 mrr@3 map@3 ndcg@3 recall@5 precision@5 hit@5 mrr@5 map@5 ndcg@5
recall@10 precision@10 hit@10 mrr@10 map@10 ndcg@10 mrr@all
auroc auprc tpr@fpr=1% tpr@fpr=3% tpr@fpr=5% tpr@fpr=10% ece@10 ece@10/equal_mass brier
log_loss accuracy kappa
sensitivity specificity fpr fnr precision npv f1 mcc balanced_accuracy
evidence_recall evidence_precision
neg_rate uncertain_rate pos_rate alert_rate_per_1000 screening_sensitivity screening_fn_per_1000
alert_precision
exact_match hamming_score hamming_loss f1_micro f1_macro/per_criterion f1_macro/per_post
f1_weighted/per_criterion f1_weighted/per_post
"""


def test_headline_metrics_are_those_of_section_10(study_facts: Any, study_settings: Any) -> None:
    keys = headline_keys(study_facts, study_settings)
    assert {key.split("|")[0] for key in keys} == set(HEADLINE.split())


def test_headline_keys_are_keys_owed(study_facts: Any, study_settings: Any) -> None:
    owed = keys_owed(study_facts, study_settings)
    assert set(headline_keys(study_facts, study_settings)) <= set(owed)


def test_the_study_owes_6328_interval_keys(study_facts: Any, study_settings: Any) -> None:
    # 42 metrics on 1 + 5 + 1 + 10 slices, section 7 and 8 without criteria; four ends by unit.
    with_criteria, states, posts = 42 * 17, 7 * 7, 8 * 7
    keys = intervals_owed(study_facts, study_settings)
    assert len(set(keys)) == len(keys) == (with_criteria + states) * 8 + posts * 4 == 6328


def test_intervals_have_unit_and_method(make_facts: Any) -> None:
    facts = make_facts("calibration posts", posts=2)
    assert intervals_owed(facts, {"bins": [5]}) == [
        f"{metric}|all_queries|all|{end}/{unit}/{method}"
        for metric in ("brier", "log_loss")
        for unit in ("post", "query")
        for method in ("percentile", "bca")
        for end in ("ci_low", "ci_high")
    ]


def test_without_posts_intervals_are_by_query_only(make_facts: Any) -> None:
    keys = intervals_owed(make_facts("calibration"))
    assert {key.split("/")[-2] for key in keys} == {"query"}


def test_section_8_has_intervals_by_post_only(study_facts: Any, study_settings: Any) -> None:
    keys = [key for key in intervals_owed(study_facts, study_settings) if "|posts|" in key]
    assert keys
    assert all("/post/" in key for key in keys)


def test_what_is_not_owed_says_what_is_missing(make_facts: Any) -> None:
    facts = make_facts("ranking", missing={"ties": ["scores"]})
    reasons = not_owed(facts)
    assert reasons["ties"] == "tie bounds: not present, the data lacks scores"
    assert "ranking" not in reasons


def test_a_complete_data_set_lacks_nothing(study_facts: Any) -> None:
    assert not_owed(study_facts).keys() == set(OF_THE_FIELD)
