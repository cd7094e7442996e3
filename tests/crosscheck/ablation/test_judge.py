"""A comparison on which the implementations are not of one mind fails, and says where."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

import primary
from crosscheck import ablation
from crosscheck.errors import UserError
from crosscheck.witnesses import Silence
from crosscheck.witnesses.resampling import Replicate
from crosscheck.witnesses.run import hear

if TYPE_CHECKING:
    from collections.abc import Callable

    Settle = Callable[..., Any]

STEM = "ndcg@10|positives_only|folds"
NAME = "better against base"


@pytest.fixture
def heard(settle: Settle) -> Any:
    """Settle a comparison on two numbers, and ask everybody."""
    settled = settle("ndcg@10", "recall@10")
    asked = ablation.questions(settled, {"gated"})
    hear(asked.tasks, processes=False)
    return asked


@pytest.fixture
def conclude(heard: Any, cases: Any) -> Callable[..., Any]:
    """Conclude, with some answers replaced."""
    ledger = primary.evaluate(cases[2].data, cases[2].settings)

    def with_answers(**changed: Any) -> Any:
        about = {NAME: changed.get("comparisons"), "base": changed.get("values")}
        told = list(heard.task.heard())
        assert {one.name for one, _ in told} >= set(about)
        task = replace(
            heard.task,
            answers=[
                change(answer) if callable(change) else change or answer
                for change, answer in ((about.get(one.name), answer) for one, answer in told)
            ],
        )
        return ablation.conclude(replace(heard, task=task), {"gated": ledger})

    return with_answers


def rules(concluded: Any) -> set[str]:
    return {one.rule for one in concluded.findings}


def without(ledger: dict[str, float], key: str) -> dict[str, float]:
    return {name: value for name, value in ledger.items() if name != key}


def test_two_who_agree_leave_nothing_to_say(conclude: Any) -> None:
    concluded = conclude()
    assert concluded.findings == ()
    assert concluded.check.status == "passed"
    # Four numbers of two systems, two comparisons of twelve, two resamples and two permutations
    # of two numbers each.
    assert concluded.examined == 2 * 4 + 2 * (12 + 4 * 2)


@pytest.mark.parametrize(
    ("statistic", "rule"),
    [
        ("difference", "XC401"),
        ("difference_ci_low/post/percentile", "XC401"),
        ("p/permutation", "XC401"),
    ],
)
def test_another_number_of_the_reference(statistic: str, rule: str, conclude: Any) -> None:
    def wrong(answer: Any) -> Any:
        changed = answer.reference | {f"{STEM}|{statistic}": 0.9}
        return replace(answer, reference=changed)

    concluded = conclude(comparisons=wrong)
    assert rule in rules(concluded)
    assert concluded.check.status == "failed"
    found = next(one for one in concluded.findings if one.rule == rule)
    assert NAME in found.message
    assert found.key == f"{STEM}|{statistic}"


def test_a_small_drift_is_listed(conclude: Any) -> None:
    def drifting(answer: Any) -> Any:
        key = f"{STEM}|difference"
        return replace(answer, reference=answer.reference | {key: answer.checked[key] + 1e-6})

    concluded = conclude(comparisons=drifting)
    assert rules(concluded) == {"XC402"}
    assert concluded.check.status == "passed"


@pytest.mark.parametrize("side", ["checked", "reference"])
def test_a_number_that_one_side_lacks(side: str, conclude: Any) -> None:
    def lacking(answer: Any) -> Any:
        return replace(answer, **{side: without(getattr(answer, side), f"{STEM}|p/holm")})

    assert rules(conclude(comparisons=lacking)) == {"XC301"}


def test_a_number_that_nobody_asked_for(conclude: Any) -> None:
    def inventive(answer: Any) -> Any:
        return replace(answer, reference=answer.reference | {f"{STEM}|p/sign": 0.5})

    assert rules(conclude(comparisons=inventive)) == {"XC302"}


@pytest.mark.parametrize(("wrong", "rule"), [(True, "XC403"), (False, "XC402")])
def test_a_recomputed_resample(wrong: bool, rule: str, conclude: Any) -> None:
    one = Replicate("post", "permutation", f"{STEM}|mean", 7, 0.1, 0.2, wrong)
    concluded = conclude(comparisons=lambda answer: replace(answer, differing=(one,)))
    assert rules(concluded) == {rule}
    assert "permutation 7 by post: primary 0.1, reference 0.2" in concluded.findings[0].message


def test_a_difference_that_is_not_that_of_the_values(conclude: Any) -> None:
    def shifted(answer: Any) -> Any:
        key = f"{STEM}|difference"
        both = {key: answer.ledger[key] + 0.001}
        return replace(
            answer,
            ledger=answer.ledger | both,
            checked=answer.checked | both,
            reference=answer.reference | both,
        )

    assert rules(conclude(comparisons=shifted)) == {"XC621"}


def test_a_difference_that_cannot_be(conclude: Any) -> None:
    def impossible(answer: Any) -> Any:
        return replace(answer, ledger=answer.ledger | {f"{STEM}|p/permutation": 1.5})

    assert "XC601" in rules(conclude(comparisons=impossible))


def test_another_correction(conclude: Any) -> None:
    def uncorrected(answer: Any) -> Any:
        plain = {
            key.replace("p/permutation", "p/holm"): value / 2
            for key, value in answer.checked.items()
            if key.endswith("p/permutation")
        }
        return replace(answer, checked=answer.checked | plain, reference=answer.reference | plain)

    assert rules(conclude(comparisons=uncorrected)) == {"XC621"}


def test_a_comparison_that_fell_silent(conclude: Any) -> None:
    concluded = conclude(comparisons=Silence("out of memory"))
    assert rules(concluded) == {"XC991"}
    row = next(row for row in concluded.comparison.rows if row.system == "better")
    assert row.difference is None


def test_systems_over_other_queries_are_bad_input(conclude: Any) -> None:
    with pytest.raises(UserError, match="better against base: one query is missing"):
        conclude(comparisons=Silence("one query is missing", refused=True))


def test_a_value_of_a_system_that_is_not_gated(conclude: Any) -> None:
    def wrong(answer: Any) -> Any:
        return replace(answer, reference=answer.reference | {f"{STEM}|std": 0.9})

    concluded = conclude(values=wrong)
    assert rules(concluded) == {"XC401"}
    assert concluded.findings[0].system == "base"


def test_a_value_that_one_side_lacks(conclude: Any) -> None:
    def lacking(answer: Any) -> Any:
        return replace(answer, reference=without(answer.reference, f"{STEM}|std"))

    assert rules(conclude(values=lacking)) == {"XC301"}


def test_values_that_nobody_gave(conclude: Any) -> None:
    concluded = conclude(values=Silence("crashed"))
    assert rules(concluded) == {"XC991"}
    assert all(row.system != "base" for row in concluded.comparison.rows)


def test_what_was_recomputed_is_said(conclude: Any) -> None:
    assert conclude().statement.endswith(
        "of 40 recomputed exactly by the reference: 16 values; intervals and p-values derived by "
        "both"
    )


def test_a_table_without_a_comparison_is_skipped_and_never_passed(
    settle: Settle, cases: Any
) -> None:
    settled = settle("auroc", resamples=0)
    ledgers = {case.system: primary.evaluate(case.data, case.settings) for case in cases}
    check = ablation.conclude(ablation.questions(settled, ledgers), ledgers).check
    reason = "only gated has auroc|all_queries|folds|mean"
    assert (check.status, check.examined, check.reason) == ("skipped", 0, reason)


def test_a_table_with_a_comparison_passes_without_a_reason(conclude: Any) -> None:
    check = conclude().check
    assert (check.status, check.reason) == ("passed", None)
