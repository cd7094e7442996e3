"""What several figures ask of the gate's data, with the check that it is the verified data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crosscheck.drawing.curves import Curves, curves
from crosscheck.drawing.plot import NotDrawnError

if TYPE_CHECKING:
    from crosscheck.drawing.data import FigureData

SLACK = 1e-9
"""Beyond this the curve drawn is not the curve whose area the ledger states (contract, 11.3)."""


def curves_of(data: FigureData) -> Curves:
    """Both curves of the EVAL rows; refuses to draw one whose area is not the verified number."""
    if data.label is None or data.prob is None:
        raise NotDrawnError("the data have no probabilities, or no label to hold them against")
    found = curves(data.label, data.prob)
    if found is None:
        raise NotDrawnError("all queries are of one class: there is no curve")
    for name, area in (("auroc", found.auroc), ("auprc", found.auprc)):
        stated = data.value(name, "all_queries", "all", "value")
        if stated is not None and abs(stated - area) > SLACK:
            raise ValueError(
                f"the {name} curve has area {area!r}, but the ledger states {stated!r}"
            )
    return found


def gate_point(data: FigureData) -> tuple[float, float] | None:
    """Where the gate as deployed stands on the ROC plane."""
    fpr = data.value("fpr", "all_queries", "all", "value")
    tpr = data.value("sensitivity", "all_queries", "all", "value")
    return None if fpr is None or tpr is None else (fpr, tpr)
