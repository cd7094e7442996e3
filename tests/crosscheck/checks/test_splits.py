"""Section 11.6: who shares posts with whom, and what thresholds came from."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest

from crosscheck.checks import Evidence, Result, splits
from crosscheck.config import DeclaredProfile
from crosscheck.model.findings import finding

if TYPE_CHECKING:
    from collections.abc import Callable

    from crosscheck.data.case import Case
    from crosscheck.model.findings import Finding

    CaseOf = Callable[..., Case]
    PrimarySays = Callable[..., Evidence]

NOTHING = Result(0, (), "no groups of rows, no folds and no declared pattern to look at")


def told(rule: str, message: str, **seen: Any) -> Finding:
    return finding(rule, message, system="study", **seen)


def row(post: str, **cells: Any) -> dict[str, Any]:
    return {"post_id": post, "criterion_id": "c", "has_evidence": 1, "prob": 0.5} | cells


def test_queries_without_posts_have_nothing_to_share(
    case_of: CaseOf, primary_says: PrimarySays
) -> None:
    rows = [
        {"query_id": str(n), "fold": n, "split": s, "has_evidence": 1, "prob": 0.5}
        for n in (0, 1)
        for s in ("EVAL", "TUNE")
    ]
    assert splits.check(primary_says(case_of(*rows))) == NOTHING


def test_posts_without_folds_or_splits_have_nothing_to_share(
    case_of: CaseOf, primary_says: PrimarySays
) -> None:
    rows = row("p"), row("p", criterion_id="d")
    assert splits.check(primary_says(case_of(*rows))) == NOTHING


def test_a_post_in_two_folds_is_told(case_of: CaseOf, primary_says: PrimarySays) -> None:
    rows = [row("p", fold=1), row("q", fold=0), row("p", fold=0), row("r", fold=0)]
    found = told("XC801", "post p has EVAL rows in folds 0, 1", place="post p")
    assert splits.check(primary_says(case_of(*rows))) == Result(3, (found,))


def test_a_post_may_be_tuned_on_in_one_fold_and_evaluated_in_another(
    case_of: CaseOf, primary_says: PrimarySays
) -> None:
    rows = [
        row("p", fold=0, split="EVAL"),
        row("p", fold=1, split="TUNE"),
        row("q", fold=1, split="EVAL"),
        row("q", fold=0, split="TUNE"),
    ]
    # Two posts looked for in two folds, and in two splits.
    assert splits.check(primary_says(case_of(*rows))) == Result(4, ())


def test_a_post_in_two_splits_of_a_fold_is_told(case_of: CaseOf, primary_says: PrimarySays) -> None:
    rows = [
        row("q", fold=0, split="TUNE"),
        row("q", fold=1, split="EVAL"),
        row("p", fold=1, split="TUNE"),
        row("p", fold=1, split="EVAL"),
        row("p", fold=0, split="TUNE"),
    ]
    found = told("XC802", "post p is in EVAL and TUNE of fold 1", place="post p")
    assert splits.check(primary_says(case_of(*rows))) == Result(4, (found,))


def test_without_folds_splits_are_those_of_all_rows(
    case_of: CaseOf, primary_says: PrimarySays
) -> None:
    rows = [row("p", split="EVAL"), row("p", split="TUNE"), row("q", split="EVAL")]
    found = told("XC802", "post p is in EVAL and TUNE", place="post p")
    assert splits.check(primary_says(case_of(*rows))) == Result(2, (found,))


def tune(fold: int, *rows: tuple[float, int]) -> list[dict[str, Any]]:
    """Give an EVAL row, and TUNE rows of these probabilities and labels."""
    made = [
        row(f"t{fold}{n}", fold=fold, split="TUNE", prob=prob, has_evidence=label)
        for n, (prob, label) in enumerate(rows)
    ]
    return [row(f"e{fold}", fold=fold, split="EVAL"), *made]


# fpr ≤ 50 %: one of the two negatives may pass. Fold 0: at 0.7 both positives do, for one
# negative; fold 1: at 0.4, with none; both together, of four negatives two may: at 0.4.
FIRST = tune(0, (0.9, 1), (0.8, 0), (0.7, 1), (0.6, 0))
SECOND = tune(1, (0.4, 1), (0.3, 0), (0.2, 0))
BOTH = [*FIRST, *SECOND]


def thresholds(found: Result) -> list[Finding]:
    return [one for one in found.findings if one.rule in {"XC803", "XC804"}]


@pytest.mark.parametrize("folds", [{0: "0.70", 1: "0.4"}, {"0": 0.7, "1": 0.4}])
def test_thresholds_that_tune_gives_pass_fold_by_fold(
    case_of: CaseOf, primary_says: PrimarySays, folds: dict[Any, Any]
) -> None:
    case = case_of(*BOTH, settings={})
    with_folds = case_with(case, {"threshold": folds})
    evidence = primary_says(with_folds, rule="fpr<=50%")
    assert thresholds(splits.check(evidence)) == []
    without = splits.check(primary_says(with_folds))
    assert splits.check(evidence).examined == without.examined + len(folds)


def case_with(case: Case, settings: dict[str, Any]) -> Case:
    from dataclasses import replace  # noqa: PLC0415 - only here

    return replace(case, settings=settings)


def test_a_threshold_that_tune_does_not_give_is_told(
    case_of: CaseOf, primary_says: PrimarySays
) -> None:
    case = case_with(case_of(*BOTH), {"threshold": {0: "0.7", 1: "0.30"}})
    message = "the threshold of fold 1 is configured as 0.30; fpr<=50% on 3 TUNE rows gives 0.4"
    found = told("XC803", message, values={"configured": 0.3, "TUNE": 0.4})
    assert thresholds(splits.check(primary_says(case, rule="fpr<=50%"))) == [found]


def test_one_threshold_is_chosen_on_all_tune_rows(
    case_of: CaseOf, primary_says: PrimarySays
) -> None:
    case = case_with(case_of(*BOTH), {"threshold": "0.4"})
    assert thresholds(splits.check(primary_says(case, rule="fpr<=50%"))) == []
    case = case_with(case, {"threshold": "0.7"})
    message = "the threshold is configured as 0.7; fpr<=50% on 7 TUNE rows gives 0.4"
    found = told("XC803", message, values={"configured": 0.7, "TUNE": 0.4})
    assert thresholds(splits.check(primary_says(case, rule="fpr<=50%"))) == [found]


def test_without_a_threshold_it_is_one_half(case_of: CaseOf, primary_says: PrimarySays) -> None:
    case = case_of(*tune(0, (0.5, 1), (0.25, 0)))
    assert thresholds(splits.check(primary_says(case, rule="fpr<=5%"))) == []


def test_a_threshold_that_never_fires_is_endless(
    case_of: CaseOf, primary_says: PrimarySays
) -> None:
    case = case_of(*tune(0, (0.9, 0), (0.5, 1)))
    message = "the threshold is configured as 0.5; fpr<=5% on 2 TUNE rows gives inf"
    found = told("XC803", message, values={"configured": 0.5, "TUNE": math.inf})
    assert thresholds(splits.check(primary_says(case, rule="fpr<=5%"))) == [found]


@pytest.mark.parametrize("rows", [[row("p", fold=0)], [row("p", fold=0, split="EVAL")]])
def test_a_rule_without_tune_rows_cannot_be_verified(
    case_of: CaseOf, primary_says: PrimarySays, rows: list[Any]
) -> None:
    message = (
        "the config states the rule fpr<=5% for the threshold, and the data have no TUNE rows "
        "with probabilities to apply it to"
    )
    found = splits.check(primary_says(case_of(*rows), rule="fpr<=5%"))
    assert thresholds(found) == [told("XC804", message)]


def test_a_rule_without_probabilities_cannot_be_verified(
    case_of: CaseOf, primary_says: PrimarySays
) -> None:
    rows = [row("p", split="EVAL", pred=1), row("t", split="TUNE", pred=1)]
    for one in rows:
        del one["prob"]
    found = splits.check(primary_says(case_of(*rows), rule="fpr<=5%"))
    assert [one.rule for one in thresholds(found)] == ["XC804"]
    # Two posts looked for in two splits, and the rule.
    assert found.examined == 3


@pytest.mark.parametrize(
    ("labels", "probs", "alpha", "threshold"),
    [
        ([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6], 50, 0.7),
        ([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6], 49, 0.9),
        ([1, 0, 0], [0.9, 0.8, 0.7], 100, 0.9),  # no more positives: the largest stays
        ([1, 1, 0, 1], [0.9, 0.5, 0.5, 0.5], 0, 0.9),  # ties pass together
        ([1, 1, 0, 1], [0.9, 0.5, 0.5, 0.5], 100, 0.5),
        ([1, 0], [0.5, 0.5], 99, math.inf),
        ([0, 0, 1], [0.9, 0.8, 0.7], 50, math.inf),  # nothing beyond the budget counts
    ],
)
def test_the_largest_threshold_of_the_largest_tpr_within_the_budget(
    labels: list[int], probs: list[float], alpha: int, threshold: float
) -> None:
    assert splits.choose([bool(one) for one in labels], probs, Fraction(alpha)) == threshold


def ids(*uids: str) -> dict[str, list[str]]:
    return {"candidates": list(uids), "gold": list(uids[:1])}


PATTERN = DeclaredProfile(uid_pattern="{post_id}_*", shared_candidates=True)


def test_ids_that_belong_to_their_post_pass_one_by_one(
    case_of: CaseOf, primary_says: PrimarySays
) -> None:
    case = case_of(row("p", **ids("p_1", "p_2")), row("q", **ids("q_1")))
    assert splits.check(primary_says(case, profile=PATTERN)) == Result(5, ())


def test_ids_of_another_post_are_told_by_query(case_of: CaseOf, primary_says: PrimarySays) -> None:
    case = case_of(row("p", **ids("p_1")), row("q", **ids("x_1", "q_1", "x_2")))
    place = "post q, criterion c"
    assert splits.check(primary_says(case, profile=PATTERN)) == Result(
        6,
        (
            told(
                "XC805",
                f"{place}: 2 of its candidates do not match {{post_id}}_*, first x_1",
                place=place,
            ),
            told(
                "XC806",
                f"{place}: 1 of its gold do not match {{post_id}}_*, first x_1",
                place=place,
            ),
        ),
    )


def test_gold_alone_is_looked_at_too(case_of: CaseOf, primary_says: PrimarySays) -> None:
    case = case_of(row("p", gold=["p_1", "x_1"]))
    found = splits.check(primary_says(case, profile=PATTERN))
    assert (found.examined, [one.rule for one in found.findings]) == (2, ["XC806"])


@pytest.mark.parametrize("profile", [None, DeclaredProfile(), DeclaredProfile(posts=1)])
def test_without_a_pattern_no_id_is_foreign(
    case_of: CaseOf, primary_says: PrimarySays, profile: DeclaredProfile | None
) -> None:
    case = case_of(row("p", **ids("x_1")))
    assert splits.check(primary_says(case, profile=profile)) == Result(1, ())


def test_a_pattern_needs_posts(case_of: CaseOf, primary_says: PrimarySays) -> None:
    case = case_of({"query_id": "1", **ids("x_1")})
    assert splits.check(primary_says(case, profile=PATTERN)) == NOTHING


@pytest.mark.parametrize(
    ("uid", "pattern", "post", "answer"),
    [
        ("p_1", "{post_id}_?", "p", True),
        ("q_1", "{post_id}_?", "p", False),
        ("p_1", "{post_id}_[2-9]", "p", False),
        ("sp_1", "s{post_id}_?", "p", True),
        ("xp_1", "s{post_id}_?", "p", False),
        ("p_{post_id}", "{post_id}_{post_id}", "p", True),  # only the first stands for the post
        ("p_p", "{post_id}_{post_id}", "p", False),
        ("sp_{post_id}", "s{post_id}_{post_id}", "p", True),
        ("sp_p", "s{post_id}_{post_id}", "p", False),
        ("P_1", "{post_id}_?", "p", False),
        ("ANY", "any", "p", False),
        ("s?1", "s{post_id}1", "?", True),
        ("sx1", "s{post_id}1", "?", False),
        ("s*1", "s{post_id}1", "*", True),
        ("sx1", "s{post_id}1", "*", False),
    ],
)
def test_patterns(uid: str, pattern: str, post: str, *, answer: bool) -> None:
    assert splits.belonging(pattern)(uid, post) is answer


@pytest.mark.parametrize(
    ("train", "tuned", "held", "far"),
    [
        (80, 10, 10, False),
        (95, 0, 5, False),  # 15 points from 80/10/10
        (96, 0, 4, True),
        (70, 30, 500, False),
        (55, 45, 500, False),  # 15 points from 70/30
        (54, 46, 500, True),
        (0, 50, 50, False),  # without TRAIN rows shares cannot be seen
    ],
)
def test_shares_far_from_those_of_the_documents_are_told(
    case_of: CaseOf, primary_says: PrimarySays, *, train: int, tuned: int, held: int, far: bool
) -> None:
    rows = {"EVAL": held, "TUNE": tuned, "TRAIN": train}
    case = case_of({"query_id": "1", "has_evidence": 1, "prob": 0.5}, facts={"rows": rows})
    message = f"the rows are split EVAL {held}, TUNE {tuned}, TRAIN {train}"
    found = splits.check(primary_says(case))
    if train:
        assert found == Result(1, (told("XC807", message),) if far else ())
    else:
        assert found == NOTHING


def listed(post: str, criterion: str, *uids: str, **cells: Any) -> dict[str, Any]:
    return row(post, criterion_id=criterion, candidates=list(uids), gold=[], **cells)


def test_criteria_of_a_post_with_different_candidates_are_advice(
    case_of: CaseOf, primary_says: PrimarySays
) -> None:
    case = case_of(
        listed("p", "c", "u", "v"),
        listed("p", "d", "v", "u"),
        listed("p", "e", "u", "v"),
        listed("q", "c", "u", "v"),
        listed("q", "d", "u"),
        listed("q", "e", "u"),
        listed("r", "c", "u", "v"),
        listed("r", "d", "u", "w"),
        listed("r", "e", "u", "w"),
    )
    message = "2 of 3 posts have criteria with different candidates, first post q"
    found = told("XC808", message, place="post q")
    for profile in (None, DeclaredProfile()):
        assert splits.check(primary_says(case, profile=profile)) == Result(3, (found,))
    declared = primary_says(case, profile=DeclaredProfile(shared_candidates=True))
    assert splits.check(declared) == NOTHING


def test_a_post_may_have_other_candidates_in_another_fold(
    case_of: CaseOf, primary_says: PrimarySays
) -> None:
    case = case_of(
        listed("p", "c", "u", fold=0), listed("p", "c", "v", fold=1), listed("q", "c", "w", fold=1)
    )
    assert splits.differing_candidate_sets(primary_says(case)) == (3, [])


@pytest.mark.parametrize(
    "cells",
    [
        {"query_id": "1", "candidates": ["u"], "gold": []},
        {"post_id": "p", "criterion_id": "c", "has_evidence": 1, "prob": 0.5},
    ],
)
def test_without_posts_or_candidates_no_sets_differ(
    case_of: CaseOf, primary_says: PrimarySays, cells: dict[str, Any]
) -> None:
    assert splits.differing_candidate_sets(primary_says(case_of(cells))) == (0, [])
