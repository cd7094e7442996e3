"""`crosscheck gate --all`: every config below a folder, one summary, one exit code."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from crosscheck.errors import UserError
from crosscheck.system import harmless, say

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crosscheck.workspace.every import Ran

OURS = ("every", "data", "out", "quiet", "as_json")
"""Options that are answered here, and not handed on."""
OF_ONE = ("claims", "config", "rankings", "qrels", "run", "residues")
"""Options that speak of one set of data."""
PATHS = ("policy",)


def run(context: click.Context, folder: str | None, out: Path, **shown: bool) -> int:
    """Gate every config below the folder; the worst exit code."""
    from crosscheck.workspace.every import as_data, code_of, gate_every  # noqa: PLC0415 - on use

    root = Path(folder or ".")
    if not root.is_dir():
        raise UserError(f"{root}: is no folder; --all gates every crosscheck.toml below one")
    given = _given(context, "out")
    several = gate_every(
        root,
        list(_handed_on(context)),
        out if given else None,
        lambda one: None if shown["quiet"] or shown["as_json"] else _tell(one),
    )
    _annotate(several, as_json=shown["as_json"])
    if shown["as_json"]:
        say(as_data(several))
    else:
        counts = [f"{sum(one.word == word for one in several)} {word}" for word in _words(several)]
        say(f"{len(several)} configs: {', '.join(counts)}")
    return code_of(several)


def _words(several: list[Ran]) -> list[str]:
    return [word for word in ("PASS", "FAIL", "ERROR") if any(one.word == word for one in several)]


def _tell(one: Ran) -> None:
    first, *more = one.said.split("\n")
    say(f"{one.word:<5} {harmless(str(one.folder))}  {harmless(first.partition(': ')[2] or first)}")
    for line in more:
        say(f"      {harmless(line)}")
    if one.report is not None:
        say(f"      {one.report / 'report.html'}")


def _annotate(several: list[Ran], *, as_json: bool) -> None:
    if os.environ.get("GITHUB_ACTIONS") != "true":
        return
    from crosscheck.report import github, json  # noqa: PLC0415 - only there

    for one in several:
        if one.report is not None:
            folder = one.folder.as_posix()
            told = github.render(json.read(one.report / json.NAME), folder)
            click.echo(told, nl=False, err=as_json)


def _given(context: click.Context, name: str) -> bool:
    return context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE


def _handed_on(context: click.Context) -> Iterator[str]:
    """Give the words of the options that each gate gets too."""
    for one in context.command.params:
        if not isinstance(one, click.Option) or one.name is None or one.name in OURS:
            continue
        if not _given(context, one.name):
            continue
        if one.name in OF_ONE:
            raise UserError(f"{one.opts[0]} speaks of one set of data; with --all, configs say it")
        yield from _written(one, context.params[one.name])


def _written(one: click.Option, held: Any) -> Iterator[str]:  # noqa: ANN401 - any option's value
    if one.is_flag:
        yield (one.opts if held else one.secondary_opts)[0]
    elif one.multiple:
        for each in held:
            yield from (one.opts[0], str(each))
    elif one.name in PATHS:
        yield from (one.opts[0], str(Path(held).resolve()))
    else:
        text = ",".join(map(str, held)) if isinstance(held, tuple) else str(held)
        yield from (one.opts[0], text)
