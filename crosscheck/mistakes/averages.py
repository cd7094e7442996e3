"""Means over queries gone wrong: rows lost or doubled, batches, rounding on the way.

Every metric that is a mean of one value per row takes part: those with per-query values, and
accuracy, the Brier score and the logarithmic loss, which are means over rows as well.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from crosscheck.mistakes.formula import OVER, Formula, cut_of, over
from crosscheck.mistakes.ranking import ratio

if TYPE_CHECKING:
    from collections.abc import Callable

    from crosscheck.data.rows import Floats, Mask, Rows
    from crosscheck.mistakes.bench import Bench
    from crosscheck.model.key import Key
    from crosscheck.model.ledgers import Number

    Wrong = Callable[[Floats], float | None]
    """The values of a slice's rows, in their order → what becomes of their mean."""

BATCHES = (8, 10, 16, 20, 32, 50, 64, 100, 128, 200, 256, 500, 512, 1000)
"""Rows of a batch, as loaders and loops have them."""
DECIMALS = (1, 2, 3)
SMALLEST = 1e-5
"""What a geometric mean takes for nothing, as trec_eval does."""


def of_rows(bench: Bench, metric: str) -> Floats | None:
    """Give the values, one per EVAL row, whose mean a metric is; None where it is no such mean."""
    if metric in bench.columns:
        return bench.columns[metric]
    rows = bench.rows
    several = rows.has("predicted") and rows.has("label")
    if metric == "accuracy":
        if several:
            right: Floats = (rows.texts("label") == rows.texts("predicted")).astype(np.float64)
            return right
        return (rows.label == rows.pred).astype(np.float64) if rows.has("prob") else None
    if metric == "brier" and rows.has("prob"):
        errors: Floats = (rows.prob - rows.label) ** 2
        return errors
    if metric in {"log_loss", "brier/multiclass"}:
        return _of_probabilities(rows, metric)
    return None


def own_probabilities(rows: Rows) -> tuple[Floats, Floats] | None:
    """Give every row's probabilities, and that of its own class; None where there are none."""
    if rows.has("class_probs"):
        if "classes" not in rows.settings:
            return None
        probs = np.array(rows.lists("class_probs"), dtype=np.float64)
        order = {name: place for place, name in enumerate(rows.settings["classes"])}
        places = [order[one] for one in rows.texts("label")]
        return probs, probs[np.arange(len(places)), places]
    if not rows.has("prob"):
        return None
    probs = np.stack([1 - rows.prob, rows.prob], axis=1)
    return probs, np.where(rows.label, rows.prob, 1 - rows.prob)


def _of_probabilities(rows: Rows, metric: str) -> Floats | None:
    found = own_probabilities(rows)
    if found is None:
        return None
    probs, own = found
    if metric == "log_loss":
        with np.errstate(divide="ignore"):
            lost: Floats = -np.log(own)
        return lost
    errors: Floats = (probs**2).sum(axis=1) - 2 * own + 1
    return errors


def _mean(wrong: Wrong, *, least: int = 2) -> Formula:
    """Break the mean of a slice's rows."""

    def value(bench: Bench, key: Key) -> Number | None:
        if key.statistic not in {"mean", "value"} or key.slice in OVER:
            return None
        values = of_rows(bench, key.metric)
        if values is None:
            return None
        chosen = values[bench.rows.mask(key.population, key.slice)]
        return wrong(chosen) if len(chosen) >= least else None

    return Formula(value)


def batch_means(size: int, values: Floats) -> float | None:
    """Take the mean of the batches' means, the last of which is shorter."""
    if len(values) <= size or len(values) % size == 0:
        return None
    return float(np.mean([values[i : i + size].mean() for i in range(0, len(values), size)]))


def whole_batches(size: int, values: Floats) -> float | None:
    """Leave out the last batch, which is shorter than the others."""
    kept = len(values) // size * size
    return float(values[:kept].mean()) if 0 < kept < len(values) else None


def geometric(values: Floats) -> float:
    """Take the geometric mean, with the smallest value for nothing."""
    return float(np.exp(np.mean(np.log(np.maximum(values, SMALLEST)))))


def rounded(decimals: int, values: Floats) -> float:
    """Round every row's value before the mean is taken."""
    return float(np.round(values, decimals).mean())


def folds_rounded(decimals: int, bench: Bench, key: Key) -> Number | None:
    """Round every fold's or seed's value before the mean over them is taken."""
    if key.slice not in {"folds", "seeds"}:
        return None
    parts = bench.parts.get((key.metric, key.population, OVER[key.slice]), [])
    return over(key.statistic, [round(float(bench.ledger[part]), decimals) for part in parts])


def _weighted(bench: Bench, key: Key) -> Number | None:
    """Count a query once for each of its gold ids, as a join with the gold does."""
    values = bench.columns.get(key.metric)
    if values is None or key.statistic != "mean" or key.slice in OVER or not bench.has("gold"):
        return None
    mask = bench.rows.mask(key.population, key.slice)
    times = np.array([len(gold) for gold in bench.rows.gold], dtype=np.float64)[mask]
    if key.population == "all_queries":
        times = np.maximum(times, 1)
    return ratio(float((values[mask] * times).sum()), float(times.sum()))


def _kept(chosen: Callable[[Bench, str], Mask]) -> Formula:
    """Take the mean over some of the queries."""

    def value(bench: Bench, key: Key) -> Number | None:
        values = bench.columns.get(key.metric)
        if values is None or key.statistic != "mean" or not bench.queries or key.slice in OVER:
            return None
        mask = bench.rows.mask(key.population, key.slice) & chosen(bench, key.metric)
        return float(values[mask].mean()) if mask.any() else None

    return Formula(value)


def long_enough(bench: Bench, metric: str) -> Mask:
    """Tell which rankings have K candidates."""
    cut = cut_of(metric)
    return np.array([cut is None or length >= cut for _, length, _ in bench.queries], dtype=bool)


def _sum_over(more: int, values: Floats) -> float:
    total = float(values.sum()) / (len(values) + more)
    return total if math.isfinite(total) else math.inf


MISTAKES: dict[str, Formula] = {
    "mean-over-one-more": _mean(partial(_sum_over, 1), least=1),
    "mean-over-one-fewer": _mean(partial(_sum_over, -1)),
    "first-row-lost": _mean(lambda values: float(values[1:].mean())),
    "last-row-lost": _mean(lambda values: float(values[:-1].mean())),
    "geometric-mean": _mean(geometric),
    "rows-joined": Formula(_weighted),
    "first-row-doubled": _mean(
        lambda values: float((values.sum() + values[0]) / (len(values) + 1))
    ),
    "last-row-doubled": _mean(
        lambda values: float((values.sum() + values[-1]) / (len(values) + 1))
    ),
    "short-lists-dropped": _kept(long_enough),
    **{f"mean-of-batches-{size}": _mean(partial(batch_means, size)) for size in BATCHES},
    **{f"last-batch-dropped-{size}": _mean(partial(whole_batches, size)) for size in BATCHES},
    **{f"queries-rounded-{places}": _mean(partial(rounded, places)) for places in DECIMALS},
    **{
        f"folds-rounded-{places}": Formula(partial(folds_rounded, places), averages=True)
        for places in DECIMALS
    },
}
