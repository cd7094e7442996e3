"""Per-query values into statistics: every slice, both populations (contract, section 2).

Values are computed for the queries that have what a metric looks for; for all others they are 0,
so that a population needs only to know how many of those it has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from primary.arithmetic.aggregate import Ledger, key, summaries
from primary.arithmetic.cores import side_by_side
from primary.arithmetic.exact import tally, total

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from primary.data.study import Slice, Study
    from primary.ranking.kinds import Kinds

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]
    Bools = NDArray[np.bool_]
Job = TypeVar("Job")

POPULATIONS = ("positives_only", "all_queries")


class Members(NamedTuple):
    """The queries of a population."""

    chosen: Ints
    """The numbers of those that have values, or of their kinds."""
    zeros: int
    """How many have none."""
    counts: Ints | None
    """How many are of each kind; None where each query is its own."""

    @property
    def size(self) -> int:
        """How many queries they are."""
        valued = len(self.chosen) if self.counts is None else int(tally(self.counts))
        return valued + self.zeros

    def taken(self, values: Floats) -> Floats:
        """Give their values."""
        if len(self.chosen) == values.shape[-1]:
            return values
        return values.take(self.chosen, axis=-1)

    def summed(self, values: Floats) -> Any:  # noqa: ANN401 - a number, or an array of them
        """Add up their values along the last axis."""
        return total(self.taken(values), self.counts)


def spread_out(names: Sequence[str], values: Floats, valued: Bools) -> Iterator[tuple[str, Floats]]:
    """Give each metric's values for every EVAL query."""
    if valued.all():
        yield from zip(names, values, strict=True)
        return
    for name, row in zip(names, values, strict=True):
        column = np.zeros(len(valued))
        column[valued] = row
        yield name, column


def members(
    study: Study,
    valued: Bools,
    slices: Iterable[Slice] | None = None,
    kinds: Kinds | None = None,
) -> Iterator[tuple[Slice, Members, Members]]:
    """Give for each slice the members of `positives_only` and of `all_queries`.

    `kinds` are those of the queries that have values, where values are computed for kinds.
    """
    number = np.cumsum(valued) - 1
    same = bool((valued == study.positive).all())
    for part in study.by_query if slices is None else slices:
        ours = part.rows[valued[part.rows]]
        every = number[ours]
        counted = _counted(every, kinds)
        rest = len(part.rows) - len(ours)
        if same:
            yield part, Members(counted[0], 0, counted[1]), Members(counted[0], rest, counted[1])
            continue
        positive = int(np.count_nonzero(study.positive[part.rows]))
        alone = every[study.positive[ours]]
        chosen, counts = _counted(alone, kinds)
        yield (
            part,
            Members(chosen, positive - len(alone), counts),
            Members(counted[0], rest, counted[1]),
        )


def _counted(queries: Ints, kinds: Kinds | None) -> tuple[Ints, Ints | None]:
    """Give the queries' kinds with their counts, or the queries."""
    return (queries, None) if kinds is None else kinds.counted(queries)


def statistics(
    study: Study,
    valued: Bools,
    compute: Callable[[Job], tuple[Sequence[str], Floats]],
    jobs: Iterable[Job],
    kinds: Kinds | None = None,
) -> Ledger:
    """Give the statistics of all that the jobs compute, side by side, for queries or for kinds."""
    parts = list(members(study, valued, kinds=kinds))

    def summarised(job: Job) -> Ledger:
        names, values = compute(job)
        own: Ledger = {}
        for part, alone, among_all in parts:
            for population, columns in _summaries(values, alone, among_all):
                _write(own, names, part.name, population, columns)
        return own

    found: Ledger = {}
    for own in side_by_side(summarised, jobs):
        found |= own
    return found


def _summaries(
    values: Floats, alone: Members, among_all: Members
) -> Iterator[tuple[str, dict[str, list[float]]]]:
    """Summarise both populations; where the same queries have values, by one sort."""
    if alone.chosen is among_all.chosen:
        zeros = alone.zeros, among_all.zeros
        found = summaries(alone.taken(values), *zeros, counts=alone.counts)
        yield from zip(POPULATIONS, found, strict=True)
        return
    for population, one in zip(POPULATIONS, (alone, among_all), strict=True):
        yield population, summaries(one.taken(values), one.zeros, counts=one.counts)[0]


def _write(
    found: Ledger,
    names: Iterable[str],
    part: str,
    population: str,
    columns: dict[str, list[float]],
) -> None:
    for statistic, column in columns.items():
        for name, value in zip(names, column, strict=True):
            found[key(name, population, part, statistic)] = value
