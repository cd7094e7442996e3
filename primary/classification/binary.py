"""Classification: curves, thresholds, confusion, pairs (contract, sections 4 and 16).

A curve needs no more than the sorted scores of the positives and of the negatives: the counts at
or above a threshold are places in those two arrays.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from primary.arithmetic.aggregate import Ledger, key, ratio
from primary.arithmetic.decimals import shortest
from primary.arithmetic.exact import total, whole_product
from primary.classification.further import further_areas, further_rates
from primary.data.lists import spread
from primary.data.study import CELL

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from fractions import Fraction

    import polars as pl
    from numpy.typing import NDArray

    from primary.data.study import Rows, Study
    from primary.ranking.hits import Hits

    Floats = NDArray[np.float64]

PER_CRITERION = ("auroc", "auprc", "sensitivity", "precision")
"""Of section 9's metrics those of this one."""

ROC = ("auroc", "auroc/strict", "auprc", "auprc/trapezoid")
CONFUSION_COUNTS = ("tp", "fp", "tn", "fn")
CONFUSION_RATES = (
    "sensitivity",
    "specificity",
    "fpr",
    "fnr",
    "precision",
    "npv",
    "f1",
    "mcc",
    "balanced_accuracy",
)


def areas(positive: Floats, negative: Floats) -> dict[str, float]:
    """Give the areas under both curves; the scores come sorted, ascending."""
    n_pos, n_neg = len(positive), len(negative)
    if not n_pos or not n_neg:
        prior = 1.0 if n_pos else 0.0
        return dict(zip(ROC, (0.5, 0.5, prior, prior), strict=True))
    scores, begins = np.unique(positive, return_index=True)
    count = np.diff(np.append(begins, n_pos))
    below = np.searchsorted(negative, scores, side="left")
    upto = np.searchsorted(negative, scores, side="right")
    pairs = n_pos * n_neg
    tp, fp = n_pos - begins, n_neg - below
    higher = tp - count + n_neg - upto
    precision = tp / (tp + fp)
    before = np.divide(tp - count, higher, out=np.ones(len(scores)), where=higher > 0)
    return {
        "auroc": int(whole_product(count, below + upto)) / (2 * pairs),
        "auroc/strict": int(whole_product(count, below)) / pairs,
        "auprc": float(total(count * precision)) / n_pos,
        "auprc/trapezoid": float(total(count * (precision + before))) / (2 * n_pos),
    }


def budget(alpha: Fraction, negatives: int) -> int:
    """Give how many false positives FPR ≤ α allows: 100·FP ≤ α·N, in integers."""
    return math.floor(alpha * negatives / 100)


def _limit(negative: Floats, allowed: int) -> float:
    """Give the score that a threshold must exceed to stay within the budget."""
    return float(negative[len(negative) - 1 - allowed]) if allowed < len(negative) else -math.inf


def threshold_within(positive: Floats, negative: Floats, alpha: Fraction) -> float:
    """Give the largest threshold that reaches the largest TPR with FPR ≤ α (S3 A.10, G.1)."""
    limit = _limit(negative, budget(alpha, len(negative)))
    place = int(np.searchsorted(positive, limit, side="right"))
    return float(positive[place]) if place < len(positive) else math.inf


def last_threshold_within(positive: Floats, negative: Floats, alpha: Fraction) -> float:
    """Give the smallest threshold with FPR ≤ α on the full curve (S1 2.4)."""
    limit = _limit(negative, budget(alpha, len(negative)))
    return min(
        (
            float(scores[place])
            for scores in (positive, negative)
            if (place := int(np.searchsorted(scores, limit, side="right"))) < len(scores)
        ),
        default=math.inf,
    )


def _rate_at(scores: Floats, threshold: float) -> float:
    return ratio(len(scores) - int(np.searchsorted(scores, threshold, side="left")), len(scores))


def operating_points(
    positive: Floats, negative: Floats, alphas: Sequence[Fraction]
) -> dict[str, float]:
    """Give rates and thresholds at each FPR budget."""
    found: dict[str, float] = {}
    for alpha in alphas:
        at = f"@fpr={shortest(alpha)}%"
        best = threshold_within(positive, negative, alpha)
        last = last_threshold_within(positive, negative, alpha)
        found[f"tpr{at}"] = _rate_at(positive, best)
        found[f"threshold{at}"] = best
        found[f"fpr{at}"] = _rate_at(negative, best)
        found[f"threshold{at}/last_index"] = last
        found[f"fpr{at}/last_index"] = _rate_at(negative, last)
    return found


def confusion_counts(label: NDArray[np.int8], pred: NDArray[np.int8]) -> tuple[int, int, int, int]:
    """Give tp, fp, tn, fn."""
    tn, fp, fn, tp = np.bincount(2 * label.astype(np.int64) + pred, minlength=4).tolist()
    return tp, fp, tn, fn


def confusion_rates(tp: int, fp: int, tn: int, fn: int) -> dict[str, float]:
    """Give the nine rates; the product under MCC's root is taken in unbounded integers (T17)."""
    sensitivity, specificity = ratio(tp, tp + fn), ratio(tn, tn + fp)
    product = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    values = (
        sensitivity,
        specificity,
        ratio(fp, tn + fp),
        ratio(fn, tp + fn),
        ratio(tp, tp + fp),
        ratio(tn, tn + fn),
        ratio(2 * tp, 2 * tp + fp + fn),
        ratio(tp * tn - fp * fn, math.sqrt(product)),
        (sensitivity + specificity) / 2,
    )
    return dict(zip(CONFUSION_RATES, values, strict=True))


def curves(study: Study) -> Ledger:
    """Give areas, rates and thresholds of `prob`, or `score`, against the label."""
    score = study.curve_score
    if score is None:
        raise LookupError("curves need prob or score")
    found: Ledger = {}
    for part in study.by_row:
        positive, negative = _sorted_by_label(score[part.rows], study.label[part.rows])
        values = areas(positive, negative)
        values |= further_areas(positive, negative, study.settings.fpr)
        values |= operating_points(positive, negative, study.settings.fpr)
        for metric, value in values.items():
            found[key(metric, "all_queries", part.name, "value")] = value
    return found


def _sorted_by_label(scores: Floats, label: NDArray[np.int8]) -> tuple[Floats, Floats]:
    return np.sort(scores[label == 1]), np.sort(scores[label == 0])


def confusion(study: Study) -> Ledger:
    """Give the confusion at the operating threshold."""
    pred = study.pred
    if pred is None:
        raise LookupError("confusion needs pred or prob")
    found: Ledger = {}
    for part in study.by_row:
        counts = confusion_counts(study.label[part.rows], pred[part.rows])
        values = dict(zip(CONFUSION_COUNTS, counts, strict=True)) | confusion_rates(*counts)
        values |= further_rates(*counts, study.settings.beta)
        for metric, value in values.items():
            found[key(metric, "all_queries", part.name, "value")] = value
    return found


def pairs(study: Study, hits: Hits) -> Ledger:
    """Give the areas over every query × candidate (S0 4.1)."""
    data = study.data
    if data.candidates is None or data.scores is None:
        raise LookupError("pairs need candidates and scores")
    relevant = np.zeros(len(data.scores), dtype=bool)
    relevant[hits.place] = True
    found: Ledger = {}
    for part in [*study.all, *study.folds, *study.views]:
        if part.name == "all":
            here, scores = relevant, data.scores
        else:
            places = spread(data.candidates.offsets, part.rows)
            here, scores = relevant[places], data.scores[places]
        positive, negative = (np.sort(scores[some]) for some in (here, ~here))
        for metric, value in areas(positive, negative).items():
            found[key(metric, "pairs", part.name, "value")] = value
    return found


def tuned(study: Study) -> Ledger:
    """Choose thresholds on a fold's TUNE rows and apply them to its EVAL rows (S3 A.10, G).

    With seeds each has a threshold of its own in a fold, whose rates pool their decisions.
    """
    score, tune = study.curve_score, study.data.tune
    if score is None or tune is None:
        raise LookupError("tuned metrics need prob or score, and TUNE rows")
    found: Ledger = {}
    for alpha in study.settings.fpr:
        fired = np.zeros(study.size, dtype=np.int8)
        thresholds = {}
        for name, rows, chosen in tuning(study):
            by_label = _sorted_by_label(tune.score[chosen], tune.label[chosen])
            thresholds[name] = threshold_within(*by_label, alpha)
            fired[rows] = score[rows] >= thresholds[name]
        for part in study.folds:
            counts = confusion_counts(study.label[part.rows], fired[part.rows])
            rates = confusion_rates(*counts)
            values = {"tpr": rates["sensitivity"]}
            values |= {name: rates[name] for name in ("fpr", "precision", "f1", "mcc")}
            if part.name in thresholds and len(study.seed_values) < 2:  # noqa: PLR2004 - several seeds
                values["threshold"] = thresholds[part.name]
            for name, value in values.items():
                metric = f"{name}@fpr={shortest(alpha)}%/tuned"
                found[key(metric, "all_queries", part.name, "value")] = value
    return found


def tuning(study: Study) -> Iterator[tuple[str, Rows, NDArray[np.bool_]]]:
    """Give for each fold, with seeds for each of a seed, its name, EVAL rows and TUNE rows."""
    tune = study.data.tune
    if tune is None:
        return
    several = len(study.seed_values) > 1
    if not several:
        for fold, part in zip(study.fold_values, study.plain_folds, strict=True):
            yield part.name, part.rows, tune.fold == fold
        return
    for seed, cells in study.cells.items():
        own = np.zeros(len(tune.fold), dtype=bool) if tune.seed is None else _is(tune.seed, seed)
        for part in cells:
            fold = int(part.name.rpartition(CELL)[2])
            yield part.name, part.rows, own & (tune.fold == fold)


def _is(series: pl.Series, value: str) -> NDArray[np.bool_]:
    return (series == value).to_numpy()
