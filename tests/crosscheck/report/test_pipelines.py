"""What CI servers, code hosts and READMEs read of a report."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import jsonschema
import pytest

from crosscheck.report import github
from crosscheck.report.pipelines import badges, code_quality, sarif

if TYPE_CHECKING:
    from collections.abc import Callable

    from crosscheck.report.view import Report

SCHEMA = Path(__file__).parent / "sarif" / "sarif-2.1.0.json"
WHERE = "paper/main.tex:12:8, table 1, row “nDCG@10”"


@pytest.fixture
def claimed(report: Report, make_report: Callable[..., Report]) -> Report:
    """A report with a wrong claim that stands in the twelfth line of a file."""
    [system, *rest] = report.systems
    place = {"place": WHERE, "file": "paper/main.tex", "line": 12, "column": 8}
    claims = [system.claims[0].model_copy(update=place | {"status": "wrong"})]
    found = report.findings[1].model_copy(update={"rule": "XC901", "place": WHERE})
    counts = {"claims": claims}
    return make_report(findings=[found], systems=[system.model_copy(update=counts), *rest])


def _results(report: Report) -> list[dict[str, Any]]:
    results: list[dict[str, Any]] = json.loads(sarif.render(report))["runs"][0]["results"]
    return results


def test_sarif_holds_to_its_schema(report: Report, claimed: Report) -> None:
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    for one in (report, claimed):
        jsonschema.validate(json.loads(sarif.render(one)), schema)


def test_the_schema_refuses_a_result_without_a_message(report: Report) -> None:
    broken = json.loads(sarif.render(report))
    del broken["runs"][0]["results"][0]["message"]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(broken, json.loads(SCHEMA.read_text(encoding="utf-8")))


def test_sarif_points_at_the_claim(claimed: Report) -> None:
    [result] = _results(claimed)
    assert result["locations"] == [
        {
            "physicalLocation": {
                "artifactLocation": {"uri": "paper/main.tex"},
                "region": {"startLine": 12, "startColumn": 8},
            }
        }
    ]


def test_a_waived_finding_is_suppressed_with_its_reason(report: Report) -> None:
    waived = [one for one in report.findings if one.waived is not None]
    told = [
        one["suppressions"][0]["justification"] for one in _results(report) if "suppressions" in one
    ]
    assert told == [one.waived for one in waived] != []


def test_every_result_names_a_rule_that_is_described(report: Report) -> None:
    run = json.loads(sarif.render(report))["runs"][0]
    rules = [one["id"] for one in run["tool"]["driver"]["rules"]]
    assert [rules[one["ruleIndex"]] for one in run["results"]] == [
        one.rule for one in report.findings
    ]


def test_an_annotation_stands_at_the_line_and_column_of_the_claim(claimed: Report) -> None:
    line = github.render(claimed).splitlines()[1]
    assert ",file=paper/main.tex,line=12,col=8::" in line


def test_code_quality_has_what_gitlab_asks_for(claimed: Report) -> None:
    [entry] = json.loads(code_quality.render(claimed))
    assert set(entry) == {"description", "check_name", "fingerprint", "severity", "location"}
    assert entry["severity"] == "critical"
    assert entry["location"] == {"path": "paper/main.tex", "lines": {"begin": 12}}


def test_no_two_findings_share_a_fingerprint(
    report: Report, make_report: Callable[..., Report]
) -> None:
    entries = json.loads(code_quality.render(make_report(findings=[report.findings[1]] * 3)))
    assert len({one["fingerprint"] for one in entries}) == 3


def test_a_fingerprint_does_not_depend_on_the_digits(
    report: Report, make_report: Callable[..., Report]
) -> None:
    found = report.findings[1]
    other = found.model_copy(update={"message": "printed as 0.6", "difference": 0.5})
    first, second = (_results(make_report(findings=[one]))[0] for one in (found, other))
    assert first["partialFingerprints"] == second["partialFingerprints"]


@pytest.mark.parametrize(
    ("verdict", "weak", "told"),
    [("pass", False, "pass"), ("pass", True, "pass, weakened"), ("fail", True, "fail")],
)
def test_a_badge_says_the_verdict_and_whether_it_is_weakened(
    report: Report, make_report: Callable[..., Report], verdict: str, weak: bool, told: str
) -> None:
    around = [one.model_copy(update={"weakens": weak}) for one in report.circumstances]
    one = make_report(verdict=verdict, circumstances=around, findings=[])
    assert badges.message(one).partition(":")[0] == told
    answer = json.loads(badges.endpoint(one))
    assert answer["schemaVersion"] == 1
    assert answer["message"] == badges.message(one)
    picture = ET.fromstring(badges.picture(one))  # noqa: S314 - our own text
    assert picture.get("aria-label") == f"crosscheck: {badges.message(one)}"
