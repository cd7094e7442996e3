"""Who is compared with whom."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from crosscheck import ablation
from crosscheck.data.case import Case
from crosscheck.errors import UserError
from crosscheck.witnesses import Silence

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    Settle = Callable[..., Any]


def asked(settled: ablation.Contest, gated: Collection[str]) -> tuple[Any, ...]:
    return ablation.questions(settled, gated).task.subjects


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
    cases = [one for one in asked(settle(), {"gated"}) if isinstance(one, Case)]
    assert [case.system for case in cases] == ["base", "better"]
    assert cases[0].owed == (
        "ndcg@10|positives_only|folds|mean",
        "ndcg@10|positives_only|folds|std",
        "recall@10|positives_only|folds|mean",
        "recall@10|positives_only|folds|std",
    )


def test_systems_that_are_gated_are_not_evaluated_again(settle: Settle) -> None:
    subjects = asked(settle(), {"base", "better", "gated"})
    assert subjects
    assert not any(isinstance(one, Case) for one in subjects)


def test_every_question_about_a_system_is_put_to_one_reading_of_it(settle: Settle) -> None:
    by_system: dict[str, list[Any]] = {}
    for one in asked(settle(), ()):
        cases = [one] if isinstance(one, Case) else [one.baseline, one.system]
        for case in cases:
            by_system.setdefault(case.system, []).append(case.settings)
    assert set(by_system) == {"base", "better", "gated"}
    for settings in by_system.values():
        assert len(settings) > 1
        assert all(one == settings[0] for one in settings)


def test_a_system_is_done_with_before_the_next(settle: Settle) -> None:
    names = [one.name for one in asked(settle("ndcg@10"), ())]
    assert names == ["base", "better against base", "better", "gated against base", "gated"]


def test_answers_about_two_systems_are_given_in_the_order_of_the_contest(settle: Settle) -> None:
    settled = settle("evidence_recall", "ndcg@10", baseline="gated")
    questions = ablation.questions(settled, ())
    questions.task.answers.extend(Silence(one.name) for one in questions.task.subjects)
    found = [(pairing.name, told) for pairing, told in questions.comparisons()]
    assert found == [(one.name, Silence(one.name)) for one in settled.pairings]
    assert [told.reason for _, told in questions.values()] == ["base", "better", "gated"]
