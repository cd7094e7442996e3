"""Ranking metrics per query, and what ties can do to them (section 3).

Exactness: hits and ranks are integers, precisions are fractions. Only nDCG has logarithms: 1/log2
is worked out to 120 digits (exactly for ranks 1, 3, 7, …) and the quotient is kept to 50.

A metric depends on nothing but the ranks of the gold, the number of gold and the length of the
ranking: its `Shape`. So shapes are counted, and each is worked out once.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from reference.aggregate import STATISTICS, statistics
from reference.values import ZERO, Value, discount, ratio, total

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from reference.study import Query

    Parts = dict[str, tuple[Value | int, Value | int]]
    Cuts = tuple[int | None, ...]


class Shape(NamedTuple):
    """All that section 3 looks at."""

    hits: tuple[int, ...]
    gold: int
    ranked: int


def shape(query: Query) -> Shape:
    """Return the ranks of the gold, |G| and |R| of a query."""
    return Shape(query.hits, len(query.gold or ()), len(query.ranking))


def parts(seen: Shape, k: int | None) -> Parts:
    """Return numerator and denominator of every metric at K; None is `all`."""
    cut = seen.ranked if k is None else k
    at = "all" if k is None else k
    inside = tuple(rank for rank in seen.hits if rank <= cut)
    found = len(inside)
    ideal = seen.gold if k is None else min(seen.gold, k)
    ideal_here = min(ideal, seen.ranked)
    precisions = total(Fraction(count, rank) for count, rank in enumerate(inside, 1))
    gain = total(map(discount, inside))
    return {
        f"recall@{at}": (found, seen.gold),
        f"recall@{at}/retrieved": (found, len(seen.hits)),
        f"precision@{at}": (found, cut),
        f"precision@{at}/k_eff": (found, min(cut, seen.ranked)),
        f"hit@{at}": (int(found > 0), 1),
        f"mrr@{at}": (int(found > 0), inside[0] if inside else 1),
        f"map@{at}": (precisions, ideal),
        f"map@{at}/by_gold": (precisions, seen.gold),
        f"map@{at}/by_hits": (precisions, found),
        f"map@{at}/k_eff": (precisions, ideal_here),
        f"ndcg@{at}": (gain, ideal_gain(ideal)),
        f"ndcg@{at}/k_eff": (gain, ideal_gain(ideal_here)),
    }


@cache
def ideal_gain(gold: int) -> Value:
    """Return the DCG of `gold` gold candidates at the first ranks."""
    return total(map(discount, range(1, gold + 1)))


def values(seen: Shape, cuts: Cuts) -> dict[str, Value]:
    """Return every metric of section 3 for one query; 0 where a denominator is 0."""
    return {
        metric: ratio(above, below)
        for k in cuts
        for metric, (above, below) in parts(seen, k).items()
    }


def metrics(cuts: Cuts) -> list[str]:
    """Return the name of every metric of section 3."""
    return list(values(Shape((), 0, 0), cuts))


@dataclass(frozen=True)
class Table:
    """For each metric its distinct values, ascending, and where in them each shape stands."""

    values: dict[str, list[Value]]
    places: dict[str, dict[Shape, int]]


def table(queries: Iterable[Query], cuts: Cuts, names: Sequence[str]) -> Table:
    """Work out every shape that occurs once, for the metrics asked for."""
    worked = {seen: values(seen, cuts) for seen in dict.fromkeys(map(shape, queries))}
    distinct = {name: sorted({value[name] for value in worked.values()}) for name in names}
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


def tie_ends(rows: Sequence[Query], cuts: Cuts) -> dict[str, tuple[list[Value], list[Value]]]:
    """Return each metric's smallest and largest values, query by query, over orders of equals."""
    known: dict[Shape, dict[str, Value]] = {}

    def worked(seen: Shape) -> dict[str, Value]:
        if seen not in known:
            known[seen] = values(seen, cuts)
        return known[seen]

    ends: dict[str, tuple[list[Value], list[Value]]] = {name: ([], []) for name in metrics(cuts)}
    for query in rows:
        low, high = worked(arranged(query, best=False)), worked(arranged(query, best=True))
        if query.tied:
            low, high = dict(low), dict(high)
            for k in cuts:
                name = f"map@{'all' if k is None else k}/by_hits"
                tried = [worked(seen)[name] for seen in straddling(query, k)]
                low[name], high[name] = min(tried), max(tried)
        for name, (lows, highs) in ends.items():
            lows.append(low[name])
            highs.append(high[name])
    return ends


def tie_bounds(rows: Sequence[Query], cuts: Cuts) -> Iterator[tuple[str, str, str, Value]]:
    """Yield each metric's mean if every tie falls worst, and best (section 3, Tie bounds)."""
    for name, ends in tie_ends([query for query in rows if query.gold], cuts).items():
        for bound, found in zip(("tie_low", "tie_high"), ends, strict=True):
            summed = total(found)
            yield f"{name}/{bound}", "positives_only", "mean", summed / max(len(found), 1)
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
    """Yield the arrangements among which `map/by_hits` at K has its extremes.

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
