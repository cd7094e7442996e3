"""`crosscheck fuzz`: search for a data set on which two witnesses disagree, and shrink it."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from crosscheck.commands import completion
from crosscheck.data import door
from crosscheck.errors import FAILED, PASS, UserError
from crosscheck.system import say, scratch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.progress import Progress

    from crosscheck.fuzz.search import Found, Search
    from crosscheck.witnesses import Witness

SECONDS = 60.0


@click.command()
@click.option("--seconds", type=click.FloatRange(min=0, min_open=True), help="How long; 60.")
@click.option("--count", type=click.IntRange(min=1), help="How many data sets, instead or at most.")
@click.option("--seed", default=0, show_default=True, help="Another seed, other data sets.")
@click.option(
    "--witness",
    "names",
    shell_complete=completion.witnesses,
    multiple=True,
    metavar="NAME",
    help="Ask these beside the two implementations (repeatable): ranx, scikit-learn, trec_eval, "
    "ir_measures, "
    "scipy, or your own as module:function. Default: all four.",
)
@click.option(
    "--undeclared",
    is_flag=True,
    help="Ask the libraries what they are not asked otherwise: keys they define differently.",
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("reports/fuzz"),
    show_default=True,
    help="Where the vector files go.",
)
def command(
    *,
    seconds: float | None,
    count: int | None,
    seed: int,
    names: tuple[str, ...],
    undeclared: bool,
    out: Path,
) -> int:
    """Search for a data set on which two witnesses disagree, and shrink it.

    Draws adversarial data sets (ties, empty lists, one class, extreme K, edge probabilities, odd
    ids), asks every witness, and compares every pair. What is found is shrunk to the smallest data
    set, explained, and written as a vector file. Aim it at your own metric code:

        crosscheck fuzz --witness mypackage.metrics:evaluate

    Exit code 1 if anything was found.
    """
    from crosscheck.fuzz.field import everything  # noqa: PLC0415 - the same
    from crosscheck.fuzz.search import Budget, Search  # noqa: PLC0415 - hypothesis is heavy

    if seconds is None and count is None:
        seconds = SECONDS
    with ExitStack() as stack:
        witnesses = [_apart(one, stack) for one in _witnesses(names, undeclared=undeclared)]
        say(f"Waking {', '.join(one.name for one in witnesses)} …", err=True)
        search = Search(witnesses, everything(), Budget(seconds, count), seed)
        refuse_unusable(search)
        with _progress() as bar:
            task = bar.add_task("Searching", total=1.0)
            search.progress = lambda one: bar.update(task, completed=one.share)
            found = search.run()
        _tell(search, found, witnesses, out)
    return FAILED if found else PASS


def _progress() -> Progress:
    from rich.console import Console  # noqa: PLC0415 - rich is heavy
    from rich.progress import Progress  # noqa: PLC0415 - the same

    return Progress(console=Console(stderr=True), transient=True)


def _witnesses(names: Sequence[str], *, undeclared: bool) -> list[Witness]:
    from crosscheck.fuzz.undeclared import with_undeclared  # noqa: PLC0415 - numpy
    from crosscheck.witnesses.registry import choose  # noqa: PLC0415 - numpy

    chosen = choose(names)
    return [with_undeclared(one) if undeclared else one for one in chosen]


def _apart(witness: Witness, stack: ExitStack) -> Witness:
    """Let code that is not ours speak from a process of its own, as the gate does."""
    from crosscheck.witnesses.interview import Interview  # noqa: PLC0415 - seldom needed

    return stack.enter_context(Interview(witness)).witness if witness.apart else witness


def refuse_unusable(search: Search) -> None:
    """Refuse a witness of the user's that cannot even be found."""
    from crosscheck.witnesses import Silence  # noqa: PLC0415 - only this command needs it

    for witness, answer in search.wake():
        missing = ("ModuleNotFoundError", "ImportError", "AttributeError")
        if (
            witness.kind == "user"
            and isinstance(answer, Silence)
            and answer.reason.startswith(missing)
        ):
            raise UserError(
                f"--witness {witness.name}: {answer.reason}. Check the name, and run from the "
                "folder that the module is imported from."
            )


def _tell(search: Search, found: Sequence[Found], witnesses: Sequence[Witness], out: Path) -> None:
    from crosscheck.fuzz import vector  # noqa: PLC0415 - only what was found is written

    for number, one in enumerate(found, start=1):
        path = vector.write(one, out, number)
        say(_told(number, one, path))
    names = ", ".join(one.name for one in witnesses)
    say(
        f"{len(found)} disagreement{'s' if len(found) != 1 else ''} among {names} on "
        f"{search.examined:,} data sets in {search.elapsed:.0f} s (seed {search.seed})."
    )


def _told(number: int, one: Found, path: Path) -> str:
    from crosscheck.fuzz import words  # noqa: PLC0415 - only what was found is told

    disagreement = one.disagreement
    lines = [f"{number}. {words.headline(disagreement)}"]
    if disagreement.kind in {"value", "fact", "type"}:
        lines += [f"   {name}: {said!r}" for name, said in disagreement.says.items()]
    lines += [f"   {line}" for line in words.explanation(disagreement, _ledger(one))]
    lines += [f"   {row}" for row in _shown(one)]
    lines.append(f"   → {path}")
    return "\n".join(lines) + "\n"


def _shown(one: Found) -> list[str]:
    texts = one.data.texts() if one.data.form != "parquet" else {"rows": str(one.data.rows)}
    shown = [line for text in texts.values() for line in text.splitlines()]
    return [*shown, f"settings {one.data.settings}"]


def _ledger(one: Found) -> dict[str, int | float]:
    with scratch("fuzz") as folder:
        try:
            return door.primary.evaluate(one.data.place(folder), one.data.settings)
        except door.primary.InputError:
            return {}
