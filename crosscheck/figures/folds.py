"""Folds as points with mean ± standard deviation (S4 10.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from crosscheck.contract.naming import name_of
from crosscheck.figures import style
from crosscheck.figures.plot import NotDrawnError, Plot
from crosscheck.figures.words import number

if TYPE_CHECKING:
    from crosscheck.figures.data import FigureData

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


def draw(data: FigureData) -> Plot:
    """Draw one row a metric: each fold, their mean, one standard deviation to both sides."""
    if len(data.folds) < 2:  # noqa: PLR2004 - one fold has no spread
        raise NotDrawnError("the data have fewer than two folds")
    rows = []
    for metric, population, statistic in METRICS:
        mean = data.value(metric, population, "folds", "mean")
        std = data.value(metric, population, "folds", "std")
        values = [data.value(metric, population, f"fold={fold}", statistic) for fold in data.folds]
        known = [value for value in values if value is not None]
        if mean is not None and std is not None and known:
            rows.append((name_of(metric), mean, std, known))
    if not rows:
        raise NotDrawnError("no metric of this data is owed per fold")
    widest = max(rows, key=lambda row: row[2])
    calmest = min(rows, key=lambda row: row[2])
    title = (
        f"Folds agree most on {calmest[0]} (± {number(calmest[2], 4)}), "
        f"least on {widest[0]} (± {number(widest[2], 4)})"
    )
    figure = style.blank(
        style.COLUMN, 0.55 + 0.21 * len(rows), title, data.about(f"{len(data.folds)} folds")
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
    axes.set_xlabel("Fold’s value − mean over folds")
    alt = f"Fold values of {data.name}: " + "; ".join(
        f"{label} {number(mean)} ± {number(std)}" for label, mean, std, _ in rows
    )
    caption = (
        "Each circle is a fold, as its distance from the mean over folds; the bar is one standard "
        "deviation (n − 1) to either side. Right: mean ± standard deviation."
    )
    return Plot(figure, title, f"{alt}.", caption)


_BUTT: dict[str, Any] = {"solid_capstyle": "butt"}
_OPEN: dict[str, Any] = {
    "markerfacecolor": style.PAPER,
    "markeredgecolor": style.INK,
    "markeredgewidth": 0.7,
}
