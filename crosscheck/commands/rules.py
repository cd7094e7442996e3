"""`crosscheck rules`: every rule that a finding can cite."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from crosscheck.commands import completion
from crosscheck.errors import UserError

if TYPE_CHECKING:
    from crosscheck.model.findings import Rule


@click.command()
@click.argument("rule", required=False, shell_complete=completion.rules)
@click.option("--json", "as_json", is_flag=True, help="For machines.")
def command(rule: str | None, *, as_json: bool) -> None:
    """List the rules, or show RULE with its remedy."""
    from crosscheck.model.findings import rules  # noqa: PLC0415 - `--help` answers at once

    known = rules()
    if rule is not None and rule.upper() not in known:
        raise UserError(f"“{rule}” is not a rule; `crosscheck rules` lists them all")
    chosen = [known[rule.upper()]] if rule else list(known.values())
    if as_json:
        click.echo(json.dumps([asdict(one) for one in chosen], indent=2, ensure_ascii=False))
    elif rule:
        _one(chosen[0])
    else:
        _all(chosen)


def _one(rule: Rule) -> None:
    from crosscheck.model.findings import cases  # noqa: PLC0415 - `--help` answers at once

    click.echo(f"{rule.id}  {rule.title}")
    click.echo(f"{rule.severity}, group “{rule.group}”, section {rule.section} of the contract")
    click.echo(f"Why: {rule.why}")
    click.echo(f"Such as: {rule.example}")
    click.echo(f"Try: {rule.remedy}")
    for case in rule.happened:
        click.echo(f"Happened: {cases()[case].title} ({cases()[case].cited}, {cases()[case].year})")


def _all(rules: list[Rule]) -> None:
    group = ""
    for rule in rules:
        if rule.group != group:
            group = rule.group
            click.echo(f"\n{group}")
        click.echo(f"  {rule.id}  {rule.severity:<6}  {rule.title} (§{rule.section})")
    click.echo(
        "\nErrors fail the gate; drift and advice are listed. `crosscheck rules XC401` tells more."
    )
