"""Every headline metric of a sample at once, for any weighing of its units."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from primary.arithmetic import exact
from primary.arithmetic.aggregate import key
from primary.arithmetic.cores import side_by_side
from primary.data.study import CELL
from primary.errors import refuse
from primary.resampling import curve_weighing, summing, weighing
from primary.resampling.headline import narrowed
from primary.resampling.pieces import pieces

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from numpy.typing import NDArray

    from primary.resampling.curve_weighing import Curve, Points
    from primary.resampling.headline import Sample
    from primary.resampling.pieces import Piece
    from primary.resampling.summing import Product, Stack
    from primary.resampling.weighing import Sums

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

UNITS = 256
"""Deletions computed together."""

MOST = 2**31 - 1
"""Rows that a weighing may come to: curves count them in 32 bits, and parts keep 22 at least."""


@dataclass(frozen=True)
class Means:
    """The mean of several metrics over folds, or over seeds of their mean over folds."""

    names: tuple[str, ...]
    of_seeds: bool
    groups: list[list[list[int]]]
    """For each fold alone, or for the folds of each seed: the places of the metrics' own values."""

    def values(self, own: Floats, seeds: Floats | None = None) -> Floats:
        """Give the means (means × weighings); `seeds` says how often each seed was drawn."""
        inner = [exact.added([own[rows] for rows in group]) / len(group) for group in self.groups]
        if seeds is None or not self.of_seeds:
            return exact.added(inner) / len(inner)
        # Where no seed was drawn, each enters with its value of nothing.
        nothing = seeds.max(axis=1, initial=0.0) == 0
        drawn = np.where(nothing[:, None], 1.0, seeds).T
        weighted = [
            np.where(count > 0, count * np.where(count > 0, one, 0.0), 0.0)
            for count, one in zip(drawn, inner, strict=True)
        ]
        return exact.added(weighted) / exact.added(list(drawn))


@dataclass(frozen=True)
class Weigher:
    """Sums and curves of a sample, and the order in which their metrics are answered."""

    rows: Sample
    sums: tuple[Sums, ...]
    stacks: tuple[Stack, ...]
    products: tuple[Product, ...]
    """What gives the sums."""
    curves: tuple[Curve, ...]
    pieces: tuple[Piece, ...]
    names: tuple[str, ...]
    """Base keys: those of the sums, curves and pieces, then the means over folds and seeds."""
    counting: curve_weighing.Counting
    """What curves are counted in."""
    means: tuple[Means, ...]
    shown: list[int]
    """The places of the names that are answered; the others are only what means are made of."""


@dataclass(frozen=True)
class Totals:
    """What weighings of the units add up to, and every metric is made of."""

    sums: tuple[Floats, ...]
    """Every family's sums of parts on every slice (parts × slices × weighings)."""
    curves: dict[str, Points]
    """Every slice's curve."""

    def __sub__(self, other: Totals) -> Totals:
        """Take off another weighing of the same units: totals are linear in the weights."""
        return Totals(
            tuple(ours - theirs for ours, theirs in zip(self.sums, other.sums, strict=True)),
            {part: points - other.curves[part] for part, points in self.curves.items()},
        )


def weigher(rows: Sample, wanted: Collection[str] | None = None, draws: int = 0) -> Weigher:
    """Lay out everything that does not depend on the weights.

    `wanted` names base keys; `draws` is the most that a weighing's counts come to, where that is
    more than each unit once.
    """
    draws = max(draws, rows.units)
    most = draws * int(np.bincount(rows.unit).max())
    if most > MOST:
        raise refuse(
            f"the plan draws up to {draws:,} units at once",
            f"At most {MOST:,} rows can be weighed.",
        )
    if wanted is not None:
        rows = narrowed(rows, _parts(wanted, rows))
    sums = tuple(one for one in weighing.sums(rows, draws) if _is_wanted(one.names, wanted))
    stacks = tuple(summing.stacks(sums))
    # Every row has a unit, so that there are as many as rows where no unit has two.
    one_row_each = len(np.unique(rows.unit)) == len(rows.unit)
    products = summing.products(stacks, rows.units, rows.folds, one_row_each=one_row_each)
    kind = curve_weighing.counting(most)
    curves = tuple(curve_weighing.curves(rows, kind, None if wanted is None else _metrics(wanted)))
    others = tuple(one for one in pieces(rows, draws) if _is_wanted(one.names, wanted))
    own = [name for one in sums for name in one.names]
    own += [name for curve in curves for name in curve.names]
    own += [name for piece in others for name in piece.names]
    means = tuple(_over(own, rows))
    names = (*own, *(name for mean in means for name in mean.names))
    shown = [row for row, name in enumerate(names) if not name.split("|")[2].startswith(CELL)]
    return Weigher(rows, sums, stacks, tuple(products), curves, others, names, kind, means, shown)


def _parts(wanted: Collection[str], rows: Sample) -> set[str]:
    """Name the slices that the wanted keys are about; with one fold, or their mean, come all.

    Slice `all` is the total of the folds that are there, and their mean is taken of them.
    """
    parts = {name.split("|")[2] for name in wanted}
    if "seeds" in parts:
        parts |= {part for group in rows.seeds for part in group}
    return parts | set(rows.folds) if any(part.startswith("fold") for part in parts) else parts


def _is_wanted(names: Collection[str], wanted: Collection[str] | None) -> bool:
    """Say whether a slice's metrics are asked for; a fold's are, where their mean over folds is."""
    if wanted is None:
        return True
    return not _metrics(wanted).isdisjoint(_metrics(names))


def _metrics(names: Collection[str]) -> set[str]:
    return {name.partition("|")[0] for name in names}


def _over(names: Sequence[str], rows: Sample) -> Iterator[Means]:
    """Lay out the means over folds and over seeds."""
    place = {name: number for number, name in enumerate(names)}
    folds = tuple((fold,) for fold in rows.folds)
    for slice_, groups in (("folds", folds), ("seeds", rows.seeds)):
        if not groups or not groups[0]:
            continue
        split = [name.split("|") for name in names]
        first = [one for one in split if one[2] == groups[0][0]]
        if first:
            yield Means(
                tuple(key(metric, population, slice_, "mean") for metric, population, *_ in first),
                slice_ == "seeds",
                [
                    [[place[key(one[0], one[1], part, one[3])] for one in first] for part in parts]
                    for parts in groups
                ],
            )


def once(rows: Sample) -> Ints:
    """Give the plain weighing: every unit once."""
    return np.full((1, rows.units), 1)


def weighed(
    made: Weigher, counts: NDArray[np.integer], seeds: Floats | None = None
) -> tuple[Floats, dict[str, Points]]:
    """Give the values (names × weighings) of a batch of counts per unit, and its curves."""
    weights = by_unit(counts)
    found = totals(made, weights)
    return valued(made, found, weights, seeds), found.curves


def by_unit(counts: NDArray[np.integer]) -> NDArray[np.integer]:
    """Lay a batch out unit by unit (units × weighings)."""
    # Read row by row first: from the cache, columns are picked together sooner.
    return np.array(np.array(counts).T, order="C")


def totals(made: Weigher, weights: NDArray[np.integer]) -> Totals:
    """Add up a batch of weights (units × weighings)."""
    return Totals(
        summing.summed(made.stacks, made.products, weights),
        _read(made, weights.astype(made.counting)) if made.curves else {},
    )


def _read(made: Weigher, weights: NDArray[np.unsignedinteger]) -> dict[str, Points]:
    """Give every slice's curve from units × weighings."""
    return {curve.part: curve_weighing.points(curve, weights) for curve in made.curves}


def valued(
    made: Weigher, found: Totals, weights: NDArray[np.integer], seeds: Floats | None = None
) -> Floats:
    """Give the values (names × weighings) of what was added up, and of the weights behind it."""
    values = np.empty((len(made.names), weights.shape[1]))
    row = 0
    for stack, sums in zip(made.stacks, found.sums, strict=True):
        values[stack.rows] = stack.values(sums)
        row += stack.rows.size
    for curve in made.curves:
        read = curve_weighing.values(curve, found.curves[curve.part], made.rows.fpr)
        values[row : row + len(curve.names)] = read.T
        row += len(curve.names)
    for piece in made.pieces:
        values[row : row + len(piece.names)] = piece.weighed(weights).T
        row += len(piece.names)
    return _with_means(made, values, row, seeds)


def _with_means(made: Weigher, values: Floats, row: int, seeds: Floats | None = None) -> Floats:
    """Fill in the means of the values before `row`."""
    for mean in made.means:
        values[row : row + len(mean.names)] = mean.values(values, seeds)
        row += len(mean.names)
    return values


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
    for each in side_by_side(lambda one: list(one.without_each()), made.pieces):
        for units, values in each:
            found[row : row + values.shape[1], units] = values.T
            row += values.shape[1]
    return _with_means(made, found, row)


def _without(made: Weigher, curve: Curve, units: Ints) -> Floats:
    """Give the curve's values (units × names) without each of some units."""
    return curve_weighing.values(curve, curve_weighing.deletions(curve, units), made.rows.fpr)
