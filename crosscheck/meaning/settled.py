"""What labels say about each other: names that the others beside them make clear, and averages."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from crosscheck.contract import load
from crosscheck.notation.labels import Label
from crosscheck.notation.measure import Measure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

CLASSIFICATION = frozenset(
    ("f1", "accuracy", "specificity", "sensitivity", "tp", "fp", "tn", "fn", "npv", "auroc", "mcc")
) | frozenset(
    ("balanced_accuracy", "f1/macro", "f1/weighted", "kappa", "auprc", "precision", "fpr")
)
"""Metrics of a classifier: beside them a bare P or R is of its decisions."""
MEANT = ("precision", "sensitivity", "f1/macro", "f1/weighted", "auprc", "precision/macro")
MEANT_TOO = ("recall/macro", "recall/weighted", "precision/weighted")
"""What an ambiguous name means beside them, where it can."""

Columns = dict[int, Label]


def settled(rows: tuple[Label, ...], columns: Columns) -> tuple[tuple[Label, ...], Columns]:
    """Settle what single labels leave open, from the others of the same axis."""
    every = [*rows, *columns.values()]
    if _classifies(every):
        rows = tuple(map(_decided, rows))
        columns = {c: _decided(label) for c, label in columns.items()}
    if _has_classes(every):
        rows = tuple(map(_of_classes, rows))
        columns = {c: _of_classes(label) for c, label in columns.items()}
    rows = tuple(_averaged(rows))
    columns = dict(zip(columns, _averaged(list(columns.values())), strict=True))
    return rows, columns


def decided(every: Sequence[Label]) -> Callable[[Label], Label]:
    """Say what ambiguous names mean beside these labels."""
    return _decided if _classifies(every) else lambda label: label


def _classifies(every: Iterable[Label]) -> bool:
    found = {label.metric for label in every if label.metric and not label.change}
    return bool(found & CLASSIFICATION) and not any(Measure.parse(one) for one in found)


def _decided(label: Label) -> Label:
    """Let an ambiguous name mean what it means beside a classifier's metrics."""
    meant = [one for one in (*MEANT, *MEANT_TOO) if one in label.candidates]
    if label.metric or len(meant) != 1 or label.parameter:
        return label
    return replace(label, metric=meant[0], template=None, problem=None, candidates=())


def _has_classes(every: Iterable[Label]) -> bool:
    """Whether the labels say that there are more than two classes, averaged as macro alone."""
    metrics = [label.metric or "" for label in every]
    means = {one.partition("/")[2].removeprefix("ovr_") for one in metrics}
    beyond = any(one.endswith(("/multiclass", "/top_label", "/ovr_macro")) for one in metrics)
    said = any(part.lower() in _BEYOND for label in every for one in label.condition
               for part in one.replace("_", " ").split())  # fmt: skip
    return (beyond or said) and not means & {"weighted", "micro"}


_BEYOND = frozenset(("ovr", "ovo", "multiclass", "top1", "onevsrest"))
_OF_CLASSES = {
    "balanced_accuracy": "balanced_accuracy/multiclass",
    "mcc": "mcc/multiclass",
    "precision": "precision/macro",
    "sensitivity": "recall/macro",
    "f1": "f1/macro",
    "ece@10": "ece@10/top_label",
}
"""What a binary name means in a table of several classes that averages as macro."""
_OPEN = ("specificity", "npv", "brier")


def _of_classes(label: Label) -> Label:
    if label.condition or (label.slice or "").startswith("class="):
        return label
    if label.metric in _OPEN:
        problem = f"of several classes: how {label.metric} is averaged over them is not said"
        return replace(label, metric=None, problem=problem, candidates=(label.metric,))
    meant = _OF_CLASSES.get(label.metric or "")
    return replace(label, metric=meant) if meant and load().find(meant) else label


def _averaged(every: Sequence[Label]) -> list[Label]:
    """Say over what a row or column “Average” is: the folds, the seeds, or the data sets."""
    kinds = {label.slice.partition("=")[0] for label in every if label.slice and "=" in label.slice}
    over = next((kind for kind in ("fold", "seed") if kind in kinds), None)
    others = [label for label in every if not label.statistic and not label.change]
    places = sum(bool(label.dataset or label.other) for label in others)
    return [_average(label, over, several=places > 1) for label in every]


def _average(label: Label, over: str | None, *, several: bool) -> Label:
    plain = not label.names_metric and not label.slice and not label.other and not label.dataset
    if not plain or label.statistic not in {"mean", "std", "std/population"}:
        return label
    if over:
        return replace(label, slice=f"{over}s")
    if several and label.statistic == "mean":
        return replace(label, statistic=None, average=True)
    return label
