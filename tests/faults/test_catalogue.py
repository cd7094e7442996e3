"""The catalogue is complete: every trap, every rule that can fail, code for every entry."""

from __future__ import annotations

import re
import tomllib

import pytest

from crosscheck.contract import load
from crosscheck.faults import claims, data, inputs, reports, witnesses
from crosscheck.faults.catalogue import BEYOND_RULES, FAMILIES, FOLDER, SETS, faults
from crosscheck.faults.grounds import rows_of
from crosscheck.faults.trial import FORMULAS
from crosscheck.findings import rules

EVERY = faults()
METRIC_CODE = {"ranking", "classification", "calibration", "selection", "labels", "aggregation"}
THREAD = re.compile(r"[\w.-]+/[\w.-]+ \d+")
NAMED_SETS = tomllib.loads((FOLDER / f"{SETS}.toml").read_text(encoding="utf-8"))


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
    # These two need several systems, and scipy's own resampling; the tests of the checks hold them.
    assert errors - named == {"XC503", "XC702"}


def test_metric_code_is_injected_by_code_of_the_same_name() -> None:
    named = {one.injected for one in EVERY.values() if one.family in {*METRIC_CODE, "shared"}}
    assert named == set(FORMULAS)


@pytest.mark.parametrize(
    ("family", "code"),
    [
        ("reading", set(inputs.INJECT)),
        ("data", set(data.INJECT)),
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
    tried = {*METRIC_CODE, "reading", "shared"}
    assert [one.id for one in EVERY.values() if (one.family in tried) != bool(one.set)] == []


@pytest.mark.parametrize("name", list(NAMED_SETS))
def test_a_small_data_set_is_small_and_rectangular(name: str) -> None:
    columns = NAMED_SETS[name]["columns"]
    assert len({len(values) for values in columns.values()}) == 1
    assert len(rows_of(columns)) <= 500


def test_threads_are_written_as_owner_repository_number() -> None:
    with_slash = [seen for one in EVERY.values() for seen in one.seen if "/" in seen]
    assert [seen for seen in with_slash if not THREAD.fullmatch(seen)] == []


def test_a_bug_is_a_sentence() -> None:
    assert [one.id for one in EVERY.values() if not one.bug.endswith(".")] == []
