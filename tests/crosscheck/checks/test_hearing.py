"""Silence, absence and emptiness never pass."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from crosscheck.checks import Evidence, Result, Statement, hearing
from crosscheck.model.findings import finding
from crosscheck.model.ledgers import compare
from crosscheck.witnesses import Silence

if TYPE_CHECKING:
    from collections.abc import Callable

    from crosscheck.data.case import Case
    from crosscheck.model.findings import Finding

    Bare = Callable[..., Case]
    Said = Callable[..., Statement]

KEY = "auroc|all_queries|all|value"


def heard(*statements: Statement, shared: tuple[str, ...] = ("primary", "reference")) -> Evidence:
    """Let the named two share a key."""
    pair = compare((shared[0], shared[1]), {KEY: 0.5}, {KEY: 0.5})
    return Evidence(statements[0].case, statements, (pair,))


def told(rule: str, message: str) -> Finding:
    return finding(rule, message, system="study")


def test_two_implementations_that_share_keys_pass(bare: Bare, said: Said) -> None:
    case = bare()
    both = said("primary", {KEY: 0.5}, case), said("reference", {KEY: 0.5}, case)
    assert hearing.check(heard(*both)) == Result(2, ())


def test_a_silent_witness_is_told_with_its_reason(bare: Bare, said: Said) -> None:
    case = bare()
    both = said("primary", {KEY: 0.5}, case), said("reference", {KEY: 0.5}, case)
    silent = Statement(said("ranx", {}, case, "library").witness, case, Silence("was asleep"))
    found = told("XC991", "ranx gave no answer: was asleep")
    assert hearing.check(heard(*both, silent)) == Result(3, (found,))


def test_a_refusal_is_told_elsewhere(bare: Bare, said: Said) -> None:
    case = bare()
    both = said("primary", {KEY: 0.5}, case), said("reference", {KEY: 0.5}, case)
    refused = Silence("row 3: no", refused=True)
    silent = Statement(said("ranx", {}, case, "library").witness, case, refused)
    assert hearing.check(heard(*both, silent)) == Result(3, ())


def test_an_implementation_that_was_not_asked_is_told(bare: Bare, said: Said) -> None:
    case = bare()
    evidence = heard(
        said("ranx", {KEY: 0.5}, case, "library"),
        said("scipy", {KEY: 0.5}, case, "library"),
        shared=("ranx", "scipy"),
    )
    missing = told("XC995", "primary was not asked"), told("XC995", "reference was not asked")
    assert hearing.check(evidence) == Result(2, missing)


def test_a_witness_that_shares_no_key_is_told(bare: Bare, said: Said) -> None:
    case = bare()
    evidence = heard(
        said("primary", {KEY: 0.5}, case),
        said("reference", {KEY: 0.5}, case),
        said("mine", {f"m{n}|own|key|here": 1.0 for n in range(1000)}, case, "user"),
    )
    alone = told("XC993", "mine answered 1,000 keys, none of which anybody else answers")
    assert hearing.check(evidence) == Result(3, (alone,))


def test_a_sample_of_which_no_library_says_anything_is_no_finding(bare: Bare, said: Said) -> None:
    case = bare()
    sample = replace(case, scope="1 in 2 queries")
    both = said("primary", {KEY: 0.5}, case), said("reference", {KEY: 0.5}, case)
    beside = said("primary", {KEY: 0.4}, sample)
    silent = said("ranx", {}, sample, "library")
    assert hearing.check(heard(*both, beside, silent)) == Result(4, ())
    speaking = said("ranx", {"own|key|is|here": 1.0}, sample, "library")
    assert {one.rule for one in hearing.check(heard(*both, beside, speaking)).findings} == {"XC993"}


def test_a_library_may_have_nothing_to_say_and_others_may_not(bare: Bare, said: Said) -> None:
    case = bare()
    evidence = heard(
        said("ranx", {}, case, "library"),
        said("primary", {KEY: 0.5}, case),
        said("reference", {KEY: 0.5}, case),
        said("mine", {}, case, "user"),
    )
    alone = told("XC993", "mine answered 0 keys, none of which anybody else answers")
    assert hearing.check(evidence) == Result(4, (alone,))


def test_a_pair_that_shares_nothing_is_no_company(bare: Bare, said: Said) -> None:
    case = bare()
    both = said("primary", {KEY: 0.5}, case), said("reference", {"x|y|z|n": 1}, case)
    pair = compare(("primary", "reference"), both[0].ledger, both[1].ledger)
    assert hearing.check(Evidence(case, both, (pair,))) == Result(
        2,
        (
            told("XC993", "primary answered 1 keys, none of which anybody else answers"),
            told("XC993", "reference answered 1 keys, none of which anybody else answers"),
            told("XC992", "no key was answered by two witnesses"),
        ),
    )


def test_on_a_sample_the_primary_may_stand_alone_over_all_rows(bare: Bare, said: Said) -> None:
    case, sample = bare(), bare(scope="1 in 2 posts")
    evidence = heard(
        said("primary", {KEY: 0.5}, case),
        said("primary", {KEY: 0.5}, sample),
        said("reference", {KEY: 0.5}, sample),
        shared=("primary/sample", "reference/sample"),
    )
    assert hearing.check(evidence) == Result(3, ())


def test_on_a_sample_nobody_else_may_stand_alone(bare: Bare, said: Said) -> None:
    case, sample = bare(), bare(scope="1 in 2 posts")
    evidence = heard(
        said("primary", {KEY: 0.5}, case),
        said("ranx", {KEY: 0.5}, case, "library"),
        said("primary", {KEY: 0.5}, sample),
        said("reference", {KEY: 0.5}, sample),
        shared=("primary", "reference/sample"),
    )
    assert hearing.check(evidence).findings == (
        told("XC993", "ranx answered 1 keys, none of which anybody else answers"),
        told("XC993", "primary/sample answered 1 keys, none of which anybody else answers"),
    )
