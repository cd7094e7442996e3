"""Ranking metrics (contract, section 3), from the ranks of the gold candidates alone.

Only hits need ranks. A hit's rank is one plus the candidates of its query that score higher plus
the equals that stand before it: counted, not sorted, unless a query has so many hits that sorting
is cheaper.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from primary.aggregate import Ledger, key, shares, summaries
from primary.cores import side_by_side
from primary.lists import even, match, offsets_of, order_within, portions, spread

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from primary.data import Data
    from primary.study import Slice, Study

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]

SORT_ABOVE = 8
"""Comparisons per candidate above which sorting a query is cheaper than counting."""

FORMS = (
    "recall@{}",
    "recall@{}/retrieved",
    "precision@{}",
    "precision@{}/k_eff",
    "hit@{}",
    "mrr@{}",
    "map@{}",
    "map@{}/by_gold",
    "map@{}/by_hits",
    "map@{}/k_eff",
    "ndcg@{}",
    "ndcg@{}/k_eff",
)
"""The metrics and variants, in the order of `values_at`."""


@dataclass(frozen=True)
class Hits:
    """The gold candidates, by query and rank; queries are numbered among those with gold."""

    gold: Ints
    """|G| of each query with gold."""
    candidates: Ints
    """|R| of each query with gold."""
    query: Ints
    rank: Ints
    above: Ints
    """How many candidates score strictly higher than the hit."""
    equals: Ints
    """How many candidates score the same, the hit included."""
    place: Ints
    """The hit's place in the flat candidates."""


def find_hits(data: Data) -> Hits:
    """Match gold with candidates and rank the hits."""
    if data.gold is None or data.candidates is None:
        raise LookupError("ranking needs candidates and gold")
    number = np.cumsum(data.gold.lengths > 0) - 1
    places, _ = match(data.candidates, data.gold)
    owner = data.candidates.owner_of(places)
    offsets = data.candidates.offsets
    if data.scores is None:
        above = places - offsets[owner]
        before, equals = np.zeros_like(above), np.ones_like(above)
    else:
        above, before, equals = _standing(data.scores, offsets, places, owner)
    rank = above + before + 1
    order = np.lexsort((rank, owner))
    some = data.gold.lengths > 0
    return Hits(
        gold=data.gold.lengths[some],
        candidates=data.candidates.lengths[some],
        query=number[owner[order]],
        rank=rank[order],
        above=above[order],
        equals=equals[order],
        place=places[order],
    )


def _standing(scores: Floats, offsets: Ints, places: Ints, owner: Ints) -> tuple[Ints, Ints, Ints]:
    """Count for each hit the candidates above it, the equals before it, and all equals."""
    lengths = np.diff(offsets)
    queries = np.flatnonzero(np.bincount(owner, minlength=len(lengths)))
    if lengths[owner].sum() > SORT_ABOVE * lengths[queries].sum():
        return _standing_by_sorting(scores, offsets, places, queries)
    above, upto, before = np.zeros((3, len(places)), dtype=np.int64)
    count = _count_even if even(offsets) else _count_ragged

    def stand(part: slice) -> None:
        above[part], upto[part] = count(scores, offsets, places[part], owner[part])

    for _ in side_by_side(stand, portions(lengths[owner])):
        pass
    tied = np.flatnonzero(upto - above > 1)
    for part in portions(lengths[owner[tied]]):
        some = tied[part]
        before[some] = _equals_before(scores, offsets[owner[some]], places[some])
    return above, before, upto - above


def _count_even(scores: Floats, offsets: Ints, places: Ints, owner: Ints) -> tuple[Ints, Ints]:
    """Count who scores higher, and who at least as high; every query has as many candidates."""
    width = int(offsets[1])
    theirs, ours = scores.reshape(-1, width).take(owner, axis=0), scores[places, None]
    narrow = np.uint16 if width <= np.iinfo(np.uint16).max else np.int64
    above, upto = (
        np.add.reduce(mask.view(np.uint8), axis=1, dtype=narrow).astype(np.int64)
        for mask in (theirs > ours, theirs >= ours)
    )
    return above, upto


def _count_ragged(scores: Floats, offsets: Ints, places: Ints, owner: Ints) -> tuple[Ints, Ints]:
    """Count the same where queries differ in length."""
    width = offsets[owner + 1] - offsets[owner]
    theirs, ours = scores[spread(offsets, owner)], np.repeat(scores[places], width)
    bounds = offsets_of(width)[:-1]
    above, upto = (
        np.add.reduceat(mask, bounds, dtype=np.int64) for mask in (theirs > ours, theirs >= ours)
    )
    return above, upto


def _equals_before(scores: Floats, begins: Ints, places: Ints) -> Ints:
    """Count for each hit the equals that stand before it in its query."""
    width = places - begins
    bounds = offsets_of(width)
    cells = np.arange(bounds[-1]) + np.repeat(begins - bounds[:-1], width)
    same = np.append(0, np.cumsum(scores[cells] == np.repeat(scores[places], width)))
    counted: Ints = same[bounds[1:]] - same[bounds[:-1]]
    return counted


def _standing_by_sorting(
    scores: Floats, offsets: Ints, places: Ints, queries: Ints
) -> tuple[Ints, Ints, Ints]:
    """Give the same from a sort of every query that has a hit."""
    cells = spread(offsets, queries)
    inner = offsets_of(np.diff(offsets)[queries])
    order = order_within(inner, scores[cells])
    ordered = scores[cells[order]]
    fresh = np.ones(len(ordered), dtype=bool)
    fresh[1:] = ordered[1:] != ordered[:-1]
    fresh[inner[:-1][np.diff(inner) > 0]] = True
    group = np.cumsum(fresh) - 1
    begins = np.flatnonzero(fresh)
    sizes = np.diff(np.append(begins, len(ordered)))
    owner = np.repeat(np.arange(len(queries)), np.diff(inner))
    standing = np.empty((3, len(ordered)), dtype=np.int64)
    standing[0, order] = begins[group] - inner[owner]
    standing[1, order] = np.arange(len(ordered)) - begins[group]
    standing[2, order] = sizes[group]
    found = standing[:, np.searchsorted(cells, places)]
    return found[0], found[1], found[2]


def values_at(hits: Hits, rank: Ints, cutoff: int | None) -> Floats:
    """Compute all metrics and variants at one cut-off for every query with gold.

    `rank` must ascend within each query. Rows are in the order of `FORMS`.
    """
    count = len(hits.gold)
    depth = int(hits.gold.max(initial=0)) if cutoff is None else cutoff
    nth = (
        np.arange(len(rank)) - offsets_of(np.bincount(hits.query, minlength=count))[hits.query] + 1
    )
    inside = slice(None) if cutoff is None else rank <= cutoff
    query, rank, nth = hits.query[inside], rank[inside], nth[inside]
    found = np.bincount(query, minlength=count)
    retrieved = np.bincount(hits.query, minlength=count)
    wanted = hits.gold if cutoff is None else np.minimum(hits.gold, cutoff)
    length = hits.candidates if cutoff is None else np.minimum(hits.candidates, cutoff)
    reachable = np.minimum(wanted, length)
    precisions = np.bincount(query, weights=nth / rank, minlength=count)
    first = np.zeros(count)
    first[query[nth == 1]] = 1 / rank[nth == 1]
    ideal = np.cumsum(np.append(0.0, 1 / np.log2(np.arange(2, depth + 2))))
    gained = np.bincount(query, weights=1 / np.log2(rank + 1), minlength=count)
    values = np.empty((len(FORMS), count))
    for row, (part, whole) in enumerate(
        (
            (found, hits.gold),
            (found, retrieved),
            (found, hits.candidates if cutoff is None else np.full(count, cutoff)),
            (found, length),
            ((found > 0).astype(np.int64), np.ones(count)),
            (first, np.ones(count)),
            (precisions, wanted),
            (precisions, hits.gold),
            (precisions, found),
            (precisions, reachable),
            (gained, ideal[wanted]),
            (gained, ideal[reachable]),
        )
    ):
        values[row] = shares(part, whole)
    return values


def cutoffs(study: Study) -> list[tuple[str, int | None]]:
    """Name the cut-offs; `all` is none."""
    return [*((str(cutoff), cutoff) for cutoff in study.settings.k), ("all", None)]


def blocks(study: Study, hits: Hits) -> Iterator[tuple[list[str], Floats]]:
    """Give the metric ids and values of one cut-off after the other."""
    for name, cutoff in cutoffs(study):
        yield [form.format(name) for form in FORMS], values_at(hits, hits.rank, cutoff)


def ledger(study: Study, hits: Hits) -> Ledger:
    """Give every statistic of every ranking metric on every slice, for both populations.

    A query without gold counts 0 in all of them, so `all_queries` needs only to know how many
    there are.
    """
    slices = [*study.all, *study.folds, *study.criteria, *study.states, *study.views]
    number = np.where(study.positive, np.cumsum(study.positive) - 1, -1)
    found: Ledger = {}
    members = [_members(number, one) for one in slices]

    def summarised(cutoff: tuple[str, int | None]) -> Ledger:
        values = values_at(hits, hits.rank, cutoff[1])
        names = [form.format(cutoff[0]) for form in FORMS]
        own: Ledger = {}
        for part, (chosen, zeros) in zip(slices, members, strict=True):
            some = values if len(chosen) == values.shape[1] else values[:, chosen]
            alone, among_all = summaries(some, 0, zeros)
            _write(own, names, part.name, "positives_only", alone)
            _write(own, names, part.name, "all_queries", among_all)
        return own

    for own in side_by_side(summarised, cutoffs(study)):
        found |= own
    return found


def _members(number: Ints, part: Slice) -> tuple[Ints, int]:
    """Give a slice's queries with gold, and how many it has without."""
    chosen = number[part.rows]
    chosen = chosen[chosen >= 0]
    return chosen, len(part.rows) - len(chosen)


def _write(
    found: Ledger,
    names: Iterable[str],
    part: str,
    population: str,
    statistics: dict[str, list[float]],
) -> None:
    for statistic, column in statistics.items():
        for name, value in zip(names, column, strict=True):
            found[key(name, population, part, statistic)] = value
