"""`crosscheck watch`: gate again on every change of an input, and show only what moved."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from crosscheck.errors import PASS, UserError
from crosscheck.system import harmless, say

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from crosscheck.workspace.watching import Watched

    Changes = Callable[[list[Path]], Iterable[Any]]
    """From the files to something for each time that they change."""

EXAMPLES = """\b
Examples:
  crosscheck watch
  crosscheck watch per_query.csv --claims paper.tex
"""
PAUSE = 400
"""Milliseconds without a change before one is believed to be over."""


@click.command(
    "watch",
    epilog=EXAMPLES,
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
)
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="[WHAT GATE TAKES]...")
def command(words: tuple[str, ...]) -> int:
    """Gate, and again whenever an input changes; show only what moved.

    Takes what `crosscheck gate` takes; reports are kept for as long as one watches, nothing is
    written to your folder. Ctrl-C ends it.
    """
    from crosscheck.extras import needed  # noqa: PLC0415 - `--help` answers at once
    from crosscheck.workspace.watching import watched  # noqa: PLC0415 - the same

    if any(word == "--out" or word.startswith("--out=") for word in words):
        raise UserError("--out: watching writes no report; `crosscheck gate` does")
    library = needed("watchfiles", "crosscheck watch")
    # Ctrl-C is how one stops watching: no interruption of anything.
    with suppress(KeyboardInterrupt), watched([*words, "--no-figures"]) as one:
        follow(one, lambda files: _changes(library, files))
    return PASS


def follow(one: Watched, changes: Changes) -> None:
    """Gate, and once more for each change."""
    from crosscheck.commands.diff import show  # noqa: PLC0415 - rich is not free
    from crosscheck.workspace.watching import inputs_of  # noqa: PLC0415 - the same

    report, _ = one.again()
    files = inputs_of(report)
    if not files:
        raise UserError("there is no file to watch: name data, or a config that names them")
    say(harmless(report.summary))
    say(f"watching {', '.join(harmless(str(file)) for file in files)}; Ctrl-C ends it")
    for _ in changes(files):
        try:
            report, moved = one.again()
        except UserError as error:
            say(harmless(str(error)))
            continue
        if moved is None or moved.nothing:
            say("nothing moved")
        else:
            show(moved)
            say(harmless(report.summary))


def _changes(library: Any, files: list[Path]) -> Iterable[Any]:  # noqa: ANN401 - a module
    """Wait for changes of the files: of their folders, since editors replace a file by another."""
    wanted = {file.resolve() for file in files}

    def ours(_: object, path: str) -> bool:
        return Path(path).resolve() in wanted

    folders = sorted({file.resolve().parent for file in files})
    changes: Iterable[Any] = library.watch(
        *folders, watch_filter=ours, debounce=PAUSE, recursive=False, raise_interrupt=True
    )
    return changes
