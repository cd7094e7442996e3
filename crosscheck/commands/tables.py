"""`crosscheck tables`: LaTeX and Markdown tables of verified numbers for the paper."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from crosscheck.errors import UserError
from crosscheck.system import say

if TYPE_CHECKING:
    from crosscheck.report.view import SystemView


EXAMPLES = """\b
Examples:
  crosscheck tables reports/latest > headline.tex
  crosscheck tables reports/latest --table criteria --format markdown
"""


@click.command("tables", epilog=EXAMPLES)
@click.argument("report_dir", type=click.Path(path_type=Path))
@click.option(
    "--format",
    "form",
    type=click.Choice(["latex", "markdown"]),
    default="latex",
    show_default=True,
    help="How to write them.",
)
@click.option("--table", "wanted", multiple=True, help="Which table; repeatable. [headline]")
@click.option("--system", "system_name", help="Which system, where the report has several.")
@click.option("--digits", type=click.IntRange(0, 12), help="Fixed decimals. [as the spread asks]")
@click.option("--list", "listing", is_flag=True, help="Name the tables of the report and stop.")
def command(
    report_dir: Path,
    form: str,
    wanted: tuple[str, ...],
    system_name: str | None,
    digits: int | None,
    *,
    listing: bool,
) -> None:
    """Write tables of verified numbers for the paper.

    REPORT_DIR is the folder that `crosscheck gate --out` wrote. The numbers come from its ledger,
    which must still be the verified one; a number that did not pass the gate is refused. Rounded
    with their uncertainty: two significant digits of it, the value to the same place.
    """
    from crosscheck.report import json, paper, paper_text  # noqa: PLC0415 - loaded on use

    report = json.read(report_dir)
    directory = report_dir if report_dir.is_dir() else report_dir.parent
    system = _system(report.systems, system_name)
    if listing:
        say("\n".join(paper.names(system, report)))
        return
    write = paper_text.latex if form == "latex" else paper_text.to_markdown
    texts = []
    for name in wanted or (paper.HEADLINE,):
        table = paper.build(report, system, name)
        paper.verify(report, system, directory, paper.keys_of(report, system, name))
        texts.append(write(table, digits))
    say("\n".join(texts), nl=False)


def _system(systems: list[SystemView], name: str | None) -> SystemView:
    """Choose the system; the last one, which is the full pipeline, unless one is named."""
    if not systems:
        raise UserError("the report has no system, so there is nothing to print")
    if name is None:
        return systems[-1]
    for system in systems:
        if system.name == name:
            return system
    known = ", ".join(system.name for system in systems)
    raise UserError(f"no system “{name}” in this report; there are {known}")
