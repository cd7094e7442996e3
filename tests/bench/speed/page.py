"""docs/benchmarks.md: what was promised, what was measured, and how cost grows."""

from __future__ import annotations

import math
import os
import platform
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

from before import INEXACT, ROUNDS
from common import BY_ENGINE, RESAMPLES, SCIPY_RESAMPLES
from stages import EARLIER

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from before import Costs

LIBRARIES = (
    "numpy",
    "polars",
    "pytrec_eval-terrier",
    "ranx",
    "ir_measures",
    "scikit-learn",
    "scipy",
    "torchmetrics",
    "torch",
)
DISTURBED = 0.05
"""The share of the machine's CPU time above which others disturb what is measured."""

TOOLS = ("primary", "pytrec_eval", "ranx", "ir_measures")
FIELD = ("graded", "classes")


PAGE = """\
# Benchmarks

Written by `make bench`, never by hand. All figures are from one machine, tasks one after the
other, each in a process of its own; tools that are held against each other are measured in one
go (`make bench ONLY="B trec"` renews such groups alone). Seconds are from the Parquet file to the
answers, imports and compilation excluded; CPU seconds are those of all threads; peak memory is the
whole process. Every task but C is timed three times and the best counts.
Differences under 1.5× are noise. Commands (`crosscheck …`) are timed as a user waits for them,
on the built-in study unless a file is named; their CPU seconds are those of all their processes,
their memory that of the largest. T is the time of `python -m reference` on the built-in study's
`full.csv` with its config, in the same run: {now:.2f} s. T′ is the same at {earlier}, before the
work on these limits began: {then:.2f} s. The verdict is by T: the quicker the reference is alone,
the less everything else may take. Where a command's CPU seconds, spread over all cores without a
gap, are more than it may take, they are told too: no better use of the cores would reach the limit.

{others}

{compared} numbers that two tools both give were compared: all agree to {agree:g}
(torchmetrics, which works in 32 bits, to 1e-05).

Machine: {machine}, Python {python}, {libraries}.

## Promised and measured

| what | promised | measured | verdict |
|---|---|---|---|
{promised}

## Ranking metrics

Recall, precision, hit, MRR, MAP and nDCG at 1, 3, 5, 10, 20. The primary computes twelve metrics
and variants, also without cut-off, with mean, std and quartiles, for both populations.

Seconds (times the primary's), CPU seconds, peak memory.

| | A: 14,770 × ~20 | B: 6,980 × 1,000 (7 M rows) | C: 1 M × 20 (20 M rows) |
|---|---|---|---|
{ranking}

## Grades and classes

Graded nDCG at 1, 3, 5, 10, 20 of 100,000 queries × 20; the confusion matrix and every rate of
1,000,000 rows in ten classes. The primary gives all its statistics, the peers the means.

| | graded nDCG | several classes |
|---|---|---|
{field}

## Everything else

| task | seconds | CPU seconds | peak GB |
|---|---|---|---|
{other}

scipy and scikit-learn were given {few} resamples of each metric (percentile method); {many:,} would
take {scaled:.0f} s at that rate. The primary drew {many:,} and gives percentile and BCa intervals.

## What exactness cost

Sums are exact and the same on every machine (`primary/arithmetic/exact.py`). CPU seconds of the
primary before that (at {inexact}) and now, measured in turns, the best of {rounds}.

| task | before | now | |
|---|---|---|---|
{costs}

## How cost grows

Queries of 20 candidates, from file to all ranking statistics.

| rows | primary, s | µs a row | peak GB | pytrec_eval, s |
|---|---|---|---|---|
{growth}

![Seconds against rows](benchmarks.svg)

`crosscheck gate --no-figures`, every witness (those with limits on a sample of large data), from
the first key to the last; {by_engine:,} queries with `--engine duckdb`.

| queries of 20 candidates | seconds | CPU seconds | peak GB |
|---|---|---|---|
{gates}

## Where the time of a gate goes

`crosscheck gate` on the built-in study, by stage: seconds in which the command's own process was in
it, and CPU seconds of all its processes; at {earlier}, before processes were shared and reports
kept, and now.

| stage | before, s | before, CPU | now, s | now, CPU |
|---|---|---|---|---|
{stages}
"""


@dataclass(frozen=True)
class Measured:
    """What one task took, and what it answered."""

    seconds: float
    cpu: float
    """CPU seconds of all its threads: hardly touched by what else the machine does."""
    peak_gb: float
    answers: dict[str, float]
    verdict: float | None = None
    """Seconds until a gate said how it came out."""


Found = dict[str, dict[str, Measured]]


@dataclass(frozen=True)
class Target:
    """A figure that was promised, and what was measured."""

    what: str
    promised: str
    found: str
    reached: bool

    @property
    def verdict(self) -> str:
        """Say whether it was reached."""
        return "reached" if self.reached else "not reached"


def rows_of(name: str) -> int:
    """Give the rows of a workload that is named after them."""
    return int(name.removeprefix("rows"))


def exponent(found: Found) -> float:
    """Give the power of the number of rows with which time grows, over the last decade."""
    before, last = list(found["growth"].values())[-2:]
    return math.log10(last.seconds / before.seconds)


def scaled(found: Found) -> float:
    """Give what scipy and scikit-learn would take for all resamples, at the measured rate."""
    return found["auc"]["scipy"].seconds * RESAMPLES / SCIPY_RESAMPLES


def _faster(what: str, wanted: float, theirs: float, ours: float) -> Target:
    ratio = theirs / ours
    return Target(what, f"at least {wanted:g}× faster", f"{ratio:.1f}×", ratio >= wanted)


def targets(found: Found) -> list[Target]:
    """Hold what was measured against what was promised."""
    b, c, ledger = found["B"], found["C"]["primary"], found["ledger"]
    keys = ledger["primary"].answers["keys"]
    share = ledger["primary"].seconds / ledger["pytrec_eval"].seconds
    every = found["intervals"]["primary"].seconds
    power = exponent(found)
    grades = found["grades"]["graded"].seconds / found["grades"]["binary"].seconds
    return [
        _faster(
            "B, from file to all ranking means, against pytrec_eval",
            12,
            b["pytrec_eval"].seconds,
            b["primary"].seconds,
        ),
        _faster(
            "B against ranx, its compiled code warm", 50, b["ranx"].seconds, b["primary"].seconds
        ),
        _faster(
            "TREC text, 3,000 topics × 1,000: whole ledger, against pytrec_eval fed by a loop",
            8,
            found["trec"]["pytrec_eval"].seconds,
            found["trec"]["primary"].seconds,
        ),
        Target(
            "C, 20 M rows: peak memory",
            "at most 2.5 GB",
            f"{c.peak_gb:.2f} GB, {c.seconds:.1f} s",
            c.peak_gb <= 2.5,
        ),
        Target(
            f"A, whole ledger ({keys:,.0f} keys), against pytrec_eval's five measures",
            "at most 3× its time",
            f"{share:.2f}×",
            share <= 3,
        ),
        _faster(
            f"{RESAMPLES:,} resamples of AUROC and AUPRC against scipy and scikit-learn",
            50,
            scaled(found),
            found["auc"]["primary"].seconds,
        ),
        Target(
            "A, intervals of every headline metric by query and by post, plans drawn",
            "at most 15 s",
            f"{every:.1f} s",
            every <= 15,
        ),
        Target(
            "ledger of 1 M graded queries × 20 against the same without grades",
            "at most 2.5× the time",
            f"{grades:.2f}×",
            grades <= 2.5,
        ),
        Target(
            "time from 10⁶ to 10⁷ rows grows as rows to the power",
            "close to 1",
            f"{power:.2f}",
            power <= 1.15,
        ),
    ]


def waited(words: str, most: float, gb: float | None, one: Measured) -> Target:
    """Hold a command against the time, and the memory, that it may take."""
    room = f", {gb:g} GB" if gb else ""
    used = f", {one.peak_gb:.2f} GB" if gb else ""
    return Target(
        f"`crosscheck {words}`",
        f"at most {most:g} s{room}",
        f"{one.seconds:.2f} s{used}",
        one.seconds <= most and (gb is None or one.peak_gb <= gb),
    )


def waited_for(
    words: str, most: float, gb: float | None, one: Measured, alone: dict[str, Measured]
) -> Target:
    """Hold a command against what the reference alone takes: T, and T as it was, beside it."""
    room = f", {gb:g} GB" if gb else ""
    used = f", {one.peak_gb:.2f} GB" if gb else ""
    now, then = alone["reference"].seconds, alone["earlier"].seconds
    times = one.seconds / now
    told = f", the verdict after {one.verdict / now:.2f} T" if one.verdict else ""
    # What waiting less could win: no run ends before its work is done, by however many.
    least = one.cpu / (os.cpu_count() or 1) / now
    told += f", its work on all cores {least:.2f} T" if least > most else ""
    return Target(
        f"`crosscheck {words}`",
        f"at most {most:g} T{room}",
        f"{times:.2f} T{told}{used} ({one.seconds / then:.2f} T′)",
        times <= most and (gb is None or one.peak_gb <= gb),
    )


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _others(share: float | None) -> str:
    """Say how much else the machine was doing during the run."""
    if share is None:
        return "What other processes did meanwhile was not measured."
    taken = f"Other processes took {share:.1%} of the machine's CPU time during the run"
    if share <= DISTURBED:
        return f"{taken}."
    return (
        f"{taken}:\n**others were using the machine**, which hurts what runs on several cores (the"
        " primary)\nmore than what runs on one (the peers)."
    )


def text(
    found: Found,
    held: Sequence[Target],
    compared: int,
    agree: float,
    *,
    others: float | None,
    costs: Costs,
) -> str:
    """Write the page."""
    promised = [
        _row(
            one.what, one.promised, one.found, one.verdict if one.reached else f"**{one.verdict}**"
        )
        for one in held
    ]
    return PAGE.format(
        compared=compared,
        agree=agree,
        others=_others(others),
        machine=f"{os.cpu_count()} cores, {platform.system()} {platform.machine()}",
        python=platform.python_version(),
        libraries=", ".join(_versions()),
        promised="\n".join(promised),
        ranking="\n".join(
            _row(tool, *(_cell(found, name, tool) for name in "ABC")) for tool in TOOLS
        ),
        field="\n".join(
            _row(tool.replace("_learn", "-learn"), *(_cell(found, name, tool) for name in FIELD))
            for tool in (*TOOLS, "scikit_learn", "torchmetrics")
        ),
        other="\n".join(_other_rows(found)),
        few=SCIPY_RESAMPLES,
        many=RESAMPLES,
        scaled=scaled(found),
        inexact=INEXACT,
        rounds=ROUNDS,
        costs="\n".join(
            _row(task, f"{before:.2f}", f"{now:.2f}", f"{now / before:.2f}×")
            for task, (before, now) in costs.items()
        ),
        growth="\n".join(_growth_row(found, name) for name in found["growth"]),
        gates="\n".join(
            _row(f"{int(name):,}", f"{one.seconds:.1f}", f"{one.cpu:.1f}", f"{one.peak_gb:.2f}")
            for name, one in found["gates"].items()
        ),
        by_engine=BY_ENGINE,
        now=found["T"]["reference"].seconds,
        then=found["T"]["earlier"].seconds,
        earlier=EARLIER,
        stages="\n".join(_stages(found["stages before"], found["stages now"])),
    )


def _stages(before: dict[str, Measured], now: dict[str, Measured]) -> Iterator[str]:
    nothing = Measured(0.0, 0.0, 0.0, {})
    for name in sorted({**before, **now}, key=lambda one: -before.get(one, nothing).cpu):
        both = (before.get(name, nothing), now.get(name, nothing))
        yield _row(name, *(f"{part:.2f}" for one in both for part in (one.seconds, one.cpu)))


def _versions() -> Iterator[str]:
    for name in LIBRARIES:
        with suppress(PackageNotFoundError):
            yield f"{name} {version(name)}"


def _cell(found: Found, name: str, tool: str) -> str:
    one = found[name].get(tool)
    if one is None:
        return "not run"
    if tool == "primary":
        return f"**{one.seconds:.2f} s**, {one.cpu:.2f} CPU, {one.peak_gb:.2f} GB"
    times = one.seconds / found[name]["primary"].seconds
    return f"{one.seconds:.2f} s ({times:.1f}×), {one.cpu:.2f} CPU, {one.peak_gb:.2f} GB"


def _other_rows(found: Found) -> list[str]:
    named = {
        "whole ledger of A without intervals": found["ledger"]["primary"],
        "pytrec_eval, five measures on A": found["ledger"]["pytrec_eval"],
        "whole ledger of TREC text, 3,000 topics × 1,000": found["trec"]["primary"],
        "pytrec_eval, six measures of the same, read by a loop": found["trec"]["pytrec_eval"],
        f"{RESAMPLES:,} resamples of AUROC and AUPRC, plan drawn": found["auc"]["primary"],
        f"scipy and scikit-learn, {SCIPY_RESAMPLES} resamples of both": found["auc"]["scipy"],
        "every headline interval of A, by post and by query, plans drawn": found["intervals"][
            "primary"
        ],
        **{f"`crosscheck {words}`": one for words, one in found["commands"].items()},
    }
    return [
        _row(what, f"{one.seconds:.2f}", f"{one.cpu:.2f}", f"{one.peak_gb:.2f}")
        for what, one in named.items()
    ]


def _growth_row(found: Found, name: str) -> str:
    one, peer = found["growth"][name], found["growth pytrec_eval"].get(name)
    rows = rows_of(name)
    return _row(
        f"{rows:,}",
        f"{one.seconds:.3f}",
        f"{1e6 * one.seconds / rows:.2f}",
        f"{one.peak_gb:.2f}",
        f"{peer.seconds:.2f}" if peer else "not run",
    )
