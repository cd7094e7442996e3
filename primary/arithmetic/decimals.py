"""Decimals: a float64 means the decimal that its shortest round-trip form shows (contract, 1).

Shortest decimals keep the order of the floats they belong to, so two floats compare as their
decimals do. Against a fraction j/M the same holds except where the float is the one nearest to
j/M; there the decimal and the fraction are compared exactly, once per edge and never per row.
"""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Number = int | float | str


def fraction(number: Number) -> Fraction:
    """Give the exact decimal that a setting means; `0.1` is one tenth."""
    try:
        value = float(number)
    except ValueError:
        raise ValueError(f"{number!r} is not a number") from None
    if not math.isfinite(value):
        raise ValueError(f"{number!r} is not a finite number")
    return Fraction(Decimal(repr(value)))


def shortest(number: Fraction | int) -> str:
    """Write a decimal as it stands in a key: `0.95`, `5`, `0.00001`."""
    value = float(number)
    if value.is_integer():
        return str(int(value))
    return format(Decimal(repr(value)), "f")


def bin_edges(bins: int) -> NDArray[np.float64]:
    """Give for each bin j the smallest float64 whose decimal is at least j/M."""
    edges = np.empty(bins)
    for j in range(bins):
        nearest = j / bins
        below = Fraction(Decimal(repr(nearest))) < Fraction(j, bins)
        edges[j] = math.nextafter(nearest, math.inf) if below else nearest
    return edges


def bin_of(probability: NDArray[np.float64], bins: int) -> NDArray[np.int64]:
    """Give the bin j with j/M ≤ p < (j+1)/M; p = 1 lies in the last one (section 5)."""
    return np.searchsorted(bin_edges(bins), probability, side="right").astype(np.int64) - 1


def share_floor(count: NDArray[np.int64], ratio: Fraction) -> NDArray[np.int64]:
    """Give ⌊n·ratio⌋ in integers."""
    return count * ratio.numerator // ratio.denominator
