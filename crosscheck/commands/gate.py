"""`crosscheck gate`: the main job."""

from __future__ import annotations

import os
import secrets
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from crosscheck.commands import completion, options
from crosscheck.errors import FAILED, PASS
from crosscheck.system import say

if TYPE_CHECKING:
    from collections.abc import Collection

    from crosscheck.model.options import Options
    from crosscheck.report.view import Report
    from crosscheck.workspace.cached import Cache

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
    if every:
        from crosscheck.commands import every as several  # noqa: PLC0415 - only there

        return several.run(
            click.get_current_context(), asked["data"], out, quiet=quiet, as_json=as_json
        )
    from crosscheck.model.options import Options  # noqa: PLC0415 - `--help` answers at once
    from crosscheck.report import json, publish  # noqa: PLC0415 - the same
    from crosscheck.workspace.cached import TOLD, Cache  # noqa: PLC0415 - the same

    wanted = Options(**asked)
    kept = Cache.of(wanted, *sorted(allowed), f"figures: {figures}") if cache else None
    silent = quiet or as_json
    with publish.aside(out) as folder:
        if kept is not None and kept.take(folder):
            report = json.read(folder / json.NAME)
            _verdict_first(report, silent=silent)
            say(TOLD, err=True)
        else:
            report = _computed(wanted, allowed, folder, kept, figures=figures, silent=silent)
    _say(report, out, quiet=quiet, as_json=as_json)
    return PASS if report.verdict == "pass" else FAILED


def _computed(
    wanted: Options,
    allowed: Collection[str],
    folder: Path,
    kept: Cache | None,
    *,
    figures: bool,
    silent: bool,
) -> Report:
    """Do the whole job, and write the report into a folder."""
    from crosscheck.witnesses.workers import Workers  # noqa: PLC0415 - `--help` answers at once

    with Workers() as workers:
        # They import while this process does, and while it looks at the data.
        workers.begin(IMPLEMENTATIONS)
        from crosscheck.commands.terminal import Progress  # noqa: PLC0415 - the same
        from crosscheck.figures.studio import Studio  # noqa: PLC0415 - the same
        from crosscheck.gate import job  # noqa: PLC0415 - the same
        from crosscheck.gate.request import prepare  # noqa: PLC0415 - the same
        from crosscheck.report import publish  # noqa: PLC0415 - the same
        from crosscheck.report.assemble import report_of  # noqa: PLC0415 - the same
        from crosscheck.workspace.cached import Seen  # noqa: PLC0415 - the same

        began = time.time_ns()
        with prepare(wanted, allowed=allowed) as asked:
            seen = Seen.of(asked, began)
            studio = Studio(workers, draws=figures)
            request = replace(asked, undrawn=studio.undrawn)
            progress = None if silent else Progress(several=request.ablation is not None)
            stage = None if silent else _stage
            outcome = job.run(request, progress=progress, onlooker=studio, told=stage)
            report = report_of(outcome)
            if _verdict_first(report, silent=silent):
                say(_still(studio.left), err=True)
            report = publish.write(outcome, folder, studio.galleries(outcome.comparison), report)
            if kept is not None:
                kept.keep(outcome, seen, folder)
    return report


IMPLEMENTATIONS = ("primary", "reference")
"""Who is asked in every run, each in a process of its own."""


def _verdict_first(report: Report, *, silent: bool) -> bool:
    """Print what is known before the report is written: drawing takes longer than judging."""
    if silent or os.environ.get(ACTIONS) == "true":
        return False
    from crosscheck.commands.terminal import judgement  # noqa: PLC0415 - rich is not free

    judgement(report)
    return True


def _still(left: int) -> str:
    counted = "1 figure is" if left == 1 else f"{left} figures are"
    drawn = f"{counted} still being drawn, and " if left else ""
    return f"{drawn}the report is being written …"


ACTIONS = "GITHUB_ACTIONS"
"""Set by GitHub, where the verdict stands among commands, all of it at the end."""


def _stage(stage: str) -> None:
    """Say what an engine begins with."""
    say(f"engine: {stage}", err=True)


def _say(report: Report, out: Path, *, quiet: bool, as_json: bool) -> None:
    in_actions = os.environ.get(ACTIONS) == "true"
    if in_actions:
        from crosscheck.report import github, markdown  # noqa: PLC0415 - only there

        click.echo(github.render(report), nl=False, err=as_json)
        github.beside_the_step(markdown.render(report))
    if as_json:
        from crosscheck.report import json  # noqa: PLC0415 - loaded on use

        say(json.render(report), nl=False)
    elif quiet:
        say(report.summary)
    else:
        from crosscheck.commands.terminal import judgement, places  # noqa: PLC0415 - rich is not free

        # A line of a stranger's that looks like a command of GitHub's must not be one.
        token = f"crosscheck-{secrets.token_hex(16)}"
        if in_actions:
            click.echo(f"::stop-commands::{token}")
            judgement(report)
        places(report, out)
        if in_actions:
            click.echo(f"::{token}::")
