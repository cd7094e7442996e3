"""`crosscheck tables`: verified numbers for the paper: tables, macros, a paragraph of methods."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from crosscheck.errors import UserError
from crosscheck.system import say

if TYPE_CHECKING:
    from crosscheck.report.cells import Paper
    from crosscheck.report.view import Report, SystemView


EXAMPLES = """\b
Examples:
  crosscheck tables reports/latest > headline.tex
  crosscheck tables reports/latest --table criteria --format markdown
  crosscheck tables reports/latest --macros > numbers.tex
  crosscheck tables reports/latest --methods > methods.tex
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
@click.option(
    "--macros",
    is_flag=True,
    help="Each headline number as a LaTeX macro, such as \\ndcgTen; of all systems unless one is "
    "named.",
)
@click.option(
    "--methods", is_flag=True, help="How the numbers were made, as a paragraph for the paper."
)
def command(
    report_dir: Path,
    form: str,
    wanted: tuple[str, ...],
    system_name: str | None,
    digits: int | None,
    *,
    listing: bool,
    macros: bool,
    methods: bool,
) -> None:
    """Write tables of verified numbers for the paper.

    REPORT_DIR is the folder that `crosscheck gate --out` wrote. The numbers come from its ledger,
    which must still be the verified one; a number that did not pass the gate is refused. Rounded
    with their uncertainty: two significant digits of it, the value to the same place; macros have
    four decimals.
    """
    from crosscheck.paper import tables  # noqa: PLC0415 - loaded on use
    from crosscheck.report import json  # noqa: PLC0415 - the same

    if sum((bool(wanted), listing, macros, methods)) > 1:
        raise UserError("--table, --list, --macros and --methods ask for four things; choose one")
    report = json.read(report_dir)
    directory = report_dir if report_dir.is_dir() else report_dir.parent
    system = _system(report.systems, system_name)
    if listing:
        say("\n".join(tables.names(system, report)))
    elif macros:
        if form != "latex":
            raise UserError("--macros are LaTeX; leave --format away")
        say(_macros(report, directory, system if system_name else None, digits), nl=False)
    elif methods:
        say(_methods(report, system, form), nl=False)
    else:
        made = [tables.build(report, system, name) for name in wanted or (tables.HEADLINE,)]
        say(_tables(report, directory, made, form, digits), nl=False)


def _tables(
    report: Report, directory: Path, made: list[Paper], form: str, digits: int | None
) -> str:
    from crosscheck.paper import text, verified  # noqa: PLC0415 - loaded on use

    write = text.latex if form == "latex" else text.to_markdown
    for table in made:
        verified.verify(report, directory, table.states())
    return "\n".join(write(table, digits) for table in made)


def _macros(report: Report, directory: Path, system: SystemView | None, digits: int | None) -> str:
    """Write the macros of all systems, their names in front; of one alone without it."""
    from crosscheck.paper import macros, verified  # noqa: PLC0415 - loaded on use

    systems = report.systems if system is None else [system]
    stated = [one for each in systems for one in macros.states(each)]
    if not stated:
        raise UserError(f"{directory}: the report has no headline numbers to name")
    verified.verify(report, directory, stated)
    return macros.latex(stated, digits, several=len(systems) > 1)


def _methods(report: Report, system: SystemView, form: str) -> str:
    from crosscheck.paper import methods, text  # noqa: PLC0415 - loaded on use
    from crosscheck.report import markdown  # noqa: PLC0415 - the same

    write = text.escape if form == "latex" else markdown.text
    return "\n\n".join(write(each) for each in methods.paragraphs(report, system)) + "\n"


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
