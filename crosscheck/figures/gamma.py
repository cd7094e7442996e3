"""γ sweep: what evidence recall costs in sentences (S4 8.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crosscheck.drawing import style
from crosscheck.drawing.plot import NotDrawnError, Plot
from crosscheck.drawing.words import count, number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from crosscheck.drawing.data import FigureData


def draw(data: FigureData) -> Plot:
    """Draw evidence recall against mean K, one point a γ."""
    gammas = data.settings_of("k@gamma=")
    if not gammas:
        raise NotDrawnError("the data have no node probabilities")
    lack = "the ledger's γ sweep is not complete"
    points = [
        (
            gamma,
            data.need(f"k@gamma={gamma}", "all_queries", "all", "mean", lack=lack),
            data.need(f"evidence_recall@gamma={gamma}", "positives_only", "all", "mean", lack=lack),
            data.need(f"sentences@gamma={gamma}", "all_queries", "all", "value", lack=lack),
        )
        for gamma in gammas
    ]
    (g0, _, r0, s0), (g1, _, r1, s1) = points[0], points[-1]
    title = (
        f"From γ = {g0} to {g1}, evidence recall goes from {number(r0, 3)} to {number(r1, 3)} for "
        f"{count(s1 - s0)} more sentences"
    )
    figure = style.blank(style.COLUMN, 2.3, title, data.about(data.size))
    axes = figure.add_subplot()
    axes.plot([k for _, k, _, _ in points], [r for *_, r, _ in points], "o-", color=style.BLUE)
    for gamma, k, recall, sentences in points:
        axes.annotate(
            f"γ = {gamma}\n{count(sentences)} sentences",
            (k, recall),
            xytext=(5, -4),
            textcoords="offset points",
            va="top",
            fontsize=style.SMALL,
        )
    _operating(data, axes)
    axes.margins(x=0.22, y=0.24)
    axes.set_xlabel("Mean sentences per query (K)")
    axes.set_ylabel("Evidence recall")
    alt = f"γ sweep of {data.name}: " + "; ".join(
        f"γ {gamma}: mean K {number(k, 2)}, evidence recall {number(recall)}, {count(n)} sentences"
        for gamma, k, recall, n in points
    )
    caption = (
        "Mean K over all queries and evidence recall over those with evidence, for each share γ of "
        "the node-probability mass; K is clamped to its bounds and not gated (contract, section 6)."
    )
    return Plot(figure, title, f"{alt}.", caption)


def _operating(data: FigureData, axes: Axes) -> None:
    """Mark the selection that the data themselves hold."""
    k = data.value("k", "all_queries", "all", "mean")
    recall = data.value("evidence_recall", "positives_only", "all", "mean")
    if k is not None and recall is not None:
        axes.plot(k, recall, "s", color=style.INK, markersize=5, label="selection in the data")
        axes.legend(loc="upper left")
