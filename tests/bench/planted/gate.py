"""Plants in the gate of the built-in study: curves, decisions, calibration."""

from __future__ import annotations

import math
from statistics import mean
from typing import TYPE_CHECKING

import numpy as np
import plain as p
from plant import Plant, Query, Study

if TYPE_CHECKING:
    from collections.abc import Callable

AUROC, AUPRC, ECE, BRIER, F1 = (
    f"{name}|all_queries|all|value" for name in ("auroc", "auprc", "ece@10", "brier", "f1")
)


def pairs(s: Study) -> list[tuple[int, float]]:
    return [(q.label, q.prob) for q in s.queries]


def limit(s: Study, q: Query) -> float:
    return float(s.extra["threshold"][str(q.fold)])


def rate(name: str, decide: Callable[[Study, Query], bool]) -> Callable[[Study], float]:
    """Give a rate of the confusion matrix that other decisions make."""

    def value(s: Study) -> float:
        tp, fp, tn, fn = p.counts(s.queries, lambda q: decide(s, q))
        below = math.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
        return {
            "f1": p.f1(tp, fp, fn),
            "negatives": p.f1(tn, fp, fn),
            "both": (p.f1(tp, fp, fn) + p.f1(tn, fp, fn)) / 2,
            "weighted": ((tp + fn) * p.f1(tp, fp, fn) + (tn + fp) * p.f1(tn, fp, fn))
            / (tp + fp + tn + fn),
            "arithmetic": (tp / (tp + fp) + tp / (tp + fn)) / 2,
            "accuracy": (tp + tn) / (tp + fp + tn + fn),
            "sensitivity": tp / (tp + fn),
            "precision": tp / (tp + fp),
            "mcc": (tp * tn - fp * fn) / below,
        }[name]

    return value


def passed(_: Study, q: Query) -> bool:
    return bool(q.pred)


def equal_mass(s: Study) -> float:
    ordered = sorted(pairs(s), key=lambda pair: pair[1])
    found = []
    for some in np.array_split(np.arange(len(ordered)), 10):
        chosen = [ordered[i] for i in some]
        gap = mean(label for label, _ in chosen) - mean(prob for _, prob in chosen)
        found.append((len(chosen), gap))
    return p.expected(found)


def linspace_bin(prob: float) -> int:
    return int(min(np.searchsorted(np.linspace(0, 1, 11), prob, side="right") - 1, 9))


def interpolated_tpr(s: Study, budget: float) -> float:
    ordered = sorted(pairs(s), key=lambda pair: -pair[1])
    above = sum(label for label, _ in ordered)
    points, tp, fp = [(0.0, 0.0)], 0, 0
    for i, (label, prob) in enumerate(ordered):
        tp, fp = tp + label, fp + 1 - label
        if i + 1 == len(ordered) or ordered[i + 1][1] != prob:
            points.append((fp / (len(ordered) - above), tp / above))
    xs, ys = zip(*points, strict=True)
    return float(np.interp(budget, xs, ys))


def confidence(s: Study) -> float:
    sure = [(int((prob >= 0.5) == bool(label)), max(prob, 1 - prob)) for label, prob in pairs(s)]
    return p.expected(p.gaps(sure, p.tenth))


def pairs_of(s: Study, criterion: str) -> list[tuple[int, float]]:
    return [(q.label, q.prob) for q in s.queries if q.criterion == criterion]


def plants() -> list[Plant]:
    """Mistakes in curves, decisions and calibration."""
    return [
        Plant(
            AUROC,
            "macro",
            "mean of the criteria",
            lambda s: mean(
                p.auroc(pairs_of(s, c)) for c in sorted({q.criterion for q in s.queries})
            ),
        ),
        Plant(AUROC, "tune-split", "TUNE rows", lambda s: p.auroc(s.extra["tune"])),
        Plant(
            AUROC,
            "definition",
            "from decisions",
            lambda s: p.auroc([(q.label, float(q.pred)) for q in s.queries]),
        ),
        Plant(
            AUROC,
            "tune-in-eval",
            "TUNE and EVAL rows",
            lambda s: p.auroc([*pairs(s), *s.extra["tune"]]),
        ),
        Plant(
            AUROC,
            "complement",
            "scores upside down",
            lambda s: p.auroc([(label, 1 - prob) for label, prob in pairs(s)]),
        ),
        Plant(
            AUPRC,
            "labels-flipped",
            "the negatives as positives",
            lambda s: p.average_precision([(1 - label, 1 - prob) for label, prob in pairs(s)]),
        ),
        Plant(
            AUPRC,
            "decisions-for-probabilities",
            "from decisions",
            lambda s: p.average_precision([(q.label, float(q.pred)) for q in s.queries]),
        ),
        Plant(
            "precision|all_queries|all|value",
            "threshold-strictly-above",
            "> at the threshold",
            rate("precision", lambda s, q: q.prob > limit(s, q)),
        ),
        Plant(
            "sensitivity|all_queries|all|value",
            "decision-at-one-half",
            "threshold 0.5",
            rate("sensitivity", lambda _, q: q.prob >= 0.5),
        ),
        Plant(
            "mcc|all_queries|all|value",
            "threshold-mean-of-folds",
            "mean threshold",
            rate("mcc", lambda s, q: q.prob >= mean(s.extra["threshold"].values())),
        ),
        Plant(
            F1,
            "threshold-wrong-side",
            "passed below the threshold",
            rate("f1", lambda s, q: q.prob < limit(s, q)),
        ),
        Plant(F1, "f1-of-both-classes", "F1 of both classes", rate("both", passed)),
        Plant(F1, "f1-weighted-by-class", "weighted F1", rate("weighted", passed)),
        Plant(F1, "f1-of-the-negatives", "F1 of the negatives", rate("negatives", passed)),
        Plant(F1, "f1-arithmetic-mean", "arithmetic mean of P and R", rate("arithmetic", passed)),
        Plant(
            "balanced_accuracy|all_queries|all|value",
            "another-metric",
            "accuracy",
            rate("accuracy", passed),
        ),
        Plant(
            "sensitivity|all_queries|all|value",
            "another-metric",
            "precision",
            rate("precision", passed),
        ),
        Plant(
            "tpr@fpr=1%|all_queries|all|value",
            "tpr-interpolated",
            "interpolated ROC",
            lambda s: interpolated_tpr(s, 0.01),
        ),
        Plant(
            "tpr@fpr=5%|all_queries|all|value",
            "cutoff",
            "budget of another column",
            lambda s: s.value("tpr@fpr=3%|all_queries|all|value"),
            4,
        ),
        Plant(
            ECE,
            "ece-linspace-edges",
            "linspace edges",
            lambda s: p.expected(p.gaps(pairs(s), linspace_bin)),
            6,
        ),
        Plant(
            ECE,
            "other-bins",
            "15 bins",
            lambda s: p.expected(p.gaps(pairs(s), lambda x: p.tenth(x, 15))),
            4,
        ),
        Plant(ECE, "ece-bins-of-equal-mass", "bins of equal size", equal_mass, 4),
        Plant(
            ECE,
            "another-metric",
            "the largest gap",
            lambda s: max(abs(gap) for _, gap in p.gaps(pairs(s), p.tenth)),
            4,
        ),
        Plant(
            ECE,
            "ece-bins-unweighted",
            "bins not weighted",
            lambda s: mean(abs(gap) for _, gap in p.gaps(pairs(s), p.tenth)),
            4,
        ),
        Plant(
            ECE,
            "ece-root-mean-square",
            "root mean square",
            lambda s: math.sqrt(
                sum(n * gap * gap for n, gap in p.gaps(pairs(s), p.tenth)) / len(s.queries)
            ),
            4,
        ),
        Plant(ECE, "ece-of-confidence", "confidence of the decision", confidence, 4),
        Plant(
            BRIER,
            "brier-root",
            "root of Brier",
            lambda s: math.sqrt(mean((q.prob - q.label) ** 2 for q in s.queries)),
            4,
        ),
        Plant(
            BRIER,
            "brier-both-classes",
            "Brier of both classes",
            lambda s: 2 * mean((q.prob - q.label) ** 2 for q in s.queries),
            4,
        ),
        Plant(
            BRIER,
            "brier-absolute",
            "absolute error",
            lambda s: mean(abs(q.prob - q.label) for q in s.queries),
            4,
        ),
        Plant(
            "log_loss|all_queries|all|value",
            "log-loss-base-2",
            "log to the base 2",
            lambda s: s.value("log_loss|all_queries|all|value") / math.log(2),
            4,
        ),
    ]
