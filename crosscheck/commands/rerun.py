"""`crosscheck rerun`: verify a stored report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from crosscheck.errors import FAILED, PASS
from crosscheck.system import harmless, say

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crosscheck.rerun import Rerun
    from crosscheck.rerun.folder import Counted

MOST = 40


@click.command()
@click.argument("report", type=click.Path(path_type=Path))
@click.option("--quiet", "-q", is_flag=True, help="Say the result in one line, nothing more.")
@click.option(
    "--allow-witness",
    "allowed",
    multiple=True,
    metavar="NAME",
    help="Run this module:function, a witness of the authors' own; repeatable.",
)
def command(report: Path, *, quiet: bool, allowed: tuple[str, ...]) -> int:
    """Verify REPORT (a report.json, its folder, or a bundle): hashes, recomputation, difference.

    Exit code 0 only if the report is what its inputs give: our own numbers bit by bit, those of
    outside libraries within what the contract calls exact.
    """
    from crosscheck import rerun  # noqa: PLC0415 - `--help` answers at once
    from crosscheck.commands.terminal import Progress  # noqa: PLC0415 - the same
    from crosscheck.rerun.bundle import opened  # noqa: PLC0415 - the same

    with opened(report) as place:
        progress = None if quiet else Progress(several=False)
        found = rerun.rerun(place, progress=progress, allowed=allowed)
    for line in circumstances(found) if not quiet else ():
        say(harmless(line))
    if found.same:
        say(f"SAME: {report} is what its inputs give ({found.report.summary})")
        return PASS
    count = len(found.differences)
    say(f"CHANGED: {count} difference{'s' if count > 1 else ''}", err=quiet)
    for difference in found.differences[:MOST]:
        say(f"  {harmless(str(difference))}")
    if count > MOST:
        say(f"  … and {count - MOST} more")
    return FAILED


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
