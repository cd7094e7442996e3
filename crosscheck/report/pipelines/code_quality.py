"""`codequality.json`: the findings as GitLab shows them beside the lines of a merge request."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

from crosscheck.report.formats import Format
from crosscheck.report.pipelines.sarif import fingerprint
from crosscheck.report.places import Places
from crosscheck.system import harmless

if TYPE_CHECKING:
    from crosscheck.model.findings import Finding
    from crosscheck.report.view import Report

NAME = "codequality.json"
_SEVERITIES = {"error": "critical", "drift": "minor", "advice": "info"}


def render(report: Report) -> str:
    """Write a list with one entry a finding; GitLab wants a line and a name of its own for each."""
    places, seen = Places(report), Counter[str]()
    entries = []
    for found in report.findings:
        spot = places.near(found)
        name = fingerprint(found, spot)
        seen[name] += 1
        entries.append(
            {
                "description": harmless(f"{found.rule} {found.message} Try: {found.remedy}"),
                "check_name": found.rule,
                "fingerprint": name if seen[name] == 1 else f"{name}-{seen[name]}",
                "severity": _severity(found),
                "location": {"path": spot.file, "lines": {"begin": max(1, spot.line)}},
            }
        )
    return json.dumps(entries, indent=2, ensure_ascii=False) + "\n"


def _severity(found: Finding) -> str:
    return "info" if found.waived is not None else _SEVERITIES[found.severity]


FORMAT = Format(NAME, lambda report, _: render(report))
