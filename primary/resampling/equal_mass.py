"""The calibration error over bins of equal mass, of every slice at once.

A cut between two bins lies at a number of rows, each standing as often as it is drawn. Rows are
sorted once and gathered into blocks; how many stand in each block, and what they are off by, are
two sparse products. A cut is then looked for among the blocks, and at last among the rows of one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from primary.arithmetic.aggregate import key, shares
from primary.arithmetic.exact import tally, whole_product

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from primary.data.study import Slice
    from primary.resampling.headline import Sample

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

ROWS = 16
"""Rows of a block, in which the end of a bin is looked for row by row."""

WEIGHINGS = 24
"""Weighings taken together: what lies between two steps stays in the cache."""


@dataclass(frozen=True)
class Sorted:
    """The rows of a slice by (probability, place): their units, and what each is off by."""

    unit: Ints
    error: Ints


@dataclass(frozen=True)
class Blocks:
    """The rows of all slices behind each other, each slice filled up to whole blocks."""

    unit: Ints
    """Blocks × rows; where a block is filled up it is any unit."""
    steps: Ints
    """Blocks × rows: by how much more a row is off than the next; what fills up is off by 0."""
    first: Ints
    """The block with which each slice begins; at last how many there are."""
    standing: csr_array
    """Blocks × units: how many rows of each unit lie in each block."""
    off: csr_array
    """Blocks × units: what they are off by."""


@dataclass(frozen=True)
class EqualMass:
    """The calibration error of each slice.

    Errors are whole numbers of so few bits that any sum over a slice is exact.
    """

    names: tuple[str, ...]
    slices: tuple[Sorted, ...]
    blocks: Blocks
    scale: int
    bins: int

    def weighed(self, weights: NDArray[np.integer]) -> Floats:
        """Give the error (weighings × slices) of each weighing."""
        found = np.empty((weights.shape[1], len(self.names)))
        for begin in range(0, len(found), WEIGHINGS):
            part = slice(begin, begin + WEIGHINGS)
            found[part] = self._weighed(weights[:, part].astype(np.int64, order="C"))
        return found

    def _weighed(self, weights: Ints) -> Floats:
        stands, off = (_running(sums, weights) for sums in (self.blocks.standing, self.blocks.off))
        # What stands before a slice, and is off before it, are those of the slices before.
        begins, size = stands[:, self.blocks.first[:-1]], np.diff(stands[:, self.blocks.first])
        cuts = (begins[:, :, None] + self._ends(size)[:, :, :-1]).reshape(len(size), -1)
        inner = _reached(self.blocks, weights, stands, off, cuts)
        reached = np.concatenate(
            [
                off[:, self.blocks.first[:-1], None],
                inner.reshape(*size.shape, -1),
                off[:, self.blocks.first[1:], None],
            ],
            axis=2,
        )
        return self._value(reached, size)

    def _ends(self, size: Ints) -> Ints:
        """Give where each bin ends, on a last axis: sizes differ by one, larger first."""
        small, larger = np.divmod(size[..., None], self.bins)
        number = np.arange(1, self.bins + 1)
        return small * number + np.minimum(number, larger)

    def _value(self, reached: Ints, size: Ints) -> Floats:
        """Give the value of what was reached at the begin of the first bin and each bin's end."""
        return shares(tally(np.abs(np.diff(reached)), axis=-1) / self.scale, size)

    def without_each(self) -> Iterator[tuple[Ints, Floats]]:
        """Delete each unit of each slice."""
        for rows in self.slices:
            yield self._without_each(rows)

    def _without_each(self, rows: Sorted) -> tuple[Ints, Floats]:
        """Delete each unit: before a cut stand as many rows more as were taken out before it."""
        order = np.argsort(rows.unit, kind="stable")
        units, begins, held = np.unique(rows.unit[order], return_index=True, return_counts=True)
        kept_before = order - (np.arange(len(order)) - np.repeat(begins, held))
        owner = np.repeat(np.arange(len(units)), held)
        prefix = np.append(0, np.cumsum(rows.error))
        deleted = np.append(0, np.cumsum(rows.error[order]))
        ends = self._ends(len(rows.unit) - held)
        reached = np.zeros((len(units), self.bins + 1), dtype=np.int64)
        for number in range(self.bins):
            end = ends[:, number]
            gone = np.bincount(owner[kept_before < end[owner]], minlength=len(units))
            reached[:, number + 1] = prefix[end + gone] - (deleted[begins + gone] - deleted[begins])
        return units, self._value(reached, len(rows.unit) - held)[:, None]


def _running(sums: csr_array, weights: Ints) -> Ints:
    """Give what the blocks before each, and all of them, come to (weighings × blocks + 1)."""
    by_block = np.asarray(whole_product(sums, weights.astype(sums.dtype, copy=False)))
    running = np.zeros((weights.shape[1], len(by_block) + 1), dtype=np.int64)
    np.cumsum(by_block.T, axis=1, out=running[:, 1:])
    return running


def _reached(blocks: Blocks, weights: Ints, stands: Ints, off: Ints, cuts: Ints) -> Ints:
    """Give what the rows before each cut (weighings × cuts) are off by."""
    row = np.arange(len(cuts))[:, None]
    # Every weighing's numbers are put above those of the one before: one search finds all.
    above = row * (int(stands[:, -1].max()) + 1)
    place = np.searchsorted((stands + above).ravel(), (cuts + above).ravel()).reshape(cuts.shape)
    block = np.maximum(place - row * stands.shape[1] - 1, 0)
    drawn = weights.take((blocks.unit * len(cuts))[block] + row[:, :, None])
    # As many stand down to each row as are drawn and the cut leaves room for. Added up by parts,
    # each counts for the step from its error to the next.
    room = cuts - stands[row, block]
    down = np.minimum(np.cumsum(drawn, axis=2), room[:, :, None])
    found: Ints = off[row, block] + tally(down * blocks.steps[block], axis=2)
    return found


def equal_mass(rows: Sample, additions: int, kind: type[np.unsignedinteger]) -> EqualMass:
    """Lay out every slice, for weighings of up to so many rows, counted in one type of number."""
    if rows.losses is None or rows.bins is None or rows.prob is None or rows.label is None:
        raise LookupError("bins of equal mass need prob and the label")
    scale = 1 << (62 - additions.bit_length())
    error = np.rint((rows.label - rows.prob) * scale).astype(np.int64)
    by_place = np.argsort(rows.place, kind="stable")
    order = by_place[np.argsort(rows.prob[by_place], kind="stable")]
    slices = [_sorted(order, part, rows.unit, error) for part in rows.parts]
    metric = f"ece@{rows.bins}/equal_mass"
    return EqualMass(
        names=tuple(key(metric, "all_queries", part.name, "value") for part in rows.parts),
        slices=tuple(slices),
        blocks=_blocks(slices, rows.units, kind),
        scale=scale,
        bins=rows.bins,
    )


def _sorted(order: Ints, part: Slice, unit: Ints, error: Ints) -> Sorted:
    """Give the rows of a slice in the order of all."""
    inside = np.zeros(len(order), dtype=np.bool_)
    inside[part.rows] = True
    chosen = order[inside[order]]
    return Sorted(unit[chosen], error[chosen])


def _blocks(slices: Sequence[Sorted], units: int, kind: type[np.unsignedinteger]) -> Blocks:
    from scipy.sparse import csr_array  # noqa: PLC0415 - only intervals need scipy

    sizes = np.array([len(one.unit) for one in slices])
    first = np.append(0, np.cumsum(-(-sizes // ROWS)))
    unit, error = (np.zeros(int(first[-1]) * ROWS, dtype=np.int64) for _ in range(2))
    place = [begin * ROWS + np.arange(size) for begin, size in zip(first, sizes, strict=False)]
    for where, one in zip(place, slices, strict=True):
        unit[where], error[where] = one.unit, one.error
    at = np.concatenate(place)
    standing, off = (
        csr_array((values, (at // ROWS, unit[at])), shape=(int(first[-1]), units))
        for values in (np.ones(len(at), dtype=kind), error[at])
    )
    steps = -np.diff(error.reshape(-1, ROWS), axis=1, append=0)
    return Blocks(unit.reshape(-1, ROWS), steps, first, standing, off)
