"""The identities of section 11, found among keys that are present."""

from __future__ import annotations

from typing import Any

from crosscheck.contract import instances, keys_owed, load


def _found(keys: str) -> set[tuple[str, str, tuple[str, ...], tuple[str, ...], str]]:
    return {(i.identity.id, i.kind, i.terms, i.over, i.total) for i in instances(keys.split())}


def test_every_identity_shows_up_on_complete_data_sets(field_facts: Any) -> None:
    owed = [keys_owed(facts, {"fpr": [5, 100], "top_k": [2, 3]}) for facts in field_facts]
    found = {i.identity.id for keys in owed for i in instances(keys)}
    assert found == {identity.id for identity in load().identities}


def test_one_place_makes_six_metrics_equal() -> None:
    metrics = ["precision@1", "hit@1", "mrr@1", "ndcg@1", "map@1", "map@1/by_hits"]
    keys = [f"{metric}|all_queries|all|median" for metric in metrics]
    first = [i for i in instances(keys) if i.identity.id == "first_place"]
    assert [(i.kind, i.terms) for i in first] == [("equal", tuple(keys))]


def test_growing_with_k_compares_numbers_not_texts() -> None:
    keys = "hit@all|p|all|mean hit@10|p|all|mean hit@5|p|all|mean".replace("|p|", "|all_queries|")
    (found,) = _found(keys)
    assert found[2] == (
        "hit@5|all_queries|all|mean",
        "hit@10|all_queries|all|mean",
        "hit@all|all_queries|all|mean",
    )


def test_a_value_lies_between_its_tie_bounds() -> None:
    metrics = ["ndcg@10/tie_low", "ndcg@10", "ndcg@10/tie_high"]
    keys = tuple(f"{metric}|positives_only|all|mean" for metric in metrics)
    assert _found(" ".join(keys)) == {("tie_bounds", "le", keys, (), "")}


def test_counts_add_up_to_queries_of_the_same_slice() -> None:
    counts = tuple(f"{name}|all_queries|fold=2|value" for name in ("tp", "fp", "tn", "fn"))
    total = "queries|all_queries|fold=2|n"
    assert ("confusion_total", "sum", counts, (), total) in _found(" ".join([*counts, total]))


def test_a_missing_part_leaves_the_identity_out() -> None:
    assert _found("tp|all_queries|all|value fp|all_queries|all|value") == set()


def test_a_standard_deviation_takes_part_in_nothing() -> None:
    assert _found("hit@1|all_queries|all|std hit@5|all_queries|all|std") == set()


def test_micro_equals_the_pooled_value() -> None:
    micro, pooled = "auroc|all_queries|criteria|micro", "auroc|all_queries|all|value"
    assert _found(f"{micro} {pooled}") == {("micro_is_all", "equal", (micro, pooled), (), "")}


def test_a_harmonic_mean_is_not_asked_of_fold_means() -> None:
    keys = " ".join(f"{m}|all_queries|folds|mean" for m in ("precision", "sensitivity", "f1"))
    assert _found(keys) == set()


def test_bins_are_summed_per_diagram() -> None:
    bins = tuple(f"reliability@2/bin={j}|all_queries|all|n" for j in (0, 1))
    total = "queries|all_queries|all|n"
    assert _found(" ".join([*bins, total])) == {("reliability_total", "sum", bins, (), total)}
