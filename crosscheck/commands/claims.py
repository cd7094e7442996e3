"""`crosscheck claims FILE`: can this published table be true? No data needed."""

from __future__ import annotations

import json
import math
import shutil
import textwrap
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from crosscheck import config as configs
from crosscheck.answers.audited import Given, as_data, examined
from crosscheck.answers.outline import outline
from crosscheck.claims import examine, helped
from crosscheck.claims.author import help_of
from crosscheck.claims.reading import NothingClaimedError
from crosscheck.commands import understood
from crosscheck.errors import FAILED, PASS
from crosscheck.system import harmless, no_command, say

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crosscheck.answers.audited import Examined
    from crosscheck.audit import Audit
    from crosscheck.audit.verdicts import TableFinding
    from crosscheck.claims import Claim, Help

_WIDTH = 96
_SCREEN = 40
"""Lines that a file's audit takes at most, unless all are asked for."""
_SHOWN = 10
_NOTED = 4
_CELLS = 6


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
@click.option(
    "--if-any", is_flag=True, help="Pass a document in which nothing can be checked: for hooks."
)
@click.option("--all", "whole", is_flag=True, help="Show every finding, note and number in full.")
@click.option("--json", "as_json", is_flag=True, help="Print all of it as JSON.")
def command(
    files: tuple[Path, ...],
    n: int | None,
    folds: int | None,
    fold_sizes: tuple[int, ...],
    config_file: Path | None,
    *,
    strict: bool,
    explain_reading: bool,
    if_any: bool,
    whole: bool,
    as_json: bool,
) -> int:
    """Audit published tables (JSON, CSV, Markdown, LaTeX) by their own digits.

    Every check works on the values that round to what is printed, so a correct table raises no
    alarm. Exit code 1 if a table cannot be true, or if nothing in it could be checked.
    """
    given = Given(help_of(configs.read(config_file)), n, folds, fold_sizes)
    if explain_reading:
        return _explain(files, given.help, as_json=as_json)
    found = list(_examined(files, given, if_any=if_any))
    if as_json:
        say(json.dumps([as_data(one).model_dump() for one in found], indent=2))
    else:
        for one in found:
            _show(one, whole=whole)
    failed = any(
        one.audit.violated
        or (not one.audit.possible and not if_any)
        or (strict and one.audit.findings)
        for one in found
    )
    return FAILED if failed else PASS


def _examined(files: tuple[Path, ...], given: Given, *, if_any: bool) -> Iterator[Examined]:
    for path in files:
        try:
            yield examined(path, given)
        except NothingClaimedError:
            if not if_any:
                raise


def _explain(files: tuple[Path, ...], given: Help, *, as_json: bool) -> int:
    """Show how each file was understood; what was not is no failure here."""
    readings = [examine(path) for path in files]
    found = [outline(one, helped(one.claims, given)) for one in readings]
    if as_json:
        say(json.dumps([one.model_dump() for one in found], indent=2))
        return PASS
    for one in found:
        for line in understood.lines(one):
            say(line)
    return PASS


def _show(found: Examined, *, whole: bool) -> None:
    """Print an audit for people: at most a screen, or all of it."""
    one, unread = found.audit, found.unread
    click.secho(no_command(harmless(f"{found.path}: {found.verdict}")), bold=True)
    more = f", {len(unread)} not read" if unread else ""
    say(
        f"{len(one.claims) + len(unread)} numbers: {len(one.checked)} checked, "
        f"{len(one.violated)} in contradiction, {len(one.unverifiable)} not checkable{more}"
    )
    left = math.inf if whole else _SCREEN
    for at, each in enumerate(one.findings):
        lines = list(_finding(each, whole=whole))
        if at and len(lines) > left:
            say(f"\n… and {_kinds(one.findings[at:])} (--all shows them)")
            left = 0
            break
        left -= len(lines) + 2
        colour = "red" if each.severity == "error" else "yellow"
        click.secho(f"\n{each.severity} {each.rule}  {each.title}", fg=colour)
        for line in lines:
            say(line)
    _show_rest(one, whole=whole, left=left)
    _show_unread(unread, whole=whole)


def _show_unread(unread: Sequence[Claim], *, whole: bool) -> None:
    if not unread:
        return
    say("\nNot read, and so in none of the checks:")
    shown = len(unread) if whole else _SHOWN
    for claim in unread[:shown]:
        for line in _wrapped(f"{claim.where}: {claim.printed}: {claim.problem}", "  – "):
            say(line)
    if len(unread) > shown:
        say(f"  … and {len(unread) - shown} more (--all shows them)")


def _kinds(findings: Sequence[TableFinding]) -> str:
    """Count findings by their rule."""
    counts = Counter((found.severity != "error", found.severity, found.rule) for found in findings)
    return ", ".join(f"{n} × {kind} {rule}" for (_, kind, rule), n in sorted(counts.items()))


def _show_rest(one: Audit, *, whole: bool, left: float) -> None:
    """Print the notes, and what could not be checked."""
    notes = one.notes if whole else one.notes[: _NOTED if left > _NOTED else 1]
    for at, note in enumerate(notes):
        for line in _wrapped(note, "· "):
            say(line if at or line[0] == " " else f"\n{line}")
    if len(notes) < len(one.notes):
        say(f"· … and {len(one.notes) - len(notes)} more notes (--all shows them)")
    if not one.unverifiable:
        return
    say("\nNot checkable, which is not the same as consistent:")
    shown = len(one.unverifiable) if whole else min(_SHOWN, max(int(left) // 3, 1))
    for claim, reason in one.unverifiable[:shown]:
        for line in _wrapped(f"{claim.place}: {claim.printed}: {reason}", "  – "):
            say(line)
    if len(one.unverifiable) > shown:
        say(f"  … and {len(one.unverifiable) - shown} more (--all shows them)")


def _finding(found: TableFinding, *, whole: bool) -> Iterator[str]:
    yield from _wrapped(found.sentence, "  ")
    if found.only_if:
        yield from _wrapped(f"Impossible only if {found.only_if}.", "  ")
    if found.worked:
        yield from _wrapped(f"Worked out: {found.worked}", "  ")
    if found.possible:
        yield from _wrapped(f"Possible: {found.possible}.", "  ")
    if found.explanations:
        yield "  What remains:"
        for text in found.explanations:
            yield from _wrapped(text, "    – ")
    yield from _wrapped(f"To do: {found.remedy}", "  ")
    places = list(dict.fromkeys(claim.place for claim in found.cells))
    shown = places if whole else places[:_CELLS]
    more = f"; … and {len(places) - len(shown)} more" if len(places) > len(shown) else ""
    yield from _wrapped("Cells: " + "; ".join(shown) + more, "  ")


def _wrapped(text: str, lead: str) -> list[str]:
    return textwrap.wrap(
        text,
        min(_WIDTH, shutil.get_terminal_size().columns),
        initial_indent=lead,
        subsequent_indent=" " * len(lead),
        break_on_hyphens=False,
    )
