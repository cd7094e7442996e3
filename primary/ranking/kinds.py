"""Queries that no ranking metric can tell apart: equal |G| and |R|, and hits that stand alike.

A metric needs only these of a query, and among a million queries of twenty candidates there are a
few hundred kinds. What is the same for all queries of a kind is worked out once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from primary.data.lists import offsets_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

FEW = 4
"""Queries a kind, below which kinds are not worth telling apart."""

DEEPEST = 256
"""Hits of a query beyond which it is hardly like another."""

ROOM = 1 << 16
"""What a table of numbers may have beyond four places for each of them."""


@dataclass(frozen=True)
class Kinds:
    """The kinds of some queries."""

    of: Ints
    """The kind of every query."""
    example: Ints
    """One query of each kind."""

    def counted(self, queries: Ints) -> tuple[Ints, Ints]:
        """Give the kinds that some queries are of, and how many are of each."""
        counts = np.bincount(self.of[queries], minlength=len(self.example))
        present = np.flatnonzero(counts)
        return present, counts[present]


def kinds_of(sizes: tuple[Ints, Ints], found: Ints, stands: Ints) -> Kinds | None:
    """Tell queries apart, hit after hit; give up as soon as there are too many kinds.

    Two sizes of each query, |G| and |R|; how many hits it has; and a number for how each hit
    stands, query after query.
    """
    deepest = int(found.max(initial=0))
    if deepest > DEEPEST:
        return None
    begins = offsets_of(found)
    width = int(stands.max(initial=0)) + 1
    kind, count = numbered(sizes[0] * (sizes[1].max(initial=0) + 1) + sizes[1])
    for number in range(deepest):
        deeper = np.flatnonzero(found > number)
        inner, more = numbered(kind[deeper] * width + stands[begins[deeper] + number])
        # Queries with no further hit keep their kinds, which no other has from here on.
        kind[deeper] = count + inner
        count += more
        if more * FEW > len(found):
            return None
    kind, count = numbered(kind)
    if count * FEW > len(found):
        return None
    example = np.empty(count, dtype=np.int64)
    example[kind] = np.arange(len(kind))
    return Kinds(kind, example)


def numbered(keys: Ints) -> tuple[Ints, int]:
    """Give each distinct key, none of them negative, a number from 0; say how many there are."""
    most = int(keys.max(initial=0))
    if most > FEW * len(keys) + ROOM:
        distinct, found = np.unique(keys, return_inverse=True)
        return found, len(distinct)
    there = np.zeros(most + 1, dtype=bool)
    there[keys] = True
    number = np.cumsum(there) - 1
    return number[keys], int(np.count_nonzero(there))
