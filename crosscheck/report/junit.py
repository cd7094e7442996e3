"""`junit.xml`: one case per check group and per claim, for CI servers that read it.

A suite for what weakens the run, one a system, and one for findings that belong to no system. Not
a case per key: nobody reads eighteen thousand green lines.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from crosscheck.report import circumstances
from crosscheck.report.claimed import told_claims
from crosscheck.report.formats import Format
from crosscheck.system import harmless

if TYPE_CHECKING:
    from collections.abc import Iterable

    from crosscheck.model.findings import Check, Finding
    from crosscheck.report.view import ClaimView, Report, SystemView

NAME = "junit.xml"
_MOST = 20
"""Findings written out per failing case; the rest are counted."""

_NOT_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(report: Report) -> str:
    """Write the report as JUnit XML."""
    root = ET.Element("testsuites", name="crosscheck")
    _circumstances(root, report)
    for system in report.systems:
        own = [found for found in report.findings if found.system == system.name]
        _suite(root, system, own)
    loose = [found for found in report.findings if found.system is None]
    if loose:
        _loose(root, loose)
    totals = {
        name: sum(int(suite.get(name, "0")) for suite in root)
        for name in ("tests", "failures", "skipped")
    }
    for name, total in totals.items():
        root.set(name, str(total))
    root.set("errors", "0")
    ET.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _circumstances(root: ET.Element, report: Report) -> None:
    """Say first what the verdict is worth: as facts, and as text for those who show no facts."""
    suite = ET.SubElement(root, "testsuite", name=_text(circumstances.TITLE))
    facts = ET.SubElement(suite, "properties")
    for one in report.circumstances:
        about = f"[{one.system}] " if one.system else ""
        kind = f"{'weakens' if one.weakens else 'otherwise'}.{one.kind}"
        ET.SubElement(facts, "property", name=kind, value=_text(f"{about}{one.text}"))
    weak = circumstances.lines(report) or [circumstances.NOTHING]
    rest = circumstances.otherwise(report)
    case = _case(suite, "run", circumstances.TITLE)
    _output(case, "\n".join([*weak, *([f"Otherwise: {rest}"] if rest else [])]))
    _count(suite)


def _suite(root: ET.Element, system: SystemView, findings: list[Finding]) -> None:
    suite = ET.SubElement(root, "testsuite", name=_text(system.name))
    for check in system.checks:
        _check(suite, system, check, [found for found in findings if found.group == check.group])
    for claim in system.claims:
        _claim(suite, system, claim)
    counted = told_claims([system])
    if counted:
        _output(_case(suite, f"{system.name}.claims", "every number is accounted for"), counted)
    _count(suite)


def _check(suite: ET.Element, system: SystemView, check: Check, findings: list[Finding]) -> None:
    case = _case(suite, f"{system.name}.checks", f"{check.title} (contract {check.section})")
    if check.status == "skipped":
        ET.SubElement(case, "skipped", message=_text(check.reason or "not checked"))
    if check.status == "failed":
        failing = [found for found in findings if found.severity == "error" and not found.waived]
        _failure(case, f"{check.findings} findings", failing)
    _output(case, f"{check.examined} assertions made")


def _claim(suite: ET.Element, system: SystemView, claim: ClaimView) -> None:
    name = f"{claim.place}: {claim.label} = {claim.printed}"
    case = _case(suite, f"{system.name}.claims", name)
    if claim.status in {"unverified", "ignored"}:
        ET.SubElement(case, "skipped", message=_text(claim.sentence))
    if claim.status == "wrong":
        ET.SubElement(case, "failure", message=_text(claim.sentence), type="claim")


def _loose(root: ET.Element, findings: list[Finding]) -> None:
    suite = ET.SubElement(root, "testsuite", name="run")
    for group in dict.fromkeys(found.group for found in findings):
        own = [found for found in findings if found.group == group]
        case = _case(suite, "run.checks", group)
        failing = [found for found in own if found.severity == "error" and not found.waived]
        if failing:
            _failure(case, f"{len(failing)} findings", failing)
        else:
            _output(case, "\n".join(f"{found.rule} {found.message}" for found in own[:_MOST]))
    _count(suite)


def _case(suite: ET.Element, group: str, name: str) -> ET.Element:
    return ET.SubElement(suite, "testcase", classname=_text(group), name=_text(name))


def _failure(case: ET.Element, message: str, findings: list[Finding]) -> None:
    kind = findings[0].rule if findings else "check"
    failure = ET.SubElement(case, "failure", message=_text(message), type=kind)
    failure.text = _text("\n".join(_lines(findings)))


def _lines(findings: list[Finding]) -> Iterable[str]:
    for found in findings[:_MOST]:
        yield f"{found.rule} {found.message} Try: {found.remedy}"
    if len(findings) > _MOST:
        yield f"… and {len(findings) - _MOST} more, see report.json"


def _output(case: ET.Element, text: str) -> None:
    ET.SubElement(case, "system-out").text = _text(text)


def _count(suite: ET.Element) -> None:
    suite.set("tests", str(len(suite.findall("testcase"))))
    suite.set("failures", str(len(suite.findall("testcase/failure"))))
    suite.set("skipped", str(len(suite.findall("testcase/skipped"))))
    suite.set("errors", "0")


def _text(value: str) -> str:
    """Show as an escape what XML cannot hold or nobody sees: ids may contain any character."""
    return _NOT_XML.sub(lambda one: f"\\u{ord(one[0]):04x}", harmless(value))


FORMAT = Format(NAME, lambda report, _: render(report))
