"""Calibration (contract, sections 5 and 16): exact bins, ECE, Brier, log loss, reliability."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from primary.arithmetic.aggregate import Ledger, key, ratio, shares
from primary.arithmetic.decimals import bin_of
from primary.arithmetic.exact import total, totals_by
from primary.arithmetic.logarithms import of_decimals

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from primary.data.study import Study

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

PLACES = 17
"""Decimal places that the shortest form of a float from ½ to 1 has at most."""


def ledger(study: Study) -> Ledger:
    """Give calibration on every slice and the reliability bins of all queries."""
    prob = study.data.prob
    if prob is None:
        raise LookupError("calibration needs prob")
    label = study.label
    error, losses = label - prob, log_losses(prob, label)
    squared = error * error
    found: Ledger = {}
    for part in study.by_row:
        rows = part.rows
        values = scores(squared[rows], losses[rows], int(np.count_nonzero(label[rows])))
        order = rows[np.argsort(prob[rows], kind="stable")]
        for bins in study.settings.bins:
            values[f"ece@{bins}/equal_mass"] = equal_mass(error[order], bins)
        for metric, value in values.items():
            found[key(metric, "all_queries", part.name, "value")] = value
    for bins in study.settings.bins:
        held = bin_of(prob, bins)
        for part in study.by_row:
            rows = part.rows
            for metric, value in _ece(error[rows], held[rows], prob[rows], bins).items():
                found[key(metric, "all_queries", part.name, "value")] = value
        for part in study.all:
            rows = part.rows
            found |= _reliability(label[rows], prob[rows], held[rows], bins, part.name)
    return found


def scores(squared: Floats, losses: Floats, positives: int) -> dict[str, float]:
    """Give the Brier score, its skill over the prevalence, and the log loss of some rows."""
    count, summed = len(squared), float(total(squared))
    spread = positives * (count - positives)
    return {
        "brier": ratio(summed, count),
        "brier/skill": 1 - summed * count / spread if spread else 0.0,
        "log_loss": mean_loss(losses),
    }


def mean_loss(losses: Floats) -> float:
    """Give the mean; `inf` where one of them is."""
    if not np.isfinite(losses).all():
        return math.inf
    return ratio(float(total(losses)), len(losses))


def log_losses(prob: Floats, label: NDArray[np.int8]) -> Floats:
    """Give −ln p(label) of each row; `inf` where the label has probability 0."""
    return 0.0 - of_decimals(np.where(label == 1, prob, rest_of(prob)))


def rest_of(prob: Floats) -> Floats:
    """Give 1 − p, where p means the decimal that its shortest form shows.

    Near 1 the float itself is too far from that decimal: 1 − 0.9999999999999999 is 1e-16.
    """
    found = 1 - prob
    near = np.flatnonzero((prob > 1 / 2) & (prob < 1))
    if len(near):
        digits = pl.Series(prob[near]).cast(pl.String).str.slice(2)
        plain = digits.str.contains(r"^[0-9]+$").to_numpy()
        near = near[plain]
        held = digits.filter(plain).str.pad_end(PLACES, "0").cast(pl.Int64).to_numpy()
        found[near] = (10**17 - held) / 10**17
    return found


def equal_mass(error: Floats, bins: int) -> float:
    """Give the ECE of bins of equal size, larger ones first; the rows come sorted by (p, place)."""
    count = len(error)
    small, larger = divmod(count, bins)
    ends = small * np.arange(1, bins + 1) + np.minimum(np.arange(1, bins + 1), larger)
    held = np.searchsorted(ends, np.arange(count), side="right")
    return ratio(math.fsum(np.abs(totals_by(held, error, bins)).tolist()), count)


def straddling(prob: Floats, bins: int) -> int:
    """Count the rows whose probability stands on both sides of a cut between equal bins."""
    ordered = np.sort(prob)
    count = len(ordered)
    small, larger = divmod(count, bins)
    cuts = small * np.arange(1, bins) + np.minimum(np.arange(1, bins), larger)
    cuts = cuts[(cuts > 0) & (cuts < count)]
    both = ordered[cuts][ordered[cuts - 1] == ordered[cuts]]
    return int(np.count_nonzero(np.isin(prob, both)))


def _ece(error: Floats, held: Ints, prob: Floats, bins: int) -> dict[str, float]:
    """Give Σ n_j/N · |mean label − mean prob|, which is Σ |sum of label − prob| / N.

    `half_open` leaves p = 1 out of every bin, N unchanged (S1 4.1); `mce` is the largest gap.
    """
    count = len(error)
    sums = np.abs(totals_by(held, error, bins))
    last = float(total(error[(prob < 1) & (held == bins - 1)]))
    gaps = sums.tolist()
    largest = shares(sums, np.bincount(held, minlength=bins)).max()
    return {
        f"ece@{bins}": ratio(math.fsum(gaps), count),
        f"ece@{bins}/half_open": ratio(math.fsum([*gaps[:-1], abs(last)]), count),
        f"mce@{bins}": float(largest),
    }


def _reliability(label: NDArray[np.int8], prob: Floats, held: Ints, bins: int, part: str) -> Ledger:
    counts = np.bincount(held, minlength=bins).tolist()
    ones = np.bincount(held[label == 1], minlength=bins).tolist()
    sums = totals_by(held, prob, bins).tolist()
    found: Ledger = {}
    for j in range(bins):
        metric = f"reliability@{bins}/bin={j}"
        found[key(metric, "all_queries", part, "n")] = counts[j]
        found[key(metric, "all_queries", part, "mean_prob")] = ratio(sums[j], counts[j])
        found[key(metric, "all_queries", part, "mean_label")] = ratio(ones[j], counts[j])
    return found
