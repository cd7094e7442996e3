"""Calibration (contract, section 5): exact bins, ECE, Brier score, reliability."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from primary.aggregate import Ledger, key, ratio
from primary.decimals import bin_of
from primary.exact import total, totals_by

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from primary.study import Study

    Floats = NDArray[np.float64]


def ledger(study: Study) -> Ledger:
    """Give calibration on every slice and the reliability bins of all queries."""
    prob = study.data.prob
    if prob is None:
        raise LookupError("calibration needs prob")
    label = study.label
    error = label - prob
    squared = error * error
    found: Ledger = {}
    slices = [*study.all, *study.folds, *study.criteria, *study.views]
    for part in slices:
        brier = ratio(float(total(squared[part.rows])), len(part.rows))
        found[key("brier", "all_queries", part.name, "value")] = brier
    for bins in study.settings.bins:
        held = bin_of(prob, bins)
        for part in slices:
            rows = part.rows
            for metric, value in _ece(error[rows], held[rows], prob[rows], bins).items():
                found[key(metric, "all_queries", part.name, "value")] = value
        found |= _reliability(label, prob, held, bins)
    return found


def _ece(error: Floats, held: NDArray[np.int64], prob: Floats, bins: int) -> dict[str, float]:
    """Give Σ n_j/N · |mean label − mean prob|, which is Σ |sum of label − prob| / N.

    `half_open` leaves p = 1 out of every bin, N unchanged (S1 4.1).
    """
    count = len(error)
    sums = totals_by(held, error, bins)
    last = float(total(error[(prob < 1) & (held == bins - 1)]))
    gaps = np.abs(sums).tolist()
    return {
        f"ece@{bins}": ratio(math.fsum(gaps), count),
        f"ece@{bins}/half_open": ratio(math.fsum([*gaps[:-1], abs(last)]), count),
    }


def _reliability(
    label: NDArray[np.int8], prob: Floats, held: NDArray[np.int64], bins: int
) -> Ledger:
    counts = np.bincount(held, minlength=bins).tolist()
    ones = np.bincount(held[label == 1], minlength=bins).tolist()
    sums = totals_by(held, prob, bins).tolist()
    found: Ledger = {}
    for j in range(bins):
        metric = f"reliability@{bins}/bin={j}"
        found[key(metric, "all_queries", "all", "n")] = counts[j]
        found[key(metric, "all_queries", "all", "mean_prob")] = ratio(sums[j], counts[j])
        found[key(metric, "all_queries", "all", "mean_label")] = ratio(ones[j], counts[j])
    return found
