"""Headline metrics that are no ratios of sums: bins of equal mass, several classes.

Each piece answers for one slice, for any weighing of the units and for the deletion of each unit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from primary.arithmetic.aggregate import key, shares
from primary.arithmetic.exact import added, tally, whole_product
from primary.classification.classes import HEADLINE as OF_TABLE
from primary.resampling import curve_weighing
from primary.resampling.weighing import not_by_criterion

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from primary.data.study import Slice
    from primary.resampling.curve_weighing import Curve, Points
    from primary.resampling.headline import ClassRows, Sample

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

UNITS = 4096
"""Deletions computed together."""

ROWS = 16
"""Rows of a block, in which the end of a bin of equal mass is looked for row by row."""


class Piece(Protocol):
    """Metrics of one slice."""

    @property
    def names(self) -> tuple[str, ...]:
        """Their base keys."""

    @property
    def part(self) -> str:
        """The slice."""

    def weighed(self, weights: Ints) -> Floats:
        """Give the values (weighings × names) of weights (units × weighings)."""

    def without_each(self) -> tuple[Ints, Floats]:
        """Give the units that have rows here, and the values (units × names) without each."""


def pieces(rows: Sample, draws: int) -> Iterator[Piece]:
    """Lay out every piece, for weighings of up to `draws` units."""
    additions = draws * int(np.bincount(rows.unit).max())
    for part in rows.parts:
        if rows.losses is not None and rows.bins is not None:
            yield _equal_mass(rows, part, additions)
        if rows.classes is not None and not_by_criterion(part.name):
            yield _class_table(rows, part, rows.classes)
            if rows.classes.probs is not None:
                yield _one_against_rest(rows, part, rows.classes, rows.classes.probs)


# --- bins of equal mass -----------------------------------------------------------------------


@dataclass(frozen=True)
class EqualMass:
    """The rows of a slice sorted by (probability, place), with what each is off by.

    Errors are whole numbers of so few bits that any sum of them is exact.
    """

    names: tuple[str, ...]
    part: str
    unit: Ints
    error: Ints
    scale: int
    bins: int
    summed: csr_array
    """2·blocks × units: how many rows of each unit lie in each block of rows, and their errors."""

    def weighed(self, weights: Ints) -> Floats:
        """Give the error of each weighing; a row stands as often as it is drawn.

        Where a bin ends is found among the blocks, then among the rows of one block.
        """
        if not len(self.unit):
            return np.zeros((weights.shape[1], 1))
        stands, off = self._running(weights)
        ends = self._ends(stands[:, -1])
        block, before = _reached(stands, ends)
        rows = np.minimum(block[:, :, None] * ROWS + np.arange(ROWS), len(self.unit) - 1)
        column = np.arange(len(ends))[:, None]
        drawn = weights.take(self.unit[rows] * len(ends) + column[:, :, None])
        here = np.minimum(before[:, :, None] + np.cumsum(drawn, axis=2), ends[:, :, None])
        taken = np.diff(here, axis=2, prepend=before[:, :, None])
        reached = off[column, block] + tally(taken * self.error[rows], axis=2)
        return self._value(reached, stands[:, -1])[:, None]

    def _running(self, weights: Ints) -> Ints:
        """Give how many rows stand before each block of each weighing, and their errors."""
        weighings = weights.shape[1]
        found = np.asarray(whole_product(self.summed, weights)).reshape(-1, 2, weighings)
        running = np.zeros((2, weighings, len(found) + 1), dtype=np.int64)
        np.cumsum(found.transpose(1, 2, 0), axis=2, out=running[:, :, 1:])
        return running

    def _ends(self, size: Ints) -> Ints:
        """Give where each bin ends (weighings × bins): sizes differ by one, larger first."""
        small, larger = np.divmod(size, self.bins)
        number = np.arange(1, self.bins + 1)
        return small[:, None] * number + np.minimum(number, larger[:, None])

    def _value(self, reached: Ints, size: Ints) -> Floats:
        gaps = np.abs(np.diff(reached, axis=1, prepend=0))
        return shares(tally(gaps, axis=1) / self.scale, size)

    def without_each(self) -> tuple[Ints, Floats]:
        """Delete each unit: before a cut stand as many rows more as were taken out before it."""
        order = np.argsort(self.unit, kind="stable")
        units, begins, held = np.unique(self.unit[order], return_index=True, return_counts=True)
        kept_before = order - (np.arange(len(order)) - np.repeat(begins, held))
        owner = np.repeat(np.arange(len(units)), held)
        prefix = np.append(0, np.cumsum(self.error))
        deleted = np.append(0, np.cumsum(self.error[order]))
        ends = self._ends(len(self.unit) - held)
        reached = np.empty_like(ends)
        for number in range(self.bins):
            end = ends[:, number]
            gone = np.bincount(owner[kept_before < end[owner]], minlength=len(units))
            reached[:, number] = prefix[end + gone] - (deleted[begins + gone] - deleted[begins])
        return units, self._value(reached, len(self.unit) - held)[:, None]


def _reached(stands: Ints, ends: Ints) -> tuple[Ints, Ints]:
    """Find the block in which each bin ends, and how many rows stand before that block."""
    # Every weighing's numbers are put above those of the one before: one search finds all.
    above = np.arange(len(ends))[:, None] * (int(stands.max()) + 1)
    place = np.searchsorted((stands + above).ravel(), (ends + above).ravel()).reshape(ends.shape)
    block = np.maximum(place - np.arange(len(ends))[:, None] * stands.shape[1] - 1, 0)
    return block, np.take_along_axis(stands, block, axis=1)


def _equal_mass(rows: Sample, part: Slice, additions: int) -> EqualMass:
    from scipy.sparse import csr_array  # noqa: PLC0415 - only intervals need scipy

    if rows.prob is None or rows.label is None or rows.bins is None:
        raise LookupError("bins of equal mass need prob and the label")
    by_place = part.rows[np.argsort(rows.place[part.rows], kind="stable")]
    order = by_place[np.argsort(rows.prob[by_place], kind="stable")]
    scale = 1 << (62 - additions.bit_length())
    error = np.rint((rows.label[order] - rows.prob[order]) * scale).astype(np.int64)
    names = (key(f"ece@{rows.bins}/equal_mass", "all_queries", part.name, "value"),)
    unit, block = rows.unit[order], np.arange(len(order)) // ROWS
    # A block's two rows lie side by side, so that its weights are fetched once for both.
    summed = csr_array(
        (
            np.append(np.ones_like(error), error),
            (np.append(2 * block, 2 * block + 1), np.append(unit, unit)),
        ),
        shape=(2 * -(-len(order) // ROWS), rows.units),
    )
    return EqualMass(names, part.name, unit, error, scale, rows.bins, summed)


# --- several classes --------------------------------------------------------------------------


@dataclass(frozen=True)
class ClassTable:
    """How often each unit hits, predicts and has each class."""

    names: tuple[str, ...]
    part: str
    units: Ints
    counted: csr_array
    """3·classes × units."""

    def weighed(self, weights: Ints) -> Floats:
        """Give the values of each weighing."""
        return table_values(np.asarray(whole_product(self.counted, weights)))

    def without_each(self) -> tuple[Ints, Floats]:
        """Delete each unit."""
        ones = np.ones((self.counted.shape[1], 1), dtype=np.int64)
        whole = np.asarray(whole_product(self.counted, ones))[:, 0]
        by_unit = self.counted.tocsc()
        found = [np.empty((0, len(self.names)))]
        for begin in range(0, len(self.units), UNITS):
            some = by_unit[:, self.units[begin : begin + UNITS]].toarray()
            found.append(table_values(whole[:, None] - some))
        return self.units, np.concatenate(found)


def table_values(counted: Ints) -> Floats:
    """Give the six metrics (tables × metrics) of counts (3·classes × tables)."""
    hit, predicted, true = counted.reshape(3, -1, counted.shape[1])
    count, right = tally(true, axis=0), tally(hit, axis=0)
    agreed = tally(predicted * true, axis=0)
    spread = [count * count - tally(one * one, axis=0) for one in (predicted, true)]
    f1 = shares(2 * hit, predicted + true)
    values = (
        shares(right, count),
        shares(count * right - agreed, count * count - agreed),
        shares(count * right - agreed, np.sqrt(spread[0]) * np.sqrt(spread[1])),
        shares(added(shares(hit, true)), tally(true > 0, axis=0)),
        added(f1) / len(f1),
        shares(added(true * f1), count),
    )
    return np.stack(values, axis=1)


def _class_table(rows: Sample, part: Slice, classes: ClassRows) -> ClassTable:
    from scipy.sparse import csr_array  # noqa: PLC0415 - only intervals need scipy

    label, predicted = classes.label[part.rows], classes.predicted[part.rows]
    unit, width = rows.unit[part.rows], classes.count
    hit = label == predicted
    place = np.concatenate([label[hit], width + predicted, 2 * width + label])
    owner = np.concatenate([unit[hit], unit, unit])
    ones = np.ones(len(place), dtype=np.int64)
    names = tuple(key(one, "all_queries", part.name, "value") for one in OF_TABLE)
    counted = csr_array((ones, (place, owner)), shape=(3 * width, rows.units))
    return ClassTable(names, part.name, np.unique(unit), counted)


@dataclass(frozen=True)
class OneAgainstRest:
    """The curve of each class that occurs; a class without positives or negatives is left out."""

    names: tuple[str, ...]
    part: str
    units: Ints
    curves: tuple[Curve, ...]

    def weighed(self, weights: Ints) -> Floats:
        """Give the mean area of each weighing."""
        small = weights.astype(np.int32)
        return _macro(
            [_present(curve_weighing.points(one, small)) for one in self.curves], weights.shape[1]
        )

    def without_each(self) -> tuple[Ints, Floats]:
        """Delete each unit."""
        found = []
        for one in self.curves:
            units, kinds, kind = curve_weighing.alike(one)
            left = [np.empty((2, 0))]
            for begin in range(0, len(kinds), 256):
                some = kinds[begin : begin + 256]
                left.append(np.stack(_present(curve_weighing.deletions(one, some))))
            values = np.concatenate(left, axis=1)[:, kind]
            if len(units) != len(self.units):
                raise LookupError("every unit of a slice has rows on every curve")
            found.append((values[0], values[1]))
        return self.units, _macro(found, len(self.units))


def _present(found: Points) -> tuple[Floats, Floats]:
    """Give the area of each weighing, and 1 where both labels occur."""
    both = (found.positives > 0) & (found.negatives > 0)
    return np.where(both, curve_weighing.area(found), 0.0), both.astype(np.float64)


def _macro(found: list[tuple[Floats, Floats]], weighings: int) -> Floats:
    """Give the mean over the classes that are there; of none 0.5."""
    if not found:
        return np.full((weighings, 1), 0.5)
    areas, there = added([area for area, _ in found]), added([one for _, one in found])
    return np.where(there > 0, shares(areas, there), 0.5)[:, None]


def _one_against_rest(
    rows: Sample, part: Slice, classes: ClassRows, probs: Floats
) -> OneAgainstRest:
    names = (key("auroc/ovr_macro", "all_queries", part.name, "value"),)
    occurring = np.unique(classes.label[part.rows]).tolist()
    curves = tuple(
        curve_weighing.curve(rows, part, probs[:, own], classes.label == own, names)
        for own in occurring
    )
    return OneAgainstRest(names, part.name, np.unique(rows.unit[part.rows]), curves)
