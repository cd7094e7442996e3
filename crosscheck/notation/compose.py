"""From what labels say to a ledger key, by the contract's key table."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from crosscheck.contract import load
from crosscheck.notation.metric_names import similar

if TYPE_CHECKING:
    from crosscheck.notation.labels import Label

REPEATED = ("folds", "seeds")
"""Slices whose numbers are means over repetitions."""


@dataclass(frozen=True, slots=True)
class Composed:
    """A key, or the reason why there is none."""

    key: str | None = None
    problem: str | None = None
    suggestions: tuple[str, ...] = ()
    candidates: tuple[str, ...] = ()
    """The keys that an ambiguous name can mean."""


def compose(label: Label, *, folds: bool = False, over: str = "") -> Composed:
    """Give the key that a label claims; `folds`: an unlabelled number is the mean over folds.

    `over` says what it is a mean over instead, `seeds`.
    """
    metric = _metric(label)
    many = (over or "folds") if folds else ""
    if metric is not None and load().find(metric) is not None:
        return _keyed(metric, label, many)
    keys = (_keyed(one, label, many).key for one in label.candidates if load().find(one))
    problem = label.problem or "no metric is named"
    close = label.suggestions
    if not label.problem and label.other:
        close = similar(label.other[-1])
    return Composed(None, problem, close, tuple(key for key in keys if key))


def takes(label: Label, population: str | None) -> bool:
    """Say whether the metric of a label is a number over a population at all."""
    return population is not None and compose(replace(label, population=population)).key is not None


def _metric(label: Label) -> str | None:
    """Give the metric that is meant: at the K of its row or column, where there is one."""
    if label.template and label.parameter:
        completed = _completed(label.template, *label.parameter)
        if completed is not None:
            return completed
    # What classes have is called recall; sensitivity is of the positive class alone.
    by_class = (label.slice or "").startswith("class=") and label.metric == "sensitivity"
    return "recall" if by_class and load().find("recall") else label.metric


def counts(metric: str) -> bool:
    """Whether the contract has an n of a metric itself."""
    rows = load().metric(metric).rows
    return any("n" in load().row_by_id[row].statistics for row in rows)


def _keyed(metric: str, label: Label, many: str) -> Composed:
    found = load().metric(metric)
    rows = [load().row_by_id[row] for row in found.rows]
    populations = list(dict.fromkeys(p for row in rows for p in row.populations))
    usual = found.metric.population
    population = label.population or (usual if usual in populations else populations[0])
    if population not in populations:
        return Composed(
            None,
            f"{metric} is not a number over {population}; the contract has it over "
            + ", ".join(populations),
            tuple(f"{metric}|{one}" for one in populations),
        )
    statistics = {s for row in rows for s in row.statistics}
    base = "mean" if "mean" in statistics else "value" if "value" in statistics else "n"
    if label.statistic == "n" and "n" not in statistics:
        return Composed(f"queries|{population}|{label.slice or 'all'}|n")
    # Counts have no mean over folds.
    over = many if found.metric.kind != "integer" else ""
    where = ("dataset", "macro") if label.average else _place(label, base, over)
    return Composed("|".join((metric, population, *where)))


def _completed(template: str, symbol: str, value: str) -> str | None:
    """Give the metric that an unfinished name means at a value, if it takes that parameter."""
    notation = load().notation
    return (
        notation.fill(template, {symbol: value}) if symbol in notation.symbols(template) else None
    )


def _place(label: Label, base: str, many: str) -> tuple[str, str]:
    """Give slice and statistic; a spread without a slice is over folds, as section 2 prints it.

    `many`: what an unlabelled number is a mean over, `folds` or `seeds`; empty for neither.
    """
    statistic = label.statistic
    where = label.slice
    if statistic in {"std", "std/population"} and where is None and many:
        where = many
    if where is None:
        where = many if many and statistic in {None, "mean"} and base != "n" else "all"
    if statistic in {"macro", "micro"}:
        return "criteria" if where == "all" else where, statistic
    if statistic is None or (statistic == "mean" and where not in REPEATED):
        statistic = "mean" if where in REPEATED else "macro" if where == "criteria" else base
    if statistic in {"std", "std/population"} and base == "value" and where == "all":
        where = "folds"
    return where, statistic
