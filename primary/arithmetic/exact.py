"""Arithmetic that gives the same bits on every machine: the one place where floats are added up.

What a sum of floats comes to depends on the order of its additions, and that order is chosen by the
BLAS kernel, the width of the processor's vectors, the number of threads and the layout of an array
in memory. Logarithms and powers are rounded differently by every C library. So in `primary/`:

- allowed anywhere is what moves, compares, sorts or counts; whole numbers; and of floats one
  correctly rounded operation per element (+ − × ÷ √, rounding), in which IEEE 754 leaves no choice;
  running sums too, which go in order because every partial sum is an answer;
- allowed in this module alone are sums and products of arrays, and the functions below;
- allowed nowhere are powers, logarithms and exponentials of numpy or of the C library, numpy's
  means and deviations, and Python's `sum` of floats, which is another one from Python 3.12 on.

`tests/primary/test_operations.py` reads every file of the package and refuses anything else.

Floats are added as whole numbers. Every value is cut into a high and a low part of so few bits that
no sum of the parts leaves the 53 bits of a float64: each addition is exact, so that any order gives
the same, and the two sums are joined by one rounded addition. Beyond both parts a value is rounded,
to 2^−2w of the largest one, with w = 53 minus the bits of the number of additions: at 14,770
queries 2^−78. (Ozaki's scheme of matrix products, and Demmel's and Nguyen's of sums.)
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from decimal import Decimal, localcontext
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

BITS = 53
"""Up to 2^53 a float64 holds every whole number."""

SMALLEST = -900
"""The exponent below which a largest value counts as 2^−900: parts of it stay normal floats."""

DIGITS = 36
"""Decimal digits that logarithms and Φ are worked out with, before one rounding to float64."""

NO_TAIL = 9.0
"""Beyond it Φ leaves less than 1.2e-19, which is no share of any number of resamples."""

ROOT_TWO_PI = Decimal("2.50662827463100050241576528481104525300698674060994")


# --- whole numbers ----------------------------------------------------------------------------


def _check_whole(*arrays: NDArray[np.generic] | csr_array) -> None:
    if any(array.dtype.kind not in "iub" for array in arrays):
        raise TypeError("only whole numbers can be added in any order")


def tally(
    values: NDArray[np.generic], axis: int | None = None, dtype: type[np.integer] = np.int64
) -> Any:  # noqa: ANN401 - a number, or an array of them
    """Add up whole numbers or marks."""
    _check_whole(values)
    return np.add.reduce(values, axis=axis, dtype=dtype)


def tally_runs(values: NDArray[np.generic], begins: Ints) -> Ints:
    """Add up whole numbers or marks from each beginning to the next."""
    _check_whole(values)
    return np.add.reduceat(values, begins, dtype=np.int64)


def whole_product(left: NDArray[np.integer] | csr_array, right: NDArray[np.integer]) -> Any:  # noqa: ANN401 - a number or a matrix
    """Multiply vectors or matrices of whole numbers, which never pass through BLAS."""
    _check_whole(left, right)
    return left @ right


# --- sums of floats ---------------------------------------------------------------------------


def width_for(additions: int) -> int:
    """Say how many bits a part may have, so that so many of them add up within 53 bits."""
    return BITS - additions.bit_length()


def _scales(peak: Floats, width: int) -> Floats:
    """Give the power of two that lifts values up to `peak` to whole numbers of `width` bits."""
    _, exponent = np.frexp(peak)
    scales: Floats = np.ldexp(1.0, width - np.maximum(exponent, SMALLEST))
    return scales


def _cut(values: Floats, scale: Floats | float, width: int) -> tuple[Floats, Floats]:
    """Give the high and the low part of each value: v ≈ (high + low·2^−w) / scale."""
    low = values * scale
    high = np.rint(low)
    low -= high
    low *= math.ldexp(1.0, width)
    np.rint(low, out=low)
    return high, low


def total(values: Floats, counts: Ints | None = None) -> Any:  # noqa: ANN401 - a number, or an array of them
    """Add up the values along the last axis, each as often as it is counted, if they are.

    >>> float(total(np.full(10, 0.1))), float(total(np.array([0.1]), np.array([10])))
    (1.0, 1.0)
    """
    width = width_for(values.shape[-1] if counts is None else int(counts.sum()))
    peak = np.maximum(values.max(axis=-1, initial=0.0), -values.min(axis=-1, initial=0.0))
    scale = _scales(peak, width)
    high, low = _cut(values, scale[..., None], width)
    if counts is not None:
        # A part times its count is what adding it so often comes to: a whole number below 2^53.
        high *= counts
        low *= counts
    return (high.sum(axis=-1) + low.sum(axis=-1) * math.ldexp(1.0, -width)) / scale


def totals_by(group: Ints, values: Floats, groups: int) -> Floats:
    """Add up the values of each group."""
    parts = Parts.of([values], len(values))
    return parts.grouped(group, groups).joined()[:, 0]


def in_order(group: Ints, values: Floats, groups: int) -> Floats:
    """Add up the values of each group one after the other, as they stand."""
    return np.bincount(group, weights=values, minlength=groups).astype(np.float64, copy=False)


def added(arrays: Sequence[Floats] | Floats) -> Floats:
    """Add up arrays one after the other, element by element."""
    found = arrays[0].copy()
    for one in arrays[1:]:
        found += one
    return found


def whole_dots(left: Floats, right: NDArray[np.number]) -> Floats:
    """Multiply and add up row by row, where every product and sum is a whole number below 2^53."""
    found: Floats = np.einsum("ij,ij->i", left, right)
    return found


def share_dots(counts: Floats, shares: Floats, most: int) -> Floats:
    """Add up shares, from 0 to 1, row by row, each as often as it is counted; `most` in a row."""
    width = width_for(most)
    high, low = _cut(shares, math.ldexp(1.0, width), width)
    found = whole_dots(counts, low) * math.ldexp(1.0, -width)
    found += whole_dots(counts, high)
    return found * math.ldexp(1.0, -width)


@dataclass(frozen=True)
class Parts:
    """Columns of floats, cut into parts of which any weighing by counts is an exact sum."""

    matrix: Floats
    """Rows × parts: every column's high part, then the low part of the columns that have one."""
    high: Floats
    """What 1 is worth in each column's high part."""
    low: Floats
    """What 1 is worth in each low part."""
    lower: Ints
    """The column of each low part."""

    @classmethod
    def of(cls, columns: Sequence[NDArray[np.generic]], additions: int) -> Parts:
        """Cut columns for sums of up to so many of their values, each counted as often as drawn."""
        width = width_for(additions)
        high, low, scales, lower = [], [], [], []
        for number, column in enumerate(columns):
            values = column.astype(np.float64, copy=False)
            scale = float(_scales(np.abs(values).max(initial=0.0), width))
            upper, rest = _cut(values, scale, width)
            high.append(upper)
            scales.append(scale)
            if rest.any():
                low.append(rest)
                lower.append(number)
        worth = 1 / np.array(scales)
        places = np.array(lower, dtype=np.int64)
        matrix = np.stack([*high, *low], axis=1)
        return cls(matrix, worth, worth[places] * math.ldexp(1.0, -width), places)

    @property
    def width(self) -> int:
        """How many parts there are."""
        return len(self.high) + len(self.low)

    def taken(self, rows: Ints) -> Parts:
        """Give some of the rows."""
        return replace(self, matrix=self.matrix[rows])

    def grouped(self, group: Ints, groups: int) -> Parts:
        """Add up the rows of each group."""
        columns = [in_order(group, part, groups) for part in self.matrix.T]
        return replace(self, matrix=np.stack(columns, axis=1))

    def without_each(self) -> Floats:
        """Give for each row the sums of all the others."""
        found: Floats = self.matrix.sum(axis=0) - self.matrix
        return found

    def joined(self, sums: Floats | None = None) -> Floats:
        """Give the columns' values of some sums of rows, or of the rows themselves."""
        parts = self.matrix if sums is None else sums
        columns = len(self.high)
        found = parts[:, :columns] * self.high
        found[:, self.lower] += parts[:, columns:] * self.low
        return found


def weighed(parts: Floats, weights: Floats) -> Floats:
    """Give the sums (parts × weighings) of rows × parts under rows × weighings."""
    found: Floats = parts.T @ weights
    return found


# --- logarithms and the normal distribution ---------------------------------------------------


def discounts(most: int) -> Floats:
    """Give 1 / log2(rank + 1) by rank, correctly rounded, for ranks up to `most`; rank 0 has 0.

    >>> discounts(3)[1:4].tolist()
    [1.0, 0.6309297535714574, 0.5]
    """
    return _discounts(1 << max(5, most.bit_length()))


@lru_cache(maxsize=4)
def _discounts(size: int) -> Floats:
    """Take the logarithms of primes alone: all others are sums of those."""
    factor = np.zeros(size + 1, dtype=np.int64)
    for number in range(2, math.isqrt(size) + 1):
        if not factor[number]:
            multiples = factor[number * number :: number]
            multiples[multiples == 0] = number
    found = np.zeros(size)
    with localcontext(prec=DIGITS):
        logarithms = [Decimal(0), Decimal(0)]
        for number, divisor in enumerate(factor[2:].tolist(), start=2):
            logarithms.append(
                logarithms[divisor] + logarithms[number // divisor]
                if divisor
                else Decimal(number).ln()
            )
            found[number - 1] = float(logarithms[2] / logarithms[number])
    found.flags.writeable = False
    return found


def powers(base: Fraction, most: int) -> Floats:
    """Give (1 − b)·b^(rank − 1) by rank, rounded once from 36 digits; rank 0 has 0.

    >>> from fractions import Fraction
    >>> powers(Fraction(1, 2), 3)[:4].tolist()
    [0.0, 0.5, 0.25, 0.125]
    """
    return _powers(base, 1 << max(5, most.bit_length()))


@lru_cache(maxsize=64)
def _powers(base: Fraction, size: int) -> Floats:
    found = np.zeros(size)
    with localcontext(prec=DIGITS):
        step = Decimal(base.numerator) / Decimal(base.denominator)
        weight = 1 - step
        for rank in range(1, size):
            found[rank] = float(weight)
            if not found[rank]:
                break
            weight *= step
    found.flags.writeable = False
    return found


def logarithm(number: Decimal) -> Decimal:
    """Give ln to 50 digits.

    >>> logarithm(Decimal(1))
    Decimal('0')
    """
    with localcontext(prec=50):
        return number.ln()


def exponential(number: float) -> float:
    """Give e^x, rounded once.

    >>> exponential(0.0), exponential(1.0)
    (1.0, 2.718281828459045)
    """
    with localcontext(prec=DIGITS):
        return float(Decimal(number).exp())


def normal_share(place: float) -> float:
    """Give Φ, rounded once from 30 decimal places.

    >>> normal_share(0.0), normal_share(-1.0)
    (0.5, 0.15865525393145705)
    """
    if abs(place) > NO_TAIL:
        return float(place > 0)
    with localcontext(prec=DIGITS):
        return float(_below(Decimal(place))[0])


def _below(place: Decimal) -> tuple[Decimal, Decimal]:
    """Give Φ = ½ + φ·Σ x^(2i+1) / (1·3·5…(2i+1)), and the density φ."""
    square = place * place
    term = found = place
    odd = 1
    while abs(term) > Decimal("1e-32"):
        odd += 2
        term *= square / odd
        found += term
    density = (-square / 2).exp() / ROOT_TWO_PI
    return Decimal("0.5") + density * found, density


@lru_cache(maxsize=1 << 16)
def normal_place(share: Fraction) -> float:
    """Give Φ⁻¹, rounded once from 20 digits or more.

    >>> from fractions import Fraction
    >>> normal_place(Fraction(1, 2)), normal_place(Fraction(39, 40)), normal_place(Fraction(0))
    (0.0, 1.9599639845400543, -inf)
    """
    from statistics import NormalDist  # noqa: PLC0415 - for intervals

    if not 0 < share < 1:
        return math.inf if share else -math.inf
    with localcontext(prec=DIGITS):
        # Its last digits are the C library's. Two of Newton's steps leave nothing of them.
        place = Decimal(NormalDist().inv_cdf(float(share)))
        wanted = Decimal(share.numerator) / Decimal(share.denominator)
        for _ in range(2):
            reached, density = _below(place)
            place -= (reached - wanted) / density
        return float(place)
