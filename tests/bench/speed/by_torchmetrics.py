"""torchmetrics: the metrics of several classes, on the processor."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import torch
from torchmetrics import functional

if TYPE_CHECKING:
    from pathlib import Path

    from common import Answers


def warm() -> None:
    """Nothing is compiled."""


def classes(path: Path) -> Answers:
    """From the file to the confusion matrix, the rates of each class and five averages."""
    frame = pl.read_parquet(path, columns=["label", "predicted"])
    names = sorted(set(frame["label"]) | set(frame["predicted"]))
    kind = pl.Enum(names)
    label, predicted = (
        torch.from_numpy(frame[name].cast(kind).to_physical().to_numpy().astype("int64"))
        for name in ("label", "predicted")
    )
    given = {"preds": predicted, "target": label, "task": "multiclass", "num_classes": len(names)}
    functional.confusion_matrix(**given)
    for rate in (functional.precision, functional.recall, functional.f1_score):
        rate(**given, average="none")
    found = {
        "accuracy": functional.accuracy(**given, average="micro"),
        "kappa": functional.cohen_kappa(**given),
        "mcc/multiclass": functional.matthews_corrcoef(**given),
        "f1/macro": functional.f1_score(**given, average="macro"),
        "f1/weighted": functional.f1_score(**given, average="weighted"),
    }
    return {name: float(value) for name, value in found.items()}
