"""Ranking metrics (contract, section 3), from the ranks of the gold candidates alone.

Only hits need ranks. A hit's rank is one plus the candidates of its query that score higher plus
the equals that stand before it: counted, not sorted, unless a query has so many hits that sorting
is cheaper.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from primary.aggregate import Ledger, key, summaries
from primary.cores import side_by_side
from primary.exact import discounts, in_order, tally, tally_runs
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

QUERIES = 1 << 14
"""Queries whose values are computed together."""

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

    @cached_property
    def nth(self) -> Ints:
        """Each hit's number among the hits of its query, from 1."""
        begins = offsets_of(np.bincount(self.query, minlength=len(self.gold)))
        return np.arange(1, len(self.query) + 1) - begins[self.query]

    @cached_property
    def floats(self) -> tuple[Floats, Floats, Floats]:
        """|G|, |R| and |R ∩ G| of each query with gold, ready for dividing."""
        retrieved = np.bincount(self.query, minlength=len(self.gold))
        gold, candidates, found = (
            counts.astype(np.float64) for counts in (self.gold, self.candidates, retrieved)
        )
        return gold, candidates, found


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
    # Hits come by query already, so that one stable sort has little left to do.
    order = np.argsort(offsets[owner] + rank, kind="stable")
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
    if tally(lengths[owner]) > SORT_ABOVE * tally(lengths[queries]):
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
        tally(mask.view(np.uint8), axis=1, dtype=narrow).astype(np.int64)
        for mask in (theirs > ours, theirs >= ours)
    )
    return above, upto


def _count_ragged(scores: Floats, offsets: Ints, places: Ints, owner: Ints) -> tuple[Ints, Ints]:
    """Count the same where queries differ in length."""
    width = offsets[owner + 1] - offsets[owner]
    theirs, ours = scores[spread(offsets, owner)], np.repeat(scores[places], width)
    bounds = offsets_of(width)[:-1]
    return tally_runs(theirs > ours, bounds), tally_runs(theirs >= ours, bounds)


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
    fresh[inner[:-1]] = True
    begins = np.flatnonzero(fresh)
    sizes = np.diff(np.append(begins, len(ordered)))
    stands = np.empty_like(order)
    stands[order] = np.arange(len(order))
    hit = stands[np.searchsorted(cells, places)]
    group = (np.cumsum(fresh) - 1)[hit]
    first = inner[np.searchsorted(inner, hit, side="right") - 1]
    return begins[group] - first, hit - begins[group], sizes[group]


def values_at(hits: Hits, rank: Ints, cutoff: int | None) -> Floats:
    """Compute all metrics and variants at one cut-off for every query with gold.

    `rank` must ascend within each query. Rows are in the order of `FORMS`. Queries are taken a few
    thousand at a time, which keeps them in the cache.
    """
    values = np.empty((len(FORMS), len(hits.gold)))
    for begin in range(0, len(hits.gold), QUERIES):
        some = slice(begin, begin + QUERIES)
        theirs = slice(*np.searchsorted(hits.query, (some.start, some.stop)))
        _fill(values[:, some], hits, rank, cutoff, queries=some, theirs=theirs)
    return values


def _fill(
    values: Floats,
    hits: Hits,
    rank: Ints,
    cutoff: int | None,
    *,
    queries: slice,
    theirs: slice,
) -> None:
    """Compute the values of some queries, whose hits are `theirs`."""
    count = values.shape[1]
    query, nth, rank = hits.query[theirs] - queries.start, hits.nth[theirs], rank[theirs]
    if cutoff is not None:
        inside = np.flatnonzero(rank <= cutoff)
        query, nth, rank = query[inside], nth[inside], rank[inside]
    gold, candidates, retrieved = (counts[queries] for counts in hits.floats)
    wanted = gold if cutoff is None else np.minimum(gold, cutoff)
    length = candidates if cutoff is None else np.minimum(candidates, cutoff)
    ideal = _ideal(wanted)
    reachable = np.minimum(wanted, length)
    found = np.bincount(query, minlength=count).astype(np.float64)
    precisions = in_order(query, nth / rank, count)
    gained = in_order(query, discounts(int(rank.max(initial=0)))[rank], count)
    first = np.zeros(count)
    leading = np.flatnonzero(nth == 1)
    first[query[leading]] = 1 / rank[leading]
    for row, (part, whole) in enumerate(
        (
            (found, gold),
            (found, retrieved),
            (found, candidates if cutoff is None else float(cutoff)),
            (found, length),
            (np.minimum(found, 1.0), 1.0),
            (first, 1.0),
            (precisions, wanted),
            (precisions, gold),
            (precisions, found),
            (precisions, reachable),
            (gained, ideal[wanted.astype(np.int64)]),
            (gained, ideal[reachable.astype(np.int64)]),
        )
    ):
        # Where nothing divides, nothing was found either: 0 / 1 is the 0.0 that S0 5 asks for.
        np.divide(part, np.maximum(whole, 1.0), out=values[row])


def _ideal(wanted: Floats) -> Floats:
    """Give the DCG of 0, 1, … gold first."""
    return np.cumsum(discounts(int(wanted.max())))


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
    number = np.cumsum(study.positive) - 1
    found: Ledger = {}
    members = [_members(study.positive, number, one) for one in slices]

    def summarised(cutoff: tuple[str, int | None]) -> Ledger:
        values = values_at(hits, hits.rank, cutoff[1])
        names = [form.format(cutoff[0]) for form in FORMS]
        own: Ledger = {}
        for part, (chosen, zeros) in zip(slices, members, strict=True):
            some = values if len(chosen) == values.shape[1] else values.take(chosen, axis=1)
            alone, among_all = summaries(some, 0, zeros)
            _write(own, names, part.name, "positives_only", alone)
            _write(own, names, part.name, "all_queries", among_all)
        return own

    for own in side_by_side(summarised, cutoffs(study)):
        found |= own
    return found


def _members(positive: NDArray[np.bool_], number: Ints, part: Slice) -> tuple[Ints, int]:
    """Give the numbers of a slice's queries with gold, and how many it has without."""
    rows = part.rows[positive[part.rows]]
    return number[rows], len(part.rows) - len(rows)


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
