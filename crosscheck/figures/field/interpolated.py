"""Interpolated precision against recall, as evaluations of rankings print it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crosscheck.drawing import style
from crosscheck.drawing.plot import NotDrawnError, Plot
from crosscheck.drawing.words import count, number

if TYPE_CHECKING:
    from crosscheck.drawing.data import FigureData


def draw(data: FigureData) -> Plot:
    """Draw the mean over queries at every level of recall."""
    levels = data.settings_of("iprec@recall=")
    points = [
        (float(level), data.value(f"iprec@recall={level}", "positives_only", "all", "mean"))
        for level in levels
    ]
    line = [(x, y) for x, y in points if y is not None]
    if not line:
        raise NotDrawnError("the data have no rankings with gold")
    first, last = line[0], line[-1]
    title = (
        f"Interpolated precision falls from {number(first[1], 3)} at recall {first[0]:g} to "
        f"{number(last[1], 3)} at {last[0]:g}"
    )
    positives = int(data.facts["queries"]["positives_only"])
    figure = style.blank(
        style.COLUMN, 2.4, title, data.about(f"n = {count(positives)} queries with evidence")
    )
    axes = figure.add_subplot()
    axes.plot([x for x, _ in line], [y for _, y in line], "o-", color=style.BLUE)
    axes.set_xlabel("Recall")
    axes.set_ylabel("Interpolated precision")
    style.unit_axis(axes, "both")
    alt = f"Interpolated precision of {data.name}: " + ", ".join(
        f"{number(y, 3)} at recall {x:g}" for x, y in line
    )
    caption = (
        "Mean over queries of the largest precision at any rank that reaches the recall; it never "
        "rises."
    )
    return Plot(figure, title, f"{alt}.", caption)
