"""`crosscheck gate --all`: every config below a folder, one summary, one exit code."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from crosscheck.errors import UserError
from crosscheck.system import one_line, say

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crosscheck.report.view import Report
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
        say(_counted(several))
    return code_of(several)


def _counted(several: list[Ran]) -> str:
    """Say in one line how all of them went."""
    counts = [f"{sum(one.word == word for one in several)} {word}" for word in _words(several)]
    made_before = sum(one.cached for one in several)
    told = f" ({made_before} cached)" if made_before else ""
    return f"{len(several)} config{'s' * (len(several) != 1)}: {', '.join(counts)}{told}"


def _words(several: list[Ran]) -> list[str]:
    return [word for word in ("PASS", "FAIL", "ERROR") if any(one.word == word for one in several)]


def _summary(one: Ran) -> str:
    """Give the first line of what was said, without the word it begins with."""
    first = one.said.partition("\n")[0]
    cached = " (cached)" if one.cached else ""
    return f"{first.partition(': ')[2] or first}{cached}"


def _tell(one: Ran) -> None:
    say(f"{one.word:<5} {one_line(str(one.folder))}  {_summary(one)}")
    for line in one.said.split("\n")[1:]:
        say(f"      {line}")
    if one.report is not None:
        say(f"      {one_line(str(one.report / 'report.html'))}")


def _annotate(several: list[Ran], *, as_json: bool) -> None:
    """Write GitHub's commands of all reports, and the summary beside the step."""
    if os.environ.get("GITHUB_ACTIONS") != "true":
        return
    from crosscheck.report import github, json  # noqa: PLC0415 - only there

    reports = {
        one.folder.as_posix(): json.read(one.report / json.NAME)
        for one in several
        if one.report is not None
    }
    for folder, report in reports.items():
        click.echo(github.render(report, folder), nl=False, err=as_json)
    github.beside_the_step(_page(several, reports))


LARGEST = 1_000_000
"""Bytes of a summary: GitHub drops what is beyond 1 MiB, all of it."""


def _page(several: list[Ran], reports: dict[str, Report]) -> str:
    """Write a table of all configs, and the reports of those that fail as far as there is room."""
    from crosscheck.report import markdown  # noqa: PLC0415 - only there

    page = f"# {_counted(several)}\n\n| | config | |\n|---|---|---|\n"
    for one in several:
        cells = (one.word, one.folder.as_posix(), _summary(one))
        page += f"| {' | '.join(map(markdown.text, cells))} |\n"
    for folder, report in reports.items():
        if report.verdict == "fail":
            more = f"\n## {markdown.text(folder)}\n\n{markdown.render(report)}"
            room = len(page.encode()) + len(more.encode()) < LARGEST
            page += more if room else f"\n## {markdown.text(folder)}\n\nSee its report.\n"
    return page


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
