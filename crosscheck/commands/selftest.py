"""`crosscheck selftest`: inject the catalogue of known faults and show that each is caught."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from crosscheck.errors import FAILED, PASS, UserError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crosscheck.mistakes.catalogue import Mistake


@click.command()
@click.option(
    "--fault",
    "names",
    multiple=True,
    metavar="ID",
    help="Try these faults, or whole families, only (repeatable).",
)
@click.option("--list", "listed", is_flag=True, help="List the catalogue, and try nothing.")
@click.option("--guard", is_flag=True, help="Show who else vouches for each kind of number.")
@click.option("--markdown", "as_markdown", is_flag=True, help="Print tables for the documentation.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
@click.option("--quiet", "-q", is_flag=True, help="Say the result in one line, nothing more.")
@click.option("--record", "keep", is_flag=True, help="Keep the result as the report's badge.")
def command(
    *,
    names: tuple[str, ...],
    listed: bool,
    guard: bool,
    as_markdown: bool,
    as_json: bool,
    quiet: bool,
    keep: bool,
) -> int:
    """Inject the catalogue of known faults and show that each is caught.

    Each fault goes into a copy of one witness, the data, the claims or the report; the gate is run;
    and the rule that must catch the fault has to speak, as an error, on the adversarial data made
    for it. On the built-in study a fault may do less: then it shows as drift.

    Exit code 1 if any fault is missed.
    """
    chosen = _chosen(names)
    if keep and names:
        raise UserError("--record keeps a whole self-test: leave --fault out")
    if guard:
        return _guard()
    if listed:
        for fault in chosen:
            click.echo(f"{fault.id}  {fault.rule}  {fault.bug}")
        return PASS
    return _tried(chosen, as_markdown=as_markdown, as_json=as_json, quiet=quiet, keep=keep)


def _tried(
    chosen: list[Mistake], *, as_markdown: bool, as_json: bool, quiet: bool, keep: bool
) -> int:
    from crosscheck.faults import matrix, selftest  # noqa: PLC0415 - `--help` is instant
    from crosscheck.report import badge  # noqa: PLC0415 - `--help` is instant

    click.echo(f"Injecting {len(chosen)} faults; about a minute for all of them …", err=True)
    results = selftest.run(chosen)
    missed = [one for one in results if not one.caught]
    if keep:
        badge.record(selftest.badge(results))
    if as_json:
        click.echo(json.dumps(matrix.data(results), indent=2, ensure_ascii=False))
        return FAILED if missed else PASS
    if as_markdown or not quiet:
        for line in (matrix.markdown if as_markdown else matrix.text)(results):
            click.echo(line)
    if as_markdown:
        for line in matrix.searched_alone():
            click.echo(line)
    for one in missed:
        due = f"{one.fault.rule} ({matrix.title(one.fault.rule)})"
        click.echo(f"missed: {one.fault.id}: {one.fault.bug} {due} should have said so.", err=True)
    click.echo(f"selftest {selftest.badge(results)}", err=as_markdown)
    return FAILED if missed else PASS


def _guard() -> int:
    from crosscheck.faults import guard  # noqa: PLC0415 - asks libraries

    found = guard.opinions()
    for line in guard.lines(found):
        click.echo(line)
    return FAILED if any(one.alone for one in found) else PASS


def _chosen(names: Sequence[str]) -> list[Mistake]:
    from crosscheck.mistakes.catalogue import FAMILIES, faults  # noqa: PLC0415 - read on use

    every = faults()
    unknown = [name for name in names if name not in every and name not in FAMILIES]
    if unknown:
        raise UserError(
            f"--fault {unknown[0]}: no such fault or family; families are {', '.join(FAMILIES)}, "
            "and `crosscheck selftest --list` lists the faults"
        )
    if not names:
        return list(every.values())
    return [one for one in every.values() if one.id in names or one.family in names]
