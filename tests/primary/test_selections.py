"""Dynamic-K and the γ sweep (contract, section 6), case by case."""

from __future__ import annotations

import hashlib
import math
from typing import Any

import polars as pl
import pytest

import primary


def row(**columns: Any) -> pl.DataFrame:
    """One query whose gate is open."""
    return pl.DataFrame(
        {"query_id": ["q"], "pred": [1]} | {name: [value] for name, value in columns.items()}
    )


def swept(probs: list[float], gamma: float | str, **columns: Any) -> Any:
    """Give K of one query at one γ, without bounds of its own."""
    ids = list("abcdefghij")[: len(probs)]
    rows = row(**({"candidates": ids, "node_probs": probs, "selected": [], "gold": []} | columns))
    settings = {"gamma": [gamma], "k_min": 0, "k_max_ratio": 1}
    return primary.evaluate(rows, settings)[f"sentences@gamma={gamma}|all_queries|all|value"]


@pytest.mark.parametrize(
    ("probs", "gamma", "needed"),
    [
        ([0.5, 0.25, 0.25], 0.5, 1),
        ([0.5, 0.25, 0.25], 0.51, 2),
        ([0.25, 0.5, 0.25], 1, 3),
        ([0.25, 0.5, 0.25], 0, 0),
        ([0.0, 0.0], 0.5, 0),
        ([1e-9], 0.5, 1),
        ([], 0.5, 0),
        # One unit in 10^17 short of the share: whole numbers decide, no float could.
        ([0.669106217, 0.413530382], 0.61803399, 2),
        # A share of so many digits that the product would leave 64 bits.
        ([0.5, 0.5], 0.5000000000000001, 2),
        ([0.5, 0.5], 0.4999999999999999, 1),
        ([0.9, 0.1], 0.30000000000000004, 1),
        # More than nine decimals.
        ([1e-10, 2e-10], 0.5, 1),
        ([1e-10, 2e-10], 0.7, 2),
        ([0.1000000000001, 0.1000000000001, 0.0999999999998], 0.6666666666667, 2),
    ],
)
def test_k_is_the_fewest_candidates_that_hold_the_share(
    probs: list[float], gamma: float, needed: int
) -> None:
    assert swept(probs, gamma) == needed


def test_equal_node_probabilities_stand_in_the_order_of_the_scores() -> None:
    rows = row(
        candidates=["a", "b"], scores=[1.0, 2.0], node_probs=[0.5, 0.5], selected=[], gold=["b"]
    )
    ledger = primary.evaluate(rows, {"gamma": [0.5]})
    assert ledger["k@gamma=0.5|all_queries|all|mean"] == 1.0
    assert ledger["evidence_recall@gamma=0.5|positives_only|all|mean"] == 1.0


@pytest.mark.parametrize(("selected", "below"), [([], 1), (["a"], 0)])
def test_nothing_selected_is_below_any_minimum(selected: list[str], below: int) -> None:
    rows = row(candidates=["a", "b"], selected=selected, gold=["a"])
    ledger = primary.evaluate(rows, {"k_min": 0})
    assert ledger["k_below_min|all_queries|all|value"] == below


def test_node_probabilities_of_32_bits_mean_their_own_decimals() -> None:
    rows = row(candidates=["a", "b", "c"], node_probs=[0.7, 0.2, 0.1], selected=[], gold=[])
    short = rows.cast({"node_probs": pl.List(pl.Float32)})
    settings = {"gamma": [0.7], "k_min": 0, "k_max_ratio": 1}
    # 0.7 of 1 is seven tenths; of the floats beneath, 0.69999999 of 1.
    assert primary.evaluate(short, settings)["sentences@gamma=0.7|all_queries|all|value"] == 1


def test_of_a_fold_whose_tune_rows_are_not_sampled_the_grid_is_zero() -> None:
    names = [f"q{number}" for number in range(40)]
    kept = [
        int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big") % 2 == 0 for name in names
    ]
    # What is sampled is EVAL, what is not is TUNE.
    split = ["EVAL" if one else "TUNE" for one in kept]
    rows = pl.DataFrame(
        {"query_id": names, "split": split, "prob": 0.5, "has_evidence": 1, "fold": 0}
    )
    ledger = primary.evaluate(rows, {"sample": 2})
    assert ledger["queries|all_queries|all|n"] == sum(kept)
    assert ledger["neg_rate@tau=0.1,0.8|tune_queries|fold=0|value"] == 0.0
    assert ledger["threshold@fpr=5%/tuned|all_queries|fold=0|value"] == math.inf
