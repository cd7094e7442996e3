"""What a mistake makes of a key, and the ways of saying so: by query, by slice, by other keys.

A formula answers for one key at a time. Folds and criteria follow from their parts, so a mistake
says only what becomes of plain slices, unless it lies in the averaging itself.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from crosscheck.contract import load
from crosscheck.witnesses.fill import statistics

if TYPE_CHECKING:
    from collections.abc import Callable

    from crosscheck.data.rows import Floats, Mask, Rows
    from crosscheck.mistakes.bench import Bench, Hits
    from crosscheck.model.key import Key
    from crosscheck.model.ledgers import Ledger, Number

    Value = Callable[[Bench, Key], Number | None]
    """None: the mistake leaves this key as it is."""
    OfQuery = Callable[["QueryAtK"], float]
    OfRows = Callable[[Rows, Mask, re.Match[str]], Number | None]
    """(EVAL rows, those of the slice, the metric's name taken apart) → the slice's value."""
    Kept = Callable[[Bench, str], Mask]
    """Which queries a wrong mean is taken over, for a metric."""

OVER = {"folds": "fold", "criteria": "criterion", "seeds": "seed"}
"""Slices that are averages → the kind of slice that they are averages of."""


@dataclass(frozen=True, eq=False)
class Formula:
    """How a mistake comes to its numbers."""

    value: Value
    averages: bool = False
    """Whether it answers for averages over folds and criteria itself."""

    def at(self, bench: Bench, text: str) -> Number | None:
        """Give what the mistake makes of a key; None where it leaves it alone."""
        known = bench.known.setdefault(self, {})
        if text not in known:
            key = bench.keys[text]
            plain = self.averages or key.slice not in OVER
            known[text] = self.value(bench, key) if plain else self._carried(bench, key)
        found: Number | None = known[text]
        return found

    def _carried(self, bench: Bench, key: Key) -> float | None:
        """Work out what an average becomes when its parts change."""
        kind = "all" if key.statistic == "micro" else OVER[key.slice]
        parts = bench.parts.get((key.metric, key.population, kind), [])
        changed = {part: self.at(bench, part) for part in parts}
        if all(value is None for value in changed.values()):
            return None
        return over(
            key.statistic,
            [float(bench.ledger[k] if value is None else value) for k, value in changed.items()],
        )

    def ledger(self, bench: Bench, only: str = "") -> Ledger:
        """Give the whole ledger as the mistake makes it; `only` names the metrics it reaches."""
        wanted = re.compile(only)
        found = dict(bench.ledger)
        for text, key in bench.keys.items():
            if not only or wanted.fullmatch(key.metric):
                value = self.at(bench, text)
                if value is not None:
                    found[text] = value
        return found


def over(statistic: str, values: list[float]) -> float | None:
    """Give a statistic over folds or criteria."""
    if not values:
        return None
    middle = math.fsum(values) / len(values)
    if statistic in {"mean", "macro", "micro"}:
        return middle
    less = {"std": 1, "std/population": 0}[statistic]
    if len(values) <= less:
        return 0.0
    return math.sqrt(math.fsum((one - middle) ** 2 for one in values) / (len(values) - less))


def of_queries(column: Callable[[Bench, str], Floats | None], kept: Kept | None = None) -> Formula:
    """Break per-query values of the metrics that have a column, or the choice of queries."""

    def value(bench: Bench, key: Key) -> Number | None:
        if key.population not in {"positives_only", "all_queries"}:
            return None
        known = bench.known.setdefault(formula, {})
        if (key.metric,) not in known:
            values = column(bench, key.metric)
            chosen = None if values is None or kept is None else kept(bench, key.metric)
            known[key.metric,] = values, chosen
        values, chosen = known[key.metric,]
        if values is None:
            return None
        place = (key.metric, key.population, key.slice)
        if place not in known:
            mask = bench.rows.mask(key.population, key.slice)
            known[place] = statistics(values[mask if chosen is None else mask & chosen])
        found: Number | None = known[place].get(key.statistic)
        return found

    formula = Formula(value)
    return formula


def honest(bench: Bench, metric: str) -> Floats | None:
    """Give a ranking metric's true per-query values."""
    ranking = load().metric(metric).metric.family == "ranking"
    return bench.columns.get(metric) if ranking and bench.queries else None


RANKED = re.compile(r"(?P<name>[a-z][a-z0-9]*)@(?P<k>all|\d+)")


def cut_of(metric: str) -> int | None:
    """Give the K of a ranking metric; None for `all`, and for a metric without K."""
    cut = load().metric(metric).parameters.get("K", "all")
    return None if cut == "all" else int(cut)


def within(hits: Hits, k: int | None) -> Hits:
    """Ranks of the gold among the first K."""
    return hits if k is None else tuple(rank for rank in hits if rank <= k)


def most(g: int, k: int | None) -> int:
    """Of so many, those that can stand among the first K."""
    return g if k is None else min(g, k)


class QueryAtK(NamedTuple):
    """One query at one K: ranks of its gold, length of its ranking, |G|, K (None for `all`)."""

    hits: Hits
    length: int
    gold: int
    k: int | None

    @property
    def top(self) -> Hits:
        """Ranks of the gold among the first K."""
        return within(self.hits, self.k)

    @property
    def cut(self) -> int:
        """K; for `all`, the length of the ranking."""
        return self.length if self.k is None else self.k

    @property
    def most(self) -> int:
        """min(|G|, K)."""
        return most(self.gold, self.k)

    @property
    def shown(self) -> int:
        """Sentences among the first K."""
        return most(self.length, self.k)


def ranked(name: str, formula: OfQuery) -> Formula:
    """Break a ranking metric: its value for each query, at every K."""

    def column(bench: Bench, metric: str) -> Floats | None:
        found = RANKED.fullmatch(metric)
        if not found or found["name"] != name or not bench.queries:
            return None
        cut = cut_of(metric)
        known = {query: formula(QueryAtK(*query, cut)) for query in dict.fromkeys(bench.queries)}
        return np.array([known[query] for query in bench.queries], dtype=np.float64)

    return of_queries(column)


def of_rows(pattern: str, found: OfRows, population: str = "all_queries") -> Formula:
    """Break metrics that have one value per slice."""
    name = re.compile(pattern)

    def value(bench: Bench, key: Key) -> Number | None:
        at = name.fullmatch(key.metric)
        if not at or key.population != population or key.statistic not in {"value", "mean"}:
            return None
        mask = bench.rows.mask("all_queries", key.slice)
        return found(bench.rows, mask, at) if mask.any() else None

    return Formula(value)


def of_keys(pattern: str, found: Value, *, averages: bool = False) -> Formula:
    """Break metrics from what the true ledger says of them and of others."""
    name = re.compile(pattern)
    return Formula(
        lambda bench, key: found(bench, key) if name.fullmatch(key.metric) else None, averages
    )


def named(pattern: str, other: str) -> Formula:
    """Give another metric's value under this one's name: a pattern, and what it turns into."""
    name = re.compile(pattern)

    def value(bench: Bench, key: Key) -> Number | None:
        place = f"{key.population}|{key.slice}|{key.statistic}"
        return bench.ledger.get(f"{name.sub(other, key.metric)}|{place}")

    return of_keys(pattern, value)
