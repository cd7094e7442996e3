"""Who is compared with whom."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from crosscheck import ablation
from crosscheck.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Callable

    Settle = Callable[..., Any]


def test_everybody_is_held_against_the_first(settle: Settle) -> None:
    found = settle("ndcg@10", "mrr")
    assert [one.name for one in found.pairings] == ["better against base", "gated against base"]
    assert {one.keys for one in found.pairings} == {
        ("ndcg@10|positives_only|folds|mean", "mrr@all|positives_only|folds|mean")
    }


def test_another_baseline_can_be_named(settle: Settle) -> None:
    found = settle("ndcg@10", baseline="better")
    assert [one.name for one in found.pairings] == ["base against better", "gated against better"]


def test_what_the_baseline_lacks_is_held_against_the_first_that_has_it(settle: Settle) -> None:
    found = settle("auroc")
    assert found.pairings == ()
    assert found.baseline_of(found.columns[0]) == "gated"


def test_a_number_of_one_system_alone_leaves_nothing_to_compare(settle: Settle) -> None:
    assert settle("auroc").apart == "only gated has auroc|all_queries|folds|mean"
    assert settle("auroc", "ndcg@10").apart == ""


def test_who_insists_on_a_comparison_is_told_that_there_is_none(settle: Settle) -> None:
    message = (
        "nothing to compare: only gated has auroc|all_queries|folds|mean. "
        "Name numbers that two systems have with --metric"
    )
    with pytest.raises(UserError) as caught:
        settle("auroc", insisted=True)
    assert str(caught.value) == message
    assert settle("ndcg@10", insisted=True).pairings


def test_a_baseline_that_is_not_there_is_refused(settle: Settle) -> None:
    with pytest.raises(UserError, match="no system “best” to compare with; there are base, better"):
        settle(baseline="best")


def test_one_system_cannot_be_compared(sources: Any, cases: Any) -> None:
    with pytest.raises(UserError, match="at least two systems"):
        ablation.contest(ablation.Wanted(sources[:1]), cases, seed=1)


def test_systems_that_are_not_gated_owe_what_the_table_prints(settle: Settle) -> None:
    cases = ablation.questions(settle(), {"gated"}).values.subjects
    assert [case.system for case in cases] == ["base", "better"]
    assert cases[0].owed == (
        "ndcg@10|positives_only|folds|mean",
        "ndcg@10|positives_only|folds|std",
        "recall@10|positives_only|folds|mean",
        "recall@10|positives_only|folds|std",
    )


def test_systems_that_are_gated_are_not_evaluated_again(settle: Settle) -> None:
    asked = ablation.questions(settle(), {"base", "better", "gated"})
    assert asked.comparisons.subjects
    assert asked.values.subjects == ()
