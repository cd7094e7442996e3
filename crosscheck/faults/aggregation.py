"""Right per-query values, wrongly put together: populations, statistics, folds and criteria."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from crosscheck.faults.bench import over

if TYPE_CHECKING:
    from collections.abc import Callable

    from crosscheck.faults.bench import Bench
    from crosscheck.key import Key
    from crosscheck.witnesses import Ledger, Number
    from crosscheck.witnesses.rows import Floats, Mask


def _statistic(statistic: str, wrong: Callable[[Floats], float], bench: Bench) -> Ledger:
    return bench.aggregated(statistic, wrong)


def _over_rows(
    population: str,
    chosen: Callable[[Bench, str], Mask],
    bench: Bench,
    endings: tuple[str, ...] = ("",),
) -> Ledger:
    """Take the mean of per-query values, of these variants, over other rows than are due."""
    patch: Ledger = {}
    rows: dict[str, Mask] = {}
    for text in bench.case.owed:
        key = bench.keys[text]
        column = bench.columns.get(key.metric)
        if column is None or key.population != population or key.statistic != "mean":
            continue
        if key.slice in {"folds", "criteria"} or not key.metric.endswith(endings):
            continue
        if key.metric not in rows:
            rows[key.metric] = chosen(bench, key.metric)
        values = column[bench.rows.mask("all_queries", key.slice) & rows[key.metric]]
        patch[text] = float(values.mean()) if len(values) else 0.0
    return bench.overlaid(patch)


def all_rows(bench: Bench, _metric: str) -> Mask:
    """Take every query."""
    return np.ones(len(bench.rows), dtype=bool)


def with_gold(bench: Bench, _metric: str) -> Mask:
    """Take the queries with gold."""
    return bench.rows.with_gold


def with_ranking(bench: Bench, _metric: str) -> Mask:
    """Take the queries whose ranking is not empty."""
    ranked: Mask = np.array([n > 0 for _, n, _ in bench.queries], dtype=bool)
    return np.logical_and(bench.rows.with_gold, ranked)


def with_a_hit(bench: Bench, metric: str) -> Mask:
    """Take the queries for which the metric is no 0/0."""
    hits = bench.columns[f"hit@{metric.partition('@')[2].partition('/')[0]}"]
    return np.logical_and(bench.rows.with_gold, hits > 0)


def nan_swallowed(bench: Bench) -> Ledger:
    """Let 0/0 be NaN per query, and average with nanmean."""
    return _over_rows("positives_only", with_a_hit, bench, ("/by_hits", "/retrieved"))


def nan_in_folds(bench: Bench) -> Ledger:
    """Let a fold without positives be NaN, and so the mean over folds."""
    patch: Ledger = {}
    for text in bench.ledger:
        key = bench.keys[text]
        if key.population == "positives_only" and key.statistic == "mean":
            empty = bench.ledger.get(f"queries|positives_only|{key.slice}|n") == 0
            if key.slice.startswith("fold=") and empty:
                patch[text] = math.nan
    return bench.overlaid(patch)


def _folds(
    statistic: str, wrong: Callable[[list[float], list[int]], float], bench: Bench
) -> Ledger:
    """Break a statistic over folds; `wrong` gets the folds' values and their queries."""
    patch: Ledger = {}
    parts: dict[tuple[str, str], list[tuple[float, int]]] = {}
    for text, value in bench.ledger.items():
        key = bench.keys[text]
        if key.slice.startswith("fold=") and key.statistic in {"mean", "value"}:
            counted = bench.ledger.get(f"queries|{key.population}|{key.slice}|n")
            size = (
                bench.ledger[f"queries|all_queries|{key.slice}|n"] if counted is None else counted
            )
            parts.setdefault((key.metric, key.population), []).append((float(value), int(size)))
    for text in bench.ledger:
        key = bench.keys[text]
        if key.slice == "folds" and key.statistic == statistic:
            values, queries = zip(*parts[key.metric, key.population], strict=True)
            patch[text] = wrong(list(values), list(queries))
    return bench.ledger | patch


def _weighted(values: list[float], queries: list[int]) -> float:
    total = sum(queries)
    return sum(v * n for v, n in zip(values, queries, strict=True)) / total if total else 0.0


def _non_empty(values: list[float], queries: list[int]) -> float:
    kept = [value for value, count in zip(values, queries, strict=True) if count]
    return sum(kept) / len(kept) if kept else 0.0


def _criteria(statistic: str, other: str, bench: Bench) -> Ledger:
    """Answer one average over criteria with the other."""
    patch = {
        text: bench.ledger[text.removesuffix(statistic) + other]
        for text in bench.ledger
        if text.endswith(f"|criteria|{statistic}")
    }
    return bench.ledger | patch


def populations_swapped(bench: Bench) -> Ledger:
    """Exchange positives_only and all_queries of nDCG."""
    names = ("|positives_only|", "|all_queries|")
    patch: Ledger = {}
    for text, value in bench.ledger.items():
        if text.startswith("ndcg@") and names[0] in text:
            other = text.replace(*names)
            if other in bench.ledger:
                patch |= {text: bench.ledger[other], other: value}
    return bench.ledger | patch


def queries_lost(bench: Bench) -> Ledger:
    """Lose one true negative of every slice that has any."""
    return bench.matching("tn", lambda _, value: max(0, int(value) - 1))


def deepest_cut_empty(bench: Bench) -> Ledger:
    """Give 0 for recall at the largest K."""
    deepest = max(int(found[1]) for found in bench.metrics(r"recall@(\d+)"))
    return bench.matching(f"recall@{deepest}", lambda *_: 0.0)


def state_rates_of_decided(bench: Bench) -> Ledger:
    """Divide by the queries in NEG and POS."""

    def rate(key: Key, value: Number) -> Number:
        place = f"{key.population}|{key.slice}|value"
        decided = sum(bench.ledger[f"{name}|{place}"] for name in ("n_neg", "n_pos"))
        own = bench.ledger[f"n_{key.metric.removesuffix('_rate')}|{place}"]
        return own / decided if decided else value

    return bench.matching("(neg|pos)_rate", rate)


def views_ignored(bench: Bench) -> Ledger:
    """Answer for a view with the value over all criteria."""
    patch: Ledger = {}
    for text in bench.ledger:
        key = bench.keys[text]
        if key.slice.startswith("view=") and isinstance(bench.ledger[text], float):
            patch[text] = bench.ledger[f"{key.metric}|{key.population}|all|{key.statistic}"]
    return bench.ledger | patch


INJECT: dict[str, Callable[[Bench], Ledger]] = {
    "queries-lost": queries_lost,
    "deepest-cut-empty": deepest_cut_empty,
    "state-rates-of-decided": state_rates_of_decided,
    "views-ignored": views_ignored,
    "std-over-n": partial(_statistic, "std", lambda v: float(np.std(v))),
    "percentile-nearest-below": partial(
        _statistic, "p25", lambda v: float(np.percentile(v, 25, method="lower"))
    ),
    "percentile-weibull": partial(
        _statistic, "p75", lambda v: float(np.percentile(v, 75, method="weibull"))
    ),
    "median-of-lower-half": partial(
        _statistic, "median", lambda v: float(np.percentile(v, 50, method="lower"))
    ),
    "positives-mean-over-all": partial(_over_rows, "positives_only", all_rows),
    "all-mean-over-positives": partial(_over_rows, "all_queries", with_gold),
    "empty-rankings-skipped": partial(_over_rows, "positives_only", with_ranking),
    "nan-swallowed": nan_swallowed,
    "nan-in-fold-mean": nan_in_folds,
    "folds-std-over-n": partial(_folds, "std", lambda v, _: over("std/population", v) or 0.0),
    "folds-population-std-over-n-1": partial(
        _folds, "std/population", lambda v, _: over("std", v) or 0.0
    ),
    "folds-mean-weighted": partial(_folds, "mean", _weighted),
    "folds-mean-of-non-empty": partial(_folds, "mean", _non_empty),
    "macro-is-micro": partial(_criteria, "macro", "micro"),
    "micro-is-macro": partial(_criteria, "micro", "macro"),
    "populations-swapped": populations_swapped,
}
