"""Headline metrics that are no ratios of sums: bins of equal mass, several classes.

Each piece answers for some slices, for any weighing of the units and for the deletion of each unit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from primary.arithmetic.aggregate import key, shares
from primary.arithmetic.exact import added, tally, whole_product
from primary.classification.classes import HEADLINE as OF_TABLE
from primary.resampling import curve_weighing
from primary.resampling.equal_mass import equal_mass
from primary.resampling.weighing import not_by_criterion

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from primary.data.study import Slice
    from primary.resampling.curve_weighing import Counting, Curve, Points
    from primary.resampling.headline import ClassRows, Sample

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

UNITS = 4096
"""Deletions computed together."""


class Piece(Protocol):
    """Metrics of some slices."""

    @property
    def names(self) -> tuple[str, ...]:
        """Their base keys, slice by slice."""

    def weighed(self, weights: NDArray[np.integer]) -> Floats:
        """Give the values (weighings × names) of weights (units × weighings)."""

    def without_each(self) -> Iterable[tuple[Ints, Floats]]:
        """Give of each slice its units, and the values (units × names) without each."""


def pieces(rows: Sample, draws: int) -> Iterator[Piece]:
    """Lay out every piece, for weighings of up to `draws` units."""
    additions = draws * int(np.bincount(rows.unit).max())
    kind = curve_weighing.counting(additions)
    if rows.losses is not None and rows.bins is not None:
        yield equal_mass(rows, additions, kind)
    for part in rows.parts:
        if rows.classes is not None and not_by_criterion(part.name):
            yield _class_table(rows, part, rows.classes)
            if rows.classes.probs is not None:
                yield _one_against_rest(rows, part, rows.classes, rows.classes.probs, kind)


# --- several classes --------------------------------------------------------------------------


@dataclass(frozen=True)
class ClassTable:
    """How often each unit hits, predicts and has each class."""

    names: tuple[str, ...]
    units: Ints
    counted: csr_array
    """3·classes × units."""

    def weighed(self, weights: NDArray[np.integer]) -> Floats:
        """Give the values of each weighing."""
        counts = weights.astype(np.int64, copy=False)
        return table_values(np.asarray(whole_product(self.counted, counts)))

    def without_each(self) -> Iterator[tuple[Ints, Floats]]:
        """Delete each unit."""
        ones = np.ones((self.counted.shape[1], 1), dtype=np.int64)
        whole = np.asarray(whole_product(self.counted, ones))[:, 0]
        by_unit = self.counted.tocsc()
        found = [np.empty((0, len(self.names)))]
        for begin in range(0, len(self.units), UNITS):
            some = by_unit[:, self.units[begin : begin + UNITS]].toarray()
            found.append(table_values(whole[:, None] - some))
        yield self.units, np.concatenate(found)


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
    return ClassTable(names, np.unique(unit), counted)


@dataclass(frozen=True)
class OneAgainstRest:
    """The curve of each class that occurs; a class without positives or negatives is left out."""

    names: tuple[str, ...]
    units: Ints
    curves: tuple[Curve, ...]
    kind: Counting

    def weighed(self, weights: NDArray[np.integer]) -> Floats:
        """Give the mean area of each weighing."""
        small = weights.astype(self.kind)
        return _macro(
            [_present(one, curve_weighing.points(one, small)) for one in self.curves],
            weights.shape[1],
        )

    def without_each(self) -> Iterator[tuple[Ints, Floats]]:
        """Delete each unit."""
        found = []
        for one in self.curves:
            units, kinds, kind = curve_weighing.alike(one)
            left = [np.empty((2, 0))]
            for begin in range(0, len(kinds), 256):
                some = kinds[begin : begin + 256]
                left.append(np.stack(_present(one, curve_weighing.deletions(one, some))))
            values = np.concatenate(left, axis=1)[:, kind]
            if len(units) != len(self.units):
                raise LookupError("every unit of a slice has rows on every curve")
            found.append((values[0], values[1]))
        yield self.units, _macro(found, len(self.units))


def _present(curve: Curve, found: Points) -> tuple[Floats, Floats]:
    """Give the area of each weighing, and 1 where both labels occur."""
    both = (found.positives > 0) & (found.negatives > 0)
    return np.where(both, curve_weighing.area(curve, found), 0.0), both.astype(np.float64)


def _macro(found: list[tuple[Floats, Floats]], weighings: int) -> Floats:
    """Give the mean over the classes that are there; of none 0.5."""
    if not found:
        return np.full((weighings, 1), 0.5)
    areas, there = added([area for area, _ in found]), added([one for _, one in found])
    return np.where(there > 0, shares(areas, there), 0.5)[:, None]


def _one_against_rest(
    rows: Sample, part: Slice, classes: ClassRows, probs: Floats, kind: Counting
) -> OneAgainstRest:
    names = (key("auroc/ovr_macro", "all_queries", part.name, "value"),)
    occurring = np.unique(classes.label[part.rows]).tolist()
    curves = tuple(
        curve_weighing.curve(
            rows, part, probs[:, own], classes.label == own, names=names, kind=kind
        )
        for own in occurring
    )
    units = np.unique(rows.unit[part.rows])
    return OneAgainstRest(names, units, curves, kind)
