"""The normal distribution: Φ and its inverse, which BCa needs (section 10).

Exactness: decimals of 60 digits, of which 50 are kept. No logarithm, exponential or error function
of the machine comes in, so every machine finds the same 50 digits.
"""

from __future__ import annotations

from decimal import Context, Decimal, localcontext
from functools import cache
from typing import TYPE_CHECKING

from reference.values import HALF, KEPT, as_decimal

if TYPE_CHECKING:
    from fractions import Fraction

WORKING = Context(prec=60)
PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459")
ROOT = WORKING.sqrt(WORKING.multiply(2, PI))
# From here on Φ is 0, or 1, to 50 digits.
FAR = 16
# A step of Newton squares the error: behind one that is so small, 50 digits are right.
LAST_STEP = Decimal("1e-28")


def below(x: Decimal) -> Decimal:
    """Φ(x)."""
    with localcontext(WORKING):
        found = _below(x)
    return KEPT.plus(found)


@cache
def inverse(share: Fraction) -> Decimal:
    """Φ⁻¹(share), 0 < share < 1, by Newton's steps from 0, none of which overshoots."""
    if share < HALF:
        return inverse(1 - share).copy_negate()
    with localcontext(WORKING):
        above_half, found, step = as_decimal(share - HALF), Decimal(0), Decimal(1)
        while abs(step) > LAST_STEP:
            step = above_half / _density(found) - _series(found)
            found += step
    return KEPT.plus(found)


def _density(x: Decimal) -> Decimal:
    """φ(x) = exp(−x²/2) / √(2π)."""
    return (-x * x / 2).exp() / ROOT


def _below(x: Decimal) -> Decimal:
    """½ + φ(x)·series."""
    if abs(x) >= FAR:
        return Decimal(int(x > 0))
    return Decimal("0.5") + _density(x) * _series(x)


def _series(x: Decimal) -> Decimal:
    """Return x + x³/3 + x⁵/(3·5) + …: terms of one sign, so that nothing cancels."""
    series, term, odd = Decimal(0), x, 1
    while series != (series := series + term):
        odd += 2
        term = term * x * x / odd
    return series
