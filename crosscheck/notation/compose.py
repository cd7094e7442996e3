"""From what labels say to a ledger key, by the contract's key table."""

from __future__ import annotations

from dataclasses import dataclass
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


def compose(label: Label, *, folds: bool = False) -> Composed:
    """Give the key that a label claims; `folds`: an unlabelled number is the mean over folds."""
    metric = _metric(label)
    if metric is not None and load().find(metric) is not None:
        return _keyed(metric, label, folds=folds)
    keys = (_keyed(one, label, folds=folds).key for one in label.candidates if load().find(one))
    problem = label.problem or "no metric is named"
    close = label.suggestions
    if not label.problem and label.other:
        close = similar(label.other[-1])
    return Composed(None, problem, close, tuple(key for key in keys if key))


def _metric(label: Label) -> str | None:
    """Give the metric that is meant: at the K of its row or column, where there is one."""
    if label.template and label.parameter:
        completed = _completed(label.template, *label.parameter)
        if completed is not None:
            return completed
    # What classes have is called recall; sensitivity is of the positive class alone.
    by_class = (label.slice or "").startswith("class=") and label.metric == "sensitivity"
    return "recall" if by_class and load().find("recall") else label.metric


def _keyed(metric: str, label: Label, *, folds: bool) -> Composed:
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
    # Counts have no mean over folds.
    over = folds and found.metric.kind != "integer"
    where = ("dataset", "macro") if label.average else _place(label, base, folds=over)
    return Composed("|".join((metric, population, *where)))


def _completed(template: str, symbol: str, value: str) -> str | None:
    """Give the metric that an unfinished name means at a value, if it takes that parameter."""
    notation = load().notation
    return (
        notation.fill(template, {symbol: value}) if symbol in notation.symbols(template) else None
    )


def _place(label: Label, base: str, *, folds: bool) -> tuple[str, str]:
    """Give slice and statistic; a spread without a slice is over folds, as section 2 prints it."""
    statistic = label.statistic
    where = label.slice
    if statistic in {"std", "std/population"} and where is None and folds:
        where = "folds"
    if where is None:
        where = "folds" if folds and statistic in {None, "mean"} and base != "n" else "all"
    if statistic in {"macro", "micro"}:
        return "criteria" if where == "all" else where, statistic
    if statistic is None or (statistic == "mean" and where not in REPEATED):
        statistic = "mean" if where in REPEATED else "macro" if where == "criteria" else base
    if statistic in {"std", "std/population"} and base == "value" and where == "all":
        where = "folds"
    return where, statistic
