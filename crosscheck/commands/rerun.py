"""`crosscheck rerun`: verify stored reports."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from crosscheck.commands import options
from crosscheck.errors import BAD_INPUT, FAILED, OUR_ERROR, PASS, UserError
from crosscheck.system import one_line, say

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crosscheck.rerun import Rerun
    from crosscheck.rerun.folder import Counted

MOST = 40
MOST_OF_SEVERAL = 5
"""Differences that are listed of each report, where there are several."""
WIDEST = 10_000
WORST = (FAILED, OUR_ERROR, BAD_INPUT)
"""Which exit code counts where several reports end with different ones."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked for, besides the reports."""

    quiet: bool
    allowed: tuple[str, ...]
    within: tuple[Path, ...]
    expected: str


@dataclass(frozen=True, slots=True)
class Row:
    """What became of one report of several."""

    report: Path
    code: int
    found: Rerun | None = None
    why: str = ""


@click.command()
@click.argument("reports", metavar="REPORT...", nargs=-1, type=click.Path(path_type=Path))
@click.option("--quiet", "-q", is_flag=True, help="Say the result in one line a report.")
@click.option(
    "--expect",
    "expected",
    type=click.Choice(["same", "pass"]),
    default="same",
    show_default=True,
    help="`pass`: a report that is the same and says FAIL is a failure too.",
)
@options.inputs()
@options.allow_witness()
@click.option(
    "--sandbox",
    is_flag=True,
    help="Without network, and with nothing to write to or to see but the reports (bubblewrap).",
)
def command(
    reports: tuple[Path, ...],
    *,
    quiet: bool,
    expected: str,
    within: tuple[Path, ...],
    allowed: tuple[str, ...],
    sandbox: bool,
) -> int:
    """Verify each REPORT (a report.json, its folder, or a bundle): hashes, recomputation, change.

    Exit code 0 only if every report is what its inputs give: our own numbers bit by bit, those of
    outside libraries within what the contract calls exact. A report that says FAIL and is the same
    is 0 too, unless --expect pass. 1: something changed; 2: a report could not be rerun.
    """
    if not reports:
        raise click.UsageError("name a report: its folder, its report.json, or a bundle")
    asked = Asked(quiet, allowed, within, expected)
    if sandbox:
        return _in_sandbox(reports, asked)
    if len(reports) > 1:
        return _several(reports, asked)
    return _tell(reports[0], _rerun(reports[0], asked, progress=not quiet), asked)


def _in_sandbox(reports: Sequence[Path], asked: Asked) -> int:
    """Ask the same of a process that sees and can do nothing else."""
    from crosscheck.rerun import sandbox  # noqa: PLC0415 - seldom needed

    words = ["rerun", *(str(one.resolve()) for one in reports), "--expect", asked.expected]
    words += ["--quiet"] if asked.quiet else []
    words += [word for one in asked.within for word in ("--inputs", str(one.resolve()))]
    words += [word for name in asked.allowed for word in ("--allow-witness", name)]
    missing = [str(one) for one in reports if not one.exists()]
    if missing:
        raise UserError(f"{', '.join(missing)}: no such report")
    return sandbox.run(words, reports, asked.within)


def _rerun(report: Path, asked: Asked, *, progress: bool) -> Rerun:
    from crosscheck import rerun  # noqa: PLC0415 - `--help` answers at once
    from crosscheck.commands.terminal import Progress  # noqa: PLC0415 - the same
    from crosscheck.rerun.bundle import opened  # noqa: PLC0415 - the same

    shown = Progress(several=False) if progress else None
    with opened(report) as place:
        return rerun.rerun(place, progress=shown, allowed=asked.allowed, within=asked.within)


def _code(found: Rerun, asked: Asked) -> int:
    wanted = asked.expected == "same" or found.report.verdict == "pass"
    return PASS if found.same and wanted else FAILED


def _tell(report: Path, found: Rerun, asked: Asked) -> int:
    """Say what became of one report."""
    code = _code(found, asked)
    for line in circumstances(found) if not asked.quiet else ():
        say(line)
    if found.same:
        unproven = f"; not proven: {', '.join(found.unproven)}" if asked.quiet else ""
        named = one_line(str(report))
        say(f"SAME: {named} is what its inputs give ({found.report.summary}){unproven}")
        if code != PASS:
            say("FAIL: --expect pass was asked for, and the report says FAIL", err=asked.quiet)
        return code
    count = len(found.differences)
    say(f"CHANGED: {count} difference{'s' if count > 1 else ''}", err=asked.quiet)
    _list(found, MOST)
    return code


def _list(found: Rerun, most: int) -> None:
    for difference in found.differences[:most]:
        say(f"  {difference}")
    if len(found.differences) > most:
        say(f"  … and {len(found.differences) - most} more")


def _several(reports: Sequence[Path], asked: Asked) -> int:
    """Rerun one after the other, whatever becomes of each, and show all in a table."""
    rows = []
    for number, report in enumerate(reports, start=1):
        if not asked.quiet:
            say(f"{number} of {len(reports)}: {one_line(str(report))}", err=True)
        rows.append(_row(report, asked))
    _table(rows)
    for row in rows:
        if row.found is not None and row.found.differences and not asked.quiet:
            say(f"{one_line(str(row.report))}:")
            _list(row.found, MOST_OF_SEVERAL)
    codes = {row.code for row in rows}
    return next((code for code in WORST if code in codes), PASS)


def _row(report: Path, asked: Asked) -> Row:
    try:
        found = _rerun(report, asked, progress=False)
    except UserError as error:
        return Row(report, BAD_INPUT, why=str(error))
    except Exception as error:  # noqa: BLE001 - the other reports are rerun all the same
        return Row(report, OUR_ERROR, why=f"an error of ours: {type(error).__name__}: {error}")
    return Row(report, _code(found, asked), found)


def _table(rows: Sequence[Row]) -> None:
    from rich.markup import escape  # noqa: PLC0415 - rich is not free
    from rich.table import Table  # noqa: PLC0415 - the same

    from crosscheck.commands.terminal import Screen  # noqa: PLC0415 - the same

    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in ("report", "result", "verdict", "numbers", "other versions", "differences"):
        table.add_column(name, justify="right" if name == "numbers" else "left", overflow="fold")
    for row in rows:
        cells = [str(row.report), *_cells(row)]
        table.add_row(*(escape(one_line(cell, WIDEST)) for cell in cells))
    console = Screen(highlight=False)
    # In a file or a pipe a cell is never broken.
    console.print(table, width=None if console.is_terminal else WIDEST, crop=False)


def _cells(row: Row) -> list[str]:
    if row.found is None:
        return ["NOT RERUN", "", "", "", " ".join(row.why.split())]
    versions = ", ".join(one.where.removeprefix("versions.") for one in row.found.elsewhere)
    numbers = row.found.ours.numbers + row.found.others.numbers
    count = len(row.found.differences)
    return [
        "SAME" if row.found.same else "CHANGED",
        row.found.report.verdict.upper(),
        f"{numbers:,}",
        versions,
        f"{count:,}" if count else "",
    ]


def circumstances(found: Rerun) -> Iterator[str]:
    """Say what weakens the report, what is not as it was around it, and how it was compared."""
    from crosscheck.report.circumstances import NOTHING, TITLE, lines  # noqa: PLC0415 - the same
    from crosscheck.report.printing import WITHIN  # noqa: PLC0415 - `--help` answers at once

    weak = lines(found.report)
    yield f"{TITLE}: {'' if weak else NOTHING}".strip()
    yield from (f"  {line}" for line in weak)
    for difference in found.elsewhere:
        yield f"elsewhere: {difference}"
    for one in found.uncompared:
        yield f"not compared: {one}"
    if found.machine:
        told = "; ".join(map(str, found.machine))
        yield f"computed on another kind of machine: {told}"
    yield f"bit by bit: {_tally(found.ours)}"
    if found.others.witnesses:
        yield f"{WITHIN}: {_tally(found.others)}"


def _tally(one: Counted) -> str:
    told = f"{', '.join(one.witnesses) or 'nobody'}; {one.numbers:,} numbers, "
    if one.equal == one.numbers:
        return f"{told}all the same"
    return f"{told}{one.numbers - one.equal:,} of them not the same bits"
