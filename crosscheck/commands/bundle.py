"""`crosscheck bundle`: one archive that reruns from itself."""

from __future__ import annotations

from pathlib import Path

import click

from crosscheck.commands import options
from crosscheck.system import say


@click.command()
@click.argument("report", type=click.Path(path_type=Path))
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("crosscheck-bundle.zip"),
    show_default=True,
    help="The archive.",
)
@options.inputs()
def command(report: Path, out: Path, within: tuple[Path, ...]) -> None:
    """Pack REPORT, its inputs, the versions and all hashes into one archive.

    `crosscheck rerun ARCHIVE` verifies it anywhere.
    """
    from crosscheck.rerun.bundle import pack  # noqa: PLC0415 - `--help` answers at once

    count = pack(report, out, within)
    say(f"{out}: {count} files, {out.stat().st_size:,} bytes. Verify: crosscheck rerun {out}")
