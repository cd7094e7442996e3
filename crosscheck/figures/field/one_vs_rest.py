"""ROC curves of several classes, each against the rest, from the probabilities of the classes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from crosscheck.drawing import style
from crosscheck.drawing.curves import curves, thinned
from crosscheck.drawing.plot import NotDrawnError, Plot
from crosscheck.drawing.words import count, label_of, number

if TYPE_CHECKING:
    from crosscheck.drawing.data import FigureData

MOST = 6
"""Curves that can be told apart; of more classes, the largest are shown."""


def draw(data: FigureData) -> Plot:
    """Draw one curve a class."""
    if data.truth is None or data.class_probs is None:
        raise NotDrawnError("the data have no probabilities of classes")
    area = data.need(
        "auroc/ovr_macro", "all_queries", "all", "value", lack="the ledger has no AUROC of classes"
    )
    support = np.bincount(data.truth, minlength=len(data.classes))
    order = sorted(range(len(support)), key=lambda place: (-support[place], place))
    found = {place: curves(data.truth == place, data.class_probs[:, place]) for place in order}
    drawn = {place: curve for place, curve in found.items() if curve is not None}
    if not drawn:
        raise NotDrawnError("every row is of one class")
    hardest = min(drawn, key=lambda place: drawn[place].auroc)
    title = (
        f"AUROC, mean of each class against the rest, {number(area)}; hardest is "
        f"{label_of(data.classes[hardest])} ({number(drawn[hardest].auroc, 3)})"
    )
    subtitle = data.about(f"n = {count(len(data.truth))} rows, {len(data.classes)} classes")
    figure = style.blank(style.COLUMN, 2.75, title, subtitle)
    axes = figure.add_subplot()
    axes.plot([0, 1], [0, 1], color=style.MUTED, linewidth=0.8, linestyle=style.DASHES[4])
    for index, (place, curve) in enumerate(list(drawn.items())[:MOST]):
        axes.plot(
            *thinned(curve.fpr, curve.tpr),
            color=style.CYCLE[index],
            linestyle=style.DASHES[index],
            label=f"{label_of(data.classes[place])} {number(curve.auroc, 3)}",
        )
    axes.set_xlabel("False positive rate, one class against the rest")
    axes.set_ylabel("True positive rate")
    style.unit_axis(axes, "both")
    axes.legend(loc="lower right")
    alt = f"ROC curves of {data.name}, one class against the rest. " + ", ".join(
        f"{label_of(data.classes[place])} {number(curve.auroc, 3)}"
        for place, curve in list(drawn.items())[:12]
    )
    left = len(drawn) - MOST
    caption = "Each class against all others, by the probability that the row is of it" + (
        f"; the {MOST} largest of {len(drawn)} classes." if left > 0 else "."
    )
    return Plot(figure, title, f"{alt}.", caption)
