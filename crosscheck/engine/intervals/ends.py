"""Both ends of a 95 % interval from replicates and deletions (contract, section 10)."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from crosscheck.engine.intervals.sums import Floats

SHARES = (0.025, 0.975)
EQUAL = 1e-12
"""Within this a replicate equals the estimate."""
NORMAL = NormalDist()


def percentile(ordered: Floats, share: float) -> float:
    """Interpolate linearly between the two replicates beside (B − 1)·share."""
    at = (len(ordered) - 1) * share
    place = math.floor(at)
    low = float(ordered[place])
    if at == place or low == float(ordered[place + 1]):
        return low
    return low + (float(ordered[place + 1]) - low) * (at - place)


def plain(replicates: Floats) -> tuple[float, float]:
    """Give the percentile interval."""
    ordered = np.sort(replicates)
    low, high = (percentile(ordered, share) for share in SHARES)
    return low, high


def corrected(
    estimate: float, replicates: Floats, deleted: Floats, weights: Floats
) -> tuple[float, float] | None:
    """Give the BCa interval; None: its correction is undefined."""
    if not (math.isfinite(estimate) and np.isfinite(replicates).all()):
        return None
    bias = _bias(estimate, replicates)
    bend = _bend(deleted, weights)
    if bias is None or bend is None:
        return None
    ordered = np.sort(replicates)
    ends = []
    for share in SHARES:
        moved = bias + NORMAL.inv_cdf(share)
        below = 1 - bend * moved
        if below <= 0:
            return None
        ends.append(percentile(ordered, NORMAL.cdf(bias + moved / below)))
    return ends[0], ends[1]


def _bias(estimate: float, replicates: Floats) -> float | None:
    below = int((replicates < estimate - EQUAL).sum())
    not_above = int((replicates <= estimate + EQUAL).sum())
    share = (below + not_above) / (2 * len(replicates))
    return NORMAL.inv_cdf(share) if 0 < share < 1 else None


def _bend(deleted: Floats, weights: Floats) -> float | None:
    """Give the acceleration, of values of which each stands for so many deletions."""
    if not np.isfinite(deleted).all():
        return None
    mean = math.fsum((deleted * weights).tolist()) / math.fsum(weights.tolist())
    gaps = mean - deleted
    # What one rounding leaves of equal values is no spread.
    gaps = np.where(np.abs(gaps) <= 1e-15 * max(1.0, abs(mean)), 0.0, gaps)
    squares = math.fsum((weights * gaps * gaps).tolist())
    if not squares:
        return None
    cubes = math.fsum((weights * gaps * gaps * gaps).tolist())
    return cubes / (6 * squares * math.sqrt(squares))
