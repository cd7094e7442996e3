from __future__ import annotations

import json as standard
import math
from typing import TYPE_CHECKING

import jsonschema
import pytest

from crosscheck.errors import UserError
from crosscheck.report import json

if TYPE_CHECKING:
    from pathlib import Path

    from crosscheck.report.view import Report


def test_the_checked_in_schema_is_the_models() -> None:
    assert json.SCHEMA_FILE.read_text(encoding="utf-8") == json.render_schema()


def test_a_report_keeps_to_the_schema(report: Report) -> None:
    schema = standard.loads(json.SCHEMA_FILE.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(standard.loads(json.render(report)), schema)


def test_the_schema_refuses_what_is_no_report(report: Report) -> None:
    data = standard.loads(json.render(report)) | {"verdict": "maybe"}
    schema = standard.loads(json.SCHEMA_FILE.read_text(encoding="utf-8"))
    with pytest.raises(jsonschema.ValidationError, match="maybe"):
        jsonschema.validate(data, schema)


def test_reading_gives_back_what_was_written(report: Report, tmp_path: Path) -> None:
    (tmp_path / "report.json").write_text(json.render(report), encoding="utf-8")
    assert json.read(tmp_path) == report
    assert json.read(tmp_path / "report.json") == report


def test_infinity_and_integers_survive(report: Report, tmp_path: Path) -> None:
    (tmp_path / "report.json").write_text(json.render(report), encoding="utf-8")
    values = json.read(tmp_path).findings[1].values
    assert values["reference"] == math.inf
    assert type(values["counted"]) is int


def test_the_same_report_gives_the_same_bytes(report: Report) -> None:
    assert json.render(report) == json.render(report.model_copy(deep=True))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "cannot be read"),
        (b"{", "is not a report of schema version 3"),
        (b'{"verdict": "pass"}', "summary: Field required"),
        (b"\xff\xfe", "is not UTF-8 text"),
    ],
)
def test_a_file_that_is_no_report_is_refused_with_its_reason(
    content: bytes | None, said: str, tmp_path: Path
) -> None:
    if content is not None:
        (tmp_path / "report.json").write_bytes(content)
    with pytest.raises(UserError, match=said):
        json.read(tmp_path)


def test_a_report_of_another_version_is_refused_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "report.json").write_text('{"schema_version": "2", "verdict": "pass"}')
    with pytest.raises(UserError, match="schema version 2, and this program reads version 3") as it:
        json.read(tmp_path)
    assert "\n" not in str(it.value)
