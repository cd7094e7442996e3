"""ROC and precision–recall points from labels and probabilities (contract, section 4).

Thresholds are the distinct scores, and `inf`, where nothing is predicted positive.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

GRID = 1500
"""Points closer than 1/GRID in both directions fall on the same dot of a printed column."""


@dataclass(frozen=True, slots=True)
class Curves:
    """Both curves at every distinct threshold, from `inf` downwards."""

    fpr: NDArray[np.float64]
    tpr: NDArray[np.float64]
    precision: NDArray[np.float64]
    positives: int
    negatives: int

    @property
    def auroc(self) -> float:
        """Area under the straight lines between the ROC points: ties earn one half."""
        return float(np.trapezoid(self.tpr, self.fpr))

    @property
    def auprc(self) -> float:
        """Sum of the steps of recall times the precision they reach."""
        return float(np.sum(np.diff(self.tpr) * self.precision[1:]))


def curves(label: NDArray[np.bool_], prob: NDArray[np.float64]) -> Curves | None:
    """Both curves; nothing where one of the classes is missing."""
    positives = int(np.count_nonzero(label))
    negatives = len(label) - positives
    if not positives or not negatives:
        return None
    order = np.argsort(-prob, kind="stable")
    ranked, hits = prob[order], np.cumsum(label[order])
    last = np.append(np.flatnonzero(np.diff(ranked)), len(ranked) - 1)
    found = np.concatenate(([0], hits[last]))
    called = np.concatenate(([0], last + 1))
    precision = np.ones(len(found))
    precision[1:] = found[1:] / called[1:]
    return Curves(
        fpr=(called - found) / negatives,
        tpr=found / positives,
        precision=precision,
        positives=positives,
        negatives=negatives,
    )


def thinned(
    x: NDArray[np.float64], y: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Drop points that print on the same dot as the one before; the ends stay."""
    cell = np.stack([np.round(x * GRID), np.round(y * GRID)])
    moved = np.any(np.diff(cell, axis=1) != 0, axis=0)
    keep = np.concatenate(([True], moved))
    keep[-1] = True
    return x[keep], y[keep]
