"""Curves, confusion and thresholds gone wrong, one slice at a time."""

from __future__ import annotations

import math
import re
import warnings
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from crosscheck.faults.bench import Bench
    from crosscheck.witnesses import Ledger, Number
    from crosscheck.witnesses.rows import Floats, Mask, Rows

Point = tuple[float, float, float]
"""Threshold, TPR, FPR."""
Rates = list[Point]

BUDGET = re.compile(r"(tpr|fpr|threshold)@fpr=([^/%]+)%")
COUNTS = ("tp", "fp", "tn", "fn")


def share(part: float, whole: float, empty: float = 0.0) -> float:
    """Divide; a zero denominator gives what `empty` says."""
    return float(part / whole) if whole else empty


def points(label: Mask, score: Floats) -> list[tuple[float, int, int]]:
    """Give the curve: threshold, true and false positives, from `inf` down."""
    order = np.argsort(-score, kind="stable")
    ranked, hits = score[order], np.cumsum(label[order])
    last = np.append(np.flatnonzero(np.diff(ranked)), len(ranked) - 1)
    true, false = hits[last].tolist(), (last + 1 - hits[last]).tolist()
    return [(math.inf, 0, 0), *zip(ranked[last].tolist(), true, false, strict=True)]


def _areas(metric: str, area: Callable[[Mask, Floats], float | None]) -> Callable[[Bench], Ledger]:
    def inject(bench: Bench) -> Ledger:
        def value(rows: Rows, mask: Mask) -> float | None:
            return area(rows.label[mask], rows.prob[mask]) if mask.any() else None

        return bench.valued({metric: value})

    return inject


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


def _envelope(label: Mask, prob: Floats) -> float | None:
    """Sum the steps under the best precision at any larger recall."""
    positives = int(label.sum())
    if positives in {0, len(label)}:
        return None
    order = np.argsort(-prob, kind="stable")
    last = np.append(np.flatnonzero(np.diff(prob[order])), len(prob) - 1)
    true = np.cumsum(label[order])[last]
    best = np.maximum.accumulate((true / (last + 1))[::-1])[::-1]
    return float(np.sum(np.diff(true, prepend=0) / positives * best))


def _swap(first: str, second: str) -> Callable[[Bench], Ledger]:
    """Exchange two answers under their names."""

    def inject(bench: Bench) -> Ledger:
        patch: Ledger = {}
        for text, value in bench.ledger.items():
            if text.startswith(f"{first}|"):
                other = text.replace(first, second, 1)
                patch |= {text: bench.ledger[other], other: value}
        return bench.overlaid(patch)

    return inject


def _decided(
    metrics: tuple[str, ...], change: Callable[[Rows, Mask], Mask]
) -> Callable[[Bench], Ledger]:
    """Decide otherwise, and let these metrics of the confusion matrix follow."""

    def inject(bench: Bench) -> Ledger:
        def value(metric: str, rows: Rows, mask: Mask) -> Number:
            return confusion(rows.label[mask], change(rows, mask))[metric]

        return bench.valued({metric: partial(value, metric) for metric in metrics})

    return inject


def confusion(label: Mask, pred: Mask) -> dict[str, Number]:
    """Give the confusion matrix and its rates, rightly; the decisions may be wrong."""
    tp, fp = int((label & pred).sum()), int((~label & pred).sum())
    fn, tn = int((label & ~pred).sum()), int((~label & ~pred).sum())
    return {
        "tp": tp,
        "fp": fp,
        "tn": tn,
        "fn": fn,
        "sensitivity": share(tp, tp + fn),
        "specificity": share(tn, tn + fp),
        "precision": share(tp, tp + fp),
        "npv": share(tn, tn + fn),
    }


def _from_counts(
    metric: str, formula: Callable[[int, int, int, int], Number]
) -> Callable[[Bench], Ledger]:
    """Break a rate, worked out from the honest tp, fp, tn, fn of its slice."""

    def inject(bench: Bench) -> Ledger:
        patch: Ledger = {}
        for text in bench.ledger:
            key = bench.keys[text]
            counts = [f"{name}|{key.population}|{key.slice}|value" for name in COUNTS]
            if key.metric == metric and all(count in bench.ledger for count in counts):
                patch[text] = formula(*(int(bench.ledger[count]) for count in counts))
        return bench.overlaid(patch)

    return inject


def _budget(
    choose: Callable[[Rates, float], Point],
) -> Callable[[Bench], Ledger]:
    """Choose the point of the curve by another rule; TPR, FPR and threshold follow."""

    def inject(bench: Bench) -> Ledger:
        patch: Ledger = {}
        known: dict[tuple[str, str], dict[str, float]] = {}
        for text in bench.case.owed:
            key = bench.keys[text]
            found = BUDGET.fullmatch(key.metric)
            if not found or key.population != "all_queries" or key.slice == "folds":
                continue
            at = (key.slice, found[2])
            if at not in known:
                known[at] = _at(
                    bench.rows, bench.rows.mask("all_queries", key.slice), found[2], choose
                )
            if known[at]:
                patch[text] = known[at][found[1]]
        return bench.overlaid(patch)

    return inject


def _at(
    rows: Rows, mask: Mask, alpha: str, choose: Callable[[Rates, float], Point]
) -> dict[str, float]:
    label, prob = rows.label[mask], rows.prob[mask]
    positives, negatives = int(label.sum()), int((~label).sum())
    if not (positives and negatives):
        return {}
    rates = [(t, true / positives, false / negatives) for t, true, false in points(label, prob)]
    threshold, tpr, fpr = choose(rates, float(alpha) / 100)
    return {"threshold": threshold, "tpr": tpr, "fpr": fpr}


def _best(rates: Rates) -> Point:
    return max(rates, key=lambda one: (one[1], one[0]))


def _in_floats(rates: Rates, alpha: float) -> Point:
    """Compare 1 − specificity with the budget, in floats."""
    return _best([one for one in rates if 1 - (1 - one[2]) <= alpha])


def _nearest(rates: Rates, alpha: float) -> Point:
    return min(rates, key=lambda one: (abs(one[2] - alpha), -one[1]))


def dropped_points(bench: Bench) -> Ledger:
    """Ask scikit-learn for the curve with its default, which drops points."""
    from sklearn.metrics import roc_curve  # noqa: PLC0415 - 1.6 s to import

    def value(alpha: str, rows: Rows, mask: Mask) -> float | None:
        label = rows.label[mask]
        if label.all() or not label.any():
            return None
        fpr, tpr, _ = roc_curve(label, rows.prob[mask])
        return float(tpr[fpr <= float(alpha) / 100].max(initial=0.0))

    asked = bench.metrics(r"tpr@fpr=([^/%]+)%")
    return bench.valued({found[0]: partial(value, found[1]) for found in asked})


def tuned_on_eval(bench: Bench) -> Ledger:
    """Choose the tuned threshold on the very rows that are evaluated."""
    patch: Ledger = {}
    for text in bench.ledger:
        metric, rest = text.split("|", 1)
        if metric.endswith("%/tuned") and metric.startswith(("tpr@", "fpr@", "threshold@")):
            patch[text] = bench.ledger.get(f"{metric.removesuffix('/tuned')}|{rest}", 0.0)
    return bench.overlaid(patch)


def mcc_overflows(tp: int, fp: int, tn: int, fn: int) -> float:
    """Multiply under the root in 32-bit integers, which wrap round."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # numpy remarks on the very overflow that is injected
        product = np.int32(1)
        for factor in (tp + fp, tp + fn, tn + fp, tn + fn):
            product = np.int32(product * np.int32(factor))
    below = int(product)
    return (tp * tn - fp * fn) / math.sqrt(below) if below > 0 else 0.0


INJECT: dict[str, Callable[[Bench], Ledger]] = {
    "auroc-one-class-nan": _areas("auroc", _one_class(math.nan)),
    "auroc-one-class-zero": _areas("auroc", _one_class(0.0)),
    "auroc-ties-earn-nothing": _areas("auroc", _wins(0.0)),
    "auroc-ties-earn-all": _areas("auroc", _wins(1.0)),
    "auprc-one-class-one": _areas("auprc", _one_class(1.0)),
    "auprc-best-precision": _areas("auprc", _envelope),
    "auprc-trapezoid": lambda bench: bench.matching(
        "auprc",
        lambda key, _: bench.ledger[f"auprc/trapezoid|{key.population}|{key.slice}|value"],
    ),
    "roc-points-dropped": dropped_points,
    "threshold-always-inf": lambda bench: bench.matching(
        r"threshold@fpr=[^/]+", lambda *_: math.inf
    ),
    "last-index-of-budget": _budget(
        lambda rates, alpha: [one for one in rates if one[2] <= alpha][-1]
    ),
    "budget-in-floats": _budget(_in_floats),
    "budget-strictly-below": _budget(
        lambda rates, alpha: _best([one for one in rates if one[2] < alpha] or rates[:1])
    ),
    "budget-nearest-point": _budget(_nearest),
    "tuned-on-eval": tuned_on_eval,
    "threshold-strictly-above": _decided(
        COUNTS, lambda rows, mask: (rows.prob > rows.threshold)[mask]
    ),
    "decision-at-one-half": _decided(
        (*COUNTS, "sensitivity", "specificity", "precision", "npv"),
        lambda rows, mask: (rows.prob >= 0.5)[mask],  # noqa: PLR2004 - the hard-coded number is the fault
    ),
    "fp-fn-swapped": _swap("fp", "fn"),
    "tp-tn-swapped": _swap("tp", "tn"),
    "specificity-is-fpr": _from_counts("specificity", lambda _tp, fp, tn, _fn: share(fp, fp + tn)),
    "npv-over-negatives": _from_counts("npv", lambda _tp, fp, tn, _fn: share(tn, tn + fp)),
    "balanced-accuracy-one-class": _from_counts(
        "balanced_accuracy",
        lambda tp, fp, tn, fn: float(
            np.mean([share(a, b) for a, b in ((tp, tp + fn), (tn, tn + fp)) if b] or [0.0])
        ),
    ),
    "f1-free-without-positives": _from_counts(
        "f1", lambda tp, fp, _tn, fn: share(2 * tp, 2 * tp + fp + fn, empty=1.0)
    ),
    "f1-arithmetic-mean": _from_counts(
        "f1", lambda tp, fp, _tn, fn: (share(tp, tp + fp) + share(tp, tp + fn)) / 2
    ),
    "mcc-overflows": _from_counts("mcc", mcc_overflows),
    "accuracy-for-precision": _from_counts(
        "precision", lambda tp, fp, tn, fn: share(tp + tn, tp + fp + tn + fn)
    ),
}
