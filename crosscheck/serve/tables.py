"""The task behind *Table*: a document read, audited, and laid out cell by cell."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import Field

from crosscheck.answers.audited import Audited, Given, as_data, examined
from crosscheck.answers.outline import Outline
from crosscheck.answers.sheets import Sheet, Sheets, sheets
from crosscheck.claims.author import help_of
from crosscheck.model.frozen import Model
from crosscheck.serve.settings import TableSettings, as_toml, config_of
from crosscheck.serve.view import render

if TYPE_CHECKING:
    from collections.abc import Callable

    from crosscheck.answers.audited import Examined

MOST_CELLS = 4_000
"""Cells that the page lays out; the API and the command have them all."""
MOST_FINDINGS = 50


class AuditAnswer(Model):
    """What `/api/audit` answers: the audit, how the document was read, and how to do the same."""

    audit: Audited
    reading: Outline
    cells: Sheets
    command: str = Field(description="The command line that does the same")
    config: str = Field(description="The crosscheck.toml that it names; empty where none is needed")


def audit(task: dict[str, Any], _: Callable[[str], None]) -> str:
    """Audit a document: a part of the page, or JSON."""
    settings = TableSettings.model_validate(task["settings"])
    file = task["files"]["claims"]
    given = Given(
        help_of(config_of(settings)), settings.n, settings.folds, tuple(settings.fold_sizes)
    )
    one = examined(Path(file), given)
    answer = AuditAnswer(
        audit=as_data(one),
        reading=one.outline,
        cells=sheets(one),
        command=settings.command(file),
        config=as_toml(settings),
    )
    return answer.model_dump_json() if task["api"] else _shown(one, answer, settings)


def _shown(one: Examined, answer: AuditAnswer, settings: TableSettings) -> str:
    cells = answer.cells
    shown, left = _fitting(cells.sheets)
    parts = {part.name: part for part in answer.reading.parts}
    used = {at for sheet in shown for row in sheet.rows for cell in row for at in cell.numbers}
    return render(
        "audit.html",
        one=answer,
        reader=one.reading.reader,
        shown=[(sheet, parts.get(sheet.name)) for sheet in shown],
        left=left,
        numbers={at: cells.numbers[at] for at in sorted(used)},
        settings=settings,
        ignored={each.pattern for each in settings.claims.ignore},
        most=MOST_FINDINGS,
    )


def _fitting(every: list[Sheet]) -> tuple[list[Sheet], int]:
    """Choose what the page has room for, and count the cells that it leaves out."""
    room, shown, left = MOST_CELLS, [], 0
    for sheet in every:
        rows = []
        for row in sheet.rows:
            if len(row) <= room:
                room -= len(row)
                rows.append(row)
            else:
                left += len(row)
        if rows:
            shown.append(sheet.model_copy(update={"rows": rows}))
    return shown, left
