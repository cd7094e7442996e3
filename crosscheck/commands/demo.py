"""`crosscheck demo DIR`: write the built-in study to a folder."""

from __future__ import annotations

from pathlib import Path

import click

from crosscheck import study
from crosscheck.errors import UserError


@click.command("demo")
@click.argument("directory", metavar="DIR", type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--format",
    "file_format",
    type=click.Choice(study.FORMATS),
    default="csv",
    show_default=True,
    help="Form of the data files; CSV has the same bytes everywhere.",
)
@click.option(
    "--system",
    "systems",
    type=click.Choice(study.SYSTEM_NAMES),
    multiple=True,
    help="Write this system only; repeatable. Default: all six of the ablation.",
)
@click.option("--force", is_flag=True, help="Write over files of the same names.")
def command(directory: Path, file_format: str, systems: tuple[str, ...], *, force: bool) -> None:
    """Write the built-in study to DIR: data, crosscheck.toml and truthful claims.

    The study is generated to the profile of the contract: 14,770 queries, 1,379 of them with
    evidence, five folds, six systems from the retriever alone to the full pipeline.
    """
    systems = systems or study.SYSTEM_NAMES
    if not force:
        _refuse_to_overwrite(directory, list(study.file_names(systems, file_format).values()))
    try:
        paths = study.write(directory, systems=systems, format=file_format)
    except OSError as error:
        raise UserError(
            f"{directory}: the study cannot be written here ({error.strerror}); "
            "name a folder that you may write to"
        ) from error
    for path in paths.values():
        click.echo(f"{path}  {path.stat().st_size:,} bytes")
    click.echo(f"\nGate it:  cd {directory} && crosscheck gate")


def _refuse_to_overwrite(directory: Path, names: list[str]) -> None:
    present = [name for name in names if (directory / name).exists()]
    if present:
        raise UserError(
            f"{directory}: {', '.join(present)} would be overwritten; "
            "name another folder, or add --force"
        )
