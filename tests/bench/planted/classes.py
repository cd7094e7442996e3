"""Plants in a study of four classes, three seeds and three data sets.

The built-in one, but for its decisions: the rarest class is taken where its probability is 0.3, so
that a decision is not always the likeliest class.
"""

from __future__ import annotations

import csv
import json
import math
from dataclasses import dataclass
from statistics import mean, pstdev
from typing import TYPE_CHECKING

import numpy as np
import plain as p
from plant import Plant, Study

from crosscheck.diagnose.scene import Scene
from crosscheck.study import further

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CLASSES = ["business", "science", "sport", "world"]
RARE, ENOUGH = 3, 0.3
SETTINGS = {"classes": CLASSES, "top_k": [2, 3], "slices": {"dataset": "dataset"}}


@dataclass(frozen=True)
class Row:
    """One example; classes by their place."""

    dataset: str
    seed: str
    label: int
    predicted: int
    probs: list[float]


def of(folder: Path) -> Study:
    """Write the study with its own decisions, and read it as plain Python."""
    file = further.write("classes", folder)["predictions.csv"]
    with file.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    for row in rows:
        if json.loads(row["class_probs"])[RARE] >= ENOUGH:
            row["predicted"] = CLASSES[RARE]
    with file.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.DictWriter(lines, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    place = {name: i for i, name in enumerate(CLASSES)}
    read = [
        Row(
            row["dataset"],
            row["seed"],
            place[row["label"]],
            place[row["predicted"]],
            json.loads(row["class_probs"]),
        )
        for row in rows
    ]
    return Study("classes", Scene(file, SETTINGS), [], read)


def _key(metric: str) -> str:
    return f"{metric}|all_queries|all|value"


def rates(rows: list[Row], c: int) -> tuple[float, float, float, int]:
    """Precision, recall, F1 and support of one class."""
    tp = sum(row.label == c == row.predicted for row in rows)
    given = sum(row.predicted == c for row in rows)
    true = sum(row.label == c for row in rows)
    return p.safe(tp, given), p.safe(tp, true), p.safe(2 * tp, given + true), true


def macro(rows: list[Row], which: int, classes: list[int] | None = None) -> float:
    return mean(rates(rows, c)[which] for c in classes or range(4))


def accuracy(rows: list[Row]) -> float:
    return mean(row.label == row.predicted for row in rows)


def argmax(rows: list[Row]) -> list[Row]:
    return [Row(r.dataset, r.seed, r.label, int(np.argmax(r.probs)), r.probs) for r in rows]


def groups(rows: list[Row], name: str) -> list[list[Row]]:
    values = sorted({getattr(row, name) for row in rows})
    return [[row for row in rows if getattr(row, name) == value] for value in values]


def kappa(rows: list[Row], power: int) -> float:
    table = np.zeros((4, 4))
    for row in rows:
        table[row.label, row.predicted] += 1
    cost = np.abs(np.subtract.outer(np.arange(4), np.arange(4))) ** power
    chance = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    return float(1 - (cost * table).sum() / (cost * chance).sum())


def one_hot(rows: list[Row]) -> list[Row]:
    return [
        Row(r.dataset, r.seed, r.label, r.predicted, [float(r.predicted == c) for c in range(4)])
        for r in rows
    ]


def ovr(rows: list[Row], c: int) -> float:
    return p.auroc([(int(row.label == c), row.probs[c]) for row in rows])


def brier(rows: list[Row]) -> float:
    return mean(sum((q - (c == row.label)) ** 2 for c, q in enumerate(row.probs)) for row in rows)


def loss(rows: list[Row], least: float = 0.0) -> float:
    return -mean(math.log(max(row.probs[row.label], least)) for row in rows)


def top(rows: list[Row]) -> list[tuple[int, float]]:
    """Whether the likeliest class is right, and how sure it is."""
    return [(int(np.argmax(r.probs) == r.label), max(r.probs)) for r in rows]


def classwise(rows: list[Row]) -> float:
    return mean(
        p.expected(p.gaps([(int(row.label == c), row.probs[c]) for row in rows], p.tenth))
        for c in range(4)
    )


def top_k(rows: list[Row], k: int) -> float:
    return mean(row.label in sorted(range(4), key=lambda c: -row.probs[c])[:k] for row in rows)


def _plant(metric: str, mistake: str, what: str, value: Callable[[list[Row]], float]) -> Plant:
    return Plant(_key(metric), mistake, what, lambda s: value(s.extra))


def decisions() -> list[Plant]:
    """Mistakes in what is made of decisions."""
    three = [0, 1, 2]
    return [
        _plant(
            "f1/macro",
            "definition",
            "weighted for macro",
            lambda r: sum(rates(r, c)[2] * rates(r, c)[3] for c in range(4)) / len(r),
        ),
        _plant("f1/macro", "definition", "micro for macro", accuracy),
        _plant("f1/weighted", "definition", "macro for weighted", lambda r: macro(r, 2)),
        _plant(
            "f1/macro",
            "macro-f1-of-means",
            "F1 of macro P and macro R",
            lambda r: 2 * macro(r, 0) * macro(r, 1) / (macro(r, 0) + macro(r, 1)),
        ),
        _plant(
            "f1/macro", "class-left-out", "the rarest class left out", lambda r: macro(r, 2, three)
        ),
        _plant(
            "precision/macro",
            "class-left-out",
            "the first class left out",
            lambda r: macro(r, 0, [1, 2, 3]),
        ),
        _plant("f1/macro", "one-class-alone", "F1 of the class sport", lambda r: rates(r, 2)[2]),
        _plant(
            "accuracy", "one-class-alone", "accuracy of the class science", lambda r: rates(r, 1)[1]
        ),
        _plant(
            "accuracy",
            "argmax-for-predicted",
            "argmax in place of the decisions",
            lambda r: accuracy(argmax(r)),
        ),
        _plant(
            "f1/macro",
            "argmax-for-predicted",
            "argmax in place of the decisions",
            lambda r: macro(argmax(r), 2),
        ),
        _plant("accuracy", "another-metric", "balanced accuracy", lambda r: macro(r, 1)),
        _plant("recall/macro", "definition", "accuracy", accuracy),
        _plant(
            "recall/macro",
            "labels-and-predictions-exchanged",
            "precision: arguments exchanged",
            lambda r: macro(r, 0),
        ),
        _plant(
            "balanced_accuracy/multiclass",
            "balanced-accuracy-adjusted",
            "adjusted for chance",
            lambda r: (macro(r, 1) - 0.25) / 0.75,
        ),
        _plant("kappa", "kappa-weighted", "quadratic weights", lambda r: kappa(r, 2)),
        _plant("kappa", "kappa-weighted", "linear weights", lambda r: kappa(r, 1)),
        _plant("accuracy", "complement", "error rate", lambda r: 1 - accuracy(r)),
        _plant(
            "f1/macro",
            "macro",
            "mean F1 of the data sets",
            lambda r: mean(macro(g, 2) for g in groups(r, "dataset")),
        ),
    ]


def parts() -> list[Plant]:
    """Mistakes in seeds and data sets."""
    seeds = "accuracy|all_queries|seeds|"
    return [
        Plant(
            seeds + "std",
            "spread",
            "std over seeds with n",
            lambda s: pstdev(accuracy(g) for g in groups(s.extra, "seed")),
            4,
        ),
        _plant(
            "accuracy",
            "slice",
            "the best seed",
            lambda r: max(accuracy(g) for g in groups(r, "seed")),
        ),
        _plant("accuracy", "slice", "one data set", lambda r: accuracy(groups(r, "dataset")[1])),
        _plant(
            "accuracy",
            "part-left-out",
            "one data set left out",
            lambda r: accuracy([row for row in r if row.dataset != "reuters"]),
        ),
        _plant(
            "f1/macro",
            "part-left-out",
            "one seed left out",
            lambda r: macro([row for row in r if row.seed != "42"], 2),
        ),
        _plant(
            "f1/macro",
            "pooled",
            "mean of the seeds",
            lambda r: mean(macro(g, 2) for g in groups(r, "seed")),
        ),
        _plant(
            "accuracy",
            "mean-over-one-more",
            "divided by n + 1",
            lambda r: sum(row.label == row.predicted for row in r) / (len(r) + 1),
        ),
        _plant(
            "accuracy",
            "last-batch-dropped",
            "last batch of 64 dropped",
            lambda r: accuracy(r[: len(r) // 64 * 64]),
        ),
        _plant(
            "accuracy",
            "mean-of-batches",
            "mean of batch means, 100 each",
            lambda r: mean(accuracy(some) for some in p.batches(r, 100)),
        ),
    ]


def probabilities() -> list[Plant]:
    """Mistakes in what is made of probabilities."""
    ece = "ece@10/top_label"
    return [
        _plant(
            "auroc/ovr_macro",
            "definition",
            "weighted by support",
            lambda r: sum(ovr(r, c) * rates(r, c)[3] for c in range(4)) / len(r),
        ),
        _plant(
            "auroc/ovr_macro",
            "decisions-for-class-probs",
            "from decisions",
            lambda r: mean(ovr(one_hot(r), c) for c in range(4)),
        ),
        _plant(
            "auroc/ovr_macro",
            "auroc-micro",
            "all classes pooled",
            lambda r: p.auroc([(int(row.label == c), row.probs[c]) for row in r for c in range(4)]),
        ),
        _plant("auroc/ovr_macro", "one-class-alone", "of the class world", lambda r: ovr(r, 3)),
        _plant("brier/multiclass", "brier-halved", "halved", lambda r: brier(r) / 2),
        _plant(
            "brier/multiclass",
            "brier-mean-of-classes",
            "mean over the classes",
            lambda r: brier(r) / 4,
        ),
        _plant(
            "brier/multiclass",
            "brier-of-top-label",
            "of the likeliest class",
            lambda r: mean((right - sure) ** 2 for right, sure in top(r)),
        ),
        _plant("log_loss", "log-loss-base-2", "log to the base 2", lambda r: loss(r) / math.log(2)),
        _plant(
            "log_loss", "log-loss-base-10", "log to the base 10", lambda r: loss(r) / math.log(10)
        ),
        _plant(
            ece,
            "other-bins",
            "50 bins",
            lambda r: p.expected(p.gaps(top(r), lambda x: p.tenth(x, 50))),
        ),
        _plant(ece, "ece-classwise", "mean over the classes", classwise),
        _plant(
            ece,
            "ece-top-label-largest-gap",
            "the largest gap",
            lambda r: max(abs(gap) for _, gap in p.gaps(top(r), p.tenth)),
        ),
        _plant(
            ece,
            "ece-top-label-unweighted",
            "bins not weighted",
            lambda r: mean(abs(gap) for _, gap in p.gaps(top(r), p.tenth)),
        ),
        _plant(
            ece,
            "ece-top-label-root-mean-square",
            "root mean square",
            lambda r: math.sqrt(sum(n * gap * gap for n, gap in p.gaps(top(r), p.tenth)) / len(r)),
        ),
        Plant(_key("top_k_accuracy@2"), "cutoff", "top 3", lambda s: top_k(s.extra, 3)),
        Plant(_key("top_k_accuracy@3"), "other-cutoff", "top 1", lambda s: top_k(s.extra, 1)),
    ]


def plants() -> list[Plant]:
    """Every plant of this study."""
    return [*decisions(), *parts(), *probabilities()]
