"""Curves, budgets and confusion gone wrong, one slice at a time."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING

import numpy as np

from crosscheck.mistakes.formula import Formula, named, of_keys, of_rows

if TYPE_CHECKING:
    import re
    from collections.abc import Callable

    from crosscheck.data.rows import Floats, Mask, Rows
    from crosscheck.mistakes.bench import Bench
    from crosscheck.model.key import Key
    from crosscheck.model.ledgers import Number

    Curve = tuple[Floats, Floats, Floats]
    """Thresholds from inf down, TPR, FPR."""
    Choose = Callable[[Curve, float], int]
    """(curve, budget) → the point that is taken."""

BUDGET = r"(tpr|fpr|threshold)@fpr=([^/%]+)%"
COUNTS = ("tp", "fp", "tn", "fn")
RESAMPLES = 400


def share(part: float, whole: float, empty: float = 0.0) -> float:
    """Divide; a zero denominator gives what `empty` says."""
    return float(part / whole) if whole else empty


def points(label: Mask, prob: Floats) -> Curve:
    """Give thresholds, true and false positives, at each distinct probability from the top."""
    order = np.argsort(-prob, kind="stable")
    last = np.append(np.flatnonzero(np.diff(prob[order])), len(prob) - 1)
    true = np.cumsum(label[order])[last].astype(np.float64)
    return prob[order][last], true, last + 1 - true


def dropped(curve: Curve) -> Curve:
    """Drop points where the curve does not turn, as scikit-learn does by default."""
    scores, true, false = curve
    turns = np.logical_or(np.diff(false, 2), np.diff(true, 2))
    kept = np.r_[True, turns, True] if len(scores) > 1 else np.array([True])
    return scores[kept], true[kept], false[kept]


def roc(label: Mask, prob: Floats, change: Callable[[Curve], Curve] = lambda c: c) -> Curve | None:
    """Give the ROC curve from (0, 0); None where a class is missing."""
    if label.all() or not label.any():
        return None
    scores, true, false = change(points(label, prob))
    return np.r_[np.inf, scores], np.r_[0.0, true / true[-1]], np.r_[0.0, false / false[-1]]


def _area(metric: str, area: Callable[[Mask, Floats], float | None]) -> Formula:
    def value(rows: Rows, mask: Mask, _: re.Match[str]) -> float | None:
        return area(rows.label[mask], rows.prob[mask])

    return of_rows(metric, value)


def _one_class(value: float) -> Callable[[Mask, Floats], float | None]:
    """Answer only where a class is missing."""
    return lambda label, _: value if label.all() or not label.any() else None


def _wins(tie: float) -> Callable[[Mask, Floats], float | None]:
    def area(label: Mask, prob: Floats) -> float | None:
        above, below = np.sort(prob[label]), np.sort(prob[~label])
        if not (len(above) and len(below)):
            return None
        under = np.searchsorted(below, above, side="left").sum()
        upto = np.searchsorted(below, above, side="right").sum()
        return float((under + tie * (upto - under)) / (len(above) * len(below)))

    return area


def _precision_recall(label: Mask, prob: Floats) -> tuple[Floats, Floats] | None:
    if label.all() or not label.any():
        return None
    _, true, false = points(label, prob)
    return true / (true + false), true / true[-1]


def envelope(label: Mask, prob: Floats) -> float | None:
    """Sum the steps under the best precision at any larger recall."""
    curve = _precision_recall(label, prob)
    if curve is None:
        return None
    best = np.maximum.accumulate(curve[0][::-1])[::-1]
    return float(np.sum(np.diff(curve[1], prepend=0) * best))


def trapezoid_from_zero(label: Mask, prob: Floats) -> float | None:
    """Join the points by straight lines, without the point (0, 1)."""
    curve = _precision_recall(label, prob)
    return None if curve is None else float(np.trapezoid(curve[0], curve[1]))


def _budget(choose: Choose, change: Callable[[Curve], Curve] = lambda c: c) -> Formula:
    """Choose the point of the curve by another rule; TPR, FPR and threshold follow."""

    def value(rows: Rows, mask: Mask, at: re.Match[str]) -> float | None:
        curve = roc(rows.label[mask], rows.prob[mask], change)
        if curve is None:
            return None
        place = choose(curve, float(at[2]) / 100)
        return float(curve[("threshold", "tpr", "fpr").index(at[1])][place])

    return of_rows(BUDGET, value)


def _best(curve: Curve, allowed: Mask) -> int:
    """Take the first point with the largest TPR among those allowed; (0, 0) if none is."""
    rates = np.where(allowed, curve[1], -1.0)
    return int(np.argmax(rates))


def nearest(curve: Curve, alpha: float) -> int:
    """Take the point whose FPR is nearest to the budget."""
    return int(np.lexsort((-curve[1], np.abs(curve[2] - alpha)))[0])


def interpolated_tpr(rows: Rows, mask: Mask, at: re.Match[str]) -> float | None:
    """Read TPR off straight lines between the points."""
    curve = roc(rows.label[mask], rows.prob[mask])
    return None if curve is None else float(np.interp(float(at[1]) / 100, curve[2], curve[1]))


def confusion(label: Mask, pred: Mask) -> dict[str, int]:
    """Give the confusion matrix, rightly; the decisions may be wrong."""
    return {
        "tp": int((label & pred).sum()),
        "fp": int((~label & pred).sum()),
        "tn": int((~label & ~pred).sum()),
        "fn": int((label & ~pred).sum()),
    }


def _swapped(first: str, second: str) -> Formula:
    """Exchange two counts under their names."""
    other = {first: second, second: first}
    return of_keys(
        f"{first}|{second}",
        lambda bench, key: bench.ledger[f"{other[key.metric]}|{str(key).partition('|')[2]}"],
    )


def _counted(metric: str, formula: Callable[[int, int, int, int], Number]) -> Formula:
    """Break a rate, worked out from the true tp, fp, tn, fn of its slice."""

    def value(bench: Bench, key: Key) -> Number | None:
        counts = [bench.ledger.get(f"{n}|{key.population}|{key.slice}|value") for n in COUNTS]
        tp, fp, tn, fn = (-1 if count is None else int(count) for count in counts)
        return None if tp < 0 else formula(tp, fp, tn, fn)

    return of_keys(metric, value)


def _both_f1(tp: int, fp: int, tn: int, fn: int) -> tuple[float, float]:
    return share(2 * tp, 2 * tp + fp + fn), share(2 * tn, 2 * tn + fp + fn)


def _weighted_f1(tp: int, fp: int, tn: int, fn: int) -> float:
    positive, negative = _both_f1(tp, fp, tn, fn)
    return share((tp + fn) * positive + (tn + fp) * negative, tp + fp + tn + fn)


def mcc_overflows(tp: int, fp: int, tn: int, fn: int) -> float:
    """Multiply under the root in 32-bit integers, which wrap round."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # numpy remarks on the very overflow that is injected
        product = np.int32(1)
        for factor in (tp + fp, tp + fn, tn + fp, tn + fn):
            product = np.int32(product * np.int32(factor))
    below = int(product)
    return (tp * tn - fp * fn) / math.sqrt(below) if below > 0 else 0.0


def unpaired(bench: Bench, key: Key) -> float | None:
    """Draw labels and scores apart (trap T2): the interval closes around 0.5."""
    end = key.statistic.partition("/")[0]
    mask = bench.rows.mask(key.population, key.slice)
    if end not in {"ci_low", "ci_high"} or key.population != "all_queries" or not mask.any():
        return None
    label, prob = bench.rows.label[mask], bench.rows.prob[mask]
    chance = np.random.default_rng(0)
    half = _wins(0.5)
    drawn = [
        half(chance.choice(label, len(label)), chance.choice(prob, len(prob)))
        for _ in range(RESAMPLES)
    ]
    areas = [0.5 if area is None else area for area in drawn]
    return float(np.percentile(areas, 2.5 if end == "ci_low" else 97.5))


MISTAKES: dict[str, Formula] = {
    "auroc-one-class-nan": _area("auroc", _one_class(math.nan)),
    "auroc-one-class-zero": _area("auroc", _one_class(0.0)),
    "auroc-ties-earn-nothing": _area("auroc", _wins(0.0)),
    "auroc-ties-earn-all": _area("auroc", _wins(1.0)),
    "auprc-one-class-one": _area("auprc", _one_class(1.0)),
    "auprc-best-precision": _area("auprc", envelope),
    "auprc-trapezoid-from-zero": _area("auprc", trapezoid_from_zero),
    "auprc-trapezoid": named("auprc", "auprc/trapezoid"),
    "roc-points-dropped": _budget(lambda c, a: _best(c, c[2] <= a), dropped),
    "tpr-interpolated": of_rows(r"tpr@fpr=([^/%]+)%", interpolated_tpr),
    "threshold-always-inf": of_keys(r"threshold@fpr=[^/]+", lambda *_: math.inf),
    "last-index-of-budget": _budget(lambda c, a: int(np.flatnonzero(c[2] <= a)[-1])),
    # 1 − specificity, in floats
    "budget-in-floats": _budget(lambda c, a: _best(c, 1 - (1 - c[2]) <= a)),
    "budget-strictly-below": _budget(lambda c, a: _best(c, c[2] < a)),
    "budget-nearest-point": _budget(nearest),
    "tuned-on-eval": named(r"((?:tpr|fpr|threshold)@.*%)/tuned", r"\1"),
    "fp-fn-swapped": _swapped("fp", "fn"),
    "tp-tn-swapped": _swapped("tp", "tn"),
    "specificity-is-fpr": _counted("specificity", lambda _tp, fp, tn, _fn: share(fp, fp + tn)),
    "npv-over-negatives": _counted("npv", lambda _tp, fp, tn, _fn: share(tn, tn + fp)),
    "balanced-accuracy-one-class": _counted(
        "balanced_accuracy",
        lambda tp, fp, tn, fn: float(
            np.mean([share(a, b) for a, b in ((tp, tp + fn), (tn, tn + fp)) if b] or [0.0])
        ),
    ),
    "f1-free-without-positives": _counted(
        "f1", lambda tp, fp, _tn, fn: share(2 * tp, 2 * tp + fp + fn, empty=1.0)
    ),
    "f1-arithmetic-mean": _counted(
        "f1", lambda tp, fp, _tn, fn: (share(tp, tp + fp) + share(tp, tp + fn)) / 2
    ),
    "f1-of-both-classes": _counted("f1", lambda *counts: sum(_both_f1(*counts)) / 2),
    "f1-weighted-by-class": _counted("f1", _weighted_f1),
    "mcc-overflows": _counted("mcc", mcc_overflows),
    "accuracy": _counted(
        "f1|precision|sensitivity|specificity|balanced_accuracy",
        lambda tp, fp, tn, fn: share(tp + tn, tp + fp + tn + fn),
    ),
    "bootstrap-unpaired": of_keys("auroc", unpaired),
}
