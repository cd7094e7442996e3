"""The gold candidates of every query and their ranks, which is all that ranking metrics need.

Gold, or other ids that are looked for in the rankings: those with a grade, those judged.

Only hits need ranks. A hit's rank is one plus the candidates of its query that score higher plus
the equals that stand before it: counted, not sorted, unless a query has so many hits that sorting
is cheaper.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from primary.arithmetic.cores import side_by_side
from primary.arithmetic.exact import tally, tally_runs
from primary.data.lists import (
    descends,
    even,
    match,
    offsets_of,
    order_within,
    portions,
    spread,
)
from primary.ranking.kinds import kinds_of, numbered

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from primary.data.lists import Lists
    from primary.data.rows import Data
    from primary.ranking.kinds import Kinds

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]

SORT_ABOVE = 8
"""Comparisons per candidate above which sorting a query is cheaper than counting."""


@dataclass(frozen=True)
class Hits:
    """The gold candidates, by query and rank; queries are numbered among those with gold.

    What is said of gold goes for the ids that were looked for.
    """

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
    item: Ints
    """Its place in the flat gold."""

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

    @cached_property
    def kinds(self) -> Kinds | None:
        """The queries that metrics cannot tell apart; None where there are few of those."""
        stands = self.rank
        if not bool((self.equals == 1).all()):
            width = int(self.candidates.max(initial=0)) + 2
            group, _ = numbered(self.above * width + self.equals)
            stands, _ = numbered(group * width + self.rank)
        found = np.bincount(self.query, minlength=len(self.gold))
        return kinds_of((self.gold, self.candidates), found, stands)

    @cached_property
    def examples(self) -> Hits:
        """The hits of one query of each kind; of every query, where there are no kinds."""
        if self.kinds is None:
            return self
        queries = self.kinds.example
        begins = offsets_of(np.bincount(self.query, minlength=len(self.gold)))
        places = spread(begins, queries)
        return Hits(
            gold=self.gold[queries],
            candidates=self.candidates[queries],
            query=np.repeat(np.arange(len(queries)), begins[queries + 1] - begins[queries]),
            rank=self.rank[places],
            above=self.above[places],
            equals=self.equals[places],
            place=self.place[places],
            item=self.item[places],
        )


def find_hits(data: Data, sought: Lists | None = None) -> Hits:
    """Match gold, or what else is sought, with candidates and rank the hits."""
    sought = data.gold if sought is None else sought
    if sought is None or data.candidates is None:
        raise LookupError("ranking needs candidates and gold")
    number = np.cumsum(sought.lengths > 0) - 1
    places, items = match(data.candidates, sought)
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
    some = sought.lengths > 0
    return Hits(
        gold=sought.lengths[some],
        candidates=data.candidates.lengths[some],
        query=number[owner[order]],
        rank=rank[order],
        above=above[order],
        equals=equals[order],
        place=places[order],
        item=items[order],
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
    inner = offsets_of(np.diff(offsets)[queries])
    if inner[-1] < len(scores):
        cells = spread(offsets, queries)
        scores, places = scores[cells], np.searchsorted(cells, places)
    ordered, hit = scores, places
    if not descends(inner, scores):
        order = order_within(inner, scores)
        stands = np.empty_like(order)
        stands[order] = np.arange(len(order))
        ordered, hit = scores[order], stands[places]
    first = inner[np.searchsorted(inner, hit, side="right") - 1]
    fresh = np.ones(len(ordered), dtype=bool)
    fresh[1:] = ordered[1:] != ordered[:-1]
    fresh[inner[:-1]] = True
    if fresh.all():
        return hit - first, np.zeros_like(hit), np.ones_like(hit)
    begins = np.flatnonzero(fresh)
    sizes = np.diff(np.append(begins, len(ordered)))
    group = (np.cumsum(fresh) - 1)[hit]
    return begins[group] - first, hit - begins[group], sizes[group]
