"""Random integers that are the same on every machine.

Only the raw 64-bit words of PCG64 are used, whose stream numpy guarantees, and integer arithmetic
on them: no floating point, no libm, and none of numpy's distributions, which may change.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Final

import numpy as np

from crosscheck.study.profile import SEED

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Booleans = NDArray[np.bool_]
    Integers = NDArray[np.int64]

# Standard deviation of a sum of four independent 16-bit words.
_WORD_SUM_DEVIATION: Final = 37837


def words(purpose: str, *shape: int) -> NDArray[np.uint64]:
    """Draw 64-bit words; each purpose has its own stream, so no draw shifts another."""
    generator = np.random.PCG64([SEED, zlib.crc32(purpose.encode())])
    return generator.random_raw(int(np.prod(shape))).reshape(shape)


def below(limit: int, purpose: str, *shape: int) -> Integers:
    """Draw evenly from 0 … limit − 1, for a limit of at most 32 bits."""
    high = words(purpose, *shape) >> np.uint64(32)
    return ((high * np.uint64(limit)) >> np.uint64(32)).astype(np.int64)


def bell(purpose: str, *shape: int) -> Integers:
    """Draw from a bell curve of mean 0, in thousandths of a standard deviation."""
    raw = words(purpose, *shape)
    mask = np.uint64(0x0000FFFF0000FFFF)
    # Two halves of each word are added at once: a sum of two 16-bit words has room in 32.
    pairs = (raw & mask) + ((raw >> np.uint64(16)) & mask)
    total = (pairs & np.uint64(0xFFFFFFFF)) + (pairs >> np.uint64(32))
    centred = total.astype(np.int64) - 2 * 0xFFFF
    return centred * 1000 // _WORD_SUM_DEVIATION


def order(purpose: str, *shape: int) -> Integers:
    """Shuffle the positions of the last axis."""
    return np.argsort(words(purpose, *shape), axis=-1, kind="stable")


def pick(weights: Integers, purpose: str, *shape: int) -> Integers:
    """Draw positions in proportion to integer weights."""
    cumulative = np.cumsum(weights)
    target = (words(purpose, *shape) % np.uint64(cumulative[-1])).astype(np.int64)
    return np.searchsorted(cumulative, target, side="right")
