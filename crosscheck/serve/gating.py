"""The tasks behind *Data and claims*: what files are recognised as, and the gate itself."""

from __future__ import annotations

import zipfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crosscheck.answers.outline import outline
from crosscheck.claims import examine, helped
from crosscheck.claims.author import help_of
from crosscheck.config.systems import refuse_missing
from crosscheck.contract import load
from crosscheck.data.case import make_case
from crosscheck.data.looks import ROWS, columns_of, known_as, lists_of
from crosscheck.errors import UserError
from crosscheck.figures.studio import Studio
from crosscheck.gate import run
from crosscheck.gate.progress import Clock
from crosscheck.gate.request import prepare
from crosscheck.report import json as report_json
from crosscheck.report import publish
from crosscheck.report.assemble import report_of
from crosscheck.serve.explaining import write_config
from crosscheck.serve.settings import DataSettings, as_toml, config_of
from crosscheck.serve.view import render
from crosscheck.witnesses.workers import Workers

if TYPE_CHECKING:
    from collections.abc import Callable

    from crosscheck.gate import Request
    from crosscheck.model.options import Options

OUT = "report"
ARCHIVE = "report.zip"
FIRST = 5
"""Rows and lines that are shown of a file."""
WIDEST = 120
"""Characters of a cell."""


def look(task: dict[str, Any], _: Callable[[str], None]) -> str:
    """Show what each file was recognised as, its first rows, and how its columns are read."""
    settings = DataSettings.model_validate(task["settings"])
    files: dict[str, str] = task["files"]
    write_config(settings)
    seen = {role: _seen(Path(name)) for role, name in files.items() if role != "claims"}
    facts, problem = None, ""
    columns: dict[str, Any] = {}
    if "data" in files or "run" in files:
        facts, problem = _facts(settings.options(files))
        columns = seen["data"]["columns"] if "data" in seen and "qrels" not in files else {}
    proposed = _rankings(files, columns, facts)
    if "rankings" not in settings.model_fields_set:
        settings = settings.model_copy(update={"rankings": proposed})
    claimed, unclaimed = _claimed(files, settings) if "claims" in files else (None, "")
    return render(
        "look.html",
        files=files,
        seen=seen,
        facts=facts,
        problem=problem,
        columns=columns,
        read={**(facts["columns"] if facts else {}), **settings.columns},
        contract=_columns(),
        rankings=proposed,
        chosen={column: name for name, column in settings.rankings.items()},
        settings=settings,
        claimed=claimed,
        unclaimed=unclaimed,
        command=settings.gate(files),
        config=as_toml(settings),
    )


def _seen(path: Path) -> dict[str, Any]:
    """Look at a file's first rows, or lines."""
    columns = columns_of(path, ROWS) if known_as(path) == "a table" else {}
    shown = {name: [_brief(one) for one in held[:FIRST]] for name, held in columns.items()}
    lines = [] if columns else _lines(path)
    return {"kind": known_as(path), "columns": columns, "shown": shown, "lines": lines}


def _lines(path: Path) -> list[str]:
    with path.open("rb") as file:
        start = file.read(FIRST * WIDEST * 4)
    try:
        text = start.decode("utf-8", "ignore" if len(start) == FIRST * WIDEST * 4 else "strict")
    except UnicodeDecodeError:
        return []
    return [_brief(line) for line in text.splitlines()[:FIRST]]


def _brief(value: object) -> str:
    text = "" if value is None else str(value)
    return text if len(text) <= WIDEST else f"{text[:WIDEST]} …"


def _facts(options: Options) -> tuple[dict[str, Any] | None, str]:
    """Describe the data as the gate would; or say what is wrong with them, in its words."""
    try:
        with prepare(options, search=False) as request:
            refuse_missing(request.sources)
            case = make_case(request.sources[0], request.sources[0].settings, wants_intervals=False)
    except UserError as error:
        return None, str(error)
    return case.facts, ""


def _columns() -> list[str]:
    return [one.name for one in load().columns]


def _rankings(
    files: dict[str, str], columns: dict[str, Any], facts: dict[str, Any] | None
) -> dict[str, str]:
    """Propose a system for each of several rankings in one table, by the names of its columns."""
    if facts is None or "candidates" not in facts["columns"]:
        return {}
    rows = columns_of(Path(files["data"]), 500)
    others = {column for name, column in facts["columns"].items() if name != "candidates"}
    found = [name for name in lists_of(rows) if name in columns and name not in others]
    if len(found) < 2 or facts["columns"]["candidates"] not in found:  # noqa: PLR2004 - several
        return {}
    return {_called(name): name for name in found}


def _called(column: str) -> str:
    for end in ("_topk", "_ids", "_candidates", "_ranking", "_results"):
        if column.endswith(end) and column != end:
            return column.removesuffix(end)
    return column


def _claimed(files: dict[str, str], settings: DataSettings) -> tuple[Any, str]:
    """Say how the claims were read."""
    try:
        reading = examine(files["claims"])
        return outline(reading, helped(reading.claims, help_of(config_of(settings)))), ""
    except UserError as error:
        return None, str(error)


def gate(task: dict[str, Any], say: Callable[[str], None]) -> dict[str, Any]:
    """Gate the files; the report lies in the folder beside them when it is done."""
    settings = DataSettings.model_validate(task["settings"])
    write_config(settings)
    options = settings.options(task["files"])
    with (
        publish.aside(Path(OUT)) as folder,
        Workers() as workers,
        prepare(options, search=False) as request,
    ):
        studio = Studio(workers, draws=settings.figures)
        asked = replace(request, undrawn=studio.undrawn)
        outcome = run(asked, progress=_progress(request, say), onlooker=studio)
        report = report_of(outcome)
        say("writing the report")
        report = publish.write(outcome, folder, studio.galleries(outcome.comparison), report)
    if task["api"]:
        return {"json": report_json.render(report)}
    _pack(Path(OUT), settings)
    claims = [claim for system in report.systems for claim in system.claims]
    return {
        "verdict": report.verdict,
        "summary": report.summary,
        "claims": len(claims),
        "holding": sum(claim.status == "holds" for claim in claims),
        "command": settings.gate(task["files"]),
    }


def _progress(request: Request, say: Callable[[str], None]) -> Callable[..., None]:
    clock = Clock(several=request.ablation is not None)

    def told(*event: Any) -> None:  # noqa: ANN401 - as witnesses tell it
        for line in clock.lines(*event):
            say(line)

    return told


def _pack(folder: Path, settings: DataSettings) -> None:
    """Put the report and the config into one archive, for whoever wants to keep them."""
    with zipfile.ZipFile(ARCHIVE, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                archive.write(path, f"{OUT}/{path.relative_to(folder).as_posix()}")
        text = as_toml(settings)
        if text:
            archive.writestr("crosscheck.toml", text)
