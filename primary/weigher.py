"""Every headline metric of a sample at once, for any weighing of its units."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from primary import curve_weighing, exact, weighing
from primary.aggregate import key
from primary.cores import side_by_side
from primary.errors import refuse
from primary.headline import narrowed

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

    from primary.curve_weighing import Curve, Points
    from primary.headline import Sample
    from primary.weighing import Sums

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

UNITS = 256
"""Deletions computed together."""

MOST = 2**31 - 1
"""Rows that a weighing may come to: curves count them in 32 bits, and parts keep 22 at least."""


@dataclass(frozen=True)
class Group:
    """Sums over the same units, which share one matrix product."""

    members: tuple[Sums, ...]
    units: Ints | slice
    """A slice where they lie side by side: then no weight needs copying."""
    parts: Floats


@dataclass(frozen=True)
class Weigher:
    """Sums and curves of a sample, and the order in which their metrics are answered."""

    rows: Sample
    sums: tuple[Sums, ...]
    groups: tuple[Group, ...]
    """The products that give the sums; where there are folds, slice `all` is their total."""
    curves: tuple[Curve, ...]
    names: tuple[str, ...]
    """Base keys: those of the sums, of the curves, then the means over folds."""
    folds: list[list[int]]
    """For each mean over folds the places of the folds' own values."""


@dataclass(frozen=True)
class Totals:
    """What weighings of the units add up to, and every metric is made of."""

    sums: dict[tuple[str, str], Floats]
    """Every family's sums of parts on every slice (weighings × parts)."""
    curves: dict[str, Points]
    """Every slice's curve."""

    def __sub__(self, other: Totals) -> Totals:
        """Take off another weighing of the same units: totals are linear in the weights."""
        return Totals(
            {place: sums - other.sums[place] for place, sums in self.sums.items()},
            {part: points - other.curves[part] for part, points in self.curves.items()},
        )


def weigher(rows: Sample, wanted: Collection[str] | None = None, draws: int = 0) -> Weigher:
    """Lay out everything that does not depend on the weights.

    `wanted` names base keys; `draws` is the most that a weighing's counts come to, where that is
    more than each unit once.
    """
    draws = max(draws, rows.units)
    if draws * int(np.bincount(rows.unit).max()) > MOST:
        raise refuse(
            f"the plan draws up to {draws:,} units at once",
            f"At most {MOST:,} rows can be weighed.",
        )
    if wanted is not None:
        rows = narrowed(rows, _parts(wanted, rows))
    sums = tuple(one for one in weighing.sums(rows, draws) if _is_wanted(one.names, wanted))
    together: dict[bytes, list[Sums]] = {}
    for one in sums:
        if one.part != "all" or not rows.folds:
            together.setdefault(one.units.tobytes(), []).append(one)
    groups = tuple(map(_group, together.values()))
    curves = tuple(one for one in curve_weighing.curves(rows) if _is_wanted(one.names, wanted))
    own = [name for one in sums for name in one.names]
    own += [name for curve in curves for name in curve.names]
    over = _over_folds(own, rows.folds)
    return Weigher(rows, sums, groups, curves, (*own, *over), list(over.values()))


def _parts(wanted: Collection[str], rows: Sample) -> set[str]:
    """Name the slices that the wanted keys are about; with one fold, or their mean, come all.

    Slice `all` is the total of the folds that are there, and their mean is taken of them.
    """
    parts = {name.split("|")[2] for name in wanted}
    return parts | set(rows.folds) if any(part.startswith("fold") for part in parts) else parts


def _is_wanted(names: Collection[str], wanted: Collection[str] | None) -> bool:
    """Say whether a slice's metrics are asked for; a fold's are, where their mean over folds is."""
    if wanted is None:
        return True
    asked = {name.partition("|")[0] for name in wanted}
    return any(name.partition("|")[0] in asked for name in names)


def _group(members: list[Sums]) -> Group:
    units = members[0].units
    beside = len(units) > 0 and int(units[-1] - units[0]) + 1 == len(units)
    place = slice(int(units[0]), int(units[-1]) + 1) if beside else units
    return Group(
        tuple(members), place, np.concatenate([one.summands.matrix for one in members], axis=1)
    )


def _over_folds(names: Sequence[str], folds: Sequence[str]) -> dict[str, list[int]]:
    """Name the means over folds, and say which values each is the mean of."""
    place = {name: number for number, name in enumerate(names)}
    found: dict[str, list[int]] = {}
    for name in names if folds else ():
        metric, population, part, statistic = name.split("|")
        if part == folds[0]:
            found[key(metric, population, "folds", "mean")] = [
                place[key(metric, population, fold, statistic)] for fold in folds
            ]
    return found


def once(rows: Sample) -> Ints:
    """Give the plain weighing: every unit once."""
    return np.full((1, rows.units), 1)


def weighed(made: Weigher, counts: NDArray[np.integer]) -> tuple[Floats, dict[str, Points]]:
    """Give the values (names × weighings) of a batch of counts per unit, and its curves."""
    found = totals(made, counts)
    return valued(made, found, len(counts)), found.curves


def totals(made: Weigher, counts: NDArray[np.integer]) -> Totals:
    """Add up a batch of counts per unit."""
    summed = _summed(made, counts.T.astype(np.float64, order="C")) if made.sums else {}
    return Totals(summed, _read(made, counts) if made.curves else {})


def _read(made: Weigher, counts: NDArray[np.integer]) -> dict[str, Points]:
    weights = counts.T.astype(np.int32, order="C")
    return {curve.part: curve_weighing.points(curve, weights) for curve in made.curves}


def valued(made: Weigher, found: Totals, weighings: int) -> Floats:
    """Give the values (names × weighings) of what was added up."""
    values = np.empty((len(made.names), weighings))
    row = 0
    for one in made.sums:
        values[row : row + len(one.names)] = one.values(found.sums[one.family, one.part]).T
        row += len(one.names)
    for curve in made.curves:
        read = curve_weighing.values(found.curves[curve.part], made.rows.fpr)
        values[row : row + len(curve.names)] = read.T
        row += len(curve.names)
    values[row:] = _fold_means(made, values)
    return values


def _fold_means(made: Weigher, values: Floats) -> Floats:
    """Give the means over folds (means × weighings) of the folds' own values."""
    if not made.folds:
        return np.empty((0, values.shape[1]))
    by_fold = [values[list(places)] for places in zip(*made.folds, strict=True)]
    return exact.added(by_fold) / len(by_fold)


def _summed(made: Weigher, weights: Floats) -> dict[tuple[str, str], Floats]:
    """Give every family's sums on every slice (weighings × parts) from units × weighings."""
    found: dict[tuple[str, str], Floats] = {}
    for group in made.groups:
        product = exact.weighed(group.parts, weights[group.units])
        column = 0
        for one in group.members:
            width = one.summands.matrix.shape[1]
            found[one.family, one.part] = product[:, column : column + width]
            column += width
    for one in made.sums:
        if (one.family, one.part) not in found:
            found[one.family, one.part] = exact.added(
                [found[one.family, fold] for fold in made.rows.folds]
            )
    return found


def without_each(made: Weigher, estimate: Floats) -> Floats:
    """Give the values (names × units) without each unit: the jackknife.

    A unit without rows in a slice leaves that slice's values as they are.
    """
    found = np.repeat(estimate[:, None], made.rows.units, axis=1)
    row = 0
    for one in made.sums:
        found[row : row + len(one.names), one.units] = one.values(one.summands.without_each()).T
        row += len(one.names)
    for curve in made.curves:
        units, kinds, kind = curve_weighing.alike(curve)
        parts = [kinds[begin : begin + UNITS] for begin in range(0, len(kinds), UNITS)]
        left = np.concatenate(
            [
                np.empty((0, len(curve.names))),
                *side_by_side(partial(_without, made, curve), parts),
            ]
        )
        found[row : row + len(curve.names), units] = left[kind].T
        row += len(curve.names)
    found[row:] = _fold_means(made, found)
    return found


def _without(made: Weigher, curve: Curve, units: Ints) -> Floats:
    """Give the curve's values (units × names) without each of some units."""
    return curve_weighing.values(curve_weighing.deletions(curve, units), made.rows.fpr)
