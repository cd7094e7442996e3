"""`crosscheck compare`: several systems against each other."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from crosscheck.commands import options
from crosscheck.errors import FAILED, PASS
from crosscheck.system import say

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crosscheck.gate import Outcome
    from crosscheck.policy import Policy
    from crosscheck.report.document import ComparisonDocument

EXAMPLES = """\b
Examples:
  crosscheck compare baseline.csv ours.csv
  crosscheck compare base=old.csv new=new.csv --metric mrr --format latex
  crosscheck compare reports/monday reports/today --out reports/compared
"""
FORMATS = ("terminal", "markdown", "latex", "json")


@click.command(epilog=EXAMPLES)
@click.argument("systems", nargs=-1, metavar="A B …")
@click.option("--config", type=click.Path(path_type=Path), help="crosscheck.toml.")
@options.policy("What a lab or a journal holds the comparison to; or set CROSSCHECK_POLICY.")
@click.option("--strict", is_flag=True, help="The built-in policy that grants nothing.")
@click.option("--baseline", metavar="NAME", help="What the others are held against. [the first]")
@click.option(
    "--metric",
    "metrics",
    multiple=True,
    metavar="NAME",
    help="What to compare; repeatable: a name, a key, or “headline” for all. "
    "[nDCG@10, AUROC, Recall@10, evidence recall, alert precision]",
)
@click.option("--slice", "part", help="all, folds, fold=0, criterion=A.3 … [folds, else all]")
@click.option("--resamples", type=click.IntRange(0), help="How many resamples and permutations.")
@click.option("--seed", type=click.IntRange(0), help="Seed of the resampling plan.")
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default=FORMATS[0],
    show_default=True,
    help="How to print it.",
)
@click.option("--out", type=click.Path(path_type=Path), help="Folder for all formats and figures.")
@click.option("--quiet", "-q", is_flag=True, help="No progress.")
def command(
    *,
    systems: tuple[str, ...],
    config: Path | None,
    policy: str | None,
    strict: bool,
    baseline: str | None,
    metrics: tuple[str, ...],
    part: str | None,
    resamples: int | None,
    seed: int | None,
    form: str,
    out: Path | None,
    quiet: bool,
) -> int:
    """Compare systems: ablation table, paired intervals, permutation tests.

    A, B … are systems of the config, data files (or NAME=FILE), or reports (a folder, report.json
    or bundle, whose inputs must still be there). Without any, the config's systems are compared,
    or the six steps of the built-in study. A number that the baseline does not have is held
    against the first system that has it.
    """
    from crosscheck import ablation, gate  # noqa: PLC0415 - `--help` answers at once
    from crosscheck.commands.entrants import entrants  # noqa: PLC0415 - the same
    from crosscheck.commands.terminal import Progress  # noqa: PLC0415 - the same
    from crosscheck.gate.request import day, draws  # noqa: PLC0415 - the same
    from crosscheck.model.options import Options, written  # noqa: PLC0415 - the same
    from crosscheck.report.document import document  # noqa: PLC0415 - the same
    from crosscheck.witnesses.implementations import PRIMARY  # noqa: PLC0415 - the same
    from crosscheck.witnesses.registry import choose  # noqa: PLC0415 - the same

    held = _policy(policy, strict=strict)
    with entrants(systems, config, search=held.discovery) as found:
        if found.discovered is not None:
            say(f"config: {found.discovered} (found, not named)", err=True)
        drawn = Options(intervals=resamples != 0, resamples=resamples or None, seed=seed)
        count, number = draws(drawn, found.config, held, study=False)
        asked = metrics or tuple(found.config.metrics)
        request = gate.Request(
            sources=found.sources,
            config=found.config,
            witnesses=choose([PRIMARY.name, *held.witnesses.required]),
            seed=number,
            policy=held,
            today=day(drawn, found.config, held),
            timeout=found.config.timeout,
            command=written(
                "compare",
                *systems,
                *(["--strict"] if strict else []),
                config=config,
                policy=policy,
                metric=metrics,
                baseline=baseline,
                slice=part,
                resamples=resamples,
                seed=seed,
            ),
            shown=found.shown,
            ablation=ablation.Wanted(found.sources, asked, baseline, part, count, insisted=True),
        )
        progress = None if quiet or form != FORMATS[0] else Progress(several=True)
        outcome = gate.run(request, progress=progress)
        made = document(outcome)
        if out is not None:
            _write(made, outcome, out)
    _say(made, form)
    return PASS if made.verdict == "pass" else FAILED


def _policy(file: str | None, *, strict: bool) -> Policy:
    """Give the policy in force; a comparison has no claims, so what is asked of claims is not."""
    from crosscheck import policy as policies  # noqa: PLC0415 - loaded on use

    held = policies.choose(file, strict=strict)
    usual = policies.built_in(policies.STANDARD)
    return held.model_copy(update={"claims": usual.claims})


def _say(made: ComparisonDocument, form: str) -> None:
    if form == FORMATS[0]:
        _show(made)
    else:
        say(_rendered(made)[form], nl=False)


def _rendered(made: ComparisonDocument) -> dict[str, str]:
    from crosscheck.paper.text import latex, to_markdown  # noqa: PLC0415 - the same
    from crosscheck.report.document import papers, to_json  # noqa: PLC0415 - loaded on use
    from crosscheck.report.printing import DIGITS  # noqa: PLC0415 - the same

    tables = papers(made)
    return {
        "markdown": "\n".join(to_markdown(table, DIGITS) for table in tables),
        "latex": "\n".join(latex(table, DIGITS) for table in tables),
        "json": to_json(made),
    }


def _show(made: ComparisonDocument) -> None:
    from crosscheck.commands.screen import show, split  # noqa: PLC0415 - the same
    from crosscheck.commands.terminal import Screen  # noqa: PLC0415 - rich is not free
    from crosscheck.report.document import papers  # noqa: PLC0415 - loaded on use

    console = Screen(highlight=False)
    console.print()
    for table in papers(made):
        for part in split(table):
            show(console, part)
    for one in made.findings:
        if one.severity == "error" and one.waived is None:
            console.print(f"{one.rule} {one.message}", style="red", markup=False, soft_wrap=True)
            console.print(f"      try: {one.remedy}", markup=False, soft_wrap=True)
    console.print(made.summary, style="bold", markup=False, soft_wrap=True)


def _write(made: ComparisonDocument, outcome: Outcome, out: Path) -> None:
    """Write every format, and the figures of the ablation and its policies."""
    from crosscheck.errors import UserError  # noqa: PLC0415 - loaded on use

    names = {"markdown": "comparison.md", "latex": "comparison.tex", "json": "comparison.json"}
    try:
        out.mkdir(parents=True, exist_ok=True)
        for form, text in _rendered(made).items():
            (out / names[form]).write_text(text, encoding="utf-8", newline="\n")
        for name, svg, pdf in _figures(made, outcome):
            (out / f"{name}.svg").write_text(svg, encoding="utf-8", newline="\n")
            (out / f"{name}.pdf").write_bytes(pdf)
    except OSError as error:
        raise UserError(
            f"--out {out}: cannot be written to ({error.strerror}); name another folder"
        ) from None


def _figures(made: ComparisonDocument, outcome: Outcome) -> Iterator[tuple[str, str, bytes]]:
    from crosscheck.figures import draw_all, draw_comparison  # noqa: PLC0415 - heavy
    from crosscheck.figures.studio import figure_data  # noqa: PLC0415 - loaded on use
    from crosscheck.report.names import folder_name  # noqa: PLC0415 - the same

    for drawn in draw_comparison(made.comparison).figures:
        yield drawn.name, drawn.svg, drawn.pdf
    for one in outcome.evidence:
        for drawn in draw_all(figure_data(one), ("gamma", "grid")).figures:
            yield f"{drawn.name}-{folder_name(one.system)}", drawn.svg, drawn.pdf
