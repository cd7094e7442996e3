"""Two runs: differences, paired intervals and permutations equal those of really swapped rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import primary
from primary.resampling import comparison

KEYS = [
    "ndcg@5|positives_only|all|mean",
    "ndcg@5|positives_only|folds|mean",
    "auroc|all_queries|all|value",
    "tpr@fpr=10%|all_queries|folds|mean",
    "ece@10|all_queries|all|value",
    "mcc|all_queries|all|value",
    "screening_sensitivity|all_queries|all|value",
    "f1_macro/per_post|posts|all|value",
]


@pytest.fixture(scope="module")
def runs(small_study: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The study, and a second system: other scores and probabilities, rows in another order."""
    generator = np.random.default_rng(9)
    first = small_study.filter(pl.col("split") == "EVAL")
    scores = [np.round(generator.random(len(one)), 2).tolist() for one in first["scores"]]
    prob = np.round(generator.random(first.height), 1)
    second = first.with_columns(pl.Series("scores", scores), pl.Series("prob", prob))
    return first, second.sort("criterion_id", "post_id")


def value(ledger: dict[str, Any], key: str) -> float:
    return float(ledger[key])


def test_difference_and_improvement(
    runs: tuple[pl.DataFrame, pl.DataFrame], small_settings: dict[str, Any]
) -> None:
    found = primary.compare((runs[0], small_settings), (runs[1], small_settings), metrics=KEYS)
    first, second = (primary.evaluate(run, small_settings) for run in runs)
    for key in KEYS:
        stem = key.rpartition("|")[0]
        difference = value(second, key) - value(first, key)
        assert found.ledger[f"{stem}|difference"] == pytest.approx(difference, abs=1e-12)
        assert found.ledger[f"{stem}|improvement"] == pytest.approx(
            100 * difference / value(first, key), rel=1e-9
        )


def test_improvement_over_a_baseline_of_zero_is_not_owed() -> None:
    rows = pl.DataFrame({"query_id": ["q"], "candidates": [["a"]], "gold": [["b"]]})
    better = rows.with_columns(candidates=pl.Series([["b"]]))
    found = primary.compare(
        (rows, None), (better, None), metrics=["mrr@all|positives_only|all|mean"]
    )
    assert found.ledger == {"mrr@all|positives_only|all|difference": 1.0}


def test_paired_replicates_are_differences_on_the_same_resample(
    runs: tuple[pl.DataFrame, pl.DataFrame], small_settings: dict[str, Any]
) -> None:
    plan = {
        "post": primary.draw(14, resamples=20, seed=1),
        "query": primary.draw(42, resamples=20, seed=2),
    }
    found = primary.compare((runs[0], small_settings), (runs[1], small_settings), plan, KEYS)
    # The second run's rows are in another order; its own plan must be in the baseline's order.
    aligned = (
        runs[0]
        .select("post_id", "criterion_id")
        .join(runs[1], on=["post_id", "criterion_id"], how="left", maintain_order="left")
    )
    first, second = (primary.intervals(run, small_settings, plan) for run in (runs[0], aligned))
    for unit in ("post", "query"):
        for key in KEYS:
            if unit == "query" and "|posts|" in key:
                assert key not in found.replicates["difference"][unit]
                continue
            expected = second.replicates[unit][key] - first.replicates[unit][key]
            assert found.replicates["difference"][unit][key] == pytest.approx(expected, abs=1e-12)


def test_a_permuted_difference_is_that_of_really_swapped_rows(
    runs: tuple[pl.DataFrame, pl.DataFrame], small_settings: dict[str, Any]
) -> None:
    swaps = np.random.default_rng(3).integers(0, 2, size=(6, 14))
    found = primary.compare((runs[0], small_settings), (runs[1], small_settings), None, KEYS, swaps)
    posts = runs[0].select("fold", "post_id").unique(maintain_order=True)
    for row, swap in enumerate(swaps):
        swapped = posts.filter(pl.Series(swap == 1))["post_id"].to_list()
        mixed = [
            pl.concat(
                [
                    own.filter(~pl.col("post_id").is_in(swapped)),
                    other.filter(pl.col("post_id").is_in(swapped)).select(own.columns),
                ]
            )
            for own, other in (runs, runs[::-1])
        ]
        first, second = (primary.evaluate(run, small_settings) for run in mixed)
        for key in KEYS:
            expected = value(second, key) - value(first, key)
            actual = found.replicates["permuted"][key][row]
            assert actual == pytest.approx(expected, abs=1e-12), key


def test_p_counts_the_observed_difference_among_the_permutations() -> None:
    rows = pl.DataFrame(
        {"query_id": ["q", "r"], "candidates": [["a", "b"]] * 2, "gold": [["b"]] * 2}
    )
    better = rows.with_columns(candidates=pl.Series([["b", "a"]] * 2))
    key = "mrr@all|positives_only|all|mean"
    swaps = [[0, 0], [1, 0], [0, 1], [1, 1]]
    found = primary.compare((rows, None), (better, None), None, [key], swaps)
    # d = .5; swapped: .5, 0, 0, -.5: two of four reach it.
    assert found.ledger["mrr@all|positives_only|all|p/permutation"] == 3 / 5


def test_holm_is_over_the_metrics_asked_for(
    runs: tuple[pl.DataFrame, pl.DataFrame], small_settings: dict[str, Any]
) -> None:
    swaps = np.random.default_rng(3).integers(0, 2, size=(40, 14))
    found = primary.compare((runs[0], small_settings), (runs[1], small_settings), None, KEYS, swaps)
    plain, held = (
        [found.ledger[f"{key.rpartition('|')[0]}|p/{kind}"] for key in KEYS]
        for kind in ("permutation", "holm")
    )
    smallest = int(np.argmin(plain))
    assert held[smallest] == pytest.approx(min(1, len(KEYS) * plain[smallest]))


def test_default_metrics_are_the_headlines_on_all_and_folds(
    runs: tuple[pl.DataFrame, pl.DataFrame],
) -> None:
    found = primary.compare((runs[0], None), (runs[1], None))
    assert {key.split("|")[2] for key in found.ledger} == {"all", "folds"}


def test_other_queries_are_refused(runs: tuple[pl.DataFrame, pl.DataFrame]) -> None:
    renamed = runs[1].with_columns(post_id=pl.col("post_id").str.replace("^p3$", "p99"))
    with pytest.raises(primary.InputError, match=r"p99 / A\.1"):
        primary.compare((runs[0], None), (renamed, None))


def test_an_unknown_metric_is_refused(runs: tuple[pl.DataFrame, pl.DataFrame]) -> None:
    with pytest.raises(primary.InputError, match="nope"):
        primary.compare((runs[0], None), (runs[1], None), metrics=["nope|all_queries|all|value"])


MRR = "mrr@all|positives_only|all|mean"
BOTH, BETTER = (
    pl.DataFrame({"query_id": ["q", "r"], "candidates": candidates, "gold": [["b"], ["b"]]})
    for candidates in ([["a", "b"], ["a", "b"]], [["b", "a"], ["a", "b"]])
)


def sentence(*given: Any, **named: Any) -> str:
    with pytest.raises(primary.InputError) as caught:
        primary.compare(*given, **named)
    return str(caught.value)


def test_the_paired_interval_of_a_difference_by_hand() -> None:
    plan = {"query": [[2, 0], [1, 1], [0, 2]]}
    found = primary.compare((BOTH, None), (BETTER, None), plan, [MRR])
    # q gains .5, r nothing: the differences are .5, .25, 0, and .025 lies at place .05 of them.
    assert found.replicates["difference"]["query"][MRR].tolist() == [0.5, 0.25, 0.0]
    assert found.ledger == {
        "mrr@all|positives_only|all|difference": 0.25,
        "mrr@all|positives_only|all|improvement": 50.0,
        "mrr@all|positives_only|all|difference_ci_low/query/percentile": pytest.approx(0.0125),
        "mrr@all|positives_only|all|difference_ci_high/query/percentile": pytest.approx(0.4875),
    }
    assert found.replicates["permuted"] == {}


def test_rows_in_another_order_are_paired_by_their_key() -> None:
    plan = {"query": [[2, 0], [0, 2]]}
    found = primary.compare((BOTH, None), (BETTER.reverse(), None), plan, [MRR])
    assert found.replicates["difference"]["query"][MRR].tolist() == [0.5, 0.0]


def test_permutations_come_in_batches_and_are_told() -> None:
    told: list[tuple[int, int]] = []
    swaps = [[0, 0]] * 240 + [[1, 0], [0, 1]]
    found = primary.compare(
        (BOTH, None), (BETTER, None), None, [MRR], swaps, progress=lambda *at: told.append(at)
    )
    assert told == [(240, 242), (242, 242)]
    assert found.replicates["permuted"][MRR].tolist() == [0.25] * 240 + [-0.25, 0.25]
    assert found.ledger["mrr@all|positives_only|all|p/permutation"] == 1.0
    assert found.ledger["mrr@all|positives_only|all|p/holm"] == 1.0


def test_holm_steps_down_and_never_exceeds_one() -> None:
    assert comparison.holm(np.array([0.75, 0.01, 0.02, 0.9])) == [1.0, 0.04, 0.06, 1.0]
    assert comparison.holm(np.array([0.04, 0.02])) == [0.04, 0.04]


def test_two_runs_need_the_same_kind_of_key() -> None:
    posts = pl.DataFrame({"post_id": ["q"], "criterion_id": ["A"]})
    assert sentence((BOTH, None), (posts, None)) == (
        "one run has the key query_id, the other post_id, criterion_id. "
        "Compare two runs over the same EVAL queries."
    )
    folds = BOTH.with_columns(fold=pl.lit(0))
    assert sentence((BOTH, None), (folds, None)) == (
        "one run has the key query_id, the other query_id, fold. "
        "Compare two runs over the same EVAL queries."
    )


def test_two_runs_need_as_many_queries() -> None:
    assert sentence((BOTH, None), (BOTH[:1], None)) == (
        "the baseline has 2 EVAL queries, the other run 1. "
        "Compare two runs over the same EVAL queries."
    )


def test_a_query_that_the_baseline_lacks_is_named() -> None:
    other = BOTH.with_columns(query_id=pl.Series(["x", "y"]), fold=pl.lit(3))
    assert sentence((BOTH.with_columns(fold=pl.lit(3)), None), (other, None)) == (
        "2 EVAL queries are not in the baseline, the first is x / 3. "
        "Compare two runs over the same EVAL queries."
    )


def test_what_cannot_be_compared_is_told_with_an_example() -> None:
    assert sentence((BOTH, None), (BETTER, None), metrics=["a", MRR, "b"]) == (
        "a, b is no headline metric of both runs. "
        "Ask for base keys such as recall@3|positives_only|all|mean."
    )
    bare = BOTH.select("query_id")
    assert sentence((BOTH, None), (bare, None), metrics=[MRR]) == (
        f"{MRR} is no headline metric of both runs. The runs share no metric."
    )


def test_a_comparison_needs_a_plan_for_every_unit_and_swaps_for_the_first() -> None:
    assert sentence((BOTH, None), (BETTER, None), {"post": [[1]]}, [MRR]) == (
        "the plan has no counts for the unit query. Give counts for query."
    )
    assert sentence((BOTH, None), (BETTER, None), {"query": [[1]]}, [MRR]) == (
        "the plan for the unit query has the shape (1, 1). "
        "Expected one row per resample and 2 columns, one per unit of the EVAL rows."
    )
    assert sentence((BOTH, None), (BETTER, None), None, [MRR], [[1]]) == (
        "the plan for the unit swaps has the shape (1, 1). "
        "Expected one row per resample and 2 columns, one per unit of the EVAL rows."
    )


def test_with_posts_a_comparison_needs_both_units(runs: tuple[pl.DataFrame, pl.DataFrame]) -> None:
    plan = {"query": primary.draw(42, resamples=1, seed=1)}
    assert sentence((runs[0], None), (runs[1], None), plan, KEYS[:1]) == (
        "the plan has no counts for the unit post. Give counts for post and query."
    )


def test_metrics_of_one_run_alone_are_not_compared() -> None:
    gated = BETTER.with_columns(prob=pl.Series([0.25, 0.75]))
    found = primary.compare((BOTH, None), (gated, None))
    metrics = {key.partition("|")[0] for key in found.ledger}
    assert "mrr@all" in metrics
    assert "auroc" not in metrics


def test_states_are_swapped_with_the_labels_that_one_run_alone_has() -> None:
    ids = pl.DataFrame({"query_id": ["p", "n"]})
    first = ids.with_columns(state=pl.Series(["NEG", "POS"]))
    second = ids.with_columns(has_evidence=pl.Series([1, 0]), prob=pl.Series([0.9, 0.1]))
    settings = {"tau_neg": 0.2, "tau_pos": 0.8}
    key = "screening_sensitivity|all_queries|all|value"
    swaps = [[0, 0], [0, 1], [1, 0], [1, 1]]
    # Who has the labelled row of p has found the one positive; the other knows of none.
    for pair, found in (((first, second), 1.0), ((second, first), -1.0)):
        runs = [(rows, settings) for rows in pair]
        compared = primary.compare(*runs, None, [key], swaps)
        assert compared.ledger["screening_sensitivity|all_queries|all|difference"] == found
        assert compared.replicates["permuted"][key].tolist() == [found, found, -found, -found]
        assert compared.ledger["screening_sensitivity|all_queries|all|p/permutation"] == 1.0


def test_runs_with_posts_are_swapped_where_only_one_has_a_gate() -> None:
    ids = {"post_id": ["p", "r"], "criterion_id": ["A", "A"], "gold": [["b"], ["b"]]}
    first = pl.DataFrame({**ids, "candidates": [["a", "b"]] * 2, "pred": [1, 0]})
    second = pl.DataFrame({**ids, "candidates": [["b", "a"]] * 2})
    for pair in ((first, second), (second, first)):
        found = primary.compare((pair[0], None), (pair[1], None), None, [MRR], [[1, 1]])
        assert abs(found.replicates["permuted"][MRR][0]) == 0.5


def test_queries_with_criteria_but_no_posts_are_paired_by_their_id() -> None:
    pair = [(rows.with_columns(criterion_id=pl.lit("A")), None) for rows in (BOTH, BETTER)]
    found = primary.compare(*pair, metrics=[MRR])
    assert found.ledger["mrr@all|positives_only|all|difference"] == 0.25


@pytest.mark.parametrize("observed", [0.5, -0.5])
def test_p_counts_what_comes_within_1e_12_of_the_observed_difference(observed: float) -> None:
    permuted = np.array([[0.5 - 1e-12, 1e-12 - 0.5, 0.5 - 2e-12, 0.75, 0.25]])
    assert comparison.p_values(permuted, np.array([observed])).tolist() == [4 / 6]


EXACT = "exact_match|posts|all|value"


def test_whole_posts_are_swapped_with_their_labels() -> None:
    ids = {
        "post_id": ["p", "p", "r", "r"],
        "criterion_id": ["A", "B", "A", "B"],
        "has_evidence": [1, 0, 1, 1],
    }
    first = pl.DataFrame({**ids, "pred": [1, 0, 0, 0]})
    second = pl.DataFrame({**ids, "pred": [0, 0, 1, 1]})
    plan = {"post": [[2, 0], [0, 2]], "query": [[1, 1, 1, 1]]}
    swaps = [[0, 0], [1, 0], [0, 1], [1, 1]]
    found = primary.compare((first, None), (second, None), plan, [EXACT], swaps)
    # The first is right about p, the second about r; who has both is right about all.
    assert found.ledger["exact_match|posts|all|difference"] == 0.0
    assert found.replicates["permuted"][EXACT].tolist() == [0.0, 1.0, -1.0, 0.0]
    assert found.replicates["difference"]["post"][EXACT].tolist() == [-1.0, 1.0]
    # A post is no query: by query there is nothing to tell.
    assert found.replicates["difference"]["query"] == {}


def test_what_a_reading_remembers_changes_no_comparison(
    runs: tuple[pl.DataFrame, pl.DataFrame], small_settings: dict[str, Any]
) -> None:
    plans = [
        {
            "post": primary.draw(14, resamples=20, seed=seed),
            "query": primary.draw(42, resamples=20, seed=seed),
        }
        for seed in (1, 2)
    ]
    read = [primary.read(run, small_settings) for run in runs]
    for plan, asked in ((plans[0], KEYS[:2]), (plans[0], KEYS), (plans[1], KEYS)):
        for first, second in ((0, 1), (1, 0), (0, 0)):
            again = primary.compare((read[first], None), (read[second], None), plan, asked)
            fresh = primary.compare(
                (runs[first], small_settings), (runs[second], small_settings), plan, asked
            )
            assert again.ledger == fresh.ledger
