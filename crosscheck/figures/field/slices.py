"""A declared slice as a leaderboard: one bar a value of it, such as a data set."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crosscheck.drawing import bars, style
from crosscheck.drawing.plot import NotDrawnError, Plot
from crosscheck.model.key import escape

if TYPE_CHECKING:
    from crosscheck.drawing.data import FigureData

MOST_PANELS = 3
PANELS = (
    bars.Panel("ndcg@10/graded", "positives_only", "mean", style.BLUE),
    bars.Panel("ndcg@10", "positives_only", "mean", style.GREEN),
    bars.Panel("recall@10", "positives_only", "mean", style.ORANGE),
    bars.Panel("accuracy", "all_queries", "value", style.BLUE),
    bars.Panel("f1/macro", "all_queries", "value", style.GREEN),
    bars.Panel("balanced_accuracy/multiclass", "all_queries", "value", style.ORANGE),
    bars.Panel("auroc", "all_queries", "value", style.PINK),
    bars.Panel("auprc", "all_queries", "value", style.AMBER),
)
"""In the order of preference; the first three that the data have are shown."""


def draw(data: FigureData) -> Plot:
    """Draw the values of the first declared slice; the tables have them all."""
    declared = {name: values for name, values in data.slices.items() if values}
    if not declared:
        raise NotDrawnError("no slices are declared")
    kind, values = next(iter(declared.items()))

    def size(name: str) -> int:
        return int(data.value("queries", "all_queries", f"{kind}={escape(name)}", "n") or 0)

    parts = bars.Parts(
        kind=kind,
        names=values,
        one=kind,
        many=f"values of {kind}",
        over=kind,
        size=size,
        sizes=lambda name: f"  {size(name):,}",
        counted="queries",
        least=f"values of {kind} with fewest queries",
    )
    panels = bars.present(data, parts, PANELS)[:MOST_PANELS]
    if not panels:
        raise NotDrawnError(f"nothing is measured for each value of {kind}")
    return bars.draw(data, parts, panels)
