"""Graded relevance (contract, section 15): nDCG, DCG and ERR, where ids have grades.

The gold here is every id of grade 1 or more, whatever level makes an id gold elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from primary.arithmetic.aggregate import Ledger, shares
from primary.arithmetic.exact import discounts, in_order
from primary.data.lists import offsets_of, order_within
from primary.ranking.hits import Hits, find_hits
from primary.ranking.populations import spread_out, statistics

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from numpy.typing import NDArray

    from primary.data.study import Study

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]
    Bools = NDArray[np.bool_]

LINEAR, DOUBLED = "graded", "exponential"
"""Gains g and 2^g − 1, by the names of their families."""

HEADLINE = tuple(f"ndcg@{k}/{LINEAR}" for k in (3, 5, 10))
PER_CRITERION = (f"ndcg@10/{LINEAR}",)

FAMILIES = frozenset({LINEAR, DOUBLED})


@dataclass(frozen=True)
class Graded:
    """The candidates with a grade, by query and rank, and each query's best possible order."""

    hits: Hits
    grade: Ints
    """Of each hit."""
    rank: Ints
    ideal_query: Ints
    ideal_rank: Ints
    ideal_grade: Ints
    grade_max: int

    @property
    def queries(self) -> int:
        """How many queries have a grade."""
        return len(self.hits.gold)

    def summed(self, terms: Floats, cutoff: int | None) -> Floats:
        """Add up a term of each hit inside the cut-off, by query, in the order of the ranks."""
        return _within(self.hits.query, self.rank, terms, cutoff, self.queries)

    def gained(self, grade: Ints, rank: Ints, family: str) -> Floats:
        """Give each gain over its discount."""
        found: Floats = gains(grade, family) * discounts(int(rank.max(initial=0)))[rank]
        return found

    def best(self, cutoff: int | None, family: str) -> Floats:
        """Give the DCG of the best order."""
        terms = self.gained(self.ideal_grade, self.ideal_rank, family)
        return _within(self.ideal_query, self.ideal_rank, terms, cutoff, self.queries)

    @cached_property
    def stops(self) -> Floats:
        """(1/i)·r_i·Π_{j<i}(1 − r_j) of each hit: what it adds to ERR."""
        chance = gains(self.grade, DOUBLED) / (1 << self.grade_max)
        left = np.ones(len(chance))
        order = np.argsort(self.hits.nth, kind="stable")
        bounds = np.searchsorted(self.hits.nth[order], np.arange(2, self._deepest + 2))
        for begin, end in pairwise(bounds):
            some = order[begin:end]
            left[some] = left[some - 1] * (1 - chance[some - 1])
        found: Floats = chance * left / self.rank
        return found

    @property
    def _deepest(self) -> int:
        return int(self.hits.nth.max(initial=1))


def _within(query: Ints, rank: Ints, terms: Floats, cutoff: int | None, queries: int) -> Floats:
    if cutoff is None:
        return in_order(query, terms, queries)
    inside = np.flatnonzero(rank <= cutoff)
    return in_order(query[inside], terms[inside], queries)


def gains(grade: Ints, family: str) -> Floats:
    """Give g, or 2^g − 1."""
    return (grade if family == LINEAR else (1 << grade) - 1).astype(np.float64)


def valued(study: Study) -> Bools:
    """Say which EVAL queries have a grade."""
    if study.data.graded is None:
        raise LookupError("the graded family needs grades")
    found: Bools = study.data.graded.lengths > 0
    return found


def find_graded(study: Study, gold: Hits | None = None) -> Graded:
    """Rank the candidates that have a grade, and sort each query's grades.

    Where the ids with a grade are the gold, its hits may be known already.
    """
    data = study.data
    if data.graded is None or data.grades is None:
        raise LookupError("the graded family needs grades")
    known = gold if data.graded is data.gold else None
    hits = find_hits(data, data.graded) if known is None else known
    some = data.graded.lengths > 0
    offsets = offsets_of(data.graded.lengths[some])
    best = order_within(offsets, data.grades.astype(np.float64))
    query = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    return Graded(
        hits=hits,
        grade=data.grades[hits.item],
        rank=hits.rank,
        ideal_query=query,
        ideal_rank=np.arange(1, len(query) + 1) - offsets[query],
        ideal_grade=data.grades[best],
        grade_max=study.grade_max,
    )


def names_at(written: str, owed: Collection[str]) -> list[str]:
    """Name the metrics at a cut-off, of the families that are owed."""
    names = [f"{metric}@{written}/{family}" for family in _gained(owed) for metric in _PAIR]
    return [*names, f"err@{written}"] if DOUBLED in owed else names


_PAIR = ("ndcg", "dcg")


def _gained(owed: Collection[str]) -> list[str]:
    return [family for family in (LINEAR, DOUBLED) if family in owed]


def values_at(graded: Graded, cutoff: int | None, owed: Collection[str]) -> Floats:
    """Give the values of those metrics for every query that has a grade."""
    rows: list[Floats] = []
    for family in _gained(owed):
        gain = graded.summed(graded.gained(graded.grade, graded.rank, family), cutoff)
        rows += [shares(gain, graded.best(cutoff, family)), gain]
    if DOUBLED in owed:
        rows.append(np.minimum(graded.summed(graded.stops, cutoff), 1.0))
    return np.stack(rows)


def cutoffs(study: Study) -> list[int | None]:
    """Give every K; None is `all`."""
    return [*study.settings.k, None]


def written(cutoff: int | None) -> str:
    """Write K as it stands in a key."""
    return "all" if cutoff is None else str(cutoff)


def ledger(study: Study, graded: Graded, owed: Collection[str]) -> Ledger:
    """Give every statistic of the graded metrics on every slice, for both populations."""

    def computed(cutoff: int | None) -> tuple[list[str], Floats]:
        return names_at(written(cutoff), owed), values_at(graded, cutoff, owed)

    return statistics(study, valued(study), computed, cutoffs(study))


def columns(study: Study, owed: Collection[str]) -> Iterator[tuple[str, Floats]]:
    """Give every metric's values, one for each EVAL query."""
    graded = find_graded(study)
    for cutoff in cutoffs(study):
        names = names_at(written(cutoff), owed)
        yield from spread_out(names, values_at(graded, cutoff, owed), valued(study))


def extreme(graded: Graded, *, best: bool) -> Graded:
    """Put equal scores in the worst or the best order: by ascending or descending grade."""
    hits = graded.hits
    grade = graded.grade if not best else -graded.grade
    group = np.ones(len(hits.query), dtype=bool)
    group[1:] = (np.diff(hits.query) != 0) | (np.diff(hits.above) != 0)
    number = np.cumsum(group) - 1
    by_grade = np.argsort(grade, kind="stable")
    order = by_grade[np.argsort(number[by_grade], kind="stable")]
    begins = np.flatnonzero(group)
    nth = np.arange(len(order)) - begins[number] + 1
    held = np.diff(np.append(begins, len(order)))[number]
    rank = hits.above + nth + (0 if best else hits.equals - held)
    return replace(graded, grade=graded.grade[order], rank=rank)
