"""Calibration gone wrong: bins, edges and means."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from crosscheck.key import Key

if TYPE_CHECKING:
    from collections.abc import Callable

    from crosscheck.faults.bench import Bench
    from crosscheck.witnesses import Ledger
    from crosscheck.witnesses.rows import Floats, Mask, Rows

    Bins = np.ndarray[Any, np.dtype[np.int64]]
    Place = Callable[[Floats, int], Bins]
    """(probabilities, M) → the bin of each; −1 for none."""


def proper(prob: Floats, count: int) -> Bins:
    """Make bins as the contract has them: j/M ≤ p < (j+1)/M, the last also with p = 1."""
    edges = np.array([j / count for j in range(count)])
    bins: Bins = np.searchsorted(edges, prob, side="right") - 1
    return bins


def linspace_edges(prob: Floats, count: int) -> Bins:
    """Compare with np.linspace's edges, three of which lie a little too high."""
    bins: Bins = np.clip(np.digitize(prob, np.linspace(0, 1, count + 1)) - 1, 0, count - 1)
    return bins


def one_dropped(prob: Floats, count: int) -> Bins:
    """Put p = 1 in no bin."""
    return np.where(prob == 1, -1, proper(prob, count))


def one_alone(prob: Floats, count: int) -> Bins:
    """Put p = 1 in a bin of its own."""
    return np.where(prob == 1, count, proper(prob, count))


def open_below(prob: Floats, count: int) -> Bins:
    """Make bins (a, b], so that p = 0 is in none."""
    edges = np.array([j / count for j in range(count)])
    return np.searchsorted(edges, prob, side="left") - 1


def equal_mass(prob: Floats, count: int) -> Bins:
    """Put as many queries in each bin as in any other."""
    ranks = np.argsort(np.argsort(prob, kind="stable"), kind="stable")
    return ranks * count // len(prob)


def gaps(label: Mask, prob: Floats, bins: Bins) -> tuple[Floats, Floats]:
    """Give each bin's number of queries, and mean label − mean probability."""
    used = [bins == j for j in sorted(set(bins.tolist())) if j >= 0]
    sizes = np.array([inside.sum() for inside in used], dtype=np.float64)
    gap = np.array([label[inside].mean() - prob[inside].mean() for inside in used])
    return sizes, gap


def weighted(sizes: Floats, gap: Floats, total: int) -> float:
    """Σ (n/N)·|gap|."""
    return float(np.sum(sizes / total * np.abs(gap)))


def unweighted(_sizes: Floats, gap: Floats, _total: int) -> float:
    """Give the plain mean over the bins in use."""
    return float(np.mean(np.abs(gap)))


def signed(sizes: Floats, gap: Floats, total: int) -> float:
    """|Σ (n/N)·gap|: errors in two directions cancel."""
    return float(abs(np.sum(sizes / total * gap)))


def squared(sizes: Floats, gap: Floats, total: int) -> float:
    """Take the root of the weighted mean square."""
    return float(np.sqrt(np.sum(sizes / total * gap**2)))


def _ece(place: Place, combine: Callable[[Floats, Floats, int], float], bench: Bench) -> Ledger:
    def value(count: int, rows: Rows, mask: Mask) -> float | None:
        if not mask.any():
            return None
        prob, label = rows.prob[mask], rows.label[mask]
        sizes, gap = gaps(label, prob, place(prob, count))
        return combine(sizes, gap, len(prob)) if len(sizes) else 0.0

    asked = bench.metrics(r"ece@(\d+)")
    return bench.valued({found[0]: partial(value, int(found[1])) for found in asked})


def _brier(error: Callable[[Floats, Floats], float], bench: Bench) -> Ledger:
    def value(rows: Rows, mask: Mask) -> float | None:
        return error(rows.label[mask].astype(np.float64), rows.prob[mask]) if mask.any() else None

    return bench.valued({"brier": value})


def confidence(bench: Bench) -> Ledger:
    """Calibrate the confidence in the decision, max(p, 1 − p), as for several classes."""

    def value(rows: Rows, mask: Mask) -> float | None:
        if not mask.any():
            return None
        prob = np.maximum(rows.prob[mask], 1 - rows.prob[mask])
        right = (rows.prob[mask] >= 0.5) == rows.label[mask]  # noqa: PLR2004 - the middle
        sizes, gap = gaps(right, prob, proper(prob, 10))
        return weighted(sizes, gap, len(prob))

    return bench.valued({"ece@10": value})


def empty_bins_left_out(bench: Bench) -> Ledger:
    """Drop the answers about bins without a query."""
    empty = {
        Key.parse(key).metric
        for key, value in bench.ledger.items()
        if key.startswith("reliability@") and key.endswith("|n") and value == 0
    }
    return {k: v for k, v in bench.ledger.items() if k.partition("|")[0] not in empty}


INJECT: dict[str, Callable[[Bench], Ledger]] = {
    "ece-linspace-edges": partial(_ece, linspace_edges, weighted),
    "ece-one-dropped": partial(_ece, one_dropped, weighted),
    "ece-one-in-eleventh-bin": partial(_ece, one_alone, weighted),
    "ece-zero-dropped": partial(_ece, open_below, weighted),
    "ece-bins-of-equal-mass": partial(_ece, equal_mass, weighted),
    "ece-bins-unweighted": partial(_ece, proper, unweighted),
    "ece-errors-cancel": partial(_ece, proper, signed),
    "ece-root-mean-square": partial(_ece, proper, squared),
    "ece-of-confidence": confidence,
    "brier-both-classes": partial(_brier, lambda y, p: float(2 * np.mean((p - y) ** 2))),
    "brier-root": partial(_brier, lambda y, p: float(np.sqrt(np.mean((p - y) ** 2)))),
    "brier-absolute": partial(_brier, lambda y, p: float(np.mean(np.abs(p - y)))),
    "reliability-empty-bins-left-out": empty_bins_left_out,
}
