"""What the checks are given, and what they give back."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from crosscheck.checks import Evidence, Result, Statement, result, shorten
from crosscheck.contract import instances
from crosscheck.data.case import Case
from crosscheck.model.findings import finding
from crosscheck.witnesses import Silence

if TYPE_CHECKING:
    from collections.abc import Callable

    Bare = Callable[..., Case]
    Said = Callable[..., Statement]

A, B = {"a|all_queries|all|value": 0.5}, {"b|all_queries|all|value": 0.5}
ROW = {"post_id": "p", "criterion_id": "c", "candidates": ["u"], "gold": ["u"], "prob": 0.5}


def test_who_saw_a_sample_is_named_so(bare: Bare, said: Said) -> None:
    assert said("primary", A, bare()).name == "primary"
    assert said("primary", A, bare(scope="1 in 2 posts")).name == "primary/sample"


def test_who_fell_silent_has_an_empty_ledger_and_no_facts(bare: Bare, said: Said) -> None:
    case = bare()
    spoke = said("primary", A, case, facts={"max_k": 3})
    assert (spoke.ledger, spoke.facts) == (A, {"max_k": 3})
    silent = Statement(spoke.witness, case, Silence("was asleep"))
    assert (silent.ledger, silent.facts) == ({}, {})
    assert said("mine", A, case).facts == {}


def test_implementations_are_those_that_answered(bare: Bare, said: Said) -> None:
    case = bare()
    ours, theirs = said("primary", A, case), said("reference", {}, case)
    evidence = Evidence(case, (theirs, ours, said("ranx", A, case, "library")))
    assert evidence.implementations == (ours,)
    assert (evidence.system, evidence.facts) == ("study", case.facts)


def test_the_ledger_is_the_first_one_over_all_rows(bare: Bare, said: Said) -> None:
    case = bare()
    sample = said("primary", A, bare(scope="1 in 2 posts"))
    assert Evidence(case, (sample, said("primary", B, case))).ledger == B
    assert Evidence(case, (sample,)).ledger == {}


def test_a_statement_is_found_by_its_name(bare: Bare, said: Said) -> None:
    case = bare()
    first, second = said("primary", A, case), said("reference", A, case)
    assert Evidence(case, (first, second)).statement("reference") is second


def test_tables_are_read_once_for_all_rows_and_once_for_a_sample(
    case_of: Bare, primary_says: Callable[..., Evidence]
) -> None:
    posts = [f"p{number}" for number in range(8)]
    rows = [ROW | {"post_id": post} for post in posts]
    case = case_of(*rows, settings={"columns": {"prob": "prob"}})
    sample = Case("study", case.data, {"sample": 2}, {}, (), scope="1 in 2 posts")
    evidence = primary_says(case)
    assert evidence.table_of(case)["post_id"].to_list() == posts
    assert 0 < evidence.table_of(sample).height < 8
    assert evidence.table_of(case) is evidence.table
    assert evidence.table_of(sample) is evidence.table_of(sample)


def test_rows_are_read_once_for_each_split(
    case_of: Bare, primary_says: Callable[..., Evidence]
) -> None:
    rows = [ROW | {"split": "EVAL", "fold": 0}, ROW | {"post_id": "t", "split": "TUNE", "fold": 0}]
    case = case_of(*rows, settings={"threshold": 0.25})
    evidence = primary_says(case)
    assert evidence.rows.frame["post_id"].to_list() == ["p"]
    assert evidence.rows.threshold.tolist() == [0.25]
    assert evidence.rows_of(case) is evidence.rows
    tune = evidence.rows_of(case, "TUNE")
    assert tune.frame["post_id"].to_list() == ["t"]
    assert evidence.rows_of(case, "TUNE") is tune


def test_rows_of_a_sample_are_not_those_of_all(
    case_of: Bare, primary_says: Callable[..., Evidence]
) -> None:
    case = case_of(*[ROW | {"post_id": f"p{number}"} for number in range(8)])
    sample = Case("study", case.data, {"sample": 2}, {}, (), scope="1 in 2 posts")
    evidence = primary_says(case)
    assert len(evidence.rows) == 8
    assert 0 < len(evidence.rows_of(sample)) < 8


def test_ledgers_of_the_same_keys_share_their_identities(bare: Bare, said: Said) -> None:
    keys = {"auroc/strict|all_queries|all|value": 0.5, "auroc|all_queries|all|value": 0.6}
    case = bare()
    ours, theirs = said("primary", keys, case), said("reference", dict(keys), case)
    evidence = Evidence(case, (ours, theirs))
    found = evidence.instances_of(ours)
    assert found == tuple(instances(keys))
    assert [one.identity.id for one in found] == ["auroc_ties"]
    assert evidence.instances_of(theirs) is found
    assert evidence.instances_of(said("other", A, case)) == ()


def test_what_is_prepared_is_not_read_again_by_evidence_that_grew(
    case_of: Bare, said: Said
) -> None:
    case = case_of(ROW)
    ours = said("primary", A, case)
    early = Evidence(case, (ours,))
    early.prepare()
    assert list(early.readings.rows) == [("", "EVAL")]
    assert list(early.readings.instances) == [frozenset(A)]
    grown = replace(early, statements=(ours, said("reference", A, case)))
    assert grown.rows is early.rows
    assert grown.instances_of(grown.statement("reference")) is early.instances_of(ours)


def test_per_query_values_are_the_primarys(
    bare: Bare, primary_says: Callable[..., Evidence], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []

    def per_query(case: Case) -> dict[str, list[float]]:
        asked.append(case)
        return {"hit@1": [1.0]}

    monkeypatch.setattr("crosscheck.witnesses.implementations.primary_per_query", per_query)
    case = bare()
    evidence = primary_says(case)
    assert evidence.per_query == {"hit@1": [1.0]}
    assert evidence.per_query is evidence.per_query
    assert asked == [case]


def test_a_check_that_looked_at_nothing_says_why() -> None:
    assert result(0, ()) == Result(0, (), "nothing of the kind in these data")
    assert result(0, (), "no claims were given") == Result(0, (), "no claims were given")


def test_a_check_that_looked_or_found_something_was_not_skipped() -> None:
    found = finding("XC992", "no key was answered by two witnesses")
    assert result(3, (), "no claims were given") == Result(3, (), None)
    assert result(0, [found], "no claims were given") == Result(0, (found,), None)


def findings(count: int, **seen: Any) -> list[Any]:
    return [finding("XC601", str(number), **seen) for number in range(count)]


def test_twenty_five_findings_of_a_rule_are_listed_singly() -> None:
    assert shorten(findings(25, system="a")) == findings(25, system="a")


@pytest.mark.parametrize(("count", "more"), [(26, "1"), (1030, "1,005")])
def test_of_more_findings_the_number_is_told(count: int, more: str) -> None:
    many = findings(count, system="a", waived="known")
    rest = f"and {more} more of the same; ledger.csv has every key"
    told = finding("XC601", rest, system="a", waived="known", stands_for=count - 25)
    assert shorten(many) == [*many[:25], told]


def test_claims_beyond_the_list_are_in_the_report_not_in_the_ledger() -> None:
    many = [finding("XC901", str(number), system="a") for number in range(27)]
    rest = "and 2 more of the same; the report lists every claim"
    assert shorten(many) == [*many[:25], finding("XC901", rest, system="a", stands_for=2)]


def test_one_finding_stands_alone() -> None:
    assert shorten(findings(1)) == findings(1)


def test_findings_are_counted_by_rule_system_and_waiver() -> None:
    groups = [
        *findings(20, system="a"),
        *findings(20, system="b"),
        *findings(20, system="a", waived="known"),
        *[finding("XC401", str(number), system="a") for number in range(20)],
    ]
    assert shorten(groups) == groups


def test_the_worst_findings_are_those_that_are_listed() -> None:
    small = finding("XC401", "small", difference=0.02)
    large = finding("XC401", "large", difference=0.5)
    none = finding("XC401", "none")
    assert shorten([none, small, large]) == [large, small, none]
