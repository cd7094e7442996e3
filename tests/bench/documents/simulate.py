"""Data by chance, and the metrics that they really have: rankings, grades, classifiers."""

from __future__ import annotations

import math
from statistics import mean
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence

Values = dict[str, float]
CUTOFFS = ((1, 3, 5, 10), (1, 5, 10, 20), (5, 10), (10, 100), (3, 10), (1, 10))


def queries(chance: random.Random, count: int, most: int) -> list[int]:
    """Give each query its number of gold."""
    return [chance.randint(1, most) for _ in range(count)]


def rankings(chance: random.Random, gold: Sequence[int], skill: float) -> list[list[int]]:
    """Rank gold among 30 to 120 others; the list holds a grade for each place, 0 for no gold."""
    lists = []
    for number in gold:
        length = chance.choice((30, 60, 120))
        found = [one for one in range(number) if chance.random() < 0.4 + 0.6 * skill]
        places = sorted({min(length - 1, int(chance.expovariate(0.02 + skill / 3))) for _ in found})
        ranked = [0] * length
        for place in places:
            ranked[place] = chance.randint(1, 3)
        lists.append(ranked)
    return lists


def _gain(ranked: Sequence[float], k: int) -> float:
    return sum(g / math.log2(i + 2) for i, g in enumerate(ranked[:k]))


def of_query(ranked: Sequence[int], gold: int, ks: Sequence[int]) -> Values:
    """Give the binary metrics of one query."""
    hits = [int(grade > 0) for grade in ranked]
    first = next((i for i, hit in enumerate(hits, 1) if hit), 0)
    found: Values = {}
    for k in ks:
        top = hits[:k]
        precise = sum(sum(top[:i]) / i for i, hit in enumerate(top, 1) if hit)
        found[f"Recall@{k}"] = sum(top) / gold
        found[f"P@{k}"] = sum(top) / k
        found[f"Hit@{k}"] = float(any(top))
        found[f"MRR@{k}"] = 1 / first if 0 < first <= k else 0.0
        found[f"MAP@{k}"] = precise / min(gold, k)
        found[f"nDCG@{k}"] = _gain(top, k) / _gain([1] * gold, k)
    found["MRR"] = 1 / first if first else 0.0
    return found


def graded(ranked: Sequence[int], missing: Sequence[int], ks: Sequence[int]) -> Values:
    """Give the graded nDCG of one query; `missing` are the grades that were not found."""
    ideal = sorted([*(grade for grade in ranked if grade), *missing], reverse=True)
    return {f"nDCG@{k}": _gain(ranked, k) / _gain(ideal, k) for k in ks}


def averaged(each: Sequence[Values]) -> Values:
    """Average over queries."""
    return {name: mean(one[name] for one in each) for name in each[0]}


def decisions(
    chance: random.Random, labels: Sequence[int], classes: int, skill: float
) -> list[int]:
    """Predict labels: right by skill, else any class."""
    return [label if chance.random() < skill else chance.randrange(classes) for label in labels]


def matrix(labels: Sequence[int], predicted: Sequence[int], classes: int) -> list[list[int]]:
    """Count by actual and predicted class."""
    counts = [[0] * classes for _ in range(classes)]
    for label, guess in zip(labels, predicted, strict=True):
        counts[label][guess] += 1
    return counts


def _share(above: float, below: float) -> float:
    return above / below if below else 0.0


def of_class(counts: Sequence[Sequence[int]], one: int) -> Values:
    """Give precision, recall, F1 and support of one class against the rest."""
    tp = counts[one][one]
    fn = sum(counts[one]) - tp
    fp = sum(row[one] for row in counts) - tp
    return {
        "Precision": _share(tp, tp + fp),
        "Recall": _share(tp, tp + fn),
        "F1": _share(2 * tp, 2 * tp + fp + fn),
        "Support": float(tp + fn),
    }


def of_binary(counts: Sequence[Sequence[int]], area: float) -> Values:
    """Give a binary classifier's rates; class 1 is the positive one."""
    (tn, fp), (fn, tp) = counts
    rates = of_class(counts, 1)
    specificity = _share(tn, tn + fp)
    below = math.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
    return {
        "Accuracy": _share(tp + tn, tp + tn + fp + fn),
        "Precision": rates["Precision"],
        "Recall": rates["Recall"],
        "F1": rates["F1"],
        "Specificity": specificity,
        "FPR": _share(fp, tn + fp),
        "NPV": _share(tn, tn + fn),
        "Balanced accuracy": (rates["Recall"] + specificity) / 2,
        "MCC": _share(tp * tn - fp * fn, below),
        "AUROC": area,
    }


def of_classes(counts: Sequence[Sequence[int]]) -> Values:
    """Give a classifier's rates over several classes."""
    size = len(counts)
    total = sum(map(sum, counts))
    right = sum(counts[i][i] for i in range(size))
    each = [of_class(counts, one) for one in range(size)]
    weights = [sum(row) / total for row in counts]
    values: Values = {"Accuracy": right / total, "Micro F1": right / total}
    for name in ("Precision", "Recall", "F1"):
        values[f"Macro {name}"] = mean(one[name] for one in each)
        values[f"Weighted {name}"] = sum(
            weight * one[name] for weight, one in zip(weights, each, strict=True)
        )
    values["Balanced accuracy"] = values["Macro Recall"]
    return values


def area(chance: random.Random, labels: Sequence[int], skill: float) -> float:
    """Give the area under the curve of random scores."""
    scores = [chance.gauss(3 * skill * label, 1) for label in labels]
    ups = [s for s, label in zip(scores, labels, strict=True) if label]
    downs = [s for s, label in zip(scores, labels, strict=True) if not label]
    pairs = [(a > b) + (a == b) / 2 for a in ups for b in downs]
    return mean(pairs) if pairs else 0.5
