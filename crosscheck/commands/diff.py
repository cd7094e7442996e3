"""`crosscheck diff`: what moved between two reports, or two revisions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import click

from crosscheck.errors import FAILED, PASS
from crosscheck.system import say

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.table import Table

    from crosscheck.diff import Diff, Number
    from crosscheck.diff.moved import Event

MOST = 20
"""Lines below the numbers."""
STYLES = {"better": "green", "worse": "bold red"}
ANY, REGRESSION = "any", "regression"
SHARE = re.compile(r"regression(?:=(\d+(?:\.\d+)?)\s*%)?")
EXAMPLES = """\b
Examples:
  crosscheck diff reports/last-week reports/latest
  crosscheck diff main..HEAD --report reports/paper --format markdown
  crosscheck diff old new --fail-on regression=2%
"""


def _shares(
    ctx: click.Context, param: click.Parameter, stated: tuple[str, ...]
) -> tuple[float, ...]:
    """Give the share that a number may get worse by; below zero, where nothing may move."""
    shares = []
    for one in stated:
        found = SHARE.fullmatch(one)
        if one != ANY and found is None:
            raise click.BadParameter(f"“{one}” is neither “any” nor “regression=2%”", ctx, param)
        shares.append(float(found[1] or 0) / 100 if found else -1.0)
    return tuple(shares)


@click.command(epilog=EXAMPLES)
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="[NEW]", required=False)
@click.option(
    "--format",
    "form",
    type=click.Choice(["terminal", "markdown", "json"]),
    default="terminal",
    show_default=True,
    help="How to say it; markdown is for a pull request.",
)
@click.option("--report", metavar="FOLDER", help="Which report of the revisions. [the only one]")
@click.option(
    "--fail-on",
    "bounds",
    metavar="any|regression=N%",
    multiple=True,
    callback=_shares,
    help="Exit with 1 if anything moved, or if a headline number got worse by more, or is gone, or "
    "the verdict fell; repeatable.",
)
def command(
    old: str, new: str | None, form: str, report: str | None, bounds: tuple[float, ...]
) -> int:
    """Say what moved from OLD to NEW: headline numbers, findings, claims.

    OLD and NEW are folders that `crosscheck gate --out` wrote; OLD..NEW are two git revisions in
    which such a folder is committed. Nothing is recomputed: both ledgers must still be the ones
    that were verified. A number is beyond its interval if it lies outside the old one's 95 %.
    """
    from crosscheck import diff  # noqa: PLC0415 - `--help` answers at once
    from crosscheck.diff import markdown  # noqa: PLC0415 - the same

    found = diff.compare(*diff.opened(old, new, report))
    if form == "json":
        say(found.model_dump_json(indent=2))
    elif form == "markdown":
        say(markdown.render(found), nl=False)
    else:
        show(found)
    reasons = [reason for bound in bounds for reason in _reasons(found, bound)]
    for reason in reasons:
        say(f"FAIL: {reason}", err=True)
    return FAILED if reasons else PASS


def _reasons(found: Diff, bound: float) -> Iterator[str]:
    from crosscheck.diff.markdown import headline  # noqa: PLC0415 - `--help` answers at once

    if bound < 0:
        if not found.nothing:
            yield f"--fail-on {ANY}: {headline(found)}"
        return
    if found.verdicts == ("pass", "fail"):
        yield f"--fail-on {REGRESSION}: the verdict was PASS and is FAIL"
    for one in found.regressions(bound):
        by = "" if one.relative is None else f" by {abs(one.relative):.2%}"
        told = "is gone" if one.new is None else f"is worse{by}"
        yield f"--fail-on {REGRESSION}: {one.name} ({one.system}) {told}"


def show(found: Diff) -> None:
    """Show on the terminal what moved."""
    from rich.markup import escape  # noqa: PLC0415 - rich is not free

    from crosscheck.commands.terminal import Screen  # noqa: PLC0415 - the same
    from crosscheck.diff import markdown  # noqa: PLC0415 - the same

    console = Screen(highlight=False)
    console.print(escape(markdown.headline(found)), style="bold", soft_wrap=True)
    if found.numbers:
        console.print(_table(found.numbers))
    lines = [
        *((markdown.whole(one), "") for one in found.ledgers if one.is_other),
        *((f"{one.how}: {markdown.event(one)}", _style(one)) for one in found.events),
        *((f"behind it: {one}", "dim") for one in found.behind),
    ]
    for line, style in lines[:MOST]:
        console.print(escape(line), style=style, soft_wrap=True)
    if len(lines) > MOST:
        console.print(f"… and {len(lines) - MOST:,} more: --format json", style="dim")


def _style(one: Event) -> str:
    """Colour what is wrong now; an error that went is none."""
    return "red" if one.error and one.how != "went" else ""


def _table(numbers: list[Number]) -> Table:
    from rich.markup import escape  # noqa: PLC0415 - rich is not free
    from rich.table import Table  # noqa: PLC0415 - the same

    from crosscheck.diff import markdown  # noqa: PLC0415 - the same

    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in ("system", "metric"):
        table.add_column(name)
    for name in ("was", "is", "change", "%", "95 % interval", ""):
        table.add_column(name, justify="right" if name else "left")
    for one in numbers:
        cells = map(escape, (one.system, *markdown.cells(one)))
        table.add_row(*cells, f"[{STYLES[one.turn]}]{one.turn}[/]" if one.turn in STYLES else "")
    return table
