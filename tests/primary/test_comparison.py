"""Two runs: differences, paired intervals and permutations equal those of really swapped rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import primary

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
