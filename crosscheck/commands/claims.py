"""`crosscheck claims FILE`: can this published table be true? No data needed."""

from __future__ import annotations

import json
import shutil
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from crosscheck import config as configs
from crosscheck.audit import audit
from crosscheck.claims import examine, helped, read
from crosscheck.commands import understood
from crosscheck.errors import FAILED, PASS
from crosscheck.gate.stated import help_of
from crosscheck.system import say

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crosscheck.audit import Audit
    from crosscheck.audit.verdicts import TableFinding
    from crosscheck.claims import Help

_WIDTH = 96
_SHOWN = 10


def _sizes(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> tuple[int, ...]:
    """Read `295,295,297`."""
    del context
    if not value:
        return ()
    parts = [part.strip() for part in value.split(",")]
    if not all(part.isdigit() and int(part) for part in parts):
        raise click.BadParameter("expected fold sizes such as 295,295,297", param=parameter)
    return tuple(int(part) for part in parts)


@click.command("claims")
@click.argument("files", metavar="FILE", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--n", type=click.IntRange(1), help="How many queries stand behind the means.")
@click.option("--folds", type=click.IntRange(2), help="How many folds stand behind mean ± std.")
@click.option("--fold-sizes", callback=_sizes, help="Queries of each fold, such as 295,295,297.")
@click.option("--strict", is_flag=True, help="Fail on advice too, such as cells of several runs.")
@click.option(
    "--explain-reading", is_flag=True, help="Show each table as it was understood; audit nothing."
)
@click.option(
    "--config",
    "config_file",
    type=click.Path(path_type=Path),
    help="The config whose [claims] and [definitions] help to read the files.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the whole audit as JSON.")
def command(
    files: tuple[Path, ...],
    n: int | None,
    folds: int | None,
    fold_sizes: tuple[int, ...],
    config_file: Path | None,
    *,
    strict: bool,
    explain_reading: bool,
    as_json: bool,
) -> int:
    """Audit published tables (JSON, CSV, Markdown, LaTeX) by their own digits.

    Every check works on the values that round to what is printed, so a correct table raises no
    alarm. Exit code 1 if a table cannot be true, or if nothing in it could be checked.
    """
    given = help_of(configs.read(config_file))
    if explain_reading:
        return _explain(files, given)
    audits = {}
    for path in files:
        stated = helped(read(path), given)
        claims = [
            claim
            for claim in stated
            if claim.number is not None
            and not claim.prose
            and not claim.passed
            and not claim.rivals
        ]
        audits[path] = audit(claims, n=n, folds=folds, fold_sizes=fold_sizes)
    if as_json:
        say(json.dumps([_as_data(path, one) for path, one in audits.items()], indent=2))
    else:
        for path, one in audits.items():
            for line in _lines(path, one):
                say(line)
    failed = any(not one.possible or (strict and one.findings) for one in audits.values())
    return FAILED if failed else PASS


def _explain(files: tuple[Path, ...], given: Help) -> int:
    """Show how each file was understood; what was not is no failure here."""
    for path in files:
        reading = examine(path)
        for line in understood.lines(reading, helped(reading.claims, given)):
            click.echo(line)
    return PASS


def _lines(path: Path, one: Audit) -> Iterator[str]:
    """Write an audit for people."""
    yield click.style(f"{path}: {_verdict(one)}", bold=True)
    yield (
        f"{len(one.claims)} numbers: {len(one.checked)} checked, "
        f"{len(one.violated)} in contradiction, {len(one.unverifiable)} not checkable"
    )
    for found in one.findings:
        yield ""
        yield from _finding(found)
    if one.notes:
        yield ""
        for note in one.notes:
            yield from _wrapped(note, "· ")
    if one.unverifiable:
        yield ""
        yield "Not checkable, which is not the same as consistent:"
        for claim, reason in one.unverifiable[:_SHOWN]:
            yield from _wrapped(f"{claim.place}: {claim.printed}: {reason}", "  – ")
        if len(one.unverifiable) > _SHOWN:
            yield f"  … and {len(one.unverifiable) - _SHOWN} more (--json lists them all)"


def _verdict(one: Audit) -> str:
    if one.violated:
        return "impossible"
    if not one.checked:
        return "nothing could be checked"
    mixed = any(found.severity == "advice" for found in one.findings)
    return "possible, with reservations" if mixed else "possible"


def _finding(found: TableFinding) -> Iterator[str]:
    colour = "red" if found.severity == "error" else "yellow"
    yield click.style(f"{found.severity} {found.rule}  {found.title}", fg=colour)
    yield from _wrapped(found.sentence, "  ")
    if found.possible:
        yield from _wrapped(f"Possible: {found.possible}.", "  ")
    if found.explanations:
        yield "  What remains:"
        for text in found.explanations:
            yield from _wrapped(text, "    – ")
    places = dict.fromkeys(claim.place for claim in found.cells)
    yield from _wrapped("Cells: " + "; ".join(places), "  ")


def _wrapped(text: str, lead: str) -> list[str]:
    return textwrap.wrap(
        text,
        min(_WIDTH, shutil.get_terminal_size().columns),
        initial_indent=lead,
        subsequent_indent=" " * len(lead),
        break_on_hyphens=False,
    )


def _as_data(path: Path, one: Audit) -> dict[str, Any]:
    """Give an audit as plain data."""
    return {
        "file": str(path),
        "verdict": _verdict(one),
        "numbers": len(one.claims),
        "checked": len(one.checked),
        "violated": len(one.violated),
        "unverifiable": [
            {"place": claim.place, "printed": claim.printed, "reason": reason}
            for claim, reason in one.unverifiable
        ],
        "findings": [
            {
                "rule": found.rule,
                "title": found.title,
                "severity": found.severity,
                "message": found.sentence,
                "possible": found.possible,
                "explanations": list(found.explanations),
                "cells": [
                    {"place": c.place, "label": c.label, "printed": c.printed, "key": c.key}
                    for c in found.cells
                ],
            }
            for found in one.findings
        ],
        "notes": list(one.notes),
    }
