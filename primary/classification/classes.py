"""Several classes (contract, section 17): what follows from the confusion matrix."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from primary.arithmetic.aggregate import Ledger, key, ratio, shares
from primary.arithmetic.exact import tally, total, whole_product
from primary.data.study import escaped

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from primary.data.study import Slice, Study

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]

HEADLINE = (
    *("accuracy", "kappa", "mcc/multiclass", "balanced_accuracy/multiclass"),
    *("f1/macro", "f1/weighted"),
)
"""Section 10's metrics of a confusion matrix."""


@dataclass(frozen=True)
class Table:
    """What a confusion matrix says of each class: how often it is hit, predicted and true."""

    hit: Ints
    predicted: Ints
    true: Ints

    @property
    def rows(self) -> int:
        """How many rows were counted."""
        return int(tally(self.true))

    @property
    def per_class(self) -> dict[str, Floats]:
        """Precision, recall and F1 of each class; 0 without prediction or label."""
        return {
            "precision": shares(self.hit, self.predicted),
            "recall": shares(self.hit, self.true),
            "f1": shares(2 * self.hit, self.predicted + self.true),
        }


def codes(study: Study) -> tuple[tuple[str, ...], Ints, Ints]:
    """Give the classes, and the true and the predicted one of each row."""
    data = study.data
    if data.classes is None or data.label_class is None or data.predicted_class is None:
        raise LookupError("classes need label and predicted")
    return data.classes, data.label_class, data.predicted_class


def table(label: Ints, predicted: Ints, classes: int) -> Table:
    """Count some rows."""
    return Table(
        *(
            np.bincount(some, minlength=classes)
            for some in (label[label == predicted], predicted, label)
        )
    )


def summary(found: Table) -> dict[str, float]:
    """Give the metrics of all classes together."""
    count, right = found.rows, int(tally(found.hit))
    agreed = int(whole_product(found.predicted, found.true))
    squares = [int(whole_product(one, one)) for one in (found.predicted, found.true)]
    spread = (count * count - squares[0]) * (count * count - squares[1])
    per_class = found.per_class
    occurring = int(np.count_nonzero(found.true))
    values = {
        "accuracy": ratio(right, count),
        "kappa": ratio(count * right - agreed, count * count - agreed),
        "mcc/multiclass": ratio(right * count - agreed, math.sqrt(spread)),
        "balanced_accuracy/multiclass": ratio(float(total(per_class["recall"])), occurring),
        "f1/micro": ratio(right, count),
    }
    for metric, column in per_class.items():
        values[f"{metric}/macro"] = ratio(float(total(column)), len(column))
        values[f"{metric}/weighted"] = ratio(float(total(found.true * column)), count)
    return values


def slices(study: Study) -> list[Slice]:
    """Name the slices that section 17's metrics have."""
    return [*study.all, *study.folds, *study.declared]


def ledger(study: Study) -> Ledger:
    """Give what all classes come to on every slice, and each class on all rows."""
    names, label, predicted = codes(study)
    found: Ledger = {}
    for part in slices(study):
        counted = table(label[part.rows], predicted[part.rows], len(names))
        for metric, value in summary(counted).items():
            found[key(metric, "all_queries", part.name, "value")] = value
    return found | _each(table(label, predicted, len(names)), names)


def _each(found: Table, names: tuple[str, ...]) -> Ledger:
    """Give every class against the rest."""
    count = found.rows
    tp, fp, fn = found.hit, found.predicted - found.hit, found.true - found.hit
    tn = count - tp - fp - fn
    whole = {"tp": tp, "fp": fp, "tn": tn, "fn": fn, "support": found.true}
    rates = found.per_class | {"specificity": shares(tn, tn + fp)}
    own: Ledger = {}
    for place, name in enumerate(names):
        part = f"class={escaped_class(name)}"
        for metric, counts in whole.items():
            own[key(metric, "all_queries", part, "value")] = int(counts[place])
        for metric, column in rates.items():
            own[key(metric, "all_queries", part, "value")] = float(column[place])
    return own


def escaped_class(name: str) -> str:
    """Escape a class's name in a key: a comma parts two of them."""
    return escaped(name).replace(",", "%2C")


def matrix(study: Study) -> Ledger:
    """Give the confusion matrix, cell by cell, on every slice."""
    names, label, predicted = codes(study)
    width = len(names)
    shown = [escaped_class(name) for name in names]
    metrics = [f"count@true={true},predicted={guess}" for true in shown for guess in shown]
    found: Ledger = {}
    for part in slices(study):
        cells = np.bincount(
            label[part.rows] * width + predicted[part.rows], minlength=width * width
        )
        for metric, count in zip(metrics, cells.tolist(), strict=True):
            found[key(metric, "all_queries", part.name, "value")] = count
    return found
