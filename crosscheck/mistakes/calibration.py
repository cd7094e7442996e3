"""Calibration gone wrong: bins, edges and means."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from crosscheck.mistakes.formula import Formula, of_rows

if TYPE_CHECKING:
    import re
    from collections.abc import Callable

    from crosscheck.data.rows import Floats, Mask, Rows

    Bins = np.ndarray[Any, np.dtype[np.int64]]
    Place = Callable[[Floats, int], Bins]
    """(probabilities, M) → the bin of each; −1 for none."""
    Combine = Callable[[Floats, Floats, int], float]
    """(queries of each bin, their gaps, all queries) → ECE."""


def proper(prob: Floats, count: int) -> Bins:
    """Make bins as the contract has them: j/M ≤ p < (j+1)/M, the last also with p = 1."""
    edges = np.array([j / count for j in range(count)])
    bins: Bins = np.searchsorted(edges, prob, side="right") - 1
    return bins


def linspace_edges(prob: Floats, count: int) -> Bins:
    """Compare with np.linspace's edges, three of which lie a little too high."""
    bins: Bins = np.clip(np.digitize(prob, np.linspace(0, 1, count + 1)) - 1, 0, count - 1)
    return bins


def open_below(prob: Floats, count: int) -> Bins:
    """Make bins (a, b], so that p = 0 is in none."""
    edges = np.array([j / count for j in range(count)])
    return np.searchsorted(edges, prob, side="left") - 1


def equal_mass(prob: Floats, count: int) -> Bins:
    """Put as many queries in each bin as in any other."""
    bins: Bins = np.empty(len(prob), dtype=np.int64)
    for j, some in enumerate(np.array_split(np.argsort(prob, kind="stable"), count)):
        bins[some] = j
    return bins


def one_dropped(place: Place) -> Place:
    """Put p = 1 in no bin."""
    return lambda prob, count: np.where(prob == 1, -1, place(prob, count))


def gaps(label: Mask, prob: Floats, bins: Bins) -> tuple[Floats, Floats]:
    """Give each bin's number of queries, and mean label − mean probability."""
    inside = bins >= 0
    sizes = np.bincount(bins[inside]).astype(np.float64)
    gap = np.bincount(bins[inside], label[inside] - prob[inside])
    used = sizes > 0
    return sizes[used], gap[used] / sizes[used]


def weighted(sizes: Floats, gap: Floats, total: int) -> float:
    """Σ (n/N)·|gap|."""
    return float(np.sum(sizes / total * np.abs(gap)))


def ece(place: Place, combine: Combine = weighted) -> Formula:
    """Break ECE: where a probability goes, or what is made of the bins."""

    def value(rows: Rows, mask: Mask, at: re.Match[str]) -> float:
        prob, label = rows.prob[mask], rows.label[mask]
        sizes, gap = gaps(label, prob, place(prob, int(at[1])))
        return combine(sizes, gap, len(prob)) if len(sizes) else 0.0

    return of_rows(r"ece@(\d+)", value)


def _brier(error: Callable[[Floats], np.floating[Any]]) -> Formula:
    def value(rows: Rows, mask: Mask, _: re.Match[str]) -> float:
        return float(error(rows.prob[mask] - rows.label[mask]))

    return of_rows("brier", value)


def confidence(rows: Rows, mask: Mask, at: re.Match[str]) -> float:
    """Calibrate the confidence in the decision, max(p, 1 − p), as for several classes."""
    prob = np.maximum(rows.prob[mask], 1 - rows.prob[mask])
    right = (rows.prob[mask] >= 0.5) == rows.label[mask]  # noqa: PLR2004 - the middle
    return weighted(*gaps(right, prob, proper(prob, int(at[1]))), len(prob))


MISTAKES: dict[str, Formula] = {
    "ece-linspace-edges": ece(linspace_edges),
    "ece-linspace-half-open": ece(one_dropped(linspace_edges)),
    "ece-one-dropped": ece(one_dropped(proper)),
    "ece-one-in-eleventh-bin": ece(lambda p, m: np.where(p == 1, m, proper(p, m))),
    "ece-zero-dropped": ece(open_below),
    "ece-bins-closed-right": ece(lambda p, m: np.maximum(open_below(p, m), 0)),
    "ece-bins-of-equal-mass": ece(equal_mass),
    "ece-bins-unweighted": ece(proper, lambda _, gap, __: float(np.mean(np.abs(gap)))),
    "ece-largest-gap": ece(proper, lambda _, gap, __: float(np.max(np.abs(gap)))),
    "ece-errors-cancel": ece(proper, lambda n, gap, total: float(abs(np.sum(n / total * gap)))),
    "ece-root-mean-square": ece(
        proper, lambda n, gap, total: float(np.sqrt(np.sum(n / total * gap**2)))
    ),
    "ece-of-confidence": of_rows(r"ece@(\d+)", confidence),
    "brier-both-classes": _brier(lambda error: 2 * np.mean(error**2)),
    "brier-root": _brier(lambda error: np.sqrt(np.mean(error**2))),
    "brier-absolute": _brier(lambda error: np.mean(np.abs(error))),
}
