"""Bars with intervals, one row a part of the data: criteria, classes, data sets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from crosscheck.contract.naming import name_of
from crosscheck.drawing import style
from crosscheck.drawing.plot import Plot
from crosscheck.drawing.words import label_of, number
from crosscheck.model.key import escape
from crosscheck.report.pivot import natural

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matplotlib.axes import Axes

    from crosscheck.drawing.data import FigureData

MOST = 30
"""More parts than this do not fit a page legibly; the largest are shown."""


@dataclass(frozen=True, slots=True)
class Panel:
    """One column of bars."""

    metric: str
    population: str
    statistic: str
    colour: str

    @property
    def label(self) -> str:
        """The metric's name."""
        return name_of(self.metric)


@dataclass(frozen=True, slots=True)
class Parts:
    """What the rows are."""

    kind: str
    """The slice's name in keys: `criterion`, `class`, or the name of a declared slice."""
    names: Sequence[str]
    one: str
    many: str
    over: str
    """The slice of the averages over the parts."""
    size: Callable[[str], int]
    """How much of a part there is: the largest are shown where there are too many."""
    sizes: Callable[[str], str]
    """The same for people, beside a part's name."""
    counted: str
    """What those sizes count."""
    least: str
    """The parts that are left out, in words."""
    written: Callable[[str], str] = escape
    """How keys write the name of a part."""

    def cut(self, name: str) -> str:
        """Give the slice of a part as keys write it."""
        return f"{self.kind}={self.written(name)}"

    def chosen(self) -> tuple[list[str], int]:
        """Give the parts in their natural order, the largest if there are too many."""
        names = sorted(self.names, key=natural)
        if len(names) <= MOST:
            return names, 0
        kept = set(sorted(names, key=lambda name: -self.size(name))[:MOST])
        return [name for name in names if name in kept], len(names) - MOST


def present(data: FigureData, parts: Parts, panels: Sequence[Panel]) -> list[Panel]:
    """Keep the panels of which the ledger has numbers."""
    return [
        panel
        for panel in panels
        for name in parts.names[:1]
        if data.value(panel.metric, panel.population, parts.cut(name), panel.statistic) is not None
    ]


def draw(data: FigureData, parts: Parts, panels: Sequence[Panel]) -> Plot:
    """Draw one bar a part and metric, each with its 95 % interval."""
    names, left_out = parts.chosen()
    first = panels[0]
    values = {name: _value(data, parts, first, name) for name in names}
    best, worst = max(values, key=values.__getitem__), min(values, key=values.__getitem__)
    title = (
        f"{label_of(worst)} is the hardest {parts.one} ({first.label} {number(values[worst], 3)}), "
        f"{label_of(best)} the easiest ({number(values[best], 3)})"
    )
    shown = f"{len(names)} {parts.many}" + (f" of {len(names) + left_out}" if left_out else "")
    height = 0.75 + 0.19 * len(names)
    figure = style.blank(style.PAGE, height, title, data.about(f"{shown}; n = {parts.counted}"))
    for axes, panel in zip(
        figure.subplots(1, len(panels), sharey=True, squeeze=False)[0], panels, strict=True
    ):
        _bars(axes, data, panel, parts=parts, names=names)
    _names(figure.axes[0], parts, names)
    alt = (
        f"Bars per {parts.one} of {data.name}. {first.label}: "
        + ", ".join(f"{label_of(name)} {number(values[name], 3)}" for name in names[:12])
        + ("." if len(names) <= 12 else ", …")  # noqa: PLR2004 - a text read aloud stays short
    )
    caption = (
        f"One bar per {parts.one}; strokes are 95 % bootstrap intervals "
        f"(by {data.unit}) where they were computed{_averaged(data, parts, panels)}"
        + (f". The {left_out} {parts.least} are in the ledger." if left_out else ".")
    )
    return Plot(figure, title, alt, caption)


def _averaged(data: FigureData, parts: Parts, panels: Sequence[Panel]) -> str:
    drawn = any(_macro(data, parts, panel) is not None for panel in panels)
    return "; dashed lines the macro mean" if drawn else ""


def _macro(data: FigureData, parts: Parts, panel: Panel) -> float | None:
    return data.value(panel.metric, panel.population, parts.over, "macro")


def _value(data: FigureData, parts: Parts, panel: Panel, name: str) -> float:
    lack = f"{parts.one} {name} has no {panel.label}"
    return data.need(panel.metric, panel.population, parts.cut(name), panel.statistic, lack=lack)


def _bars(axes: Axes, data: FigureData, panel: Panel, *, parts: Parts, names: list[str]) -> None:
    rows = range(len(names))
    values = [_value(data, parts, panel, name) for name in names]
    axes.barh(rows, values, height=0.66, color=panel.colour, alpha=0.45, linewidth=0)
    for row, name in zip(rows, names, strict=True):
        interval = data.interval(panel.metric, panel.population, parts.cut(name))
        if interval is not None:
            axes.plot(interval, (row, row), color=style.INK, linewidth=0.9, solid_capstyle="butt")
            axes.plot(values[row], row, "|", color=style.INK, markersize=5)
        axes.text(1.03, row, number(values[row], 3), va="center", fontsize=5.6)
    macro = _macro(data, parts, panel)
    if macro is not None:
        axes.axvline(macro, color=style.INK, linewidth=0.7, linestyle=style.DASHES[1])
    axes.set_xlim(0, 1.19)
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1])
    axes.set_xlabel(panel.label)
    axes.grid(visible=False, axis="y")


def _names(axes: Axes, parts: Parts, names: list[str]) -> None:
    axes.set_yticks(range(len(names)), [f"{label_of(name)}{parts.sizes(name)}" for name in names])
    axes.tick_params(axis="y", length=0)
    axes.invert_yaxis()
