"""Section 13: every owed key answered, none invented, each of its type."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pytest

from crosscheck.checks import Evidence, Result, Statement, coverage
from crosscheck.model.findings import finding

if TYPE_CHECKING:
    from collections.abc import Callable

    from crosscheck.data.case import Case
    from crosscheck.model.findings import Finding

    Bare = Callable[..., Case]
    Said = Callable[..., Statement]

COUNT = "queries|all_queries|all|n"
AUROC = "auroc|all_queries|all|value"
END = "auroc|all_queries|all|ci_low/post/percentile"
NOTHING = {
    "families": (),
    "queries": {"positives_only": 1, "predicted_positive": None},
    "folds": [],
    "criteria": [],
    "max_k": None,
}


@pytest.fixture
def case(bare: Bare) -> Case:
    return bare(owed=(COUNT, AUROC), intervals=(END,), facts=NOTHING)


def told(rule: str, message: str, key: str) -> Finding:
    return finding(rule, message, system="study", key=key)


def test_counts_are_integers_and_all_else_is_float(case: Case) -> None:
    assert coverage.expected_types(case) == {COUNT: "int", AUROC: "float", END: "float"}


def test_an_answer_to_every_owed_key_passes(case: Case, said: Said) -> None:
    full = {COUNT: 3, AUROC: 0.5, END: 0.4}
    both = said("primary", full, case), said("reference", full, case)
    assert coverage.check(Evidence(case, both)) == Result(6, ())


@pytest.mark.parametrize(
    ("change", "rule", "message", "key"),
    [
        ({AUROC: None}, "XC301", f"primary does not answer {AUROC}", AUROC),
        ({"x|y|z|n": 0.5}, "XC302", "primary answers x|y|z|n, which is not owed", "x|y|z|n"),
        ({COUNT: 3.0}, "XC303", f"primary answers {COUNT} with float 3.0: expected int", COUNT),
        ({AUROC: 1}, "XC303", f"primary answers {AUROC} with int 1: expected float", AUROC),
        ({AUROC: math.nan}, "XC304", f"primary answers {AUROC} with nan", AUROC),
        ({AUROC: math.inf}, "XC304", f"primary answers {AUROC} with inf", AUROC),
    ],
)
def test_an_answer_that_departs_from_what_is_owed_is_told(
    case: Case, said: Said, *, change: dict[str, Any], rule: str, message: str, key: str
) -> None:
    ledger = {COUNT: 3, AUROC: 0.5, END: 0.4} | change
    given = {name: value for name, value in ledger.items() if value is not None}
    evidence = Evidence(case, (said("primary", given, case),))
    assert coverage.check(evidence) == Result(3, (told(rule, message, key),))


def test_only_a_threshold_may_be_endless_and_only_upwards(bare: Bare, said: Said) -> None:
    key = "threshold@fpr=5%|all_queries|all|value"
    case = bare(owed=(key,), facts=NOTHING)
    above = Evidence(case, (said("primary", {key: math.inf}, case),))
    assert coverage.check(above) == Result(1, ())
    below = Evidence(case, (said("primary", {key: -math.inf}, case),))
    found = told("XC304", f"primary answers {key} with -inf", key)
    assert coverage.check(below) == Result(1, (found,))


def test_keys_of_a_users_witness_that_are_not_owed_are_told_together(
    case: Case, said: Said
) -> None:
    ledger = {AUROC: math.nan} | {f"m{n}|own|key|here": 1.0 for n in range(1000)}
    evidence = Evidence(case, (said("mine", ledger, case, "user"),))
    message = "mine answers 1,000 keys that are not owed, such as m0|own|key|here"
    assert coverage.check(evidence) == Result(
        1001,
        (
            told("XC306", message, "m0|own|key|here"),
            told("XC304", f"mine answers {AUROC} with nan", AUROC),
        ),
    )


def test_a_users_witness_need_not_answer_everything(case: Case, said: Said) -> None:
    ours = said("primary", {COUNT: 3, AUROC: 0.5, END: 0.4}, case)
    evidence = Evidence(case, (ours, said("mine", {AUROC: 0.5}, case, "user")))
    assert coverage.check(evidence) == Result(4, ())


def test_a_library_is_not_asked_for_its_keys(case: Case, said: Said) -> None:
    evidence = Evidence(case, (said("ranx", {"x|y|z|n": math.nan}, case, "library"),))
    assert coverage.check(evidence) == Result(0, (), "nothing of the kind in these data")


@pytest.fixture
def ranked(bare: Bare) -> Case:
    """Give a case whose only headline numbers are those of section 3, at K = 10 and all."""
    facts = NOTHING | {"families": ["ranking"]}
    return bare(facts=facts, settings={"k": [10]})


HEADLINE = [
    f"{metric}|positives_only|all|mean"
    for metric in ("recall@10", "precision@10", "hit@10", "mrr@10", "mrr@all", "map@10", "ndcg@10")
]


def test_headline_numbers_that_nobody_outside_was_heard_about(ranked: Case, said: Said) -> None:
    ours = said("primary", dict.fromkeys(HEADLINE, 0.5), ranked)
    outside = said("ranx", dict.fromkeys(HEADLINE[:3], 0.5), ranked, "library")
    user = said("mine", {HEADLINE[6]: 0.5}, ranked, "user")
    evidence = Evidence(ranked, (ours, outside, user))
    assert coverage.uncovered_headline(evidence) == HEADLINE[3:6]


def test_headline_numbers_that_a_library_defines_are_told(ranked: Case, said: Said) -> None:
    evidence = Evidence(
        ranked, (said("ranx", dict.fromkeys(HEADLINE[1:], 0.5), ranked, "library"),)
    )
    message = (
        "1 headline numbers were verified by the two implementations alone although a library "
        f"defines them, such as {HEADLINE[0]} (ranx, trec_eval)"
    )
    assert coverage.check(evidence) == Result(0, (told("XC305", message, HEADLINE[0]),))


def test_the_libraries_of_a_key_are_witnesses_that_share_its_definition() -> None:
    assert coverage.libraries("ndcg@10|positives_only|all|mean") == ["ranx", "trec_eval"]
    assert coverage.libraries("alert_precision|all_queries|all|value") == ["scikit-learn"]
    assert coverage.libraries("alert_rate_per_1000|all_queries|all|value") == []
    assert coverage.libraries("map@10|positives_only|all|mean") == []


def test_nobody_is_told_to_ask_libraries_that_were_asked(ranked: Case, said: Said) -> None:
    both = tuple(said(name, {}, ranked, "library") for name in ("ranx", "trec_eval"))
    assert coverage.uncovered_headline(Evidence(ranked, both)) == HEADLINE
    assert coverage.check(Evidence(ranked, both)).findings == ()
