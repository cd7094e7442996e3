"""What decides the result of a gate, as the command line and a stored report say it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from crosscheck.errors import UserError


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


def options(command: Any) -> Any:  # noqa: ANN401 - decorates any function
    """Add what decides the result; `rerun` reads the same from a stored report."""
    for decorate in (
        click.option(
            "--timeout",
            type=click.IntRange(1),
            metavar="SECONDS",
            help="How long a witness may take for one answer; an hour unless told.",
        ),
        click.option("--seed", type=click.IntRange(0), help="Seed of the resampling plan."),
        click.option("--resamples", type=click.IntRange(1), help="How many resamples."),
        click.option(
            "--intervals/--no-intervals",
            default=None,
            help="Bootstrap intervals; on for the built-in study, or where the config sets "
            "`resamples`.",
        ),
        click.option(
            "--witness",
            "witnesses",
            multiple=True,
            metavar="NAME",
            help="Ask only these besides primary and reference: ranx, scikit-learn, trec_eval, "
            "scipy (with its own bootstrap), or module:function.",
        ),
        click.option("--run", type=str, metavar="FILE", help="TREC run."),
        click.option("--qrels", type=str, metavar="FILE", help="TREC judgements."),
        click.option(
            "--ranking",
            "rankings",
            multiple=True,
            type=Ranking(),
            help="A ranking in a column of DATA; repeatable.",
        ),
        click.option("--config", type=click.Path(path_type=Path), help="crosscheck.toml."),
        click.option(
            "--claims",
            multiple=True,
            metavar="FILE",
            help="What the authors claim: JSON, CSV, Markdown or LaTeX; repeatable.",
        ),
        click.argument("data", required=False),
    ):
        command = decorate(command)
    return command


@dataclass(frozen=True, slots=True)
class Options:
    """What decides the result of a gate: the command line, less how it is shown."""

    data: str | None = None
    claims: tuple[str, ...] = ()
    config: Path | None = None
    rankings: tuple[tuple[str, str], ...] = ()
    qrels: str | None = None
    run: str | None = None
    witnesses: tuple[str, ...] = ()
    intervals: bool | None = None
    resamples: int | None = None
    seed: int | None = None
    timeout: int | None = None

    @property
    def source(self) -> str | dict[str, str] | None:
        """The data that the options name."""
        if bool(self.qrels) != bool(self.run):
            raise UserError("--qrels and --run go together: name both TREC files")
        if self.qrels and self.run:
            if self.data:
                raise UserError("DATA and --qrels/--run exclude each other: name one or the other")
            return {"qrels": self.qrels, "run": self.run}
        return self.data

    @property
    def command(self) -> tuple[str, ...]:
        """Write the command that gives the same result, in one order whatever the user typed."""
        words = ["crosscheck", "gate", *([self.data] if self.data else [])]
        for name, value in (("qrels", self.qrels), ("run", self.run), ("config", self.config)):
            words += [f"--{name}", str(value)] if value else []
        for file in self.claims:
            words += ["--claims", file]
        for name, column in self.rankings:
            words += ["--ranking", f"{name}={column}"]
        for name in self.witnesses:
            words += ["--witness", name]
        if self.intervals is not None:
            words.append("--intervals" if self.intervals else "--no-intervals")
        for name in ("resamples", "seed", "timeout"):
            number = getattr(self, name)
            words += [f"--{name}", str(number)] if number is not None else []
        return tuple(words)
