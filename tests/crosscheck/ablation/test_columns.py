"""Which numbers stand in the table."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from crosscheck.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Callable

    Settle = Callable[..., Any]


def keys(settled: Any) -> list[str]:
    return [column.key for column in settled.columns]


def test_the_table_of_s4_is_the_default(settle: Settle) -> None:
    assert keys(settle()) == [
        "ndcg@10|positives_only|folds|mean",
        "auroc|all_queries|folds|mean",
        "recall@10|positives_only|folds|mean",
        "evidence_recall|positives_only|folds|mean",
        "alert_precision|all_queries|folds|mean",
    ]


@pytest.mark.parametrize(
    ("written", "key"),
    [
        ("MRR", "mrr@all|positives_only|folds|mean"),
        ("ndcg@5", "ndcg@5|positives_only|folds|mean"),
        ("ndcg@5|all_queries", "ndcg@5|all_queries|folds|mean"),
        ("ndcg@5|positives_only|criterion=A.1", "ndcg@5|positives_only|criterion=A.1|mean"),
        ("ndcg@5|positives_only|all|median", "ndcg@5|positives_only|all|median"),
        ("Hamming Score", "hamming_score|posts|folds|mean"),
    ],
)
def test_a_number_as_it_is_written(written: str, key: str, settle: Settle) -> None:
    assert keys(settle(written)) == [key]


def test_a_count_is_not_averaged_over_folds(settle: Settle) -> None:
    assert keys(settle("tp")) == ["tp|all_queries|all|value"]


@pytest.mark.parametrize("written", ["ndcg@1", "k|all_queries", "auroc/strict"])
def test_what_is_no_headline_has_no_test(written: str, settle: Settle) -> None:
    (column,) = settle(written).columns
    assert not column.tested


def test_every_headline_metric_can_be_asked_for_at_once(settle: Settle) -> None:
    found = settle("headline").columns
    assert len(found) > 40
    assert all(column.tested and "|folds|" in column.key for column in found)


def test_a_slice_can_be_asked_for(settle: Settle) -> None:
    assert keys(settle("auroc", "ndcg@10", part="criterion=A.2")) == [
        "auroc|all_queries|criterion=A.2|value",
        "ndcg@10|positives_only|criterion=A.2|mean",
    ]


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("Evidence Recall@10", "did you mean recall@10 or recall@10/retrieved?"),
        ("nDGC@10", "no metric of the contract is called that"),
        ("a|b|c|d|e", "expected a name, or metric|population|slice|statistic"),
        ("ndcg@7", "no system has ndcg@7"),
    ],
)
def test_what_cannot_be_read_is_said(written: str, said: str, settle: Settle) -> None:
    with pytest.raises(UserError, match=re.escape(said)):
        settle(written)


def test_a_slice_that_nobody_has_is_said(settle: Settle) -> None:
    with pytest.raises(UserError, match=r"on the slice criterion=A\.9"):
        settle("auroc", part="criterion=A.9")
