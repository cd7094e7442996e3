"""`crosscheck verify`: whether a certificate is what a trusted person signed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from crosscheck.commands import options
from crosscheck.errors import FAILED, PASS
from crosscheck.system import one_line, say

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crosscheck.certificate.check import Verified


LONGEST = 2_000
"""Characters of a line: who signed it is trusted, but a line is a line."""


@click.command()
@click.argument("certificate", type=click.Path(path_type=Path))
@click.option(
    "--trusted",
    type=click.Path(path_type=Path),
    required=True,
    help="Whom you trust: a folder of .pub and .pem files, or a file with a key a line.",
)
@click.option(
    "--policy", metavar="FILE", help="The only policy that will do, compared by its SHA-256."
)
@click.option("--rerun", "again", is_flag=True, help="Recompute the numbers as well.")
@options.inputs("For the rerun")
@options.allow_witness("For the rerun")
@click.option("--quiet", "-q", is_flag=True, help="Say the result in one line, nothing more.")
def command(
    certificate: Path,
    *,
    trusted: Path,
    policy: str | None,
    again: bool,
    allowed: tuple[str, ...],
    within: tuple[Path, ...],
    quiet: bool,
) -> int:
    """Verify CERTIFICATE (its folder, or certificate.json): signature, every file, the verdict.

    Exit code 0 only if a trusted key signed it, every file is what was signed, and it says PASS;
    a certificate that holds and says FAIL is 1. With --rerun, the numbers are recomputed from the
    inputs too; without, they are the signer's word.
    """
    from crosscheck.certificate import check, keys  # noqa: PLC0415 - `--help` answers at once
    from crosscheck.commands.terminal import Progress  # noqa: PLC0415 - the same
    from crosscheck.policy import read  # noqa: PLC0415 - the same

    found = check.verify(
        certificate,
        keys.trusted(trusted),
        policy=read(Path(policy)).sha256 if policy else None,
        again=again,
        allowed=allowed,
        within=within,
        progress=Progress(several=False) if again and not quiet else None,
    )
    for line in told(found, again=again) if not quiet else ():
        say(one_line(line, LONGEST))
    verdict = found.predicate.found.verdict
    if not found.holds:
        count = len(found.problems)
        click.echo(f"NOT VERIFIED: {count} problem{'s' if count > 1 else ''}", err=quiet)
        for problem in found.problems[:40]:
            say(f"  {one_line(problem, LONGEST)}")
        return FAILED
    rest = found.unproven if quiet else ()
    more = f"; not proven: {', '.join(rest)}" if rest else ""
    summary = one_line(found.predicate.found.summary, LONGEST)
    say(f"VERIFIED: {one_line(str(certificate))} says {summary}{more}")
    return PASS if verdict == "pass" else FAILED


def told(found: Verified, *, again: bool) -> Iterator[str]:
    """Say who vouches for what, and what was looked at."""
    predicate = found.predicate
    for one in found.signers:
        yield f"signed by: {one.name} ({one.fingerprint})"
    yield f"says of itself: {predicate.who}, {predicate.when}, with {predicate.program}"
    policy = predicate.found.policy
    yield f"policy: “{policy.name}”, SHA-256 {policy.sha256}"
    if predicate.found.judged_as_of is not None:
        yield f"waivers: judged as of {predicate.found.judged_as_of}, some expire"
    weak = predicate.found.weakened_by
    yield "What weakens this run:" + ("" if weak else " nothing beyond what the contract has")
    yield from (f"  {line}" for line in weak)
    if found.holds:
        yield f"files: {found.files:,}, every one as it was signed, and no other"
    if again:
        if found.rerun is not None:
            yield f"numbers: recomputed, {'the same' if found.rerun.same else 'not the same'}"
    else:
        before = {"same": "the signer recomputed them", "not done": "nor did the signer"}
        yield f"numbers: not recomputed here (--rerun does); {before[predicate.rerun]}"
    yield from (f"not proven: {one}" for one in found.unproven)
