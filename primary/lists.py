"""Lists of ids, one per query, held flat; and how two of them are matched.

Ids only ever need comparing inside their own query. They are hashed to 64 bits together with the
query's number, joined on that, and every hit is confirmed by comparing the ids themselves.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import polars as pl

from primary.cores import side_by_side

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Bools = NDArray[np.bool_]

Item = TypeVar("Item", bound=np.generic)

SPREAD = np.uint64(0x9E3779B97F4A7C15)
"""An odd constant that spreads query numbers over 64 bits."""

CELLS = 1 << 20
"""Matrix cells worked on together; bounds the memory of ragged work."""


@dataclass(frozen=True)
class Lists:
    """List q is `values[offsets[q]:offsets[q + 1]]`."""

    offsets: Ints
    values: pl.Series

    @classmethod
    def of(cls, series: pl.Series) -> Lists:
        """Flatten a polars series of lists; null is the empty list."""
        lengths = series.list.len().fill_null(0).to_numpy()
        return cls(
            offsets_of(lengths), series.explode(empty_as_null=False, keep_nulls=False).rechunk()
        )

    @property
    def lengths(self) -> Ints:
        """How many ids each list holds."""
        return np.diff(self.offsets)

    @cached_property
    def owner(self) -> Ints:
        """Which list each id belongs to."""
        return repeat(np.arange(len(self.offsets) - 1), self.lengths)

    def owner_of(self, places: Ints) -> Ints:
        """Give the lists that a few places belong to."""
        return np.searchsorted(self.offsets, places, side="right") - 1

    @property
    def hashes(self) -> NDArray[np.uint64]:
        """64 bits for each id, alike for equal ids."""
        return self.values.hash().to_numpy()

    def take(self, chosen: Ints) -> Lists:
        """Give the chosen lists, in that order."""
        places = spread(self.offsets, chosen)
        return Lists(offsets_of(self.lengths[chosen]), self.values.gather(places))

    def series(self) -> pl.Series:
        """Give them back as a polars series of lists."""
        return nested(self.values, self.offsets)


def offsets_of(lengths: NDArray[np.integer]) -> Ints:
    """Turn lengths into the places where lists begin and end."""
    offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets


def repeat(values: NDArray[Item], times: Ints) -> NDArray[Item]:
    """Repeat each value its number of times; much faster where that is the same for all."""
    if len(times) and int(times.min()) == int(times.max()):
        return np.repeat(values, int(times[0]))
    return np.repeat(values, times)


def spread(offsets: Ints, chosen: Ints) -> Ints:
    """Give the flat places of the chosen lists' items, list after list."""
    lengths = offsets[chosen + 1] - offsets[chosen]
    begins = offsets_of(lengths)
    return np.arange(begins[-1]) + np.repeat(offsets[chosen] - begins[:-1], lengths)


def nested(values: pl.Series, offsets: Ints) -> pl.Series:
    """Cut a flat series into lists."""
    owner = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    grouped = pl.DataFrame({"owner": owner, "values": values}).group_by(
        "owner", maintain_order=True
    )
    filled = grouped.agg(pl.col("values"))
    every = pl.DataFrame({"owner": np.arange(len(offsets) - 1)})
    found = every.join(filled, on="owner", how="left", maintain_order="left")["values"]
    return found.fill_null(pl.Series([[]], dtype=pl.List(values.dtype)))


def match(left: Lists, right: Lists) -> tuple[Ints, Ints]:
    """Give the flat places of equal ids of the same query, in the left one's order."""
    both = (left.lengths > 0) & (right.lengths > 0)
    first, first_places = _keys(left, both)
    second, second_places = _keys(right, both)
    joined = pl.DataFrame({"key": first, "left": first_places}).join(
        pl.DataFrame({"key": second, "right": second_places}),
        on="key",
        how="inner",
        maintain_order="left",
    )
    ours, theirs = joined["left"].to_numpy(), joined["right"].to_numpy()
    same = (left.values.gather(ours) == right.values.gather(theirs)).to_numpy()
    same &= left.owner_of(ours) == right.owner_of(theirs)
    return ours[same], theirs[same]


def _keys(lists: Lists, chosen: Bools) -> tuple[NDArray[np.uint64], Ints]:
    """Mix each id's hash with its query's number, for the queries that can match at all."""
    mixed = np.arange(1, len(chosen) + 1, dtype=np.uint64) * SPREAD
    if chosen.all():
        places = np.arange(lists.offsets[-1])
        keys = repeat(mixed, lists.lengths)
        keys ^= lists.hashes
    else:
        some = np.flatnonzero(chosen)
        places = spread(lists.offsets, some)
        keys = np.repeat(mixed[some], lists.lengths[some])
        keys ^= lists.values.gather(places).hash().to_numpy()
    return keys, places


def repeated(lists: Lists) -> Iterator[tuple[int, str]]:
    """Name every (list, id) that stands in its list more than once."""
    # Half a hash sorts twice as fast; the few that it brings together by chance are looked at.
    halves = lists.hashes.astype(np.uint32)
    suspects = np.flatnonzero(with_equals(halves, lists.offsets))
    if not len(suspects):
        return
    some = lists.take(suspects)
    frame = pl.DataFrame({"owner": suspects[some.owner], "id": some.values})
    for owner, uid in frame.filter(frame.is_duplicated()).unique(maintain_order=True).iter_rows():
        yield int(owner), uid


def with_equals(values: NDArray[np.generic], offsets: Ints) -> Bools:
    """Say which lists hold two equal values, by sorting each list."""
    lengths = np.diff(offsets)
    found = np.zeros(len(lengths), dtype=bool)
    longest = int(lengths.max(initial=0))
    if longest and int(lengths.min()) == longest:
        step = max(1, CELLS // longest)

        def look(begin: int) -> None:
            rows = values[offsets[begin] : offsets[min(begin + step, len(lengths))]]
            rows = np.sort(rows.reshape(-1, longest), axis=1)
            found[begin : begin + step] = (rows[:, 1:] == rows[:, :-1]).any(axis=1)

        list(side_by_side(look, range(0, len(lengths), step)))
        return found
    for chosen, places, inside in blocks(offsets):
        rows = values[places]
        rows[~inside] = _largest(values.dtype)
        rows.sort(axis=1)
        equal = (rows[:, 1:] == rows[:, :-1]) & inside[:, 1:]
        found[chosen] = equal.any(axis=1)
    return found


def _largest(dtype: np.dtype[np.generic]) -> float | int:
    """Give a filler that sorts behind every real value."""
    return np.inf if dtype.kind == "f" else int(np.iinfo(np.dtype(dtype.str)).max)


def blocks(offsets: Ints) -> Iterator[tuple[Ints, Ints, Bools]]:
    """Lay ragged lists out as matrices: (lists, flat places, which cells are real).

    Lists of similar length (within a factor of two) share a matrix, so that little is wasted and
    nothing loops over lists. Cells beyond a list's end point at a valid place and are not real.
    """
    lengths = np.diff(offsets)
    widths = np.zeros(len(lengths), dtype=np.int64)
    some = lengths > 0
    widths[some] = 1 << np.ceil(np.log2(lengths[some])).astype(np.int64)
    for width in np.unique(widths[some]):
        members = np.flatnonzero(widths == width)
        longest = int(lengths[members].max())
        step = max(1, CELLS // longest)
        columns = np.arange(longest)
        for begin in range(0, len(members), step):
            chosen = members[begin : begin + step]
            inside = columns < lengths[chosen, None]
            yield chosen, offsets[chosen, None] + np.where(inside, columns, 0), inside


def order_within(offsets: Ints, *keys: NDArray[np.float64]) -> Ints:
    """Sort inside every list by the first key, descending, then the next; equals keep their order.

    The answer lists flat places in their new order.
    """
    order = np.arange(offsets[-1])
    for chosen, places, inside in blocks(offsets):
        rank = np.broadcast_to(np.arange(places.shape[1]), places.shape)
        for key in reversed(keys):
            cells = np.take_along_axis(np.where(inside, -key[places], np.inf), rank, axis=1)
            rank = np.take_along_axis(rank, np.argsort(cells, axis=1, kind="stable"), axis=1)
        targets = offsets[chosen, None] + np.arange(places.shape[1])
        order[targets[inside]] = (offsets[chosen, None] + rank)[inside]
    return order
