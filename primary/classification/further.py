"""Binary classification beyond the study (contract, section 16): further rates, further areas."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from primary.arithmetic.aggregate import ratio
from primary.arithmetic.decimals import shortest
from primary.arithmetic.exact import whole_product

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

CLOSE = 1 - 1 / 2**50
"""Within this factor two quotients of counts may be equal, or in another order than as floats."""


def further_rates(
    tp: int, fp: int, tn: int, fn: int, betas: Sequence[Fraction]
) -> dict[str, float]:
    """Give the rates of section 16 at the operating threshold; over no rows all are 0."""
    count = tp + fp + tn + fn
    fired, held = tp + fp, tp + fn
    by_chance = fired * held + (tn + fn) * (tn + fp)
    sensitivity, specificity = ratio(tp, held), ratio(tn, tn + fp)
    precision, npv = ratio(tp, fired), ratio(tn, tn + fn)
    found = {
        "accuracy": ratio(tp + tn, count),
        "error_rate": ratio(fp + fn, count),
        "jaccard": ratio(tp, tp + fp + fn),
        "kappa": ratio(count * (tp + tn) - by_chance, count * count - by_chance),
        "informedness": sensitivity + specificity - 1 if count else 0.0,
        "markedness": precision + npv - 1 if count else 0.0,
        "fdr": ratio(fp, fired),
        "fomr": ratio(fn, tn + fn),
        "prevalence": ratio(held, count),
        "auroc/decisions": _of_decisions(tp, fp, tn, fn),
    }
    return found | {f"f_beta@beta={shortest(beta)}": f_beta(tp, fp, fn, beta) for beta in betas}


def _of_decisions(tp: int, fp: int, tn: int, fn: int) -> float:
    """Give the AUROC of decisions: higher, ½ for equal; one class only: 0.5, of nothing 0."""
    pairs = (tp + fn) * (tn + fp)
    if not pairs:
        return 0.5 if tp + fp + tn + fn else 0.0
    return (2 * tp * tn + tp * fp + fn * tn) / (2 * pairs)


def f_beta(tp: int, fp: int, fn: int, beta: Fraction) -> float:
    """Give (1 + β²)PR/(β²P + R), in whole numbers."""
    squared = beta * beta
    part, whole = squared.numerator, squared.denominator
    return ratio((part + whole) * tp, (part + whole) * tp + part * fn + whole * fp)


def further_areas(
    positive: Floats, negative: Floats, alphas: Sequence[Fraction]
) -> dict[str, float]:
    """Give the largest F1, Gini and the partial areas; the scores come sorted, ascending."""
    best, threshold = largest_f1(positive, negative)
    found = {"max_f1": best, "threshold@max_f1": threshold}
    steps = _steps(positive, negative)
    pairs = len(positive) * len(negative)
    if pairs:
        doubled = int(whole_product(steps.width, 2 * steps.reached + steps.tied))
        found["gini"] = (doubled - pairs) / pairs
    else:
        found["gini"] = 0.0
    for alpha in alphas:
        found[f"auroc/partial@fpr={shortest(alpha)}%"] = steps.partial(alpha / 100)
    return found


def largest_f1(positive: Floats, negative: Floats) -> tuple[float, float]:
    """Give the largest F1 of any threshold, and the largest threshold that reaches it.

    It is at a positive's score: below it, up to the next, only false positives are added.
    """
    held = len(positive)
    if not held:
        return 0.0, math.inf
    scores, begins = np.unique(positive, return_index=True)
    tp = held - begins
    fired = tp + len(negative) - np.searchsorted(negative, scores, side="left")
    chosen = largest_quotient(2 * tp, fired + held)
    return 2 * int(tp[chosen]) / int(fired[chosen] + held), float(scores[chosen])


def largest_quotient(part: Ints, whole: Ints) -> int:
    """Give the last place of the largest quotient of counts.

    Floats of large counts can be equal where the quotients are not.

    >>> largest_quotient(np.array([2, 1, 4]), np.array([3, 2, 6]))
    2
    """
    shares = part / whole
    close = np.flatnonzero(shares >= shares.max() * CLOSE)[::-1]
    chosen = better = close
    while len(better):
        chosen = better[:1]
        better = better[part[better] * whole[chosen] > part[chosen] * whole[better]]
    return int(chosen[0])


@dataclass(frozen=True)
class _Steps:
    """The curve over the false positives, at each distinct score of a negative, descending."""

    width: Ints
    """How many negatives have that score, """
    reached: Ints
    """how many positives a higher one, """
    tied: Ints
    """and how many the same."""
    positives: int

    def partial(self, share: Fraction) -> float:
        """Give the area over FPR ≤ α, over α; a tie is a diagonal; one class: α/2; none: 0."""
        ends = np.cumsum(self.width)
        negatives = int(ends[-1]) if len(ends) else 0
        if not share or not negatives + self.positives:
            return 0.0
        if not negatives or not self.positives:
            return float(share / 2)
        limit = share * negatives
        whole = int(np.searchsorted(ends, math.floor(limit), side="right"))
        height = 2 * self.reached[:whole] + self.tied[:whole]
        area = Fraction(int(whole_product(self.width[:whole], height)), 2)
        if whole < len(ends):
            left = limit - (int(ends[whole - 1]) if whole else 0)
            area += left * int(self.reached[whole])
            area += left * left * int(self.tied[whole]) / (2 * int(self.width[whole]))
        return float(area / (negatives * self.positives * share))


def _steps(positive: Floats, negative: Floats) -> _Steps:
    scores, begins = np.unique(negative, return_index=True)
    width = np.diff(np.append(begins, len(negative)))
    below, upto = (np.searchsorted(positive, scores, side=side) for side in ("left", "right"))
    reached = len(positive) - upto
    return _Steps(width[::-1], reached[::-1], (upto - below)[::-1], len(positive))
