"""What ties can do to a ranking metric (section 3, Tie bounds; section 15).

Exactness: the metrics are computed on rearranged rankings, as on the ranking itself.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from reference.ranking import Shape, shape, values
from reference.tallies import POPULATIONS
from reference.values import counted_total

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from reference.ranking import Named
    from reference.study import Query
    from reference.values import Value

    Ends = dict[str, tuple[list[Value], list[Value]]]

# By what equals are put first or last; gold alone where nothing is graded or judged.
WORTHS = ("gold", "grade", "judged")


def tie_ends(
    rows: Sequence[Query],
    metrics: Named,
    worked_out: Mapping[Shape, dict[str, Value]] | None = None,
) -> Ends:
    """Return each metric's smallest and largest values, query by query, over orders of equals.

    `worked_out` are the metrics of shapes for which they are known.
    """
    known = dict(worked_out or {})

    def worked(seen: Shape) -> dict[str, Value]:
        if seen not in known:
            known[seen] = values(seen, metrics)
        return known[seen]

    used = [by for by in WORTHS if any(metric.by == by for metric, _ in metrics.values())]
    straddlers = [name for name, (metric, _) in metrics.items() if metric.straddles]
    lows, highs = [], []
    for query in rows:
        if not _open(query):
            lows.append(worked(shape(query)))
            highs.append(lows[-1])
            continue
        low, high = (
            {by: worked(arranged(query, by, best)) for by in used} for best in (False, True)
        )
        lows.append({name: low[metric.by][name] for name, (metric, _) in metrics.items()})
        highs.append({name: high[metric.by][name] for name, (metric, _) in metrics.items()})
        groups = list(_groups(query))
        for name in straddlers:
            metric, k = metrics[name]
            if not _cuts(groups, k):  # gold first and gold last among equals are the extremes
                continue
            tried = [metric.of(seen, k) for seen in straddling(query, groups, k)]
            lows[-1][name], highs[-1][name] = min(tried), max(tried)
    return {name: ([low[name] for low in lows], [high[name] for high in highs]) for name in metrics}


def tie_bounds(
    rows: Sequence[Query],
    metrics: Named,
    worked_out: Mapping[Shape, dict[str, Value]] | None = None,
) -> Iterator[tuple[str, str, str, Value]]:
    """Yield each metric's mean if every tie falls worst, and best; blank queries are zeros."""
    alike: dict[object, list[Query]] = {}
    for query in rows:
        if not query.blank:
            alike.setdefault((shape(query), _open(query)), []).append(query)
    single = [queries[0] for queries in alike.values()]
    counts = [len(queries) for queries in alike.values()]
    golden = [len(queries) if queries[0].gold else 0 for queries in alike.values()]
    sizes = (sum(golden), len(rows))
    for name, ends in tie_ends(single, metrics, worked_out).items():
        for bound, found in zip(("tie_low", "tie_high"), ends, strict=True):
            of_golden = counted_total(found, golden)
            of_all = of_golden if golden == counts else counted_total(found, counts)
            sums = (of_golden, of_all)
            for population, size, added in zip(POPULATIONS, sizes, sums, strict=True):
                yield f"{name}/{bound}", population, "mean", added / max(size, 1)


def _open(query: Query) -> tuple[tuple[int, int], ...]:
    """Return (rank before it, size) of each group of equal scores that its order tells apart."""
    if not query.tied:
        return ()
    marked = {*query.hits, *query.judged, *(rank for rank, _ in query.grades)}
    return tuple(
        (start, size)
        for start, size, _ in _groups(query)
        if size > 1 and not marked.isdisjoint(range(start + 1, start + size + 1))
    )


def _groups(query: Query) -> Iterator[tuple[int, int, int]]:
    """Yield (rank before the group, its size, its gold) for each group of equal scores."""
    hits, start = set(query.hits), 0
    for _, group in groupby(query.scores or ()):
        size = len(list(group))
        yield start, size, sum(rank in hits for rank in range(start + 1, start + size + 1))
        start += size


def _worth(query: Query, by: str) -> Mapping[int, int]:
    """Return what the ranks are worth that are worth anything."""
    if by == "grade":
        return dict(query.grades)
    return dict.fromkeys(query.hits if by == "gold" else query.judged, 1)


def arranged(query: Query, by: str, best: bool) -> Shape:
    """Put what is worth most first, or last, in every group of equal scores."""
    worth, start = _worth(query, by), 0
    moved: dict[int, int] = {}
    for _, group in groupby(query.scores or ()):
        ranks = range(start + 1, start + 1 + len(list(group)))
        order = sorted(ranks, key=lambda rank: worth.get(rank, 0), reverse=best)
        moved.update(zip(order, ranks, strict=True))
        start = ranks[-1]
    return shape(query)._replace(
        hits=tuple(sorted([moved[rank] for rank in query.hits])),
        grades=tuple(sorted([(moved[rank], grade) for rank, grade in query.grades])),
        judged=tuple(sorted([moved[rank] for rank in query.judged])),
    )


def _ranks(start: int, size: int, gold: int, best: bool) -> range:
    """Return the ranks of the gold in a group if they come first, or last."""
    first = start + 1 if best else start + size - gold + 1
    return range(first, first + gold)


def _cuts(groups: Sequence[tuple[int, int, int]], k: int | None) -> bool:
    """Whether K cuts a group that has gold."""
    return k is not None and any(gold and start < k < start + size for start, size, gold in groups)


def straddling(
    query: Query, groups: Sequence[tuple[int, int, int]], k: int | None
) -> Iterator[Shape]:
    """Yield the arrangements among which a metric that `straddles` has its extremes at K.

    In the group that K cuts, every number of gold inside K is tried; everywhere else, gold first
    and gold last.
    """
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
        yield from (Shape(ranks, len(query.gold or ()), len(query.ranking)) for ranks in hits)
