from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from crosscheck.report import junit

if TYPE_CHECKING:
    from collections.abc import Callable

    from crosscheck.report.view import Report


def parsed(report: Report) -> ET.Element:
    return ET.fromstring(junit.render(report).encode())  # noqa: S314 - our own output


def test_a_case_per_check_group_and_claim_and_none_per_key(report: Report) -> None:
    root = parsed(report)
    assert [suite.get("name") for suite in root] == ["What weakens this run", "full"]
    assert len(root.findall("testsuite/testcase")) == 7


def test_the_totals_are_those_of_the_cases(report: Report) -> None:
    root = parsed(report)
    totals = [root.get(name) for name in ("tests", "failures", "skipped", "errors")]
    assert totals == ["7", "2", "2", "0"]


def test_a_failed_group_says_what_and_what_to_try(report: Report) -> None:
    failure = parsed(report).find("testsuite/testcase/failure")
    assert failure is not None
    assert failure.get("type") == "XC401"
    assert "Try: Do what helps XC401." in (failure.text or "")


def test_waived_findings_and_advice_do_not_fail_a_case(report: Report) -> None:
    failure = parsed(report).find("testsuite/testcase/failure")
    assert failure is not None
    assert "XC402" not in (failure.text or "")
    assert "XC950" not in (failure.text or "")


def test_skipped_is_not_passed(report: Report) -> None:
    skipped = parsed(report).findall("testsuite/testcase/skipped")
    assert [each.get("message") for each in skipped] == ["there is one fold only", "no such metric"]


def test_findings_of_no_system_have_a_suite_of_their_own(
    report: Report, make_report: Callable[..., Report]
) -> None:
    loose = report.findings[1].model_copy(update={"system": None})
    root = parsed(make_report(findings=[loose]))
    assert [suite.get("name") for suite in root] == ["What weakens this run", "full", "run"]
    assert root.find("testsuite[@name='run']/testcase/failure") is not None


def test_characters_that_xml_cannot_hold_are_shown_as_escapes(
    report: Report, make_report: Callable[..., Report]
) -> None:
    bad = report.findings[1].model_copy(update={"message": "a\x00b\x1bc\ud800d"})
    failure = parsed(make_report(findings=[bad])).find("testsuite/testcase/failure")
    assert failure is not None
    assert r"a\u0000b\u001bc\ud800d" in (failure.text or "")
