"""The catalogue is complete: every trap, every rule that can fail, code for every entry."""

from __future__ import annotations

import re
import tomllib

import pytest

from crosscheck.contract import load
from crosscheck.diagnose.forensics import MOVED
from crosscheck.faults import breaches, claims, data, reports, witnesses
from crosscheck.faults.grounds import SETS, rows_of
from crosscheck.mistakes.catalogue import (
    BEYOND_RULES,
    FAMILIES,
    SEARCHED,
    faults,
    mistakes,
    searched,
)
from crosscheck.mistakes.formulas import FORMULAS
from crosscheck.model.findings import rules

EVERY = faults()
KNOWN = mistakes()
COMPUTED = {
    "ranking", "classification", "calibration", "selection", "labels", "field", "aggregation",
    "reading",
    "averages", "classes",
}  # fmt: skip
"""Families whose mistakes are computed from the data, whoever asks."""
THREAD = re.compile(r"[\w.-]+/[\w.-]+ \d+")
NAMED_SETS = tomllib.loads(SETS.read_text(encoding="utf-8"))


def test_there_are_at_least_eighty() -> None:
    assert len(EVERY) >= 80


@pytest.mark.parametrize("trap", [trap.id for trap in load().traps])
def test_every_trap_is_in_it(trap: str) -> None:
    assert [one.id for one in EVERY.values() if one.trap == trap] != []


def test_every_family_has_faults() -> None:
    assert {one.family for one in EVERY.values()} == set(FAMILIES)


def test_every_rule_named_exists() -> None:
    assert {one.rule for one in EVERY.values()} - set(rules()) - set(BEYOND_RULES) == set()


def test_only_errors_can_catch() -> None:
    named = {one.rule for one in EVERY.values()} - set(BEYOND_RULES)
    assert {rule for rule in named if rules()[rule].severity != "error"} == set()


def test_every_rule_that_is_an_error_has_a_fault() -> None:
    named = {one.rule for one in EVERY.values()}
    errors = {rule.id for rule in rules().values() if rule.severity == "error"}
    # They need a policy on figures, qrels and a run, scipy's resampling, several systems; the
    # checks' tests hold them.
    assert errors - named == {"XC013", "XC120", "XC121", "XC122", "XC125", "XC503", "XC702"}


def test_what_is_injected_and_what_is_searched_is_the_same_code() -> None:
    injected = {one.injected for one in EVERY.values() if one.family in {*COMPUTED, "shared"}}
    tried = {form for one in searched().values() for form in one.forms.values()}
    elsewhere = {one.id for one in searched().values() if one.family == SEARCHED}
    assert (injected | tried) - elsewhere == {*FORMULAS, *witnesses.LEDGERS}


def test_what_only_a_search_can_try_is_a_move_or_a_change_of_print() -> None:
    assert {one.id for one in KNOWN.values() if one.family == SEARCHED} == MOVED


def test_what_is_searched_has_a_title() -> None:
    assert [one.id for one in searched().values() if not one.title] == []


def test_every_mistake_has_a_user() -> None:
    assert [one.id for one in KNOWN.values() if not (one.rule or one.weight)] == []


def test_a_special_case_is_found_under_a_name_that_is_searched() -> None:
    assert {one.found_as for one in KNOWN.values() if one.found_as} <= set(searched())


def test_every_section_is_the_contracts() -> None:
    known = set(load().sections) | {"1", "10", "11"}
    assert {one.section.partition(".")[0] for one in KNOWN.values()} <= known


@pytest.mark.parametrize(
    ("family", "code"),
    [
        ("data", set(data.INJECT)),
        ("policy", set(breaches.INJECT)),
        ("claims", {*claims.INJECT, *claims.TABLES}),
        ("harness", {*witnesses.WITNESSES, *witnesses.INTERVALS, *reports.INJECT}),
    ],
)
def test_every_entry_has_code_and_all_code_an_entry(family: str, code: set[str]) -> None:
    assert {one.id for one in EVERY.values() if one.family == family} == code


def test_every_small_data_set_is_used_and_exists() -> None:
    used = {one.set for one in EVERY.values() if one.set}
    assert used == set(NAMED_SETS)


def test_faults_of_metric_code_name_their_data() -> None:
    tried = {*COMPUTED, "shared"}
    assert [one.id for one in EVERY.values() if (one.family in tried) != bool(one.set)] == []


@pytest.mark.parametrize("name", list(NAMED_SETS))
def test_a_small_data_set_is_small_and_rectangular(name: str) -> None:
    columns = NAMED_SETS[name]["columns"]
    assert len({len(values) for values in columns.values()}) == 1
    assert len(rows_of(columns)) <= 500


def test_threads_are_written_as_owner_repository_number() -> None:
    with_slash = [seen for one in KNOWN.values() for seen in one.seen if "/" in seen]
    assert [seen for seen in with_slash if not THREAD.fullmatch(seen)] == []


def test_a_bug_is_a_sentence() -> None:
    assert [one.id for one in KNOWN.values() if not one.bug.endswith(".")] == []


@pytest.mark.parametrize(
    ("name", "particulars", "told"),
    [
        ("map-by-k", "", "if MAP@K is divided by K"),
        ("recall-capped-at-k", "", "if recall@K is divided by min(|G|, K)"),
        ("free-without-gold", "", "if a query without gold earns 1"),
        ("prob-flipped", "", "if 1 − prob is taken for the probability"),
        ("other-bins", "15", "with 15 bins"),
        ("cutoff", "ndcg@5", "at ndcg@5"),
    ],
)
def test_an_explanation_completes_a_sentence(name: str, particulars: str, told: str) -> None:
    assert KNOWN[name].told(particulars) == told
