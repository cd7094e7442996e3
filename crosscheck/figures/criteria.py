"""Per-criterion bars with intervals: detection and ranking side by side (S4 7, 10.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crosscheck.drawing import bars, style
from crosscheck.drawing.plot import NotDrawnError, Plot
from crosscheck.model.key import escape

if TYPE_CHECKING:
    from crosscheck.drawing.data import FigureData

PANELS = (
    bars.Panel("auroc", "all_queries", "value", style.BLUE),
    bars.Panel("auprc", "all_queries", "value", style.ORANGE),
    bars.Panel("ndcg@10", "positives_only", "mean", style.GREEN),
)


def draw(data: FigureData) -> Plot:
    """Draw one bar a criterion and metric, each with its 95 % interval."""

    def counted(name: str, population: str) -> float | None:
        return data.value("queries", population, f"criterion={escape(name)}", "n")

    def positives(name: str) -> int:
        return int(counted(name, "positives_only") or 0)

    def sizes(name: str) -> str:
        total = counted(name, "all_queries")
        return "" if total is None else f"  {positives(name):,} / {int(total):,}"

    parts = bars.Parts(
        kind="criterion",
        names=data.criteria,
        one="criterion",
        many="criteria",
        over="criteria",
        size=positives,
        sizes=sizes,
        counted="positives / queries",
        least="criteria with least evidence",
    )
    panels = bars.present(data, parts, PANELS)
    if not panels:
        raise NotDrawnError("the data have no criteria, or nothing measured for each of them")
    return bars.draw(data, parts, panels)
