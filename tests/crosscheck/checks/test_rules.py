"""The rules themselves: numbered by group, each with a remedy, each seen in a test."""

from __future__ import annotations

import re
from pathlib import Path

from crosscheck.audit.verdicts import rules as audit_rules
from crosscheck.checks.groups import GROUPS
from crosscheck.model.findings import cases, rules

HERE = Path(__file__).parent


def test_every_rule_is_seen_in_a_test() -> None:
    seen = set()
    for path in HERE.glob("test_*.py"):
        seen |= set(re.findall(r"XC\d{3}", path.read_text(encoding="utf-8")))
    assert set(rules()) - seen == set()


def test_every_rule_belongs_to_a_group_that_is_checked() -> None:
    assert {rule.group for rule in rules().values()} == {group.name for group in GROUPS}


def test_every_rule_says_what_to_try() -> None:
    for rule in rules().values():
        assert rule.remedy.endswith(".")
        assert len(rule.remedy) > 30
        assert not rule.title.endswith(".")
        assert re.match(r"\d", rule.section)


def test_rules_stand_in_the_order_of_their_numbers() -> None:
    assert list(rules()) == sorted(rules())


def test_what_happened_is_a_case_that_is_cited_and_every_case_has_its_rule() -> None:
    named = {
        case for rule in (*rules().values(), *audit_rules().values()) for case in rule.happened
    }
    assert named == set(cases())
    assert [
        one.id for one in cases().values() if not re.fullmatch(r"[\w.-]+/[\w.-]+", one.where)
    ] == []
