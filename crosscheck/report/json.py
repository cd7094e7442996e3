"""`report.json`: the model written out, and the JSON Schema it keeps to.

The same report gives the same bytes: keys in the model's order, two spaces, no escapes beyond what
JSON asks for. `python -m crosscheck.report.json` rewrites the checked-in schema.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from crosscheck.errors import UserError
from crosscheck.limits import admit
from crosscheck.report.formats import Format
from crosscheck.report.names import REPORT
from crosscheck.report.view import SCHEMA_VERSION, Report
from crosscheck.system import harmless

if TYPE_CHECKING:
    from typing import Any

NAME = REPORT
SCHEMA_FILE = Path(__file__).parent / "report.schema.json"


def render(report: Report) -> str:
    """Write the report as JSON."""
    return _text(report.model_dump(mode="json"))


def schema() -> dict[str, Any]:
    """Derive the JSON Schema of `report.json` from the model."""
    found = Report.model_json_schema(mode="serialization")
    # A view goes by the name of what it shows: `WitnessView` is Witness here.
    found = json.loads(re.sub(r"\b([A-Z]\w+)View\b", r"\1", json.dumps(found)))
    found["$defs"] = dict(sorted(found["$defs"].items()))
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:metric-crosscheck:report:{SCHEMA_VERSION}",
        **found,
    }


def render_schema() -> str:
    """Write the schema as it is checked in."""
    return _text(schema())


def read(path: Path) -> Report:
    """Read a report back; says what is wrong with a file that is none."""
    file = path / NAME if path.is_dir() else path
    admit(file, "report")
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise UserError(
            f"{file}: cannot be read ({error.strerror}); expected the folder or the report.json "
            "that `crosscheck gate --out` wrote"
        ) from error
    except UnicodeDecodeError as error:
        raise UserError(f"{file}: is not UTF-8 text, so it is no report.json of ours") from error
    return parsed(text, file)


def parsed(text: str, file: Path) -> Report:
    """Read a report's text, which is that of a file."""
    _refuse_other_version(file, text)
    try:
        return Report.model_validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the file"
        raise UserError(
            f"{file}: is not a report of schema version {SCHEMA_VERSION}: {where}: "
            f"{first['msg']}{_others(error.error_count())}; write it again with "
            "`crosscheck gate`"
        ) from error


def _refuse_other_version(file: Path, text: str) -> None:
    """Say in one sentence that a report was written by another version of the program."""
    try:
        stated = json.loads(text)
        version = stated.get("schema_version") if isinstance(stated, dict) else None
    except (ValueError, RecursionError):
        return
    if isinstance(version, str) and version.isdecimal() and version != SCHEMA_VERSION:
        raise UserError(
            f"{file}: is a report of schema version {version[:9]}, and this program reads version "
            f"{SCHEMA_VERSION}; write it again with `crosscheck gate`, or use the program that "
            "wrote it"
        )


def _others(count: int) -> str:
    return f" (the first of {count} problems)" if count > 1 else ""


def _text(data: object) -> str:
    return harmless(json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False)) + "\n"


FORMAT = Format(NAME, lambda report, _: render(report))

if __name__ == "__main__":
    SCHEMA_FILE.write_text(render_schema(), encoding="utf-8", newline="\n")
