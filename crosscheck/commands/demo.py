"""`crosscheck demo DIR`: write a built-in study to a folder."""

from __future__ import annotations

from pathlib import Path

import click

from crosscheck import study
from crosscheck.errors import UserError
from crosscheck.study import further
from crosscheck.study.further import FURTHER, contents
from crosscheck.system import say


@click.command("demo")
@click.argument("directory", metavar="DIR", type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--study",
    "which",
    type=click.Choice(["evidence", *FURTHER]),
    default="evidence",
    show_default=True,
    help="trec: graded judgements and two runs; classes: four classes, three seeds, three data "
    "sets. Both are small.",
)
@click.option(
    "--format",
    "file_format",
    type=click.Choice(study.FORMATS),
    help="Form of the study of evidence, csv unless told; CSV has the same bytes everywhere.",
)
@click.option(
    "--system",
    "systems",
    type=click.Choice(study.SYSTEM_NAMES),
    multiple=True,
    help="Of the study of evidence write this system only; repeatable. Default: all six.",
)
@click.option("--force", is_flag=True, help="Write over files of the same names.")
def command(
    directory: Path, which: str, file_format: str | None, systems: tuple[str, ...], *, force: bool
) -> None:
    """Write a built-in study to DIR: data, crosscheck.toml and truthful claims.

    The study of evidence is generated to the profile of the contract: 14,770 queries, 1,379 of
    them with evidence, five folds, six systems from the retriever alone to the full pipeline.
    """
    if which in FURTHER and (file_format or systems):
        raise UserError(f"--format and --system are of the study of evidence; {which} has neither")
    systems = systems or study.SYSTEM_NAMES
    chosen = file_format or "csv"
    if not force:
        names = contents(which) if which in FURTHER else study.file_names(systems, chosen).values()
        _refuse_to_overwrite(directory, list(names))
    try:
        if which in FURTHER:
            paths = further.write(which, directory)
        else:
            paths = study.write(directory, systems=systems, format=chosen)
    except OSError as error:
        raise UserError(
            f"{directory}: the study cannot be written here ({error.strerror}); "
            "name a folder that you may write to"
        ) from error
    for path in paths.values():
        say(f"{path}  {path.stat().st_size:,} bytes")
    say(f"\nGate it:  cd {directory} && crosscheck gate")


def _refuse_to_overwrite(directory: Path, names: list[str]) -> None:
    present = [name for name in names if (directory / name).exists()]
    if present:
        raise UserError(
            f"{directory}: {', '.join(present)} would be overwritten; "
            "name another folder, or add --force"
        )
