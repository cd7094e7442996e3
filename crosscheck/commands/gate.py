"""`crosscheck gate`: the main job."""

from __future__ import annotations

import os
import secrets
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from crosscheck.commands import completion, options
from crosscheck.errors import FAILED, PASS
from crosscheck.report.names import REPORT
from crosscheck.streams import finish_unread
from crosscheck.system import say

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from crosscheck.report.view import Report
    from crosscheck.witnesses.workers import Workers
    from crosscheck.workspace.cached import Cache, Kept

DEFAULT_OUT = Path("reports") / "latest"
EXAMPLES = """\b
Examples:
  crosscheck gate
  crosscheck gate per_query.csv --claims summary.json
  crosscheck gate per_query.csv --ranking retriever=retriever_topk --ranking reranked=reranked_topk
  crosscheck gate --qrels qrels.txt --run run.txt --claims paper.tex
  crosscheck gate run.json --qrels qrels/test.tsv
  crosscheck gate 'results/*.parquet'
  crosscheck gate 'results/*.parquet' --engine duckdb
  crosscheck gate --all papers
"""


class Ranking(click.ParamType[tuple[str, str]]):
    """`NAME=COLUMN`."""

    name = "NAME=COLUMN"

    def convert(
        self,
        value: Any,  # noqa: ANN401 - click's own signature
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> tuple[str, str]:
        """Split at the first `=`."""
        if isinstance(value, tuple):
            return value
        name, mark, column = str(value).partition("=")
        if not (name and mark and column):
            self.fail(f"“{value}” is no NAME=COLUMN, such as retriever=retriever_topk", param, ctx)
        return name, column


class CutOffs(click.ParamType[tuple[int, ...]]):
    """`10,100`."""

    name = "N,N"

    def convert(
        self,
        value: Any,  # noqa: ANN401 - click's own signature
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> tuple[int, ...]:
        """Split at commas."""
        if isinstance(value, tuple):
            return value
        parts = [part.strip() for part in str(value).split(",")]
        if not all(part.isdecimal() and int(part) > 0 for part in parts):
            self.fail(f"“{value}” is no list of whole numbers above 0, such as 10,100", param, ctx)
        return tuple(dict.fromkeys(map(int, parts)))


@click.command(epilog=EXAMPLES)
@click.argument("data", required=False)
@click.option(
    "--claims",
    multiple=True,
    metavar="FILE",
    help="What the authors claim: JSON, CSV, Markdown or LaTeX; repeatable.",
)
@click.option("--config", metavar="FILE", help="crosscheck.toml.")
@options.policy("What a lab or a journal holds the run to; or set CROSSCHECK_POLICY.")
@click.option("--strict", is_flag=True, help="The built-in policy that grants nothing.")
@click.option(
    "--today",
    type=click.DateTime(["%Y-%m-%d"]),
    callback=lambda _context, _option, day: day.date().isoformat() if day else None,
    help="The day by which waivers expire; this one unless told.",
)
@click.option(
    "--ranking",
    "rankings",
    multiple=True,
    type=Ranking(),
    help="A ranking in a column of DATA; repeatable.",
)
@click.option("--k", type=CutOffs(), default=(), help="Cut-offs of rankings, such as 10,100.")
@click.option(
    "--ties",
    type=click.Choice(["order", "docid", "trec_eval"]),
    help="Order of equal scores in a run: the file's, descending ids, or trec_eval's own.",
)
@click.option(
    "--relevance-level",
    type=click.IntRange(0),
    metavar="N",
    help="Judged at or above it is gold; 1 unless told.",
)
@click.option(
    "--dedupe",
    type=click.Choice(["first"]),
    help="Of a document twice in a ranking only the best place counts; it is refused unless told.",
)
@click.option("--qrels", metavar="FILE", help="Judgements: TREC, BEIR, JSON or a table.")
@click.option("--run", metavar="FILE", help="Run: TREC, MS MARCO, JSON or a table; or as DATA.")
@click.option(
    "--witness",
    "witnesses",
    multiple=True,
    shell_complete=completion.witnesses,
    metavar="NAME",
    help="Ask only these besides primary and reference: ranx, scikit-learn, trec_eval, "
    "ir_measures, "
    "scipy (with its own bootstrap), or module:function.",
)
@options.allow_witness(whose="which a config names that was found, not named")
@click.option(
    "--intervals/--no-intervals",
    default=None,
    help="Bootstrap intervals; on for the built-in study, or where the config sets `resamples`.",
)
@click.option("--resamples", type=click.IntRange(1), help="How many resamples.")
@click.option("--seed", type=click.IntRange(0), help="Seed of the resampling plan.")
@click.option(
    "--timeout",
    type=click.IntRange(1),
    metavar="SECONDS",
    help="How long a witness may take for one answer; an hour unless told.",
)
@click.option(
    "--engine",
    envvar="CROSSCHECK_ENGINE",
    metavar="ADDRESS",
    help="Count all rows of Parquet by an engine, and verify it on a sample: duckdb, local[2], "
    "spark://…, sc://…; or set CROSSCHECK_ENGINE.",
)
@click.option(
    "--residues",
    type=click.IntRange(2),
    metavar="N",
    help="With --engine: let the primary add up N parts of all rows, one after the other.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=DEFAULT_OUT,
    show_default=True,
    help="Folder for the report.",
)
@click.option(
    "--cache/--no-cache",
    "cache",
    default=True,
    envvar="CROSSCHECK_CACHE",
    help="Give the report that was made before where nothing has changed (docs/cache.md).",
)
@click.option("--figures/--no-figures", default=True, help="Draw the figures.")
@click.option(
    "--all",
    "every",
    is_flag=True,
    help="Gate every crosscheck.toml below the folder given as DATA, or this one.",
)
@click.option("--quiet", "-q", is_flag=True, help="Say the verdict in one line, nothing more.")
@click.option("--json", "as_json", is_flag=True, help="Print report.json instead.")
def command(
    *,
    out: Path,
    cache: bool,
    figures: bool,
    every: bool,
    quiet: bool,
    as_json: bool,
    allowed: tuple[str, ...],
    **asked: Any,  # noqa: ANN401 - what `Options` holds
) -> int:
    """Recompute every number twice, compare, check, and answer pass or fail.

    DATA is a table, a folder or a quoted glob of tables, or, with --qrels, a run.
    Without DATA and without a config that names any, the built-in study is gated.
    """
    finish_unread()
    if every:
        from crosscheck.commands import every as several  # noqa: PLC0415 - only there

        return several.run(
            click.get_current_context(), asked["data"], out, quiet=quiet, as_json=as_json
        )
    from crosscheck.report.aside import aside  # noqa: PLC0415 - `--help` answers at once
    from crosscheck.workspace.cached import Cache  # noqa: PLC0415 - the same

    cached = Cache.of(asked, *sorted(allowed), f"figures: {figures}") if cache else None
    kept = cached.find() if cached is not None else None
    silent = quiet or as_json
    if cached is not None and kept is not None:
        with aside(out, kept.files) as folder:
            told = _made_before(cached, kept, folder, silent=silent)
    else:
        from crosscheck.witnesses.workers import Workers  # noqa: PLC0415 - `--help` answers at once

        with Workers() as workers:
            # They import while this process does, and while it looks at the data.
            workers.begin(_needs(asked["witnesses"], figures=figures))
            with aside(out) as folder:
                told = _computed(
                    asked, allowed, workers, folder, cached, figures=figures, silent=silent
                )
    _say(told, out, quiet=quiet, as_json=as_json)
    return PASS if told.verdict == "pass" else FAILED


@dataclass(frozen=True, slots=True)
class _Told:
    """What is said of a report at the end."""

    verdict: str
    summary: str
    ledgers: tuple[str, ...]
    """Their places in the report's folder, a system each."""
    text: Callable[[], str]
    """Its `report.json`."""
    model: Callable[[], Report]
    """All of it, for whoever prints more."""


def _made_before(cached: Cache, kept: Kept, folder: Path, *, silent: bool) -> _Told:
    """Put the report that was made before into a folder, and print its verdict."""
    from crosscheck.workspace.cached import TOLD  # noqa: PLC0415 - only with a cache

    kept.put(folder)
    cached.used()

    def model() -> Report:
        from crosscheck.report import json  # noqa: PLC0415 - the models are not free

        return json.parsed(text, Path(REPORT))

    text = kept.files[REPORT].decode()
    if kept.shown and not silent and not _in_actions():
        click.echo(kept.shown, nl=False)
    else:
        _verdict_first(model, silent=silent)
    say(TOLD, err=True)
    systems = kept.told["systems"]
    ledgers = tuple(one["ledger"]["path"] for one in systems if one["ledger"])
    return _Told(kept.told["verdict"], kept.told["summary"], ledgers, lambda: text, model)


def _computed(
    words: Mapping[str, Any],
    allowed: Collection[str],
    workers: Workers,
    folder: Path,
    cached: Cache | None,
    *,
    figures: bool,
    silent: bool,
) -> _Told:
    """Do the whole job, and write the report into a folder."""
    from crosscheck.commands.terminal import Progress  # noqa: PLC0415 - `--help` answers at once
    from crosscheck.figures.studio import Studio  # noqa: PLC0415 - the same
    from crosscheck.gate import job  # noqa: PLC0415 - the same
    from crosscheck.gate.request import prepare  # noqa: PLC0415 - the same
    from crosscheck.model.options import Options  # noqa: PLC0415 - the same
    from crosscheck.processes import heed  # noqa: PLC0415 - the same
    from crosscheck.workspace.cached import Seen  # noqa: PLC0415 - the same

    began = time.time_ns()
    with prepare(Options(**words), allowed=allowed) as asked:
        seen = Seen.of(asked, began)
        studio = Studio(workers, draws=figures, later=_load_report)
        request = replace(asked, undrawn=studio.undrawn)
        progress = None if silent else Progress(several=request.ablation is not None)
        stage = None if silent else _stage
        outcome = job.run(request, progress=progress, onlooker=studio, told=stage)
        from crosscheck.report import json, publish  # noqa: PLC0415 - the same
        from crosscheck.report.assemble import report_of  # noqa: PLC0415 - the same

        report = report_of(outcome)
        studio.tend()
        shown = _verdict_first(lambda: report, silent=silent)
        if shown is not None:
            say(_still(studio.left), err=True)
        report = publish.begin(outcome, folder, report)
        whole = publish.finish(report, folder, studio.galleries(outcome.comparison))
        heed()
        if cached is not None:
            cached.keep(outcome, seen, folder, shown or "")
    ledgers = tuple(one.ledger.path for one in whole.systems if one.ledger)
    return _Told(whole.verdict, whole.summary, ledgers, lambda: json.render(whole), lambda: whole)


def _load_report() -> None:
    """Load what the report is made with, while the witnesses are at work."""
    from crosscheck.report import assemble, html, publish  # noqa: F401, PLC0415 - the same
    from crosscheck.report.formats import formats  # noqa: PLC0415 - the same

    formats()
    html.prepare()


def _needs(witnesses: Sequence[str], *, figures: bool) -> dict[str, tuple[str, ...]]:
    """Say what will take long to load, by the task that needs it, the most urgent first."""
    asked = ["reference", *(name for name in LIBRARIES if name in (witnesses or LIBRARIES))]
    return {name: HEAVY[name] for name in [*asked, *(["figures"] if figures else [])]}


LIBRARIES = ("scikit-learn",)
"""Witnesses whose library takes longer to load than to answer."""
HEAVY = {
    "reference": ("reference",),
    "scikit-learn": ("crosscheck.witnesses.sklearn_for_arrays",),
    "figures": ("crosscheck.drawing.svg", "crosscheck.drawing.pdf", "crosscheck.figures"),
}
"""What is worth loading before anybody is asked, by task."""


def _verdict_first(report: Callable[[], Report], *, silent: bool) -> str | None:
    """Print what is known before the report is written: drawing takes longer than judging.

    Gives what was printed, if anything was meant to be.
    """
    if silent or _in_actions():
        return None
    from crosscheck.commands.terminal import judgement  # noqa: PLC0415 - rich is not free

    return judgement(report())


def _in_actions() -> bool:
    """Say whether GitHub runs this, where the verdict stands among commands, all at the end."""
    return os.environ.get("GITHUB_ACTIONS") == "true"


def _still(left: int) -> str:
    counted = "1 figure is" if left == 1 else f"{left} figures are"
    drawn = f"{counted} still being drawn, and " if left else ""
    return f"{drawn}the report is being written …"


def _stage(stage: str) -> None:
    """Say what an engine begins with."""
    say(f"engine: {stage}", err=True)


def places(out: Path, ledgers: Sequence[str]) -> None:
    """Print where the report is."""
    for name, file in [("Report", "report.html"), *(("Ledger", one) for one in ledgers[:MOST])]:
        say(f"{name}: {out / file}")


def _say(told: _Told, out: Path, *, quiet: bool, as_json: bool) -> None:
    in_actions = _in_actions()
    if in_actions:
        from crosscheck.report import github, markdown  # noqa: PLC0415 - only there

        click.echo(github.render(told.model()), nl=False, err=as_json)
        github.beside_the_step(markdown.render(told.model()))
    if as_json:
        say(told.text(), nl=False)
        return
    if quiet:
        say(told.summary)
        return
    # A line of a stranger's that looks like a command of GitHub's must not be one.
    token = f"crosscheck-{secrets.token_hex(16)}"
    if in_actions:
        from crosscheck.commands.terminal import judgement  # noqa: PLC0415 - rich is not free

        click.echo(f"::stop-commands::{token}")
        judgement(told.model())
    places(out, told.ledgers)
    if in_actions:
        click.echo(f"::{token}::")


MOST = 6
"""Ledgers whose places are told; the report has them all."""
