"""`crosscheck certify`: vouch for a report."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from crosscheck.commands import options
from crosscheck.errors import FAILED, PASS, UserError
from crosscheck.system import say

EXAMPLES = """\b
Examples:
  crosscheck certify reports/latest --key ~/.ssh/id_ed25519 --who "Jane Doe, Example University"
  crosscheck certify study.zip --key lab.pem --who "The lab" --out deposit
"""


@click.command(epilog=EXAMPLES)
@click.argument("report", type=click.Path(path_type=Path))
@click.option(
    "--key", type=click.Path(path_type=Path), required=True, help="Your Ed25519 key: SSH or PEM."
)
@click.option("--who", required=True, help="Your name, as the certificate says it.")
@click.option(
    "--out", type=click.Path(path_type=Path), help="A new folder.  [REPORT with .certificate]"
)
@click.option(
    "--rerun/--no-rerun",
    "again",
    default=True,
    help="Rerun the report first, and sign only what its inputs give; without, it says so.",
)
@options.inputs("For the rerun")
@options.allow_witness("For the rerun")
@click.option("--when", metavar="TIME", help="When, with its time zone.  [now]")
@click.option("--quiet", "-q", is_flag=True, help="Say the result in one line, nothing more.")
def command(
    report: Path,
    *,
    key: Path,
    who: str,
    out: Path | None,
    again: bool,
    allowed: tuple[str, ...],
    within: tuple[Path, ...],
    when: str | None,
    quiet: bool,
) -> int:
    """Sign REPORT (a folder, its report.json, or a bundle): who vouches for it, when.

    Writes a folder: a copy of the report, a page and a PDF for people, RO-Crate metadata, and
    certificate.json, an in-toto statement about every file in a signed DSSE envelope. Exit code 0
    for a PASS, 1 for the certificate of a FAIL.
    """
    from crosscheck.certificate import issue, keys  # noqa: PLC0415 - `--help` answers at once
    from crosscheck.commands.terminal import Progress  # noqa: PLC0415 - the same

    if not who.strip():
        raise UserError("--who is empty; write your name")
    ask = _passphrase if sys.stdin.isatty() else None
    signer = issue.Signer(" ".join(who.split()), _moment(when), keys.own(key, ask))
    target = out or _beside(report)
    progress = None if quiet or not again else Progress(several=False)
    how = issue.Again(allowed, within, progress)
    found = issue.issue(report, target, signer, how if again else None, within=within)
    verdict = found.found.verdict
    name = keys.fingerprint(signer.key.public_key())
    say(f"CERTIFIED as {verdict.upper()}: {target} ({name})")
    if not quiet:
        say(f"Verify it: crosscheck verify {target} --trusted KEYS")
    return PASS if verdict == "pass" else FAILED


def _passphrase() -> str:
    asked: str = click.prompt("Passphrase of the key", hide_input=True, err=True)
    return asked


def _moment(when: str | None) -> str:
    from datetime import UTC, datetime  # noqa: PLC0415 - loaded on use

    from crosscheck.certificate.statement import moment  # noqa: PLC0415 - the same

    if when is None:
        return datetime.now(UTC).isoformat(timespec="seconds")
    try:
        return moment(when)
    except ValueError as error:
        raise UserError(
            f"--when {when}: is no moment ({error}); write 2027-01-31T12:00:00+00:00"
        ) from None


def _beside(report: Path) -> Path:
    folder = report.parent if report.name == "report.json" else report
    whole = folder.resolve()
    return whole.with_name(f"{whole.name.removesuffix('.zip')}.certificate")
