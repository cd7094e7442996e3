"""Bars per class: precision, recall and F1 of each class against the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crosscheck.drawing import bars, style
from crosscheck.drawing.plot import NotDrawnError, Plot
from crosscheck.model.key import escape_class

if TYPE_CHECKING:
    from crosscheck.drawing.data import FigureData

PANELS = (
    bars.Panel("f1", "all_queries", "value", style.GREEN),
    bars.Panel("precision", "all_queries", "value", style.BLUE),
    bars.Panel("recall", "all_queries", "value", style.ORANGE),
)


def draw(data: FigureData) -> Plot:
    """Draw one bar a class and metric."""

    def support(name: str) -> int:
        found = data.value("support", "all_queries", f"class={escape_class(name)}", "value")
        return int(found or 0)

    parts = bars.Parts(
        kind="class",
        names=data.classes,
        one="class",
        many="classes",
        over="all",
        size=support,
        sizes=lambda name: f"  {support(name):,}",
        counted="rows of the class",
        least="classes with fewest rows",
        written=escape_class,
    )
    panels = bars.present(data, parts, PANELS)
    if not panels:
        raise NotDrawnError("the data have no classes")
    return bars.draw(data, parts, panels)
