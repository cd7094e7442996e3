"""Ranking metrics per query, and what ties can do to them (section 3).

Exactness: hits and ranks are integers, precisions are fractions. Only nDCG has logarithms: 1/log2
is worked out to 120 digits (exactly for ranks 1, 3, 7, …) and the quotient is kept to 50.

A metric depends on nothing but the ranks of the gold, the number of gold and the length of the
ranking: its `Shape`. So shapes are counted, and each is worked out once.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache, lru_cache
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from reference.aggregate import STATISTICS, statistics
from reference.values import ZERO, Value, as_text, discount, ratio, total

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from reference.settings import Settings
    from reference.study import Query

    # The metrics asked for: name, row of the table, value of its parameter.
    Named = Mapping[str, tuple["Metric", Any]]


class Shape(NamedTuple):
    """All that section 3 looks at."""

    hits: tuple[int, ...]
    gold: int
    ranked: int

    def within(self, k: int | None) -> tuple[int, ...]:
        """Return the ranks of the gold in R_K; None is `all`."""
        return self.hits if k is None else self.hits[: bisect_right(self.hits, k)]


def shape(query: Query) -> Shape:
    """Return the ranks of the gold, |G| and |R| of a query."""
    return Shape(query.hits, len(query.gold or ()), len(query.ranking))


def one(_seen: Shape, _k: int | None) -> int:
    """1."""
    return 1


def found(seen: Shape, k: int | None) -> int:
    """|R_K ∩ G|."""
    return len(seen.within(k))


def hit(seen: Shape, k: int | None) -> int:
    """1 if R_K ∩ G is non-empty."""
    return int(bool(seen.within(k)))


def first(seen: Shape, k: int | None) -> int:
    """Return the rank of the first gold in R_K."""
    return next(iter(seen.within(k)), 1)


def gold(seen: Shape, _k: int | None) -> int:
    """|G|."""
    return seen.gold


def retrieved(seen: Shape, _k: int | None) -> int:
    """|R ∩ G|."""
    return len(seen.hits)


def cut(seen: Shape, k: int | None) -> int:
    """K; for `all`, |R|."""
    return seen.ranked if k is None else k


def cut_effective(seen: Shape, k: int | None) -> int:
    """min(K, |R|)."""
    return min(cut(seen, k), seen.ranked)


def ideal(seen: Shape, k: int | None) -> int:
    """min(|G|, K)."""
    return seen.gold if k is None else min(seen.gold, k)


def ideal_effective(seen: Shape, k: int | None) -> int:
    """min(|G|, K, |R|)."""
    return min(ideal(seen, k), seen.ranked)


def precisions(seen: Shape, k: int | None) -> Value:
    """Σ_{i≤K} rel(i)·P(i)."""
    return _precisions(seen.within(k))


def gain(seen: Shape, k: int | None) -> Value:
    """DCG of R_K."""
    return _gain(seen.within(k))


def ideal_gain(seen: Shape, k: int | None) -> Value:
    """DCG of min(|G|, K) gold at the first ranks."""
    return _ideal_gain(ideal(seen, k))


def ideal_gain_effective(seen: Shape, k: int | None) -> Value:
    """DCG of min(|G|, K, |R|) gold at the first ranks."""
    return _ideal_gain(ideal_effective(seen, k))


@lru_cache(maxsize=4096)
def _precisions(ranks: tuple[int, ...]) -> Value:
    return total(Fraction(count, rank) for count, rank in enumerate(ranks, 1))


@lru_cache(maxsize=4096)
def _gain(ranks: tuple[int, ...]) -> Value:
    return total(map(discount, ranks))


@cache
def _ideal_gain(ranks: int) -> Value:
    return total(map(discount, range(1, ranks + 1)))


class Metric(NamedTuple):
    """A metric of section 3: numerator and denominator, as functions of a shape and a parameter.

    `form` is its name with {} where the parameter stands; `values` is the setting that lists the
    parameter's values, none for a metric without one. At which of them the metric is a headline
    (section 10) and is owed per criterion (section 9) stands here too. `straddles`: gold first and
    gold last among equals are not its extremes (section 3, Tie bounds).
    """

    form: str
    above: Callable[[Shape, Any], Value | int]
    below: Callable[[Shape, Any], Value | int]
    headline: tuple[Any, ...] = ()
    per_criterion: tuple[Any, ...] = ()
    straddles: bool = False
    values: str | None = "cuts"


ALL = None
HEADLINE = (3, 5, 10)
METRICS = (
    Metric("recall@{}", found, gold, HEADLINE, per_criterion=(10,)),
    Metric("recall@{}/retrieved", found, retrieved),
    Metric("precision@{}", found, cut, HEADLINE),
    Metric("precision@{}/k_eff", found, cut_effective),
    Metric("hit@{}", hit, one, HEADLINE),
    Metric("mrr@{}", hit, first, (*HEADLINE, ALL), per_criterion=(ALL,)),
    Metric("map@{}", precisions, ideal, HEADLINE),
    Metric("map@{}/by_gold", precisions, gold),
    Metric("map@{}/by_hits", precisions, found, straddles=True),
    Metric("map@{}/k_eff", precisions, ideal_effective),
    Metric("ndcg@{}", gain, ideal_gain, HEADLINE, per_criterion=(10,)),
    Metric("ndcg@{}/k_eff", gain, ideal_gain_effective),
)


def named(settings: Settings) -> Named:
    """Return every metric of section 3 at every value of its parameter, value by value."""
    return {
        metric.form.format(_shown(value)): (metric, value)
        for kind in dict.fromkeys(metric.values for metric in METRICS)
        for value in (getattr(settings, kind) if kind else (None,))
        for metric in METRICS
        if metric.values == kind
    }


def _shown(value: Any) -> str:  # noqa: ANN401 - whatever a setting lists
    if value is ALL:
        return "all"
    return as_text(value) if isinstance(value, Decimal) else str(value)


def headline(settings: Settings) -> Named:
    """Return those that are headline metrics (section 10)."""
    return {name: (m, at) for name, (m, at) in named(settings).items() if at in m.headline}


def per_criterion(settings: Settings) -> list[str]:
    """Return the names of those that are owed per criterion (section 9)."""
    return [name for name, (m, at) in named(settings).items() if at in m.per_criterion]


def values(seen: Shape, metrics: Named) -> dict[str, Value]:
    """Return every metric asked for of one query; 0 where a denominator is 0."""
    return {
        name: ratio(metric.above(seen, value), metric.below(seen, value))
        for name, (metric, value) in metrics.items()
    }


@dataclass(frozen=True)
class Table:
    """For each metric its distinct values, ascending, and where in them each shape stands."""

    values: dict[str, list[Value]]
    places: dict[str, dict[Shape, int]]


def table(queries: Iterable[Query], metrics: Named) -> Table:
    """Work out every shape that occurs once, for the metrics asked for."""
    worked = {seen: values(seen, metrics) for seen in dict.fromkeys(map(shape, queries))}
    distinct = {name: sorted({value[name] for value in worked.values()}) for name in metrics}
    places = {}
    for name, ascending in distinct.items():
        place = {value: i for i, value in enumerate(ascending)}
        places[name] = {seen: place[value[name]] for seen, value in worked.items()}
    return Table(distinct, places)


def measure(
    rows: Sequence[Query],
    worked: Table,
    wanted: Sequence[str] = STATISTICS,
    populations: Sequence[str] = ("positives_only", "all_queries"),
) -> Iterator[tuple[str, str, str, Value]]:
    """Yield (metric, population, statistic, value); queries without gold are so many zeros."""
    shapes = Counter(shape(query) for query in rows if query.gold)
    without = len(rows) - shapes.total()
    for metric, ascending in worked.values.items():
        places, counts = worked.places[metric], [0] * len(ascending)
        for seen, count in shapes.items():
            counts[places[seen]] += count
        counted = [(value, n) for value, n in zip(ascending, counts, strict=True) if n]
        for population in populations:
            zeros = without if population == "all_queries" else 0
            for name, value in statistics([(ZERO, zeros), *counted], wanted).items():
                yield metric, population, name, value


def tie_ends(rows: Sequence[Query], metrics: Named) -> dict[str, tuple[list[Value], list[Value]]]:
    """Return each metric's smallest and largest values, query by query, over orders of equals."""
    known: dict[Shape, dict[str, Value]] = {}

    def worked(seen: Shape) -> dict[str, Value]:
        if seen not in known:
            known[seen] = values(seen, metrics)
        return known[seen]

    ends: dict[str, tuple[list[Value], list[Value]]] = {name: ([], []) for name in metrics}
    straddlers = [(name, k) for name, (metric, k) in metrics.items() if metric.straddles]
    for query in rows:
        low, high = worked(arranged(query, best=False)), worked(arranged(query, best=True))
        if query.tied:
            low, high = dict(low), dict(high)
            for name, k in straddlers:
                tried = [worked(seen)[name] for seen in straddling(query, k)]
                low[name], high[name] = min(tried), max(tried)
        for name, (lows, highs) in ends.items():
            lows.append(low[name])
            highs.append(high[name])
    return ends


def tie_bounds(rows: Sequence[Query], metrics: Named) -> Iterator[tuple[str, str, str, Value]]:
    """Yield each metric's mean if every tie falls worst, and best (section 3, Tie bounds)."""
    for name, ends in tie_ends([query for query in rows if query.gold], metrics).items():
        for bound, found_there in zip(("tie_low", "tie_high"), ends, strict=True):
            summed = total(found_there)
            yield f"{name}/{bound}", "positives_only", "mean", summed / max(len(found_there), 1)
            yield f"{name}/{bound}", "all_queries", "mean", summed / max(len(rows), 1)


def _groups(query: Query) -> Iterator[tuple[int, int, int]]:
    """Yield (rank before the group, its size, its gold) for each group of equal scores."""
    hits, start = set(query.hits), 0
    for _, group in groupby(query.scores or ()):
        size = len(list(group))
        yield start, size, sum(rank in hits for rank in range(start + 1, start + size + 1))
        start += size


def _ranks(start: int, size: int, gold: int, best: bool) -> range:
    """Return the ranks of the gold in a group if they come first, or last."""
    first = start + 1 if best else start + size - gold + 1
    return range(first, first + gold)


def arranged(query: Query, *, best: bool) -> Shape:
    """Put the gold first, or last, in every group of equal scores."""
    if not query.tied:
        return shape(query)
    hits = [r for start, size, gold in _groups(query) for r in _ranks(start, size, gold, best)]
    return shape(query)._replace(hits=tuple(hits))


def straddling(query: Query, k: int | None) -> Iterator[Shape]:
    """Yield the arrangements among which a metric that `straddles` has its extremes at K.

    In the group that K cuts, every number of gold inside K is tried; everywhere else, gold first
    and gold last.
    """
    groups = list(_groups(query))
    for best in (False, True):
        hits: list[tuple[int, ...]] = [()]
        for start, size, gold in groups:
            if k is None or not start < k < start + size:
                hits = [(*h, *_ranks(start, size, gold, best)) for h in hits]
                continue
            room, rest = k - start, start + size - k
            inside = range(max(0, gold - rest), min(gold, room) + 1)
            hits = [
                (*h, *_ranks(start, room, n, best), *_ranks(k, rest, gold - n, best))
                for h in hits
                for n in inside
            ]
        yield from (shape(query)._replace(hits=ranks) for ranks in hits)
