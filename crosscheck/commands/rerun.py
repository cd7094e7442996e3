"""`crosscheck rerun`: verify a stored report."""

from __future__ import annotations

from pathlib import Path

import click

from crosscheck.errors import FAILED, PASS

MOST = 40


@click.command()
@click.argument("report", type=click.Path(path_type=Path))
@click.option("--quiet", "-q", is_flag=True, help="Say the result in one line, nothing more.")
def command(report: Path, *, quiet: bool) -> int:
    """Verify REPORT (a report.json, its folder, or a bundle): hashes, recomputation, difference.

    Exit code 0 only if the report is what its inputs give, up to the platform differences stated.
    """
    from crosscheck import rerun  # noqa: PLC0415 - `--help` answers at once
    from crosscheck.bundle import opened  # noqa: PLC0415 - the same
    from crosscheck.terminal import Progress  # noqa: PLC0415 - the same

    with opened(report) as place:
        found = rerun.rerun(place, progress=None if quiet else Progress(several=False))
    for difference in found.elsewhere if not quiet else ():
        click.echo(f"elsewhere: {difference}")
    if found.same:
        click.echo(f"SAME: {report} is what its inputs give ({found.report.summary})")
        return PASS
    click.echo(f"CHANGED: {len(found.differences)} differences", err=quiet)
    for difference in found.differences[:MOST]:
        click.echo(f"  {difference}")
    if len(found.differences) > MOST:
        click.echo(f"  … and {len(found.differences) - MOST} more")
    return FAILED
