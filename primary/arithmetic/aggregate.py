"""Statistics over queries, over folds and over criteria (contract, section 2)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from primary.arithmetic.exact import tally, total

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

Ledger = dict[str, int | float]
"""From key to value; integer keys hold `int`, all others `float`."""

CELLS = 1 << 18
"""Values summarised together."""

QUARTILES = {"median": (1, 2), "p25": (1, 4), "p75": (3, 4)}

UNAGGREGATED = frozenset(
    {
        *("tp", "fp", "tn", "fn"),
        *("deployment_tp", "deployment_fp", "deployment_tn", "deployment_fn"),
        *("n_neg", "n_uncertain", "n_pos"),
        *("k_below_min", "k_above_max", "k_min_unreachable"),
        *("n_queries", "n_positive", "classes_left_out"),
    }
)
"""Counts, which no mean over folds is taken of."""


def key(metric: str, population: str, part: str, statistic: str) -> str:
    """Write a ledger key."""
    return f"{metric}|{population}|{part}|{statistic}"


def ratio(part: float, whole: float) -> float:
    """Divide; a zero denominator gives 0.0 (S0 5)."""
    return part / whole if whole else 0.0


def shares(part: NDArray[np.number], whole: NDArray[np.number]) -> NDArray[np.float64]:
    """Divide element by element; a zero denominator gives 0.0 (S0 5)."""
    found = np.zeros(part.shape)
    np.divide(part, whole, out=found, where=whole != 0)
    return found


@dataclass(frozen=True)
class Ordered:
    """Rows of values in ascending order, each value once or as often as it is counted."""

    values: NDArray[np.float64]
    count: int
    """How many values a row has, each counted as often as it is there."""
    ends: NDArray[np.int64] | None
    """Where the places of each value end; None where each has one."""

    @classmethod
    def of(cls, values: NDArray[np.float64], counts: NDArray[np.int64] | None) -> Ordered:
        """Sort the rows; `counts` says how often the values of each column are there."""
        if counts is None:
            return cls(np.sort(values), values.shape[1], None)
        order = np.argsort(values, axis=1)
        ends = np.cumsum(counts[order], axis=1)
        return cls(np.take_along_axis(values, order, axis=1), int(tally(counts)), ends)

    def at(self, place: int) -> NDArray[np.float64]:
        """Give the value that stands at a place, of each row."""
        if self.ends is None:
            return self.values[:, place]
        # Which of two equal values is meant makes no difference.
        before = tally(self.ends <= place, axis=1)
        found: NDArray[np.float64] = self.values[np.arange(len(self.values)), before]
        return found


def quantile(ordered: Ordered, zeros: int, share: tuple[int, int]) -> NDArray[np.float64]:
    """Interpolate linearly between the values of each row, `zeros` zeros standing before them."""
    count = ordered.count + zeros
    nothing = np.zeros(len(ordered.values))
    if not count:
        return nothing
    below, rest = divmod((count - 1) * share[0], share[1])
    low, high = (
        ordered.at(place - zeros) if place >= zeros else nothing
        for place in (below, min(below + 1, count - 1))
    )
    found: NDArray[np.float64] = low + (high - low) * (rest / share[1])
    return found


def summaries(
    values: NDArray[np.float64], *zeros: int, counts: NDArray[np.int64] | None = None
) -> list[dict[str, list[float]]]:
    """Give the five statistics of each row of non-negative values, once per number of zeros.

    A population that only adds zeros needs no second sort and no second pass. Long rows are taken
    a few at a time, which keeps them in the cache. `counts` says how often the values of each
    column are there, if not once.
    """
    step = max(1, CELLS // max(1, values.shape[1]))
    found: list[dict[str, list[float]]] = [{} for _ in zeros]
    for begin in range(0, len(values), step):
        some = _summarised(values[begin : begin + step], zeros, counts)
        for columns, more in zip(found, some, strict=True):
            for name, column in more.items():
                columns.setdefault(name, []).extend(column)
    return found


def _summarised(
    values: NDArray[np.float64], zeros: tuple[int, ...], counts: NDArray[np.int64] | None
) -> list[dict[str, list[float]]]:
    ordered = Ordered.of(values, counts)
    count = ordered.count
    summed = total(values, counts)
    centre = summed / max(count, 1)
    around_centre = values - centre[:, None]
    around_centre *= around_centre
    squares = total(around_centre, counts)
    found = []
    for added in zeros:
        mean = summed / max(count + added, 1)
        shift = centre - mean
        around = squares + count * (shift * shift) + added * (mean * mean)
        columns = {"mean": mean, "std": np.sqrt(around / max(count + added - 1, 1))}
        for name, share in QUARTILES.items():
            columns[name] = quantile(ordered, added, share)
        found.append({name: column.tolist() for name, column in columns.items()})
    return found


def mean_and_stds(values: Sequence[float]) -> dict[str, float]:
    """Give mean, std with n − 1 (S3 F.2) and std with n (S1 6); over any `inf` all are `inf`."""
    count = len(values)
    if math.inf in values:
        return dict.fromkeys(("mean", "std", "std/population"), math.inf)
    mean = math.fsum(values) / count
    squares = math.fsum((value - mean) * (value - mean) for value in values)
    return {
        "mean": mean,
        "std": math.sqrt(squares / (count - 1)) if count > 1 else 0.0,
        "std/population": math.sqrt(squares / count),
    }


def aggregated(metric: str) -> bool:
    """Say whether the mean over folds is taken of a metric."""
    return metric not in UNAGGREGATED and not metric.startswith(
        ("threshold@", "sentences@", "count@")
    )


def over_folds(ledger: Ledger, folds: Sequence[int]) -> Ledger:
    """Give slice `folds` of every fold's `mean` or `value`."""
    found: Ledger = {}
    if not folds:
        return found
    parts = [f"fold={fold}" for fold in folds]
    for metric, population, statistic in _entering(ledger, parts[0]):
        values = [ledger[key(metric, population, part, statistic)] for part in parts]
        for name, value in mean_and_stds(values).items():
            found[key(metric, population, "folds", name)] = value
    return found


def over_seeds(ledger: Ledger, seeds: Sequence[Sequence[str]]) -> Ledger:
    """Give slice `seeds`: over seeds of the mean over the slices of each (its folds, or itself)."""
    found: Ledger = {}
    for metric, population, statistic in _entering(ledger, seeds[0][0]) if seeds else ():
        if metric in WITHOUT_FOLD or metric.endswith(("/tie_low", "/tie_high")):
            continue
        values = [
            _mean([ledger[key(metric, population, part, statistic)] for part in parts])
            for parts in seeds
        ]
        for name, value in mean_and_stds(values).items():
            found[key(metric, population, "seeds", name)] = value
    return found


WITHOUT_FOLD = frozenset({"positive_rate"})
"""Metrics of slice `all` that no fold has, and the tie bounds beside them."""


def _entering(ledger: Ledger, part: str) -> list[tuple[str, str, str]]:
    """Name what a slice has for means over folds: metric, population, statistic."""
    split = (one.split("|") for one in ledger if f"|{part}|" in one)
    return [
        (metric, population, statistic)
        for metric, population, where, statistic in split
        if where == part and statistic in ("mean", "value") and aggregated(metric)
    ]


def _mean(values: Sequence[float]) -> float:
    return math.inf if math.inf in values else math.fsum(values) / len(values)


def over_criteria(
    ledger: Ledger,
    criteria: Iterable[str],
    metrics: Mapping[str, tuple[str, str]],
    name: str = "criteria",
) -> Ledger:
    """Give slice `criteria`: `macro` over the criteria's values, `micro` of all rows pooled.

    `metrics` says which population and statistic of each metric is meant; `name` which slice, where
    it is a declared one.
    """
    parts = list(criteria)
    found: Ledger = {}
    for metric, (population, statistic) in metrics.items():
        pooled = ledger.get(key(metric, population, "all", statistic))
        if pooled is None:
            continue
        values = [ledger[key(metric, population, part, statistic)] for part in parts]
        found[key(metric, population, name, "macro")] = math.fsum(values) / len(values)
        found[key(metric, population, name, "micro")] = pooled
    return found
