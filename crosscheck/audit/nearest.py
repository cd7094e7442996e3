"""Non-negative least squares by Lawson and Hanson's active set, in numpy alone.

`scipy.optimize` has it too, and takes longer to load than a table takes to audit. Nothing rests on
what is found here: whoever asks holds it against the printed cells in plain arithmetic.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

_NIL = 1e-9
"""A gain below this, relative to the largest at the start, is none."""


def nearest(columns: Floats, target: Floats, *, most: int) -> Floats:
    """Give shares, none below 0, of the columns whose sum comes nearest to the target.

    After `most` steps it gives what it has.
    """
    shares = np.zeros(columns.shape[1])
    used = np.zeros(columns.shape[1], dtype=bool)
    gain = columns.T @ target
    least = _NIL * max(float(np.abs(gain).max(initial=0.0)), 1e-300)
    for _ in range(most):
        gain[used] = -np.inf
        best = int(gain.argmax()) if gain.size else -1
        if best < 0 or gain[best] <= least:
            break
        used[best] = True
        shares = _inward(columns, target, shares, used)
        gain = columns.T @ (target - columns @ shares)
    return shares


def _inward(columns: Floats, target: Floats, shares: Floats, used: npt.NDArray[np.bool_]) -> Floats:
    """Go from the shares to the best of the used columns; drop those that reach 0 on the way."""
    while used.any():
        wanted = np.zeros_like(shares)
        wanted[used] = np.linalg.lstsq(columns[:, used], target, rcond=None)[0]
        below = used & (wanted <= 0)
        if not below.any():
            return wanted
        apart = shares[below] - wanted[below]
        reached = np.full_like(shares, np.inf)
        reached[below] = shares[below] / np.where(apart > 0, apart, 1.0)
        step = float(reached.min())
        shares = shares + step * (wanted - shares)
        used &= reached > step  # at least one goes, whatever rounding leaves of it
        shares[~used] = 0.0
        shares = np.maximum(shares, 0.0)
    return shares
