"""Precision–recall curve with the prevalence as its baseline (S4 10.3, appendix A.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crosscheck.drawing import style
from crosscheck.drawing.curves import thinned
from crosscheck.drawing.plot import Plot
from crosscheck.drawing.words import interval_text, number
from crosscheck.figures.evidence import curves_of

if TYPE_CHECKING:
    from crosscheck.drawing.data import FigureData


def draw(data: FigureData) -> Plot:
    """Draw the steps whose area the verified AUPRC is."""
    curve = curves_of(data)
    area = data.need("auprc", "all_queries", "all", "value", lack="the ledger has no AUPRC")
    prevalence = curve.positives / (curve.positives + curve.negatives)
    times = number(area / prevalence, 1)
    title = f"AUPRC {number(area)}, {times} times the prevalence baseline"
    figure = style.blank(style.COLUMN, 2.75, title, data.about(data.size))
    axes = figure.add_subplot()
    axes.axhline(prevalence, color=style.MUTED, linewidth=0.8, linestyle=style.DASHES[4])
    axes.text(
        0.02,
        prevalence + 0.02,
        f"random baseline: prevalence {number(prevalence, 3)}",
        color=style.MUTED,
        fontsize=style.SMALL,
    )
    axes.plot(
        *thinned(curve.tpr, curve.precision),
        color=style.BLUE,
        drawstyle="steps-pre",
        label="PR curve",
    )
    recall = data.value("sensitivity", "all_queries", "all", "value")
    precision = data.value("precision", "all_queries", "all", "value")
    if recall is not None and precision is not None:
        axes.plot(recall, precision, "s", color=style.INK, markersize=5, label="gate as deployed")
    axes.set_xlabel("Recall (sensitivity)")
    axes.set_ylabel("Precision")
    style.unit_axis(axes, "both")
    axes.legend(loc="upper right")
    interval = interval_text(data.interval("auprc", "all_queries", "all"))
    alt = (
        f"Precision–recall curve of {data.name}: area {number(area)}{interval} against a random "
        f"baseline of {number(prevalence, 4)}."
    )
    caption = (
        "Precision at each step of recall over every distinct probability; AUPRC is the area under "
        "the steps. The dashed line is the share of positives, which a random gate reaches."
    )
    return Plot(figure, title, alt, caption)
