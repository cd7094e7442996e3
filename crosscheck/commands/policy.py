"""`crosscheck policy`: what the policy in force holds a run to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from crosscheck.errors import UserError
from crosscheck.system import say

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crosscheck.policy import Policy


@click.command()
@click.option(
    "--policy",
    "file",
    metavar="FILE",
    envvar="CROSSCHECK_POLICY",
    help="The policy to explain; or set CROSSCHECK_POLICY.",
)
@click.option("--strict", is_flag=True, help="Explain the built-in policy that grants nothing.")
@click.option("--gold", metavar="DATA", help="Print the hash of a file's gold, for [held] gold.")
@click.option("--config", metavar="FILE", help="With --gold: crosscheck.toml, for [columns].")
@click.option("--json", "as_json", is_flag=True, help="For machines.")
def command(
    *, file: str | None, strict: bool, gold: str | None, config: str | None, as_json: bool
) -> None:
    """Explain the policy in force: the standard one, --strict, or a file."""
    from crosscheck import policy  # noqa: PLC0415 - `--help` answers at once

    if gold is not None:
        click.echo(_gold(gold, config))
        return
    found = policy.choose(file, strict=strict)
    if as_json:
        click.echo(found.model_dump_json(indent=2))
        return
    for line in explained(found):
        say(line)


def _gold(data: str, config: str | None) -> str:
    """Hash the gold of a table as XC011 does."""
    from pathlib import Path  # noqa: PLC0415 - loaded on use

    from crosscheck import config as configs  # noqa: PLC0415 - the same
    from crosscheck.checks.policy import gold_sha256  # noqa: PLC0415 - the same
    from crosscheck.config.systems import choose, refuse_missing  # noqa: PLC0415 - the same
    from crosscheck.data import door  # noqa: PLC0415 - the same
    from crosscheck.data.rows import of_split  # noqa: PLC0415 - the same

    [source] = choose(configs.read(Path(config) if config else None), data=data)
    refuse_missing([source])
    try:
        table = door.primary.table(source.data, source.settings)
    except door.primary.InputError as error:
        raise UserError(str(error)) from None
    return gold_sha256(of_split(table, source.settings, "EVAL").frame)


def explained(policy: Policy) -> Iterator[str]:
    """Say in plain words what a policy grants and asks for."""
    from crosscheck.policy import STANDARD, built_in  # noqa: PLC0415 - `--help` answers at once
    from crosscheck.policy.terms import looser  # noqa: PLC0415 - the same

    where = policy.file or "built in"
    yield f"Policy “{policy.name}” ({where}), SHA-256 {policy.sha256}"
    yield ""
    found = "is read, and named" if policy.discovery else "is not read: name it with --config"
    yield f"config      one that lies beside the data {found}"
    yield f"tolerance   {policy.tolerance:g} at most (XC001)"
    yield f"columns     {', '.join(policy.truth)}: under their own names where the file has them"
    yield from _waivers(policy)
    yield from _witnesses(policy)
    yield from _draws(policy)
    for setting, allowed in policy.allowed.items():
        yield f"{setting:<11} {_some(allowed)} (XC008)"
    if policy.profile is not None:
        numbers = policy.profile.model_dump(exclude_unset=True).items()
        yield f"profile     {', '.join(f'{name} = {one}' for name, one in numbers)} (XC009, XC2xx)"
    if policy.claims.passed is not None:
        yield f"claims      {policy.claims.passed:,} let pass as quoted or ignored at most (XC010)"
    if policy.claims.files or policy.claims.least:
        files = f"; {', '.join(policy.claims.files)} among the files" if policy.claims.files else ""
        yield f"claims      at least {policy.claims.least:,}{files} (XC010)"
    for kind, hashes in policy.held.model_dump().items():
        if hashes:
            yield f"{kind:<11} SHA-256 {' or '.join(hashes)} (XC011)"
    yield f"rows        {policy.unevaluated:.0%} of queries evaluated nowhere at most (XC012)"
    yield ""
    for more in looser(policy, built_in(STANDARD)):
        yield f"It allows more than the standard policy: {more}."
    yield "A config may ask for less than this, never for more; nothing waives a breach (XC0xx)."


def _waivers(policy: Policy) -> Iterator[str]:
    terms = policy.waivers
    asked = [f"a reason of {terms.reason} letters and digits at least"]
    asked += ["an owner"] if terms.owner else []
    asked += ["a day to expire"] if terms.expiry else []
    if terms.rules is None:
        yield f"waivers     of any rule but XC0xx and XC99x, with {', '.join(asked)} (XC003)"
    elif not terms.rules:
        yield "waivers     none (XC003)"
    else:
        yield f"waivers     with {', '.join(asked)} (XC003), of"
        for rule, grant in terms.rules.items():
            owner = f" by {grant.owner}" if grant.owner else ""
            until = f" until {grant.expires}" if grant.expires else ""
            yield f"            {rule}{owner}{until}"


def _witnesses(policy: Policy) -> Iterator[str]:
    terms = policy.witnesses
    allowed = "anybody" if terms.allowed is None else ", ".join(terms.allowed) or "nobody else"
    yield f"witnesses   besides primary and reference: {allowed} (XC004)"
    if terms.required:
        yield f"            required: {', '.join(terms.required)} (XC005)"


def _draws(policy: Policy) -> Iterator[str]:
    drawn = "must be drawn" if policy.intervals else "may be left out"
    least = f", of {policy.resamples:,} resamples at least" if policy.resamples else ""
    seed = "" if policy.seed is None else f", by seed {policy.seed} (XC007)"
    yield f"intervals   {drawn}{least} (XC006){seed}"
    if policy.figures:
        yield "figures     must be drawn (XC013)"


def _some(allowed: object) -> str:
    if isinstance(allowed, dict):
        return "; ".join(f"{name} = {_some(some)}" for name, some in allowed.items()) or "none"
    return " or ".join(map(str, allowed)) if allowed else "none"  # type: ignore[call-overload]
