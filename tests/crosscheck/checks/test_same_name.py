"""Section 11.5: a metric that shows up twice agrees, or carries a label."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from crosscheck.checks import Evidence, Result, Statement, same_name
from crosscheck.claims import Claim, ClaimOutcome
from crosscheck.model.findings import finding

if TYPE_CHECKING:
    from collections.abc import Callable

    from crosscheck.data.case import Case

    Bare = Callable[..., Case]
    Said = Callable[..., Statement]

NOTHING = Result(0, (), "nothing of the kind in these data")


def facts(*criteria: str, folds: tuple[int, ...] = ()) -> dict[str, Any]:
    return {"criteria": list(criteria), "folds": list(folds)}


def key(part: str, metric: str = "auroc", population: str = "all_queries") -> str:
    return f"{metric}|{population}|{part}|value"


@pytest.mark.parametrize(
    ("known", "views", "part", "twin"),
    [
        (facts("a", "b"), {"every": ["a", "b", "c"]}, "view=every", "all"),
        (facts("a", "b"), {"some": ["b", "c"]}, "view=some", "criterion=b"),
        (facts("a|1", "b"), {"x|y": ["a|1"]}, "view=x%7Cy", "criterion=a%7C1"),
        (facts("a", "b"), {"x|y": ["a", "b"]}, "view=x%7Cy", "all"),
        (facts("a", "b", folds=(3,)), {}, "fold=3", "all"),
        (facts("a|1"), {}, "criterion=a%7C1", "all"),
    ],
)
def test_slices_of_the_same_rows_hold_the_same_number(
    bare: Bare, said: Said, *, known: Any, views: Any, part: str, twin: str
) -> None:
    case = bare(facts=known, settings={"views": views})
    ledger = {key(part): 0.5, key(twin): 0.75, key(part, "brier"): 0.5, key(twin, "mcc"): 0.5}
    evidence = Evidence(case, (said("primary", ledger, case),))
    told = finding(
        "XC701",
        f"primary: {key(part)} is 0.5, {key(twin)} is 0.75, over the same rows",
        system="study",
        key=key(part),
    )
    assert same_name.check(evidence) == Result(1, (told,))
    agreed = Evidence(case, (said("primary", ledger | {key(twin): 0.5}, case),))
    assert same_name.check(agreed) == Result(1, ())


@pytest.mark.parametrize(
    ("known", "views", "part"),
    [
        (facts("a", "b", "c"), {"some": ["a", "b"]}, "view=some"),
        (facts("a", "b"), {"none": ["c"]}, "view=none"),
        (facts("a", "b", folds=(0, 1)), {}, "fold=0"),
        (facts("a", "b"), {}, "criterion=a"),
    ],
)
def test_slices_of_other_rows_are_not_compared(
    bare: Bare, said: Said, *, known: Any, views: Any, part: str
) -> None:
    case = bare(facts=known, settings={"views": views})
    ledger = {key(part): 0.5, key("all"): 0.75, key("criterion=a"): 0.25}
    assert same_name.check(Evidence(case, (said("primary", ledger, case),))) == NOTHING


def test_no_views_are_needed(bare: Bare, said: Said) -> None:
    case = bare(facts=facts("a", "b"))
    assert same_name.check(Evidence(case, (said("primary", {key("all"): 0.5}, case),))) == NOTHING


def test_the_queries_of_a_criterion_have_two_names(bare: Bare, said: Said) -> None:
    case = bare(facts=facts("a", "b"))
    first, second = "n_queries|all_queries|criterion=a|value", "queries|all_queries|criterion=a|n"
    theirs = said("reference", {first: 3, second: 4}, case)
    evidence = Evidence(case, (said("primary", {first: 3, second: 3}, case), theirs))
    told = finding(
        "XC701",
        f"reference: {first} is 3, {second} is 4, over the same rows",
        system="study",
        key=first,
    )
    assert same_name.check(evidence) == Result(2, (told,))


def test_a_twin_that_is_missing_is_not_compared(bare: Bare, said: Said) -> None:
    case = bare(facts=facts("a", "b"))
    ledger = {"n_queries|all_queries|criterion=a|value": 3}
    assert same_name.check(Evidence(case, (said("primary", ledger, case),))) == NOTHING


def test_systems_must_agree_on_what_no_ranking_can_change(bare: Bare, said: Said) -> None:
    case = bare(facts=facts("a", "b"))
    ours = {
        "queries|positives_only|state=POS|n": 1,
        "queries|predicted_positive|all|n": 1,
        "auroc|all_queries|all|value": 0.5,
        "queries|all_queries|fold=0|n": 7,
        "queries|positives_only|all|n": 3,
        "queries|all_queries|all|n": 9,
    }
    theirs = dict.fromkeys(ours, 9)
    del theirs["queries|all_queries|fold=0|n"]
    other = Evidence(case, (said("primary", theirs, case),))
    evidence = Evidence(case, (said("primary", ours, case),), others={"b": other})
    told = finding(
        "XC702",
        "queries|positives_only|all|n is 3 for study and 9 for b",
        system="study",
        key="queries|positives_only|all|n",
    )
    assert same_name.check(evidence) == Result(2, (told,))


def claimed(place: str, printed: str, status: Any, about: str | None = "k|a|b|c") -> ClaimOutcome:
    claim = Claim("table.md", place, "AUROC", printed, "value")
    return ClaimOutcome(claim, status, "sentence", key=about)


def test_one_quantity_claimed_as_two_numbers_is_told(bare: Bare) -> None:
    outcomes = (
        claimed("row 1", "0.1", "unverified", None),
        claimed("row 2", "0.81", "holds"),
        claimed("row 3", "0.9", "holds", "other|a|b|c"),
        claimed("row 4", "0.82", "wrong"),
    )
    told = finding(
        "XC703",
        "k|a|b|c is claimed as 0.81 (table.md, row 2) and as 0.82 (table.md, row 4)",
        system="study",
        key="k|a|b|c",
        place="table.md, row 4",
    )
    evidence = Evidence(bare(facts=facts("a", "b")), (), claims=outcomes)
    assert same_name.check(evidence) == Result(3, (told,))


def test_claims_about_two_quantities_do_not_contradict_each_other(bare: Bare) -> None:
    outcomes = (claimed("row 1", "0.81", "holds"), claimed("row 2", "0.9", "wrong", "m|a|b|c"))
    evidence = Evidence(bare(facts=facts("a", "b")), (), claims=outcomes)
    assert same_name.check(evidence) == Result(2, ())


def test_the_order_of_a_true_and_a_false_claim_does_not_matter(bare: Bare) -> None:
    outcomes = (claimed("row 1", "0.82", "wrong"), claimed("row 2", "0.81", "holds"))
    evidence = Evidence(bare(facts=facts("a", "b")), (), claims=outcomes)
    [found] = same_name.check(evidence).findings
    assert found.place == "table.md, row 2"


def test_two_roundings_of_one_value_do_not_contradict_each_other(bare: Bare) -> None:
    outcomes = (claimed("row 1", "0.8", "holds"), claimed("row 2", "0.81", "holds"))
    evidence = Evidence(bare(facts=facts("a", "b")), (), claims=outcomes)
    assert same_name.check(evidence) == Result(2, ())


def test_findings_of_all_three_kinds_stand_together(bare: Bare, said: Said) -> None:
    case = bare(facts=facts("a"))
    count = "queries|all_queries|all|n"
    ledger = {key("criterion=a"): 0.5, key("all"): 0.75, count: 3}
    other = Evidence(case, (said("primary", {count: 4}, case),))
    evidence = Evidence(
        case,
        (said("primary", ledger, case),),
        others={"b": other},
        claims=(claimed("row 1", "0.8", "holds"), claimed("row 2", "0.9", "wrong")),
    )
    found = same_name.check(evidence)
    assert found.examined == 4
    assert [one.rule for one in found.findings] == ["XC701", "XC702", "XC703"]
