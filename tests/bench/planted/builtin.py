"""Plants in the built-in study: rankings, curves, decisions, calibration, folds, criteria."""

from __future__ import annotations

import math
import tomllib
from statistics import mean, median, stdev
from typing import TYPE_CHECKING, Any

import numpy as np
import plain as p
import rankings as r
from plant import Plant, Query, Study, over

import primary
from crosscheck import study
from crosscheck.diagnose.scene import Scene

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NAMES = ("threshold", "tau_neg", "tau_pos", "views")
NDCG = r.at("ndcg", 10)
FOLDS = "ndcg@10|positives_only|folds|"
AUROC, AUPRC, ECE, BRIER, F1 = (
    f"{name}|all_queries|all|value" for name in ("auroc", "auprc", "ece@10", "brier", "f1")
)


def of(folder: Path) -> Study:
    """Write the study, and read it as plain Python."""
    paths = study.write(folder, systems=("full", "retriever"))
    config = tomllib.loads(study.config_text())
    settings = {name: config[name] for name in NAMES}
    files = {path.stem: path for path in paths.values() if path.suffix == ".csv"}
    retriever = Scene(files["retriever"], {"views": config["views"]})
    scene = Scene(files["full"], settings, others={"retriever": retriever})
    rows = primary.table(files["full"], settings).to_dicts()
    queries = [
        Query(
            row["candidates"], row["scores"], row["gold"], row["prob"], row["has_evidence"],
            row["pred"], row["fold"], row["post_id"], row["criterion_id"], tuple(row["selected"]),
        )
        for row in rows
        if row["split"] == "EVAL"
    ]  # fmt: skip
    tune = [(row["has_evidence"], row["prob"]) for row in rows if row["split"] == "TUNE"]
    return Study("built-in", scene, queries, {"tune": tune, "threshold": config["threshold"]})


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


def grouped(s: Study, name: str, k: int) -> float:
    groups: dict[Any, list[float]] = {}
    for q in s.positives:
        groups.setdefault(getattr(q, name), []).append(p.ndcg(q, k))
    return mean(mean(values) for values in groups.values())


def without(s: Study, name: str, value: object) -> Study:
    kept = [q for q in s.queries if getattr(q, name) != value]
    return Study(s.name, s.scene, kept, s.extra)


def fold_values(s: Study) -> list[float]:
    folds = sorted({q.fold for q in s.queries})
    return [over([q for q in s.positives if q.fold == i], lambda q: p.ndcg(q, 10)) for i in folds]


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


def float32(q: Query) -> Query:
    scores = [float(np.float32(score)) for score in q.scores]
    return p.resorted(q.but(scores=scores), descending=True)


def confidence(s: Study) -> float:
    sure = [(int((prob >= 0.5) == bool(label)), max(prob, 1 - prob)) for label, prob in pairs(s)]
    return p.expected(p.gaps(sure, p.tenth))


def selected(q: Query) -> int:
    return len(set(q.gold) & set(q.selected))


def rankings() -> list[Plant]:
    """Mistakes in ranking metrics."""
    wanted = [one for one in r.of_ndcg(10) if one.mistake != "hitless-dropped"]
    return [
        *wanted, r.hitless(10), *r.of_map(10), *r.of_mrr(), *r.of_sets(5), *r.of_means(10),
        *r.of_order(10), *r.of_print(10),
        Plant(NDCG, "ties-by-ascending-id", "ties by id", r.positives(lambda q: p.ndcg(p.resorted(q, descending=False), 10))),
        Plant(NDCG, "ties-by-document-id", "ties by id, descending", r.positives(lambda q: p.ndcg(p.resorted(q, descending=True), 10))),
        Plant(r.at("recall", 10, "all_queries"), "free-without-gold", "empty gold is perfect", lambda s: over(s.queries, lambda q: p.recall(q, 10) if q.gold else 1.0)),
        Plant(r.at("ndcg", 3), "ndcg-ideal-not-cut", "ideal of all gold", r.positives(lambda q: p.ndcg(q, 3, p.ideal(len(q.gold))))),
        Plant(r.at("precision", 20), "definition", "P divided by what was returned", r.positives(lambda q: sum(q.hits[:20]) / min(20, len(q.ranking)))),
        Plant(NDCG, "system", "the retriever's number", lambda s: float(s.scene.others["retriever"].ledger[NDCG])),
        Plant(NDCG, "tie-bound", "ties in the best order", lambda s: s.value("ndcg@10/tie_high|positives_only|all|mean"), 4),
    ]  # fmt: skip


def parts() -> list[Plant]:
    """Mistakes in folds, criteria, posts and statistics."""
    return [
        Plant(NDCG, "mean-of-posts", "mean of posts", lambda s: grouped(s, "post", 10)),
        Plant(r.at("ndcg", 5), "mean-of-criteria", "mean of criteria", lambda s: grouped(s, "criterion", 5)),
        Plant(NDCG, "part-left-out", "criterion A.10 left out", lambda s: over(without(s, "criterion", "A.10").positives, lambda q: p.ndcg(q, 10)), 4),
        Plant(AUROC, "part-left-out", "criterion A.3 left out", lambda s: p.auroc(pairs(without(s, "criterion", "A.3"))), 4),
        Plant(r.at("recall", 10), "part-left-out", "fold 2 left out", lambda s: over(without(s, "fold", 2).positives, lambda q: p.recall(q, 10)), 4),
        Plant(NDCG, "slice", "fold 3 alone", lambda s: fold_values(s)[3]),
        Plant(NDCG, "pooled", "mean of folds", lambda s: mean(fold_values(s)), 4),
        Plant(FOLDS + "mean", "pooled", "pooled for folds", lambda s: over(s.positives, lambda q: p.ndcg(q, 10)), 4),
        Plant(FOLDS + "mean", "part-left-out", "fold 4 left out of the mean of folds", lambda s: mean(fold_values(s)[:4]), 4),
        Plant(FOLDS + "mean", "folds-rounded", "folds rounded to two decimals", lambda s: mean(round(v, 2) for v in fold_values(s)), 6),
        Plant(FOLDS + "std", "spread", "std with n", lambda s: float(np.std(fold_values(s))), 4),
        Plant(FOLDS + "std", "spread", "std over queries", lambda s: stdev(p.ndcg(q, 10) for q in s.positives)),
        Plant(FOLDS + "std", "standard-error", "standard error", lambda s: stdev(fold_values(s)) / math.sqrt(5), 4),
        Plant("mrr@10|positives_only|all|mean", "statistic", "the standard deviation", lambda s: stdev(p.mrr(q, 10) for q in s.positives), 4),
        Plant("recall@1|positives_only|all|mean", "statistic", "the median", lambda s: median(p.recall(q, 1) for q in s.positives), 4),
        Plant("evidence_recall|positives_only|all|mean", "gated-selection", "selection after the gate", lambda s: over(s.positives, lambda q: selected(q) / len(q.gold) if q.pred else 0.0)),
        Plant("evidence_precision|positives_only|all|mean", "empty-selections-skipped", "empty selections skipped", lambda s: mean(selected(q) / len(q.selected) for q in s.positives if q.selected)),
        Plant("evidence_recall|positives_only|all|mean", "definition", "pooled", lambda s: sum(selected(q) for q in s.positives if q.pred) / sum(len(q.gold) for q in s.positives)),
    ]  # fmt: skip




def gate() -> list[Plant]:
    """Mistakes in curves, decisions and calibration."""
    return [
        Plant(AUROC, "macro", "mean of the criteria", lambda s: mean(p.auroc(pairs_of(s, c)) for c in sorted({q.criterion for q in s.queries}))),
        Plant(AUROC, "tune-split", "TUNE rows", lambda s: p.auroc(s.extra["tune"])),
        Plant(AUROC, "definition", "from decisions", lambda s: p.auroc([(q.label, float(q.pred)) for q in s.queries])),
        Plant(AUROC, "tune-in-eval", "TUNE and EVAL rows", lambda s: p.auroc([*pairs(s), *s.extra["tune"]])),
        Plant(AUROC, "complement", "scores upside down", lambda s: p.auroc([(label, 1 - prob) for label, prob in pairs(s)])),
        Plant(AUPRC, "labels-flipped", "the negatives as positives", lambda s: p.average_precision([(1 - label, 1 - prob) for label, prob in pairs(s)])),
        Plant(AUPRC, "decisions-for-probabilities", "from decisions", lambda s: p.average_precision([(q.label, float(q.pred)) for q in s.queries])),
        Plant("precision|all_queries|all|value", "threshold-strictly-above", "> at the threshold", rate("precision", lambda s, q: q.prob > limit(s, q))),
        Plant("sensitivity|all_queries|all|value", "decision-at-one-half", "threshold 0.5", rate("sensitivity", lambda _, q: q.prob >= 0.5)),
        Plant("mcc|all_queries|all|value", "threshold-mean-of-folds", "mean threshold", rate("mcc", lambda s, q: q.prob >= mean(s.extra["threshold"].values()))),
        Plant(F1, "threshold-wrong-side", "passed below the threshold", rate("f1", lambda s, q: q.prob < limit(s, q))),
        Plant(F1, "f1-of-both-classes", "F1 of both classes", rate("both", passed)),
        Plant(F1, "f1-weighted-by-class", "weighted F1", rate("weighted", passed)),
        Plant(F1, "f1-of-the-negatives", "F1 of the negatives", rate("negatives", passed)),
        Plant(F1, "f1-arithmetic-mean", "arithmetic mean of P and R", rate("arithmetic", passed)),
        Plant("balanced_accuracy|all_queries|all|value", "another-metric", "accuracy", rate("accuracy", passed)),
        Plant("sensitivity|all_queries|all|value", "another-metric", "precision", rate("precision", passed)),
        Plant("tpr@fpr=1%|all_queries|all|value", "tpr-interpolated", "interpolated ROC", lambda s: interpolated_tpr(s, 0.01)),
        Plant("tpr@fpr=5%|all_queries|all|value", "cutoff", "budget of another column", lambda s: s.value("tpr@fpr=3%|all_queries|all|value"), 4),
        Plant(ECE, "ece-linspace-edges", "linspace edges", lambda s: p.expected(p.gaps(pairs(s), linspace_bin)), 6),
        Plant(ECE, "other-bins", "15 bins", lambda s: p.expected(p.gaps(pairs(s), lambda x: p.tenth(x, 15))), 4),
        Plant(ECE, "ece-bins-of-equal-mass", "bins of equal size", equal_mass, 4),
        Plant(ECE, "another-metric", "the largest gap", lambda s: max(abs(gap) for _, gap in p.gaps(pairs(s), p.tenth)), 4),
        Plant(ECE, "ece-bins-unweighted", "bins not weighted", lambda s: mean(abs(gap) for _, gap in p.gaps(pairs(s), p.tenth)), 4),
        Plant(ECE, "ece-root-mean-square", "root mean square", lambda s: math.sqrt(sum(n * gap * gap for n, gap in p.gaps(pairs(s), p.tenth)) / len(s.queries)), 4),
        Plant(ECE, "ece-of-confidence", "confidence of the decision", confidence, 4),
        Plant(BRIER, "brier-root", "root of Brier", lambda s: math.sqrt(mean((q.prob - q.label) ** 2 for q in s.queries)), 4),
        Plant(BRIER, "brier-both-classes", "Brier of both classes", lambda s: 2 * mean((q.prob - q.label) ** 2 for q in s.queries), 4),
        Plant(BRIER, "brier-absolute", "absolute error", lambda s: mean(abs(q.prob - q.label) for q in s.queries), 4),
        Plant("log_loss|all_queries|all|value", "log-loss-base-2", "log to the base 2", lambda s: s.value("log_loss|all_queries|all|value") / math.log(2), 4),
    ]  # fmt: skip


def pairs_of(s: Study, criterion: str) -> list[tuple[int, float]]:
    return [(q.label, q.prob) for q in s.queries if q.criterion == criterion]


def plants() -> list[Plant]:
    """Every plant of this study."""
    return [*rankings(), *parts(), *gate()]
