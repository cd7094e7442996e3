"""γ sweep (contract, section 6): how many candidates hold a share γ of a query's node probability.

Whether a share is reached is decided on decimals. Short decimals are scaled to integers; long ones
are added as floats, and where the sum comes closer to the share than its error, as fractions.
"""

from __future__ import annotations

from bisect import bisect_left
from decimal import Decimal
from fractions import Fraction
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np

from primary.arithmetic.aggregate import Ledger, key, ratio, shares
from primary.arithmetic.decimals import shortest
from primary.arithmetic.exact import tally, total
from primary.data.lists import blocks, order_within
from primary.selection.dynamic_k import largest_k

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from primary.data.study import Study
    from primary.ranking.hits import Hits

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]

SCALE = 10**9
"""Decimals with up to nine places are added as integers."""


def ledger(study: Study, hits: Hits) -> Ledger:
    """Give K, evidence recall and the number of sentences at every γ."""
    data = study.data
    if data.candidates is None or data.node_probs is None or data.gold is None:
        raise LookupError("the γ sweep needs candidates, node_probs and gold")
    order = _order(study)
    relevant = np.zeros(len(order), dtype=np.int64)
    relevant[hits.place] = 1
    reached = _reached(data.node_probs[order], data.candidates.offsets, study.settings.gamma)
    k_max = largest_k(data, study.settings)
    k_min = np.minimum(study.settings.k_min, k_max)
    gained = np.concatenate([[0], np.cumsum(relevant[order])])
    begins = data.candidates.offsets[:-1]
    found: Ledger = {}
    for gamma, needed in zip(study.settings.gamma, reached, strict=True):
        k = np.clip(needed, k_min, k_max)
        held = gained[begins + k] - gained[begins]
        recall = shares(held, data.gold.lengths)
        at = f"@gamma={shortest(gamma)}"
        for part in [*study.all, *study.folds]:
            rows = part.rows
            sentences = int(tally(k[rows]))
            mean = ratio(float(total(recall[rows])), int(np.count_nonzero(study.positive[rows])))
            found[key(f"k{at}", "all_queries", part.name, "mean")] = ratio(sentences, len(rows))
            found[key(f"evidence_recall{at}", "positives_only", part.name, "mean")] = mean
            found[key(f"sentences{at}", "all_queries", part.name, "value")] = sentences
    return found


def _order(study: Study) -> Ints:
    """Sort each query by node probability; equals in the order of the score-sorted ranking."""
    data = study.data
    if data.candidates is None or data.node_probs is None:
        raise LookupError("the γ sweep needs candidates and node_probs")
    keys = [data.node_probs] if data.scores is None else [data.node_probs, data.scores]
    return order_within(data.candidates.offsets, *keys)


def _reached(probs: Floats, offsets: Ints, gammas: tuple[Fraction, ...]) -> list[Ints]:
    """Give for each γ the fewest leading candidates that reach it; 0 where there is no mass."""
    found = [np.zeros(len(offsets) - 1, dtype=np.int64) for _ in gammas]
    for chosen, places, inside in blocks(offsets):
        cells = np.where(inside, probs[places], 0.0)
        for gamma, needed in zip(gammas, found, strict=True):
            # A share of 0 is reached before the first candidate.
            needed[chosen] = _needed(cells, inside, gamma) if gamma else 0
    return found


def _needed(cells: Floats, inside: NDArray[np.bool_], gamma: Fraction) -> Ints:
    whole = np.rint(cells * SCALE)
    small = inside.shape[1] * SCALE * gamma.denominator < 1 << 62
    if small and (whole / SCALE == cells).all():
        held = np.cumsum(whole.astype(np.int64), axis=1)
        mass = held[:, -1]
        short = held * gamma.denominator < (mass * gamma.numerator)[:, None]
        return np.where(mass > 0, tally(short & inside, axis=1) + 1, 0)
    held = np.cumsum(cells, axis=1)
    mass = held[:, -1]
    target = mass * float(gamma)
    needed = np.where(mass > 0, tally((held < target[:, None]) & inside, axis=1) + 1, 0)
    error = 4 * inside.shape[1] * np.finfo(np.float64).eps * mass
    close = ((np.abs(held - target[:, None]) <= error[:, None]) & inside).any(axis=1)
    for row in np.flatnonzero(close).tolist():
        needed[row] = _needed_exactly(cells[row][inside[row]].tolist(), gamma)
    return needed


def _needed_exactly(probs: list[float], gamma: Fraction) -> int:
    """Decide one query whose sum lies too close to the share for floats."""
    exact = [Fraction(Decimal(repr(prob))) for prob in probs]
    held = list(accumulate(exact))
    target = gamma * held[-1]
    return 1 + bisect_left(held, target) if target else 0
