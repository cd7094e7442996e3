"""The ledger is put together from the families that the data suffices for, or some of them."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import primary
from primary.arithmetic.cores import side_by_side
from primary.classification import binary
from primary.data.study import Study
from primary.ranking.hits import find_hits
from primary.selection import dynamic_k, gamma

if TYPE_CHECKING:
    from collections.abc import Callable

    from primary.ranking.hits import Hits

KEY_OF = {
    "ranking": "mrr@all|positives_only|all|mean",
    "ties": "mrr@all/tie_low|positives_only|all|mean",
    "pairs": "auroc|pairs|all|value",
    "gamma": "k@gamma=0.9|all_queries|all|mean",
    "dynamic_k": "evidence_recall|positives_only|all|mean",
    "deployment": "deployment_tp|all_queries|all|value",
    "k_bounds": "k_below_min|all_queries|all|value",
    "curves": "auroc|all_queries|all|value",
    "calibration": "brier|all_queries|all|value",
    "confusion": "tp|all_queries|all|value",
    "tuned": "tpr@fpr=5%/tuned|all_queries|fold=0|value",
    "states": "n_neg|all_queries|all|value",
    "grid": "neg_rate@tau=0.1,0.8|tune_queries|fold=0|value",
    "per_post": "exact_match|posts|all|value",
    "per_criterion": "positive_rate|all_queries|criteria|macro",
}


def test_every_family_can_be_asked_for_alone(
    small_study: pl.DataFrame, small_settings: dict[str, Any]
) -> None:
    study = primary.read(small_study, small_settings)
    for family in KEY_OF:
        ledger = primary.evaluate(study, families=[family])
        assert [other for other, key in KEY_OF.items() if key in ledger] == [family]


def test_without_families_the_queries_are_counted() -> None:
    rows = pl.DataFrame(
        {"query_id": ["a", "b", "c"], "gold": [["x"], [], []], "pred": [1, 1, 0]},
    )
    assert primary.evaluate(rows, families=[]) == {
        "queries|positives_only|all|n": 1,
        "queries|all_queries|all|n": 3,
        "queries|predicted_positive|all|n": 2,
    }
    assert primary.evaluate(rows, families=["confusion"]).items() >= {
        ("queries|predicted_positive|all|n", 2),
    }


@pytest.mark.parametrize(
    ("compute", "columns", "needs"),
    [
        (
            binary.pairs,
            [["candidates"], ["scores"]],
            "pairs need candidates and scores",
        ),
        (
            lambda study, _: binary.tuned(study),
            [["prob"], ["tune"]],
            "tuned metrics need prob or score, and TUNE rows",
        ),
        (
            lambda study, _: dynamic_k.selection(study),
            [["selected"], ["gold"], ["pred", "prob"]],
            "dynamic-K needs selected, gold, and pred or prob",
        ),
        (
            gamma.ledger,
            [["candidates"], ["node_probs"], ["gold"]],
            "the γ sweep needs candidates, node_probs and gold",
        ),
        (
            lambda study, _: gamma._order(study),  # noqa: SLF001 - the guard itself
            [["candidates"], ["node_probs"]],
            "the γ sweep needs candidates and node_probs",
        ),
        (
            lambda study, _: find_hits(study.data),
            [["candidates"], ["gold"]],
            "ranking needs candidates and gold",
        ),
    ],
)
def test_a_family_answers_with_its_columns_and_names_them_where_one_lacks(
    compute: Callable[[Study, Hits], object],
    columns: list[list[str]],
    needs: str,
    small_study: pl.DataFrame,
) -> None:
    whole = primary.read(small_study)
    hits = find_hits(whole.data)
    assert compute(whole, hits) is not None
    for gone in columns:
        data = replace(whole.data, **dict.fromkeys(gone))
        with pytest.raises(LookupError) as caught:
            compute(Study(data, whole.settings), hits)
        assert caught.value.args == (needs,)


def test_one_batch_is_worked_on_where_it_is_asked_for_and_two_in_threads() -> None:
    def worker(_: int) -> int:
        return threading.get_ident()

    here = threading.get_ident()
    assert list(side_by_side(worker, [0])) == [here]
    assert here not in side_by_side(worker, [0, 1])
