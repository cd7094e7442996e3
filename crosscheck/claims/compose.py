"""From what labels say to a ledger key, by the contract's key table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from crosscheck.contract import load

if TYPE_CHECKING:
    from crosscheck.claims.labels import Label


@dataclass(frozen=True, slots=True)
class Composed:
    """A key, or the reason why there is none."""

    key: str | None = None
    problem: str | None = None
    suggestions: tuple[str, ...] = ()


def compose(label: Label, *, folds: bool = False) -> Composed:
    """Give the key that a label claims; `folds`: an unlabelled number is the mean over folds."""
    metric = label.metric
    if metric is None and label.template and label.parameter:
        metric = _completed(label.template, *label.parameter)
    if metric is None or load().find(metric) is None:
        problem = label.problem or "no metric is named"
        return Composed(None, problem, label.suggestions)
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
    return Composed("|".join((metric, population, *_place(label, base, folds=folds))))


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
        return "criteria", statistic
    if statistic is None or (statistic == "mean" and where != "folds"):
        statistic = "mean" if where == "folds" else "macro" if where == "criteria" else base
    if statistic in {"std", "std/population"} and base == "value" and where == "all":
        where = "folds"
    return where, statistic
