"""Replicates and deletions of every metric of a family, slice by slice."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from crosscheck.engine.intervals.sums import Pieces, cut

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from crosscheck.engine.intervals.families import Family
    from crosscheck.engine.intervals.groups import Grouping
    from crosscheck.engine.intervals.sums import Floats, Whole
    from crosscheck.engine.slices import Slices

BATCH = 256
"""Resamples of groups that are weighed at once."""


class Draws(Protocol):
    """The plan: how often every unit is drawn in every resample."""

    def groups(self, size: int, unit: str) -> Any:  # noqa: ANN401 - an array, resamples × units
        """Draw groups, or units that are groups of their own."""

    def kinds(self, counts: tuple[int, ...]) -> Iterator[Any]:
        """Draw queries by the counts of their kinds, some resamples at a time."""


@dataclass(frozen=True, slots=True)
class Sample:
    """What a number is in all rows, in every resample, and without each unit of its slice."""

    estimate: float
    replicates: Floats
    units: Whole
    deleted: Floats
    weights: Floats
    """How many units each deletion stands for."""
    others: int
    """Units that the slice does not have: a deletion of theirs changes nothing."""

    def deletions(self) -> tuple[Floats, Floats]:
        """Give the value without each unit, and how many units that stands for."""
        if not self.others:
            return self.deleted, self.weights
        return np.append(self.deleted, self.estimate), np.append(self.weights, float(self.others))


def average(some: Sequence[Sample]) -> Sample:
    """Average numbers of several slices, unit by unit."""
    replicates, estimate = some[0].replicates, some[0].estimate
    for one in some[1:]:
        replicates, estimate = replicates + one.replicates, estimate + one.estimate
    units = np.unique(np.concatenate([one.units for one in some]))
    deleted, weights = np.zeros(len(units)), np.zeros(len(units))
    for one in some:
        own = np.full(len(units), one.estimate)
        places = np.searchsorted(units, one.units)
        own[places] = one.deleted
        weights[places] = one.weights
        deleted = deleted + own
    total = some[0].others + int(some[0].weights.sum())
    count = len(some)
    others = total - int(weights.sum())
    return Sample(estimate / count, replicates / count, units, deleted / count, weights, others)


@dataclass
class _Part:
    """The units of one slice, and their sums so far."""

    pieces: Pieces
    units: Whole
    weights: Floats
    others: int
    sums: list[Floats] = field(default_factory=list)


def samples(
    family: Family, slices: Slices, wanted: set[str], draws: Draws, grouping: Grouping | None
) -> dict[tuple[str, str], Sample]:
    """Give (metric, slice) → what was drawn, of the slices wanted; without a grouping, by kind."""
    if grouping is None:
        sizes = family.counts
        units = {(at,): at for at in range(len(sizes))}
        batches: Iterable[Any] = draws.kinds(sizes)
    else:
        units = grouping.units
        sizes = (1,) * len(units)
        counts = draws.groups(len(units), grouping.unit)
        batches = (counts[at : at + BATCH] for at in range(0, len(counts), BATCH))
    parts = _parts(family, slices, wanted, units, np.array(sizes, dtype=np.float64))
    for batch in batches:
        drawn = np.asarray(batch, dtype=np.float64)
        for part in parts.values():
            part.sums.append(part.pieces.weighed(np.ascontiguousarray(drawn[:, part.units])))
    return {
        (metric, label): one
        for label, part in parts.items()
        for metric, one in _of_part(family, part)
    }


def _parts(
    family: Family,
    slices: Slices,
    wanted: set[str],
    units: dict[tuple[Any, ...], int],
    weights: Floats,
) -> dict[str, _Part]:
    rows: dict[str, list[int]] = {label: [] for label in sorted(wanted)}
    places: dict[tuple[Any, ...], list[str]] = {}
    for number, (_, values, _) in enumerate(family.rows):
        if values not in places:
            places[values] = [one for one in slices.of(family.dims, values) if one in rows]
        for label in places[values]:
            rows[label].append(number)
    often: dict[tuple[Any, ...], int] = defaultdict(int)
    for unit, _, _ in family.rows:
        often[unit] += 1
    numbers = [sums for _, _, sums in family.rows]
    total = int(weights.sum())
    pieces = cut(numbers, len(family.columns), total, max(often.values(), default=1))
    at = np.array([units[unit] for unit, _, _ in family.rows], dtype=np.int64)
    found: dict[str, _Part] = {}
    for label, places_of in rows.items():
        chosen = np.array(places_of, dtype=np.int64)
        own, places_in = np.unique(at[chosen], return_inverse=True)
        some = Pieces(pieces.values[chosen], pieces.bits).added(places_in, len(own))
        found[label] = _Part(some, own, weights[own], total - int(weights[own].sum()))
    return found


def _of_part(family: Family, part: _Part) -> Iterator[tuple[str, Sample]]:
    width = len(family.columns)
    drawn = np.concatenate(part.sums) if part.sums else np.zeros((0, width))
    whole = part.pieces.weighed(part.weights[None, :])
    left = part.pieces.without_each(part.weights)
    for metric, formula in family.formulas.items():
        values = [
            formula(dict(zip(family.columns, sums.T, strict=True))) for sums in (whole, drawn, left)
        ]
        yield (
            metric,
            Sample(
                float(values[0][0]), values[1], part.units, values[2], part.weights, part.others
            ),
        )
