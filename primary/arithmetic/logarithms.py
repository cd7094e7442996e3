"""Natural logarithms of whole arrays, correctly rounded, so the same bits on every machine.

A number is 2^e·m with m near 1, and m lies close to some c = j/128 whose logarithm is known to a
hundred bits: ln x = e·ln 2 + ln c + 2·artanh((m − c)/(m + c)). Every quantity is held as the sum of
two floats, so that what is left to round is known to 90 bits. Where even those leave two roundings
possible, fifty decimal digits decide.
"""

from __future__ import annotations

from decimal import Decimal
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from primary.arithmetic.exact import logarithm

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Pair = tuple[Floats, Floats]

STEPS = 128
"""The c are j/128."""

HALF_ROOT = 0.7071067811865476

SPLITTER = 134217729.0
"""2^27 + 1 cuts a float64 into two halves whose products are exact (Dekker)."""

DOUBT = 1 / 2**85
"""More than the error of the pair, relative to the logarithm (seen: 2^−90.7)."""

WHOLE_STEP = 2**42
"""ln 2 is split at 2^−42: times an exponent the upper part stays exact."""

BATCH = 1 << 15
"""Numbers worked on together, which keeps them in the cache."""


@lru_cache(maxsize=1)
def _table() -> tuple[Floats, Floats, float, float]:
    """Give ln(j/128) as pairs by j, and ln 2 as a pair whose upper part has few bits."""
    high, low = np.zeros(2 * STEPS), np.zeros(2 * STEPS)
    for j in range(1, 2 * STEPS):
        exact = logarithm(Decimal(j) / STEPS)
        high[j] = float(exact)
        low[j] = float(exact - Decimal(high[j]))
    two = logarithm(Decimal(2))
    upper = int(two * WHOLE_STEP) / WHOLE_STEP
    return high, low, upper, float(two - Decimal(upper))


def _sum(a: Floats, b: Floats) -> Pair:
    """Give a + b and what rounding took off."""
    whole = a + b
    other = whole - a
    return whole, (a - (whole - other)) + (b - other)


def _product(a: Floats, b: Floats) -> Pair:
    """Give a·b and what rounding took off."""
    whole = a * b
    (a_high, a_low), (b_high, b_low) = _halves(a), _halves(b)
    rest = ((a_high * b_high - whole) + a_high * b_low + a_low * b_high) + a_low * b_low
    return whole, rest


def _halves(a: Floats) -> Pair:
    lifted = SPLITTER * a
    high = lifted - (lifted - a)
    return high, a - high


def _times(a: Pair, b: Pair) -> Pair:
    whole, rest = _product(a[0], b[0])
    return _sum(whole, rest + (a[0] * b[1] + a[1] * b[0]))


def _plus(a: tuple[float, float], b: Pair) -> Pair:
    """Add a pair to the pair of a constant that is larger."""
    whole, rest = _sum(np.full(b[0].shape, a[0]), b[0])
    return _sum(whole, rest + (b[1] + a[1]))


def _constant(over: int) -> tuple[float, float]:
    exact = Decimal(1) / over
    high = float(exact)
    return high, float(exact - Decimal(high))


def natural(values: Floats) -> Floats:
    """Give ln of numbers above 0; of 0 it is −inf.

    >>> natural(np.array([1.0, 10.0, 0.0])).tolist()
    [0.0, 2.302585092994046, -inf]
    """
    found = np.full(values.shape, -np.inf)
    some = np.flatnonzero(values > 0)
    for begin in range(0, len(some), BATCH):
        part = some[begin : begin + BATCH]
        found[part] = _batch(values[part])
    return found


def of_decimals(values: Floats) -> Floats:
    """Give ln of the decimals that numbers mean.

    Only the smallest floats, which have few bits, are too far from their decimals.

    >>> of_decimals(np.array([5e-324])).tolist(), natural(np.array([5e-324])).tolist()
    ([-744.4281322176367], [-744.4400719213812])
    """
    found = natural(values)
    small = np.flatnonzero((values > 0) & (values < np.finfo(np.float64).tiny))
    for place in small.tolist():
        found[place] = float(logarithm(Decimal(repr(float(values[place])))))
    return found


def _batch(values: Floats) -> Floats:
    """Give ln of some numbers above 0."""
    upper, lower = _pair(values)
    found = upper + lower
    doubt = np.abs(upper) * DOUBT
    for place in np.flatnonzero(upper + (lower + doubt) != upper + (lower - doubt)).tolist():
        found[place] = float(logarithm(Decimal(float(values[place]))))
    return found


def _pair(values: Floats) -> Pair:
    high, low, two, rest_of_two = _table()
    near, exponent = np.frexp(values)
    below = near < HALF_ROOT
    near = np.where(below, 2 * near, near)
    power = (exponent - below).astype(np.float64)
    step = np.rint(near * STEPS).astype(np.int64)
    centre = step / STEPS
    share = _ratio(near - centre, _sum(near, centre))
    series, rest = _artanh_twice(share)
    whole, lost = _sum(power * two, high[step])
    whole, lost_too = _sum(whole, series)
    return _sum(whole, lost + lost_too + (rest + low[step] + power * rest_of_two))


def _ratio(part: Floats, whole: Pair) -> Pair:
    first = part / whole[0]
    product, rest = _product(first, whole[0])
    second = (((part - product) - rest) - first * whole[1]) / whole[0]
    return _sum(first, second)


def _artanh_twice(share: Pair) -> Pair:
    """Give 2·(s + s³/3 + s⁵/5 + …) for |s| below 1/256."""
    square = _times(share, share)
    t = square[0]
    tail = 1 / 7 + t * (1 / 9 + t * (1 / 11 + t * (1 / 13 + t / 15)))
    inner = _plus(_constant(5), _times(square, (tail, np.zeros_like(tail))))
    inner = _plus(_constant(3), _times(square, inner))
    whole, rest = _times(_times(share, square), inner)
    upper, lost = _sum(share[0], whole)
    return 2 * upper, 2 * (lost + (rest + share[1]))
