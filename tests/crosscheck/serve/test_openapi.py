"""The API against its own description, by schemathesis: whatever comes, no answer is a 500.

`EXAMPLES=400 make serve-fuzz` asks more.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from jsonschema import Draft202012Validator
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from .conftest import ANSWERS, IMPOSSIBLE

if TYPE_CHECKING:
    import httpx

    from .conftest import Server

EXAMPLES = int(os.environ.get("EXAMPLES", "3"))


CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]


@pytest.mark.parametrize("mode", list(GenerationMode))
def test_no_request_is_answered_by_a_500(mode: GenerationMode, server: Server) -> None:
    described = schemathesis.openapi.from_url(f"{server.address}/api/openapi.json")
    asked = set()
    for found in described.get_all_operations():
        operation = found.ok()

        @settings(
            max_examples=EXAMPLES,
            deadline=None,
            derandomize=True,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy(generation_mode=mode))
        def answered(case: Any) -> None:
            case.validate_response(case.call(timeout=600), checks=CHECKS)

        answered()
        asked.add(operation.path)
    assert asked == {"/api/audit", "/api/audit/document", "/api/gate", "/api/explain"}


def test_the_json_of_a_gate_is_the_reports(client: httpx.Client) -> None:
    files = {"data": ("answers.csv", ANSWERS), "claims": ("claims.json", '{"MRR": 0.5}')}
    form = {"settings": '{"witnesses": ["trec_eval"], "figures": false}'}
    answer = client.post("/api/gate", files=files, data=form)
    report = answer.json()
    from crosscheck.report.json import schema as described  # noqa: PLC0415 - here alone

    Draft202012Validator(described()).validate(report)
    assert report["provenance"]["command"] == [
        "crosscheck", "gate", "answers.csv", "--claims", "claims.json", "--witness", "trec_eval",
    ]  # fmt: skip
    assert (answer.status_code, report["verdict"]) == (200, "pass")


def test_an_audit_says_how_to_do_the_same(client: httpx.Client) -> None:
    asked = {"text": IMPOSSIBLE, "n": 140, "claims": {"exclude": ["table 9"]}}
    told = client.post("/api/audit", json=asked).json()
    assert told["audit"]["verdict"] == "impossible"
    assert told["command"] == "crosscheck claims table.md --n 140 --config crosscheck.toml"
    assert told["config"] == '[claims.tables]\nexclude = ["table 9"]\n'


def test_a_table_of_every_form_is_read(client: httpx.Client) -> None:
    cells = [["M", "P@1", "Hit@1"], ["A", "0.661", "0.650"]]
    forms = {
        "table.tsv": "\n".join("\t".join(row) for row in cells),
        "table.csv": "\n".join(",".join(row) for row in cells),
        "table.html": "<table>" + "".join(f"<tr><td>{'<td>'.join(row)}" for row in cells),
        "table.tex": "\\begin{tabular}{lrr}" + "\\\\".join(" & ".join(row) for row in cells)
        + "\\end{tabular}",
        "table.md": IMPOSSIBLE,
        "table.json": '{"P@1": 0.661, "Hit@1": 0.650}',
    }  # fmt: skip
    for name, text in forms.items():
        told = client.post("/api/audit", json={"text": text}).json()
        assert (told["audit"]["file"], told["audit"]["verdict"]) == (name, "impossible")


def test_a_metric_is_defined(client: httpx.Client) -> None:
    told = client.post("/api/explain", data={"question": "MRR"}).json()
    assert told["key"] == "mrr@all|positives_only|all|mean"
    assert told["page"][0]["block"] == "heading"
