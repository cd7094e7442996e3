"""The sums behind every family on every slice, in as few matrix products as there can be.

Slices overlap: a row lies in a fold, in a criterion and in `all`. Where each unit has one row, the
units that lie in just the same slices are multiplied once, and what comes out is added to each of
those slices; else units are taken slice by slice. Sums of parts are whole numbers (`exact.py`), so
that it makes no difference how they come together.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from primary.arithmetic import exact

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from primary.resampling.weighing import Sums

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

FEW = 16
"""Units that a product is worth: with fewer on average, slices are taken as they are."""


@dataclass(frozen=True)
class Stack:
    """One family on all its slices, whose sums lie side by side and are finished at once."""

    members: tuple[Sums, ...]
    rows: Ints
    """Slices × metrics: the places of their names."""

    @property
    def parts(self) -> int:
        """How many parts are added up."""
        return self.members[0].summands.width

    def values(self, sums: Floats) -> Floats:
        """Give the values (slices × metrics × weighings) of sums (parts × slices × weighings)."""
        parts, slices, weighings = sums.shape
        found = self.members[0].values(sums.reshape(parts, -1).T)
        return found.T.reshape(-1, slices, weighings).transpose(1, 0, 2)


@dataclass(frozen=True)
class Share:
    """Some columns of a product: a family's, to be added to some of its slices."""

    family: int
    slices: tuple[int, ...]
    columns: slice


@dataclass(frozen=True)
class Product:
    """What some units add up to, whatever it is a part of."""

    units: Ints | slice
    """A slice where they lie side by side: then no weight needs copying."""
    parts: Floats
    shares: tuple[Share, ...]


def stacks(sums: Sequence[Sums]) -> Iterator[Stack]:
    """Stack the slices of each family."""
    ends = np.cumsum([len(one.names) for one in sums]).tolist()
    first = {one.names[0]: end - len(one.names) for one, end in zip(sums, ends, strict=True)}
    families: dict[tuple[str, ...], list[Sums]] = {}
    for one in sums:
        families.setdefault(one.metrics, []).append(one)
    for members in families.values():
        rows = [first[one.names[0]] + np.arange(len(one.names)) for one in members]
        yield Stack(tuple(members), np.stack(rows))


def products(
    stacked: Sequence[Stack], units: int, folds: Sequence[str], *, one_row_each: bool
) -> Iterator[Product]:
    """Lay out the products; `one_row_each` says that no unit has two rows."""
    alike: dict[bytes, list[int]] = {}
    for family, stack in enumerate(stacked):
        alike.setdefault(b"|".join(one.units.tobytes() for one in stack.members), []).append(family)
    by_slice = []
    for families in alike.values():
        kinds = _kinds(stacked[families[0]], units) if one_row_each else None
        if kinds is None or int(kinds.max()) * FEW > np.count_nonzero(kinds):
            by_slice += families
        else:
            yield from _by_kind(stacked, families, kinds)
    yield from _by_slice(stacked, by_slice, folds)


def _kinds(stack: Stack, units: int) -> Ints:
    """Give each unit a number for the slices that it lies in; those in none have 0."""
    kinds = np.zeros(units, dtype=np.int64)
    for one in stack.members:
        kinds *= 2
        kinds[one.units] += 1
        # Close the gaps between the numbers.
        there = np.bincount(kinds, minlength=1) > 0
        there[0] = True
        kinds = (np.cumsum(there) - 1)[kinds]
    return kinds


def _by_kind(stacked: Sequence[Stack], families: Sequence[int], kinds: Ints) -> Iterator[Product]:
    """Multiply the units of each kind once, for all families that have the same units."""
    whole = [_whole(stacked[family], len(kinds)) for family in families]
    order = np.argsort(kinds, kind="stable")
    ends = np.cumsum(np.bincount(kinds)).tolist()
    for begin, end in pairwise(ends):
        units = order[begin:end]
        slices = tuple(
            number
            for number, one in enumerate(stacked[families[0]].members)
            if np.isin(units[0], one.units)
        )
        yield _product(
            units,
            [(family, slices, all_[units]) for family, all_ in zip(families, whole, strict=True)],
        )


def _whole(stack: Stack, units: int) -> Floats:
    """Give the parts of every unit."""
    found = np.zeros((units, stack.parts))
    for one in stack.members:
        found[one.units] = one.summands.matrix
    return found


def _by_slice(
    stacked: Sequence[Stack], families: Sequence[int], folds: Sequence[str]
) -> Iterator[Product]:
    """Multiply slice by slice, those with the same units together; folds add up to `all`."""
    together: dict[bytes, list[tuple[int, tuple[int, ...], Floats]]] = {}
    units: dict[bytes, Ints] = {}
    for family in families:
        place = {one.part: number for number, one in enumerate(stacked[family].members)}
        for one in stacked[family].members:
            if one.part == "all" and folds:
                continue
            into = ["all"] if one.part in folds and "all" in place else []
            slices = tuple(place[part] for part in (one.part, *into))
            same = one.units.tobytes()
            units[same] = one.units
            together.setdefault(same, []).append((family, slices, one.summands.matrix))
    for same, members in together.items():
        yield _product(units[same], members)


def _product(units: Ints, members: Sequence[tuple[int, tuple[int, ...], Floats]]) -> Product:
    beside = len(units) > 0 and int(units[-1] - units[0]) + 1 == len(units)
    ends = np.cumsum([matrix.shape[1] for _, _, matrix in members]).tolist()
    return Product(
        units=slice(int(units[0]), int(units[-1]) + 1) if beside else units,
        parts=np.concatenate([matrix for _, _, matrix in members], axis=1),
        shares=tuple(
            Share(family, slices, slice(end - matrix.shape[1], end))
            for (family, slices, matrix), end in zip(members, ends, strict=True)
        ),
    )


def summed(
    stacked: Sequence[Stack], laid_out: Sequence[Product], weights: NDArray[np.integer]
) -> tuple[Floats, ...]:
    """Give every family's sums (parts × slices × weighings) from units × weighings."""
    found = tuple(np.zeros((one.parts, len(one.members), weights.shape[1])) for one in stacked)
    for one in laid_out:
        product = exact.weighed(one.parts, weights[one.units].astype(np.float64))
        for share in one.shares:
            for number in share.slices:
                found[share.family][:, number] += product[share.columns]
    return found
