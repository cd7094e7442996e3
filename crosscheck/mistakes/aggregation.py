"""Right values, wrongly put together: populations, statistics, folds and criteria."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from crosscheck.mistakes.formula import Formula, of_keys, over

if TYPE_CHECKING:
    from collections.abc import Callable

    from crosscheck.data.rows import Floats
    from crosscheck.mistakes.bench import Bench
    from crosscheck.model.key import Key
    from crosscheck.model.ledgers import Number

_Z = 1.96


def _statistic(statistic: str, wrong: Callable[[Floats], float]) -> Formula:
    """Break a statistic over queries, of every metric that has per-query values."""

    def value(bench: Bench, key: Key) -> Number | None:
        if key.statistic != statistic or key.metric not in bench.columns:
            return None
        chosen = bench.columns[key.metric][bench.rows.mask(key.population, key.slice)]
        return float(wrong(chosen)) if len(chosen) else 0.0

    return Formula(value)


def _of_population(population: str, other: str) -> Formula:
    """Give the mean over another population."""

    def value(bench: Bench, key: Key) -> Number | None:
        mine = key.population == population and key.statistic == "mean"
        if not mine or key.metric not in bench.columns:
            return None
        return bench.ledger.get(f"{key.metric}|{other}|{key.slice}|mean")

    return Formula(value)


def _groups(column: str) -> Formula:
    """Take the mean over posts or criteria of the means within them."""

    def value(bench: Bench, key: Key) -> float | None:
        values = bench.columns.get(key.metric)
        if values is None or key.statistic != "mean" or not bench.has(column):
            return None
        mask = bench.rows.mask(key.population, key.slice)
        names = bench.rows.frame[column].to_numpy()[mask].astype(str)
        _, index = np.unique(names, return_inverse=True)
        if not len(index):
            return None
        return float((np.bincount(index, values[mask]) / np.bincount(index)).mean())

    return Formula(value)


def nan_in_folds(bench: Bench, key: Key) -> float | None:
    """Let a fold without positives be NaN, and so the mean over folds."""
    if key.population != "positives_only" or key.statistic != "mean":
        return None
    empty = bench.ledger.get(f"queries|positives_only|{key.slice}|n") == 0
    return math.nan if key.slice.startswith("fold=") and empty else None


def _folds(statistic: str, wrong: Callable[[list[float], list[int]], float]) -> Formula:
    """Break a statistic over folds; `wrong` gets the folds' values and their queries."""

    def value(bench: Bench, key: Key) -> Number | None:
        if key.slice != "folds" or key.statistic != statistic:
            return None
        parts = bench.parts[key.metric, key.population, "fold"]
        return wrong([float(bench.ledger[one]) for one in parts], [_size(bench, k) for k in parts])

    return Formula(value, averages=True)


def _size(bench: Bench, text: str) -> int:
    key = bench.keys[text]
    own = bench.ledger.get(f"queries|{key.population}|{key.slice}|n")
    return int(bench.ledger[f"queries|all_queries|{key.slice}|n"] if own is None else own)


def _weighted(values: list[float], queries: list[int]) -> float:
    total = sum(queries)
    return sum(v * n for v, n in zip(values, queries, strict=True)) / total if total else 0.0


def _non_empty(values: list[float], queries: list[int]) -> float:
    kept = [value for value, count in zip(values, queries, strict=True) if count]
    return sum(kept) / len(kept) if kept else 0.0


def _criteria(statistic: str, other: str) -> Formula:
    """Answer one average over criteria with the other."""

    def value(bench: Bench, key: Key) -> Number | None:
        if key.slice != "criteria" or key.statistic != statistic:
            return None
        return bench.ledger[f"{key.metric}|{key.population}|criteria|{other}"]

    return Formula(value, averages=True)


def populations_swapped(bench: Bench, key: Key) -> Number | None:
    """Exchange positives_only and all_queries."""
    other = {"positives_only": "all_queries", "all_queries": "positives_only"}.get(key.population)
    return bench.ledger.get(f"{key.metric}|{other}|{key.slice}|{key.statistic}")


def deepest_cut_empty(bench: Bench, key: Key) -> float | None:
    """Give 0 for recall at the largest K."""
    cuts = [
        k.metric.partition("@")[2] for k in bench.keys.values() if k.metric.startswith("recall@")
    ]
    return 0.0 if key.metric == f"recall@{max(int(c) for c in cuts if c.isdigit())}" else None


def state_rates_of_decided(bench: Bench, key: Key) -> float | None:
    """Divide by the queries in NEG and POS."""
    place = f"{key.population}|{key.slice}|value"
    decided = sum(bench.ledger[f"{name}|{place}"] for name in ("n_neg", "n_pos"))
    own = bench.ledger[f"n_{key.metric.removesuffix('_rate')}|{place}"]
    return own / decided if decided else None


def views_ignored(bench: Bench, key: Key) -> Number | None:
    """Answer for a view with the value over all criteria."""
    if not key.slice.startswith("view=") or not isinstance(bench.ledger[str(key)], float):
        return None
    return bench.ledger[f"{key.metric}|{key.population}|all|{key.statistic}"]


def normal_interval(bench: Bench, key: Key) -> float | None:
    """Take mean ± 1.96 standard errors for the interval."""
    end = key.statistic.partition("/")[0]
    stem = f"{key.metric}|{key.population}|{key.slice}"
    mean, spread = bench.ledger.get(f"{stem}|mean"), bench.ledger.get(f"{stem}|std")
    count = bench.ledger.get(f"queries|{key.population}|{key.slice}|n")
    if end not in {"ci_low", "ci_high"} or mean is None or spread is None or not count:
        return None
    return float(mean + (-_Z if end == "ci_low" else _Z) * spread / count**0.5)


MISTAKES: dict[str, Formula] = {
    "queries-lost": of_keys("tn", lambda bench, key: max(0, int(bench.ledger[str(key)]) - 1)),
    "deepest-cut-empty": of_keys(r"recall@\d+", deepest_cut_empty),
    "state-rates-of-decided": of_keys("(neg|pos)_rate", state_rates_of_decided),
    "views-ignored": Formula(views_ignored),
    "std-over-n": _statistic("std", lambda v: float(np.std(v))),
    "percentile-nearest-below": _statistic("p25", lambda v: np.percentile(v, 25, method="lower")),
    "percentile-weibull": _statistic("p75", lambda v: np.percentile(v, 75, method="weibull")),
    "median-of-lower-half": _statistic("median", lambda v: np.percentile(v, 50, method="lower")),
    "positives-mean-over-all": _of_population("positives_only", "all_queries"),
    "all-mean-over-positives": _of_population("all_queries", "positives_only"),
    "nan-in-fold-mean": Formula(nan_in_folds),
    "folds-std-over-n": _folds("std", lambda v, _: over("std/population", v) or 0.0),
    "folds-population-std-over-n-1": _folds("std/population", lambda v, _: over("std", v) or 0.0),
    "folds-mean-weighted": _folds("mean", _weighted),
    "folds-mean-of-non-empty": _folds("mean", _non_empty),
    "macro-is-micro": _criteria("macro", "micro"),
    "micro-is-macro": _criteria("micro", "macro"),
    "populations-swapped": of_keys("ndcg@.*", populations_swapped, averages=True),
    "mean-of-posts": _groups("post_id"),
    "mean-of-criteria": _groups("criterion_id"),
    "normal-interval": Formula(normal_interval),
}
