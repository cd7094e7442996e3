"""Ranges (contract, section 11.1): every value of every witness is one that data can give."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crosscheck.checks import Evidence, Result, result
from crosscheck.contract import load
from crosscheck.model.findings import finding
from crosscheck.model.ledgers import EXACT

if TYPE_CHECKING:
    from crosscheck.contract import Range
    from crosscheck.model.findings import Finding


def check(evidence: Evidence) -> Result:
    """Look at every value of every ledger."""
    contract = load()
    ranges: dict[str, Range] = {}
    findings: dict[str, Finding] = {}
    examined = 0
    for one in evidence.statements:
        known = {*one.case.owed, *one.case.intervals}
        columns = one.case.facts.get("columns", {})
        scored = "prob" not in columns and "score" in columns
        for key, value in one.ledger.items():
            # What is not owed has no range: XC302 or XC306 lists it.
            if key not in known:
                continue
            if key not in ranges:
                ranges[key] = contract.range_of(key, scored=scored)
            examined += 1
            if key not in findings and not ranges[key].contains(value, slack=EXACT):
                findings[key] = finding(
                    "XC601",
                    f"{key}: {one.name} says {value:.10g}, possible is {ranges[key]}",
                    system=evidence.system,
                    key=key,
                    values={one.name: value} if value == value else {},  # noqa: PLR0124 - NaN
                )
    return result(examined, findings.values())
