"""Sections 11.1 and 11.8: what a value may be, and what the documents hoped for."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from crosscheck.checks import Evidence, Result, Statement, ranges, targets
from crosscheck.model.findings import finding

if TYPE_CHECKING:
    from collections.abc import Callable

    from crosscheck.data.case import Case

    Bare = Callable[..., Case]
    Said = Callable[..., Statement]

AUROC = "auroc|all_queries|all|value"
BRIER = "brier|all_queries|all|value"
END = "auroc|all_queries|all|ci_low/post/percentile"


@pytest.fixture
def case(bare: Bare) -> Case:
    return bare(owed=(AUROC, BRIER), intervals=(END,))


def test_a_value_that_no_data_can_give_is_told_by_whoever_says_it_first(
    case: Case, said: Said
) -> None:
    evidence = Evidence(
        case,
        (
            said("primary", {AUROC: 0.5, BRIER: 0.1, END: 1.5}, case),
            said("ranx", {AUROC: 1.25, BRIER: 0.1}, case, "library"),
            said("mine", {AUROC: -2.0, BRIER: 0.1}, case, "user"),
        ),
    )
    assert ranges.check(evidence) == Result(
        7,
        (
            finding(
                "XC601",
                f"{END}: primary says 1.5, possible is [0, 1]",
                system="study",
                key=END,
                values={"primary": 1.5},
            ),
            finding(
                "XC601",
                f"{AUROC}: ranx says 1.25, possible is [0, 1]",
                system="study",
                key=AUROC,
                values={"ranx": 1.25},
            ),
        ),
    )


def test_what_is_not_owed_has_no_range(case: Case, said: Said) -> None:
    evidence = Evidence(case, (said("primary", {"x|y|z|n": 7.0, AUROC: 7.0}, case),))
    found = ranges.check(evidence)
    assert (found.examined, [one.key for one in found.findings]) == (1, [AUROC])


def test_rounding_of_1e_9_is_no_departure(case: Case, said: Said) -> None:
    near = Evidence(case, (said("primary", {AUROC: 1 + 9e-10}, case),))
    assert ranges.check(near) == Result(1, ())
    far = Evidence(case, (said("primary", {AUROC: 1 + 2e-9}, case),))
    assert [one.rule for one in ranges.check(far).findings] == ["XC601"]


def test_no_number_is_possible_nowhere(case: Case, said: Said) -> None:
    evidence = Evidence(case, (said("primary", {AUROC: math.nan}, case),))
    [found] = ranges.check(evidence).findings
    assert found.message == f"{AUROC}: primary says nan, possible is [0, 1]"
    assert found.values == {}


FACTS = {
    "families": ["curves", "calibration"],
    "queries": {"positives_only": 1, "predicted_positive": None},
    "folds": [0],
    "criteria": [],
    "columns": {"post_id": "post_id"},
    "max_k": None,
}


def test_a_target_that_is_not_met_is_told_over_all_rows_only(bare: Bare, said: Said) -> None:
    case = bare(facts=FACTS)
    ledger = {
        "auroc|all_queries|fold=0|value": 0.1,
        AUROC: 0.84996,
        "tpr@fpr=5%|all_queries|all|value": 0.1,
        BRIER: 0.09,
    }
    evidence = Evidence(case, (said("primary", ledger, case),))
    missed = finding("XC951", "auroc is 0.8500; S4 2.1 hopes for ≥ 0.85", system="study", key=AUROC)
    assert targets.check(evidence) == Result(2, (missed,))


def test_a_calibration_error_has_its_target_at_ten_bins(bare: Bare, said: Said) -> None:
    key = "ece@10|all_queries|all|value"
    case = bare(facts=FACTS, settings={"bins": [5, 10]})
    evidence = Evidence(case, (said("primary", {key: 0.06}, case),))
    missed = finding("XC951", "ece@10 is 0.0600; S4 2.4 hopes for < 0.05", system="study", key=key)
    assert targets.check(evidence) == Result(1, (missed,))


def test_without_a_headline_number_there_is_no_target(bare: Bare, said: Said) -> None:
    case = bare(facts=FACTS)
    evidence = Evidence(case, (said("primary", {}, case),))
    assert targets.check(evidence) == Result(0, (), "nothing of the kind in these data")


def test_the_targets_are_those_of_one_kind_of_study(bare: Bare, said: Said) -> None:
    case = bare(facts=FACTS | {"columns": {"query_id": "query_id"}})
    evidence = Evidence(case, (said("primary", {"auroc|all_queries|all|value": 0.1}, case),))
    assert targets.check(evidence).findings == ()
    assert "the study that the contract was written for" in str(targets.check(evidence).skipped)
