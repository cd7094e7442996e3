"""`crosscheck init`: from a folder of files to a config, and what it would check."""

from __future__ import annotations

from pathlib import Path

import click

from crosscheck.errors import PASS, UserError
from crosscheck.system import one_line, say

EXAMPLES = """\b
Examples:
  crosscheck init
  crosscheck init papers/2027 --dry-run
"""


@click.command("init", epilog=EXAMPLES)
@click.argument(
    "folder", default=".", type=click.Path(path_type=Path, file_okay=False, exists=True)
)
@click.option("--force", is_flag=True, help="Replace a crosscheck.toml that is there.")
@click.option("--dry-run", is_flag=True, help="Print the config, write nothing.")
def command(folder: Path, *, force: bool, dry_run: bool) -> int:
    """Look at a folder, write a commented crosscheck.toml, and say what it would check.

    A config that is there is never replaced unless --force says so.
    """
    from crosscheck.config import FILE, from_table  # noqa: PLC0415 - `--help` answers at once
    from crosscheck.workspace.draft import draft, told  # noqa: PLC0415 - the same
    from crosscheck.workspace.recognised import recognise  # noqa: PLC0415 - the same

    place = folder / FILE
    if place.exists() and not (force or dry_run):
        raise UserError(f"{place}: is there already; --force replaces it, --dry-run only shows")
    found = recognise(folder)
    if not found.data:
        hints = "".join(f"\n{hint}" for hint in found.hints[:3])
        raise UserError(
            f"{folder}: no data were recognised: a table with one row per query or example, or "
            f"TREC judgements with a run. docs/data.md shows each kind.{hints}"
        )
    import tomllib  # noqa: PLC0415 - the same

    text = draft(found)
    from_table(tomllib.loads(text), place)  # what is written is read as it is meant
    if dry_run:
        say(text, nl=False)
    else:
        place.write_text(text, encoding="utf-8", newline="\n")
        say(f"{place} is written. It checks:")
        for one in found.data:
            shown = one.place if isinstance(one.place, str) else " with ".join(one.place.values())
            say(f"  {one_line(shown)}: {told(one)}")
        for name, count in found.claims.items():
            say(f"  {one_line(name)}: {count:,} claimed number{'' if count == 1 else 's'}")
        if not found.claims:
            say("  no claims: name the paper's table under [claims], or give --claims")
        at = "" if folder == Path() else f"cd {folder} && "
        say(f"Next: {at}crosscheck gate")
    if found.unread:
        say(f"{found.unread:,} more files were not looked at", err=True)
    return PASS
