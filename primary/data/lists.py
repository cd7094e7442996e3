"""Lists of ids, one per query, held flat; and how two of them are matched.

Ids only ever need comparing inside their own query. They are hashed to 64 bits once; the few of
one list are held against the many of the other, and every hit is confirmed by comparing the ids.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import polars as pl

from primary.arithmetic.cores import side_by_side
from primary.arithmetic.exact import tally

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Bools = NDArray[np.bool_]

Item = TypeVar("Item", bound=np.generic)

SPREAD = np.uint64(0x9E3779B97F4A7C15)
"""An odd constant that spreads query numbers over 64 bits."""

CELLS = 1 << 18
"""Matrix cells worked on together: they stay in the cache, and bound the memory of ragged work."""

JOIN_ABOVE, JOINED, EVEN = 1, 30, 5
"""When a join is cheaper than holding ids against their queries: above so many comparisons for each
of the many ids, and JOINED for each of the few; EVEN times as many where queries are equally long.
"""

SPARE = 4
"""Bits of a table beyond those that number its entries: one place in 16 or more is taken."""


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

    @cached_property
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


def even(offsets: Ints) -> bool:
    """Say whether all lists are equally long: then they are the rows of a matrix."""
    lengths = np.diff(offsets)
    return len(lengths) > 0 and int(lengths.min()) == int(lengths.max())


def portions(widths: Ints) -> Iterator[slice]:
    """Cut items that each need `widths` cells into portions of about `CELLS`."""
    ends = np.cumsum(widths)
    begin = 0
    while begin < len(widths):
        done = ends[begin - 1] if begin else 0
        stop = max(begin + 1, int(np.searchsorted(ends, done + CELLS, side="right")))
        yield slice(begin, stop)
        begin = stop


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
    filled = pl.DataFrame({"owner": owner, "values": values}).group_by("owner").agg("values")
    every = pl.DataFrame({"owner": np.arange(len(offsets) - 1)})
    found = every.join(filled, on="owner", how="left", maintain_order="left")["values"]
    return found.fill_null([])


def match(left: Lists, right: Lists) -> tuple[Ints, Ints]:
    """Give the flat places of equal ids of the same query, in the left one's order."""
    if len(left.values) <= len(right.values):
        ours, theirs = _alike(left, right)
    else:
        theirs, ours = _alike(right, left)
    same = (left.values.gather(ours) == right.values.gather(theirs)).to_numpy()
    ours, theirs = ours[same], theirs[same]
    order = np.argsort(ours, kind="stable")
    return ours[order], theirs[order]


def _alike(few: Lists, many: Lists) -> tuple[Ints, Ints]:
    """Give the flat places of ids of the same query whose hashes are equal."""
    owner = few.owner
    widths, is_even = many.lengths[owner], even(many.offsets)
    cheap = JOIN_ABOVE * (len(many.values) + JOINED * len(few.values))
    if tally(widths) > cheap * (EVEN if is_even else 1):
        return _joined(few, many)
    look = _look_even if is_even else _look_ragged
    found = [(np.zeros(0, dtype=np.int64),) * 2]
    found += side_by_side(lambda part: look(few, many, owner, part), portions(widths))
    items, places = (np.concatenate(column) for column in zip(*found, strict=True))
    return items, places


def _look_even(few: Lists, many: Lists, owner: Ints, part: slice) -> tuple[Ints, Ints]:
    """Hold some ids against all of their queries, which are equally long."""
    rows = many.hashes.reshape(len(many.offsets) - 1, -1)
    theirs = rows.take(owner[part], axis=0)
    item, column = np.divmod(
        np.flatnonzero(theirs == few.hashes[part, None]), max(1, rows.shape[1])
    )
    item += part.start
    return item, many.offsets[owner[item]] + column


def _look_ragged(few: Lists, many: Lists, owner: Ints, part: slice) -> tuple[Ints, Ints]:
    """Hold some ids against all of their queries, of any length."""
    places = spread(many.offsets, owner[part])
    widths = many.lengths[owner[part]]
    found = np.flatnonzero(many.hashes[places] == np.repeat(few.hashes[part], widths))
    item = np.searchsorted(offsets_of(widths), found, side="right") - 1
    return part.start + item, places[found]


def _joined(few: Lists, many: Lists) -> tuple[Ints, Ints]:
    """Do the same by one join, where holding every id against its query would take longer.

    Most ids of the many have no equal. A table of the first bits of the few tells nearly all of
    them apart, and one of the last bits nearly all the others, so that few of the many are joined.
    Every query has a stretch of its own in both, which stays in the cache while it is asked for.
    """
    queries = len(few.offsets) - 1
    width = (len(few.values) // max(1, queries)).bit_length() + SPARE
    cut, low = np.uint64(64 - width), np.uint64((1 << width) - 1)
    begins, ends = np.zeros((2, queries << width), dtype=bool)
    stretch, hashes = _stretches(few, slice(0, queries), width)
    begins[stretch + (hashes >> cut).view(np.int64)] = True
    ends[stretch + (hashes & low).view(np.int64)] = True

    def suspected(part: slice) -> Ints:
        stretch, hashes = _stretches(many, part, width)
        found = np.flatnonzero(begins.take(stretch + (hashes >> cut).view(np.int64)))
        last = stretch[found] + (hashes[found] & low).view(np.int64)
        places: Ints = found[ends.take(last)] + many.offsets[part.start]
        return places

    suspects = np.concatenate(list(side_by_side(suspected, portions(many.lengths))))
    theirs = _keys(many.hashes[suspects], many.owner_of(suspects))
    left = pl.DataFrame({"key": _keys(few.hashes, few.owner), "few": np.arange(len(few.values))})
    right = pl.DataFrame({"key": theirs, "many": suspects})
    joined = left.join(right, on="key", how="inner")
    items, places = joined["few"].to_numpy(), joined["many"].to_numpy()
    same = few.owner[items] == many.owner_of(places)
    return items[same], places[same]


def _stretches(lists: Lists, queries: slice, width: int) -> tuple[Ints, NDArray[np.uint64]]:
    """Give for each id of some queries where its query's stretch begins, and the id's hash."""
    begins = repeat(np.arange(queries.start, queries.stop) << width, lists.lengths[queries])
    return begins, lists.hashes[lists.offsets[queries.start] : lists.offsets[queries.stop]]


def _keys(hashes: NDArray[np.uint64], owner: Ints) -> NDArray[np.uint64]:
    """Mix the hash of each id with its query's number."""
    return hashes ^ ((owner + 1).view(np.uint64) * SPREAD)


def repeated(lists: Lists) -> Iterator[tuple[int, str]]:
    """Name every (list, id) that stands in its list more than once."""
    # Half a hash sorts twice as fast; the few that it brings together by chance are looked at.
    halves = lists.hashes.view(np.uint32)[::2]
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
    if even(offsets) and lengths[0]:
        width = int(lengths[0])
        step = max(1, CELLS // width)

        def look(begin: int) -> None:
            rows = values[offsets[begin] : offsets[min(begin + step, len(lengths))]]
            rows = np.sort(rows.reshape(-1, width), axis=1)
            equal = rows[:, 1:] == rows[:, :-1]
            if equal.any():
                found[begin : begin + step] = equal.any(axis=1)

        list(side_by_side(look, range(0, len(lengths), step)))
        return found
    for chosen, places, inside in blocks(offsets):
        rows = values[places]
        rows[~inside] = _largest(values.dtype)
        rows.sort(axis=1)
        equal = (rows[:, 1:] == rows[:, :-1]) & inside[:, 1:]
        found[chosen] = equal.any(axis=1)
    return found


def equal_in_float32(values: NDArray[np.float64], offsets: Ints) -> Bools:
    """Say which lists hold two different values that are equal as 32-bit floats."""
    with np.errstate(over="ignore"):
        suspects = np.flatnonzero(with_equals(values.astype(np.float32), offsets))
        found = np.zeros(len(offsets) - 1, dtype=bool)
        some = values[spread(offsets, suspects)]
        for chosen, places, inside in blocks(offsets_of(np.diff(offsets)[suspects])):
            rows = np.where(inside, some[places], np.inf)
            rows.sort(axis=1)
            single = rows.astype(np.float32)
            alike = (rows[:, 1:] != rows[:, :-1]) & (single[:, 1:] == single[:, :-1])
            found[suspects[chosen]] = (alike & inside[:, 1:]).any(axis=1)
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
    some = np.flatnonzero(lengths)
    _, doublings = np.frexp(lengths[some] - 1)
    for each in np.unique(doublings):
        members = some[doublings == each]
        longest = int(lengths[members].max())
        step = max(1, CELLS // longest)
        columns = np.arange(longest)
        for begin in range(0, len(members), step):
            chosen = members[begin : begin + step]
            inside = columns < lengths[chosen, None]
            yield chosen, offsets[chosen, None] + np.where(inside, columns, 0), inside


def descends(offsets: Ints, key: NDArray[np.float64]) -> bool:
    """Say whether every list stands in descending order already, as most runs are written."""
    rises = key[1:] > key[:-1]
    begins = offsets[1:-1]
    rises[begins[(begins > 0) & (begins < len(key))] - 1] = False
    return not rises.any()


def order_within(offsets: Ints, *keys: NDArray[np.float64]) -> Ints:
    """Sort inside every list by the first key, descending, then the next; equals keep their order.

    The answer lists flat places in their new order.
    """
    order = np.arange(offsets[-1])
    if len(keys) == 1 and descends(offsets, keys[0]):
        return order
    for chosen, places, inside in blocks(offsets):
        cells = [np.where(inside, -key[places], np.inf) for key in reversed(keys)]
        ranked = offsets[chosen, None] + np.lexsort(cells, axis=1)
        order[places[inside]] = ranked[inside]
    return order
