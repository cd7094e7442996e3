"""Ranking metrics (contract, sections 3 and 15), from the ranks of the gold candidates alone.

One row of `METRICS` is one metric or variant: its id, its parameter, and what divides what.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from primary.arithmetic.aggregate import Ledger, key, ratio
from primary.arithmetic.decimals import shortest
from primary.arithmetic.exact import discounts, exponential, in_order, powers
from primary.arithmetic.logarithms import natural
from primary.ranking.hits import find_hits
from primary.ranking.populations import POPULATIONS, members, spread_out, statistics

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from primary.data.study import Study
    from primary.ranking.hits import Hits
    from primary.settings import Settings

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]

LEAST = 0.00001
"""What a query without any precision counts in a geometric mean."""

QUERIES = 1 << 14
"""Queries whose values are computed together."""


@dataclass(frozen=True)
class Cut:
    """Some queries with gold and their hits, those beyond the cut-off left out."""

    value: Any
    """The parameter's: a cut-off, None for none, or what else a metric is taken at."""
    cutoff: int | None
    gold: Floats
    candidates: Floats
    retrieved: Floats
    """|G|, |R| and |R ∩ G| of each query."""
    query: Ints
    nth: Ints
    rank: Ints
    """Of each hit: its query, its number among that query's hits, its rank."""

    def summed(self, terms: Floats) -> Floats:
        """Add up a term of each hit by query, in the order of the ranks."""
        return in_order(self.query, terms, len(self.gold))

    def ideal(self, gold: Floats) -> Floats:
        """Give the DCG of so many gold first."""
        found: Floats = np.cumsum(discounts(int(self.wanted.max())))[gold.astype(np.int64)]
        return found

    @cached_property
    def found(self) -> Floats:
        """|R_K ∩ G|."""
        return np.bincount(self.query, minlength=len(self.gold)).astype(np.float64)

    @cached_property
    def places(self) -> Floats | float:
        """K; without a cut-off |R|."""
        return self.candidates if self.cutoff is None else float(self.cutoff)

    @cached_property
    def length(self) -> Floats:
        """min(K, |R|)."""
        return np.minimum(self.candidates, self.places)

    @cached_property
    def wanted(self) -> Floats:
        """min(|G|, K)."""
        return self.gold if self.cutoff is None else np.minimum(self.gold, self.cutoff)

    @cached_property
    def reachable(self) -> Floats:
        """min(|G|, K, |R|)."""
        return np.minimum(self.wanted, self.length)

    @cached_property
    def first(self) -> Floats:
        """1 / rank of the first hit."""
        found, leading = np.zeros(len(self.gold)), np.flatnonzero(self.nth == 1)
        found[self.query[leading]] = 1 / self.rank[leading]
        return found

    @cached_property
    def precisions(self) -> Floats:
        """Σ rel(i)·P(i)."""
        return self.summed(self.nth / self.rank)

    @cached_property
    def gain(self) -> Floats:
        """DCG."""
        return self.summed(discounts(int(self.rank.max(initial=0)))[self.rank])

    @property
    def among_gold(self) -> Floats:
        """|R_|G| ∩ G|."""
        early = self.rank <= self.gold[self.query]
        return np.bincount(self.query[early], minlength=len(self.gold)).astype(np.float64)

    @property
    def read_on(self) -> Floats:
        """(1 − ρ)·Σ rel(i)·ρ^(i−1), which rounding must not lift above 1."""
        weights = powers(self.value, int(self.rank.max(initial=0)))
        return np.minimum(self.summed(weights[self.rank]), 1.0)

    @property
    def interpolated(self) -> Floats:
        """The largest P(i) at any i where |R_i ∩ G| ≥ r·|G|; it is at a hit, or 0."""
        gold = self.gold.astype(np.int64)
        needed = -(-gold * self.value.numerator // self.value.denominator)
        terms = np.where(self.nth >= needed[self.query], self.nth / self.rank, 0.0)
        found, begins = np.zeros(len(gold)), np.flatnonzero(self.nth == 1)
        if len(begins):
            found[self.query[begins]] = np.maximum.reduceat(terms, begins)
        return found


@dataclass(frozen=True)
class Metric:
    """One row of section 3 or 15: what it is called, what it is taken at, what divides what.

    Gold first and gold last among equals are its extremes, or `ties.py` has to know better.
    """

    form: str
    """Its id, with {} where the parameter stands."""
    parameter: str
    """The setting that lists the parameter's values; empty for a metric without one."""
    value: Callable[[Cut], tuple[Floats, Floats | float]]
    headline: tuple[str, ...] = ()
    """Where its mean is a headline (section 10): the parameter's values, as they are written."""
    per_criterion: tuple[str, ...] = ()
    """Where it is one of section 9's."""


CUTOFFS = ("3", "5", "10")
"""Headline K (S0 3.1)."""

METRICS = (
    Metric("recall@{}", "k", lambda cut: (cut.found, cut.gold), CUTOFFS, ("10",)),
    Metric("recall@{}/retrieved", "k", lambda cut: (cut.found, cut.retrieved)),
    Metric("precision@{}", "k", lambda cut: (cut.found, cut.places), CUTOFFS),
    Metric("precision@{}/k_eff", "k", lambda cut: (cut.found, cut.length)),
    Metric("hit@{}", "k", lambda cut: (np.minimum(cut.found, 1.0), 1.0), CUTOFFS),
    Metric("mrr@{}", "k", lambda cut: (cut.first, 1.0), (*CUTOFFS, "all"), ("all",)),
    Metric("map@{}", "k", lambda cut: (cut.precisions, cut.wanted), CUTOFFS),
    Metric("map@{}/by_gold", "k", lambda cut: (cut.precisions, cut.gold)),
    Metric("map@{}/by_hits", "k", lambda cut: (cut.precisions, cut.found)),
    Metric("map@{}/k_eff", "k", lambda cut: (cut.precisions, cut.reachable)),
    Metric("ndcg@{}", "k", lambda cut: (cut.gain, cut.ideal(cut.wanted)), CUTOFFS, ("10",)),
    Metric("ndcg@{}/k_eff", "k", lambda cut: (cut.gain, cut.ideal(cut.reachable))),
    Metric("f1@{}", "k", lambda cut: (2 * cut.found, cut.places + cut.gold)),
    Metric("rprecision", "", lambda cut: (cut.among_gold, cut.gold)),
    Metric("rbp@p={}", "rbp", lambda cut: (cut.read_on, 1.0)),
    Metric("iprec@recall={}", "recall_levels", lambda cut: (cut.interpolated, 1.0)),
)
"""Every ranking metric and variant: a new one is a row here."""

HEADLINE = {metric.form.format(value) for metric in METRICS for value in metric.headline}
PER_CRITERION = [metric.form.format(value) for metric in METRICS for value in metric.per_criterion]


@dataclass(frozen=True)
class Point:
    """One value of a parameter, and the metrics that are taken at it."""

    parameter: str
    written: str
    value: Any

    @property
    def metrics(self) -> list[Metric]:
        """The rows of this parameter."""
        return [metric for metric in METRICS if metric.parameter == self.parameter]

    @property
    def names(self) -> list[str]:
        """The metric ids, in the order of the rows."""
        return [metric.form.format(self.written) for metric in self.metrics]

    @property
    def cutoff(self) -> int | None:
        """K, where that is the parameter."""
        return self.value if self.parameter == "k" else None


def points(settings: Settings) -> Iterator[Point]:
    """Give every value of every parameter; of K `all` is one, which cuts nothing off."""
    for parameter in dict.fromkeys(metric.parameter for metric in METRICS):
        for value in getattr(settings, parameter) if parameter else ():
            yield Point(parameter, shortest(value), value)
        if parameter in {"", "k"}:
            yield Point(parameter, "all" if parameter else "", None)


def values_at(hits: Hits, rank: Ints, point: Point) -> Floats:
    """Compute all metrics and variants at one point for every query with gold.

    `rank` must ascend within each query. Rows are in the order of the point's metrics. Queries are
    taken a few thousand at a time, which keeps them in the cache.
    """
    metrics = point.metrics
    values = np.empty((len(metrics), len(hits.gold)))
    for begin in range(0, len(hits.gold), QUERIES):
        some = slice(begin, begin + QUERIES)
        cut = _cut(hits, rank, point, some)
        for row, metric in enumerate(metrics):
            part, whole = metric.value(cut)
            # Where nothing divides, nothing was found: 0 / 1 is the 0.0 that S0 5 asks for.
            np.divide(part, np.where(whole, whole, 1.0), out=values[row, some])
    return values


def _cut(hits: Hits, rank: Ints, point: Point, queries: slice) -> Cut:
    theirs = slice(*np.searchsorted(hits.query, (queries.start, queries.stop)))
    query, nth, rank = hits.query[theirs] - queries.start, hits.nth[theirs], rank[theirs]
    if point.cutoff is not None:
        inside = np.flatnonzero(rank <= point.cutoff)
        query, nth, rank = query[inside], nth[inside], rank[inside]
    gold, candidates, retrieved = (counts[queries] for counts in hits.floats)
    return Cut(point.value, point.cutoff, gold, candidates, retrieved, query, nth, rank)


def columns(study: Study) -> Iterator[tuple[str, Floats]]:
    """Give every metric's values, one for each EVAL query; 0 for those without gold."""
    hits = find_hits(study.data)
    for point in points(study.settings):
        values = values_at(hits.examples, hits.examples.rank, point)
        if hits.kinds is not None:
            values = values.take(hits.kinds.of, axis=1)
        yield from spread_out(point.names, values, study.positive)


def ledger(study: Study, hits: Hits) -> Ledger:
    """Give every statistic of every ranking metric on every slice, for both populations."""
    some = hits.examples

    def computed(point: Point) -> tuple[list[str], Floats]:
        return point.names, values_at(some, some.rank, point)

    found = statistics(study, study.positive, computed, points(study.settings), hits.kinds)
    return found | _geometric(study, hits)


def _geometric(study: Study, hits: Hits) -> Ledger:
    """Give `gmap` = exp(mean ln max(map@all/by_gold, 0.00001))."""
    point = Point("k", "all", None)
    values = values_at(hits.examples, hits.examples.rank, point)
    precisions = values[point.names.index("map@all/by_gold")]
    logs = natural(np.maximum(precisions, LEAST))
    without = float(natural(np.array([LEAST]))[0])
    found: Ledger = {}
    for part, *both in members(study, study.positive, kinds=hits.kinds):
        for population, some in zip(POPULATIONS, both, strict=True):
            mean = ratio(float(some.summed(logs)) + some.zeros * without, some.size)
            value = exponential(mean) if some.size else 0.0
            found[key("gmap", population, part.name, "value")] = value
    return found
