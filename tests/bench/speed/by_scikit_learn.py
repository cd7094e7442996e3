"""scikit-learn: the metrics of several classes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
from sklearn import metrics

if TYPE_CHECKING:
    from pathlib import Path

    from common import Answers


def warm() -> None:
    """Nothing is compiled."""


def classes(path: Path) -> Answers:
    """From the file to the confusion matrix, the rates of each class and five averages."""
    frame = pl.read_parquet(path, columns=["label", "predicted"])
    label, predicted = (frame[name].to_numpy() for name in ("label", "predicted"))
    metrics.confusion_matrix(label, predicted)
    metrics.precision_recall_fscore_support(label, predicted, zero_division=0)
    return {
        "accuracy": float(metrics.accuracy_score(label, predicted)),
        "kappa": float(metrics.cohen_kappa_score(label, predicted)),
        "mcc/multiclass": float(metrics.matthews_corrcoef(label, predicted)),
        "f1/macro": float(metrics.f1_score(label, predicted, average="macro")),
        "f1/weighted": float(metrics.f1_score(label, predicted, average="weighted")),
    }
