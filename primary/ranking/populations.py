"""Per-query values into statistics: every slice, both populations (contract, section 2).

Values are computed for the queries that have what a metric looks for; for all others they are 0,
so that a population needs only to know how many of those it has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import numpy as np

from primary.arithmetic.aggregate import Ledger, key, summaries
from primary.arithmetic.cores import side_by_side

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from primary.data.study import Slice, Study

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]
    Bools = NDArray[np.bool_]
    Members = tuple[Ints, int]
    """The numbers of the queries that have values, and how many have none."""

Job = TypeVar("Job")

POPULATIONS = ("positives_only", "all_queries")


def spread_out(names: Sequence[str], values: Floats, valued: Bools) -> Iterator[tuple[str, Floats]]:
    """Give each metric's values for every EVAL query."""
    for name, row in zip(names, values, strict=True):
        column = np.zeros(len(valued))
        column[valued] = row
        yield name, column


def members(
    study: Study, valued: Bools, slices: Iterable[Slice] | None = None
) -> Iterator[tuple[Slice, Members, Members]]:
    """Give for each slice the members of `positives_only` and of `all_queries`."""
    number = np.cumsum(valued) - 1
    same = bool((valued == study.positive).all())
    for part in study.by_query if slices is None else slices:
        ours = part.rows[valued[part.rows]]
        every = number[ours]
        if same:
            yield part, (every, 0), (every, len(part.rows) - len(ours))
            continue
        positive = int(np.count_nonzero(study.positive[part.rows]))
        alone = every[study.positive[ours]]
        yield part, (alone, positive - len(alone)), (every, len(part.rows) - len(ours))


def statistics(
    study: Study,
    valued: Bools,
    compute: Callable[[Job], tuple[Sequence[str], Floats]],
    jobs: Iterable[Job],
) -> Ledger:
    """Give the statistics of all that the jobs compute, side by side."""
    parts = list(members(study, valued))

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
    if alone[0] is among_all[0]:
        found = summaries(_taken(values, alone[0]), alone[1], among_all[1])
        yield from zip(POPULATIONS, found, strict=True)
        return
    for population, (chosen, zeros) in zip(POPULATIONS, (alone, among_all), strict=True):
        yield population, summaries(_taken(values, chosen), zeros)[0]


def _taken(values: Floats, chosen: Ints) -> Floats:
    return values if len(chosen) == values.shape[1] else values.take(chosen, axis=1)


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
