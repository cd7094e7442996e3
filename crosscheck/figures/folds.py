"""Folds as points with mean ± standard deviation (S4 10.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from crosscheck.contract.naming import name_of
from crosscheck.drawing import style
from crosscheck.drawing.plot import NotDrawnError, Plot
from crosscheck.drawing.words import number

if TYPE_CHECKING:
    from crosscheck.drawing.data import FigureData

METRICS = (
    ("ndcg@10", "positives_only", "mean"),
    ("map@10", "positives_only", "mean"),
    ("mrr@all", "positives_only", "mean"),
    ("recall@10", "positives_only", "mean"),
    ("auroc", "all_queries", "value"),
    ("auprc", "all_queries", "value"),
    ("tpr@fpr=5%", "all_queries", "value"),
    ("sensitivity", "all_queries", "value"),
    ("precision", "all_queries", "value"),
    ("evidence_recall", "positives_only", "mean"),
    ("evidence_precision", "positives_only", "mean"),
    ("screening_sensitivity", "all_queries", "value"),
    ("alert_precision", "all_queries", "value"),
)
"""The rows, in the order of a paper's tables."""


FIELD = (
    ("ndcg@10/graded", "positives_only", "mean"),
    ("err@10", "positives_only", "mean"),
    ("accuracy", "all_queries", "value"),
    ("balanced_accuracy/multiclass", "all_queries", "value"),
    ("f1/macro", "all_queries", "value"),
    ("kappa", "all_queries", "value"),
    ("auroc/ovr_macro", "all_queries", "value"),
)
"""Further rows, of data with grades or classes."""


def draw(data: FigureData) -> Plot:
    """Draw one row a metric: each fold, their mean, one standard deviation to both sides."""
    parts = [f"fold={fold}" for fold in data.folds]
    return spread(data, parts, "fold")


def spread(data: FigureData, parts: list[str], one: str) -> Plot:
    """Draw how far the parts lie from their mean; `one` is what a part is called."""
    over = f"{one}s"
    if len(parts) < 2:  # noqa: PLR2004 - one has no spread
        raise NotDrawnError(f"the data have fewer than two {over}")
    rows = []
    for metric, population, statistic in (*METRICS, *(FIELD if data.of_field else ())):
        mean = data.value(metric, population, over, "mean")
        std = data.value(metric, population, over, "std")
        values = [data.value(metric, population, part, statistic) for part in parts]
        known = [value for value in values if value is not None]
        if mean is not None and std is not None and known:
            rows.append((name_of(metric), mean, std, known))
    if not rows:
        raise NotDrawnError(f"no metric of this data is owed per {one}")
    widest = max(rows, key=lambda row: row[2])
    calmest = min(rows, key=lambda row: row[2])
    title = (
        f"{over.capitalize()} agree most on {calmest[0]} (± {number(calmest[2], 4)}), "
        f"least on {widest[0]} (± {number(widest[2], 4)})"
    )
    figure = style.blank(
        style.COLUMN, 0.55 + 0.21 * len(rows), title, data.about(f"{len(parts)} {over}")
    )
    axes = figure.add_subplot()
    axes.axvline(0, color=style.MUTED, linewidth=0.8)
    for y, (_, mean, std, known) in enumerate(rows):
        axes.plot([-std, std], [y, y], color=style.BLUE, linewidth=5, alpha=0.3, **_BUTT)
        axes.plot([value - mean for value in known], [y] * len(known), "o", markersize=3.4, **_OPEN)
    axes.set_yticks(range(len(rows)), [row[0] for row in rows])
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    right = axes.secondary_yaxis("right")
    right.set_yticks(
        range(len(rows)), [f"{number(row[1], 3)} ± {number(row[2], 3)}" for row in rows]
    )
    right.tick_params(length=0)
    right.spines["right"].set_visible(False)
    axes.set_xlabel(f"{one.capitalize()}’s value − mean over {over}")
    alt = f"{one.capitalize()} values of {data.name}: " + "; ".join(
        f"{label} {number(mean)} ± {number(std)}" for label, mean, std, _ in rows
    )
    caption = (
        f"Each circle is a {one}, as its distance from the mean over {over}; the bar is one "
        "standard deviation (n − 1) to either side. Right: mean ± standard deviation."
    )
    return Plot(figure, title, f"{alt}.", caption)


_BUTT: dict[str, Any] = {"solid_capstyle": "butt"}
_OPEN: dict[str, Any] = {
    "markerfacecolor": style.PAPER,
    "markeredgecolor": style.INK,
    "markeredgewidth": 0.7,
}
