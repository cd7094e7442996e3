"""Sums of whole numbers under many weights, exact whatever multiplies them.

A number is cut into pieces so short that no sum of theirs reaches 2^53: in any order, and on any
processor, such sums are exact in floats. Only putting the pieces together rounds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    Floats = np.ndarray[Any, np.dtype[np.float64]]
    Whole = np.ndarray[Any, np.dtype[np.int64]]

EXACT = 52
"""Bits of a whole number that floats hold, and one to spare."""


@dataclass(frozen=True)
class Pieces:
    """Numbers in pieces, rows × columns × pieces, the low ones first; the last has the sign."""

    values: Whole
    bits: int

    def added(self, places: Whole, size: int) -> Pieces:
        """Add up rows that go to the same place."""
        found = np.zeros((size, *self.values.shape[1:]), dtype=np.int64)
        np.add.at(found, places, self.values)
        for piece in range(found.shape[2] - 1):
            found[:, :, piece + 1] += found[:, :, piece] >> self.bits
            found[:, :, piece] &= (1 << self.bits) - 1
        return Pieces(found, self.bits)

    def weighed(self, counts: Floats) -> Floats:
        """Add up the rows under every row of counts."""
        return self._whole(lambda piece: counts @ piece)

    def without_each(self, weights: Floats) -> Floats:
        """Add up the rows with one less of each of them in turn."""
        return self._whole(lambda piece: (weights @ piece)[None, :] - piece)

    def _whole(self, added: Any) -> Floats:  # noqa: ANN401 - a function of an array
        pieces = [
            added(np.ascontiguousarray(self.values[:, :, piece], dtype=np.float64))
            for piece in range(self.values.shape[2])
        ]
        found: Floats = pieces[-1]
        for one in reversed(pieces[:-1]):
            found = found * float(1 << self.bits) + one
        return found


def cut(rows: Sequence[Sequence[int]], columns: int, draws: int, most: int = 1) -> Pieces:
    """Cut numbers so that so many draws of them add up exactly.

    `most` rows at most are added up beforehand: their sum still fits.
    """
    bits = EXACT - max(1, int(draws).bit_length())
    largest = max((abs(number) for row in rows for number in row), default=0) * most
    count = max(1, -(-(largest.bit_length() + 1) // bits))
    found = np.zeros((len(rows), columns, count), dtype=np.int64)
    mask = (1 << bits) - 1
    left = np.array(rows, dtype=object).reshape(len(rows), columns)
    for piece in range(count - 1):
        found[:, :, piece] = (left & mask).astype(np.int64)
        left = left >> bits
    found[:, :, count - 1] = left.astype(np.int64)
    return Pieces(found, bits)
