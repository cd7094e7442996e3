"""ROC curve with its 95 % band and the operating points (S4 10.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crosscheck.drawing import style
from crosscheck.drawing.curves import thinned
from crosscheck.drawing.plot import Plot
from crosscheck.drawing.words import count, interval_text, number, percent
from crosscheck.figures.evidence import curves_of, gate_point

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from crosscheck.drawing.data import FigureData

SHOWN = "5%"
"""The budget whose point the title speaks of."""


def draw(data: FigureData) -> Plot:
    """Draw the curve that the verified AUROC is the area of."""
    curve = curves_of(data)
    auroc = data.need("auroc", "all_queries", "all", "value", lack="the ledger has no AUROC")
    found = data.value(f"tpr@fpr={SHOWN}", "all_queries", "all", "value")
    title = f"AUROC {number(auroc)}{interval_text(data.interval('auroc', 'all_queries', 'all'))}"
    if found is not None:
        title = (
            f"{percent(found)} of the evidence is found at 5 % false alarms; AUROC {number(auroc)}"
        )
    figure = style.blank(style.COLUMN, 2.75, title, data.about(data.size))
    axes = figure.add_subplot()
    axes.plot([0, 1], [0, 1], color=style.MUTED, linewidth=0.8, linestyle=style.DASHES[4])
    axes.text(0.62, 0.56, "chance", color=style.MUTED, fontsize=style.SMALL)
    band = _band(axes, data)
    axes.plot(*thinned(curve.fpr, curve.tpr), color=style.BLUE, label="ROC curve")
    points = _budgets(axes, data)
    gate = gate_point(data)
    if gate is not None:
        axes.plot(*gate, "s", color=style.INK, markersize=5, label="gate as deployed", zorder=5)
    axes.set_xlabel("False positive rate (1 − specificity)")
    axes.set_ylabel("True positive rate (sensitivity)")
    style.unit_axis(axes, "both")
    axes.legend(loc="lower right")
    alt = (
        f"ROC curve of {data.name}: it reaches {points or 'the corner'}; the area "
        f"under it is {number(auroc)}{interval_text(data.interval('auroc', 'all_queries', 'all'))}."
    )
    caption = (
        "ROC curve over every distinct probability. Triangles: the largest TPR within an FPR of 1, "
        "3, 5 and 10 %; square: the gate at its operating threshold. The dashed line is chance."
        + (f" {band}" if band else "")
    )
    return Plot(figure, title, alt, caption)


def _band(axes: Axes, data: FigureData) -> str:
    band = data.roc_band.get(data.unit)
    if band is None:
        return ""
    axes.fill_between(
        list(band["fpr"]),
        list(band["low"]),
        list(band["high"]),
        color=style.BLUE,
        alpha=0.2,
        linewidth=0,
        label="95 % band",
    )
    return f"Band: pointwise 95 %, {count(data.resamples)} resamples by {data.unit}."


def _budgets(axes: Axes, data: FigureData) -> str:
    """Mark the best point within each budget; the marked points in words."""
    points = []
    for budget in data.settings_of("tpr@fpr="):
        tpr = data.value(f"tpr@fpr={budget}", "all_queries", "all", "value")
        fpr = data.value(f"fpr@fpr={budget}", "all_queries", "all", "value")
        if tpr is not None and fpr is not None:
            points.append((fpr, tpr, budget.rstrip("%")))
    if not points:
        return ""
    axes.plot(
        [x for x, _, _ in points],
        [y for _, y, _ in points],
        "^",
        color=style.ORANGE,
        markersize=5,
        linestyle="none",
        label="best TPR at FPR ≤ " + ", ".join(name for *_, name in points) + " %",
        zorder=4,
    )
    return ", ".join(f"TPR {number(y, 3)} at FPR ≤ {name} %" for _, y, name in points)
