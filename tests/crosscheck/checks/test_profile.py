"""Section 1: numbers that a study states about its own data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from crosscheck.checks import Evidence, Result, profile
from crosscheck.config import DeclaredProfile
from crosscheck.model.findings import finding

if TYPE_CHECKING:
    from collections.abc import Callable

    from crosscheck.data.case import Case

    CaseOf = Callable[..., Case]
    PrimarySays = Callable[..., Evidence]

VIEW = "queries|all_queries|view=x%7Cy|n"


def row(post: str, criterion: str, fold: int, label: int, size: int) -> dict[str, Any]:
    return {
        "post_id": post,
        "criterion_id": criterion,
        "fold": fold,
        "has_evidence": label,
        "candidates": [f"{post}{number}" for number in range(size)],
        "prob": 0.5,
    }


@pytest.fixture
def case(case_of: CaseOf) -> Case:
    """Give three posts in two folds, two criteria each; one query of six has evidence."""
    return case_of(
        row("p", "b", 1, 0, 2),
        row("p", "a", 1, 0, 2),
        row("q", "b", 0, 0, 1),
        row("q", "a", 0, 0, 1),
        row("r", "b", 1, 0, 3),
        row("r", "a", 1, 1, 3),
    )


TRUE = {
    "posts": 3,
    "queries": 6,
    "with_evidence": 1,
    "without_evidence": 5,
    "criteria": ["a", "b"],
    "posts_per_fold": [1, 2],
    "queries_per_fold": [2, 4],
    "mean_candidates": [2, 2],
    "view_queries": {"x|y": 3},
    "shared_candidates": True,
}


def checked(says: PrimarySays, case: Case, **declared: Any) -> Result:
    return profile.check(says(case, {VIEW: 3}, profile=DeclaredProfile(**declared)))


def test_without_a_profile_nothing_is_asserted(case: Case, primary_says: PrimarySays) -> None:
    assert profile.check(primary_says(case)) == Result(0, (), "no profile is declared")
    assert checked(primary_says, case) == Result(0, (), "the profile declares no numbers")


def test_a_true_profile_passes_number_by_number(case: Case, primary_says: PrimarySays) -> None:
    assert checked(primary_says, case, **TRUE) == Result(10, ())


@pytest.mark.parametrize(
    ("name", "declared", "rule", "what", "shown"),
    [
        ("posts", 4, "XC201", "posts", "4, the data have 3"),
        ("criteria", ["c", "a"], "XC202", "criteria", "a, c, the data have a, b"),
        ("queries", 7, "XC203", "queries", "7, the data have 6"),
        ("with_evidence", 2, "XC204", "queries with evidence", "2, the data have 1"),
        ("without_evidence", 4, "XC204", "queries without evidence", "4, the data have 5"),
        ("posts_per_fold", [2, 1], "XC205", "posts per fold", "2, 1, the data have 1, 2"),
        ("queries_per_fold", [4, 2], "XC205", "queries per fold", "4, 2, the data have 2, 4"),
        ("view_queries", {"x|y": 4}, "XC207", "queries of view x|y", "4, the data have 3"),
        ("view_queries", {"z": 4}, "XC207", "queries of view z", "4, the data have none"),
    ],
)
def test_a_declared_number_that_the_data_do_not_have_is_told(
    case: Case,
    primary_says: PrimarySays,
    name: str,
    declared: Any,
    *,
    rule: str,
    what: str,
    shown: str,
) -> None:
    told = finding(rule, f"{what}: the profile declares {shown}", system="study")
    assert checked(primary_says, case, **{name: declared}) == Result(1, (told,))


def test_data_without_folds_posts_or_labels_do_not_have_what_is_declared(
    case_of: CaseOf, primary_says: PrimarySays
) -> None:
    case = case_of({"query_id": "1", "pred": 1, "candidates": [], "selected": []})
    found = checked(
        primary_says, case, posts=1, without_evidence=1, posts_per_fold=[1], queries_per_fold=[1]
    )
    assert [one.message for one in found.findings] == [
        "posts: the profile declares 1, the data have none",
        "queries without evidence: the profile declares 1, the data have none",
        "posts per fold: the profile declares 1, the data have none",
        "queries per fold: the profile declares 1, the data have none",
    ]


def test_folds_without_posts_are_counted_by_query(
    case_of: CaseOf, primary_says: PrimarySays
) -> None:
    rows = [{"query_id": str(n), "fold": n % 2, "has_evidence": 1, "prob": 0.5} for n in range(3)]
    assert checked(primary_says, case_of(*rows), queries_per_fold=[2, 1]) == Result(1, ())


@pytest.mark.parametrize("span", [[2, 3], [1, 2], [2, 2]])
def test_the_ends_of_the_span_of_candidates_belong_to_it(
    case: Case, primary_says: PrimarySays, span: list[int]
) -> None:
    assert checked(primary_says, case, mean_candidates=span) == Result(1, ())


@pytest.mark.parametrize("span", [[3, 4], [0, 1]])
def test_a_mean_outside_the_declared_span_is_told(
    case: Case, primary_says: PrimarySays, span: list[int]
) -> None:
    low, high = DeclaredProfile(mean_candidates=span).mean_candidates or ()
    message = f"a query has 2.00 candidates on average; the profile declares {low} to {high}"
    told = finding("XC206", message, system="study")
    assert checked(primary_says, case, mean_candidates=span) == Result(1, (told,))


def test_what_is_declared_about_candidates_needs_candidates(
    case_of: CaseOf, primary_says: PrimarySays
) -> None:
    case = case_of({"query_id": "1", "has_evidence": 1, "prob": 0.5})
    found = checked(primary_says, case, mean_candidates=[1, 2], shared_candidates=True)
    assert found == Result(
        2,
        (
            finding(
                "XC206",
                "the data have no candidates; the profile declares 1 to 2",
                system="study",
            ),
            finding(
                "XC208",
                "the data have no candidates by post and criterion; the profile declares that "
                "the criteria of a post share theirs",
                system="study",
            ),
        ),
    )


def test_criteria_that_should_share_their_candidates_are_told(
    case_of: CaseOf, primary_says: PrimarySays
) -> None:
    rows = [row("p", "a", 0, 0, 2), row("p", "b", 0, 0, 2)]
    rows += [row("q", "a", 0, 0, 2), row("q", "b", 0, 0, 1)]
    rows += [row("r", "a", 0, 0, 2), row("r", "b", 0, 0, 1)]
    told = finding(
        "XC208",
        "2 of 3 posts have criteria with different candidates, first post q",
        system="study",
        place="post q",
    )
    found = checked(primary_says, case_of(*rows), shared_candidates=True)
    assert found == Result(1, (told,))
