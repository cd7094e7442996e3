"""`report.sarif`: the findings as SARIF 2.1.0, for code scanning and editors that read it."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from crosscheck.report.formats import Format
from crosscheck.report.places import Places
from crosscheck.system import harmless

if TYPE_CHECKING:
    from crosscheck.model.findings import Finding
    from crosscheck.report.places import Spot
    from crosscheck.report.view import Report

NAME = "report.sarif"
VERSION = "2.1.0"
SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
PROGRAM = "metric-crosscheck"
_LEVELS = {"error": "error", "drift": "warning", "advice": "note"}


def render(report: Report) -> str:
    """Write one run with one result a finding; a waived one is there, and suppressed."""
    places = Places(report)
    cited = {found.rule: found for found in report.findings}
    order = {name: number for number, name in enumerate(cited)}
    run = {
        "tool": {
            "driver": {
                "name": PROGRAM,
                "version": report.provenance.versions.get(PROGRAM, "0"),
                "rules": [_rule(found) for found in cited.values()],
            }
        },
        "invocations": [
            {
                "executionSuccessful": True,
                "commandLine": " ".join(report.provenance.command),
                "exitCode": int(report.verdict == "fail"),
                "exitCodeDescription": harmless(report.summary),
            }
        ],
        "columnKind": "unicodeCodePoints",
        "results": [
            _result(found, order[found.rule], places.near(found)) for found in report.findings
        ],
    }
    whole = {"$schema": SCHEMA, "version": VERSION, "runs": [run]}
    return json.dumps(whole, indent=2, ensure_ascii=False) + "\n"


def _rule(found: Finding) -> dict[str, Any]:
    return {
        "id": found.rule,
        "shortDescription": {"text": found.title},
        "help": {"text": f"Section {found.section} of the contract. {found.remedy}"},
        "defaultConfiguration": {"level": _LEVELS[found.severity]},
    }


def _result(found: Finding, number: int, spot: Spot) -> dict[str, Any]:
    where: dict[str, Any] = {"artifactLocation": {"uri": _uri(spot.file)}}
    if spot.line:
        region = {"startLine": spot.line}
        where["region"] = region | ({"startColumn": spot.column} if spot.column else {})
    about = f"[{found.system}] " if found.system else ""
    told = {
        "ruleId": found.rule,
        "ruleIndex": number,
        "level": _LEVELS[found.severity],
        "message": {"text": harmless(f"{about}{found.message} Try: {found.remedy}")},
        "locations": [{"physicalLocation": where}],
        "partialFingerprints": {"crosscheck/v1": fingerprint(found, spot)},
    }
    if found.waived is not None:
        told["suppressions"] = [{"kind": "external", "justification": found.waived}]
    return told


def fingerprint(found: Finding, spot: Spot) -> str:
    """Name a finding so that the same one is known again in another run, whatever its digits."""
    told = "\0".join((found.rule, found.system or "", found.key or "", found.place or spot.file))
    return hashlib.sha256(told.encode("utf-8", "backslashreplace")).hexdigest()


def _uri(path: str) -> str:
    """Write a path as a URI: relative to the folder that the gate ran in, unless it is whole."""
    return f"file://{quote(path)}" if path.startswith("/") else quote(path)


FORMAT = Format(NAME, lambda report, _: render(report))
