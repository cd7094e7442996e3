"""Per-criterion bars with intervals: detection and ranking side by side (S4 7, 10.3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from crosscheck.contract.naming import name_of
from crosscheck.figures import style
from crosscheck.figures.plot import NotDrawnError, Plot
from crosscheck.figures.words import label_of, number
from crosscheck.model.key import escape
from crosscheck.report.pivot import natural

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from crosscheck.figures.data import FigureData


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


PANELS = (
    Panel("auroc", "all_queries", "value", style.BLUE),
    Panel("auprc", "all_queries", "value", style.ORANGE),
    Panel("ndcg@10", "positives_only", "mean", style.GREEN),
)

MOST = 30
"""More criteria than this do not fit a page legibly; those with most evidence are shown."""


def draw(data: FigureData) -> Plot:
    """Draw one bar a criterion and metric, each with its 95 % interval."""
    panels = [panel for panel in PANELS if _has(data, panel)]
    if not panels:
        raise NotDrawnError("the data have no criteria, or nothing measured for each of them")
    criteria, left_out = _chosen(data)
    first = panels[0]
    values = {name: _value(data, first, name) for name in criteria}
    best, worst = max(values, key=values.__getitem__), min(values, key=values.__getitem__)
    title = (
        f"{label_of(worst)} is the hardest criterion ({first.label} {number(values[worst], 3)}), "
        f"{label_of(best)} the easiest ({number(values[best], 3)})"
    )
    shown = f"{len(criteria)} criteria" + (f" of {len(criteria) + left_out}" if left_out else "")
    height = 0.75 + 0.19 * len(criteria)
    figure = style.blank(style.PAGE, height, title, data.about(f"{shown}; n = positives / queries"))
    for axes, panel in zip(
        figure.subplots(1, len(panels), sharey=True, squeeze=False)[0], panels, strict=True
    ):
        _bars(axes, data, panel, criteria)
    _names(figure.axes[0], data, criteria)
    alt = (
        f"Bars per criterion of {data.name}. {first.label}: "
        + ", ".join(f"{label_of(name)} {number(values[name], 3)}" for name in criteria[:12])
        + ("." if len(criteria) <= 12 else ", …")  # noqa: PLR2004 - a text read aloud stays short
    )
    caption = (
        "One bar per criterion; strokes are 95 % bootstrap intervals "
        f"(by {data.unit}) where they were computed; dashed lines the macro mean"
        + (f". The {left_out} criteria with least evidence are in the ledger." if left_out else ".")
    )
    return Plot(figure, title, alt, caption)


def _has(data: FigureData, panel: Panel) -> bool:
    return any(
        data.value(panel.metric, panel.population, _cut(name), panel.statistic) is not None
        for name in data.criteria[:1]
    )


def _cut(name: str) -> str:
    return f"criterion={escape(name)}"


def _value(data: FigureData, panel: Panel, name: str) -> float:
    lack = f"criterion {name} has no {panel.label}"
    return data.need(panel.metric, panel.population, _cut(name), panel.statistic, lack=lack)


def _positives(data: FigureData, name: str) -> int:
    return int(data.value("queries", "positives_only", _cut(name), "n") or 0)


def _chosen(data: FigureData) -> tuple[list[str], int]:
    """Criteria in their natural order, the ones with most evidence if there are too many."""
    names = sorted(data.criteria, key=natural)
    if len(names) <= MOST:
        return names, 0
    kept = set(sorted(names, key=lambda name: -_positives(data, name))[:MOST])
    return [name for name in names if name in kept], len(names) - MOST


def _bars(axes: Axes, data: FigureData, panel: Panel, criteria: list[str]) -> None:
    rows = range(len(criteria))
    values = [_value(data, panel, name) for name in criteria]
    axes.barh(rows, values, height=0.66, color=panel.colour, alpha=0.45, linewidth=0)
    for row, name in zip(rows, criteria, strict=True):
        interval = data.interval(panel.metric, panel.population, _cut(name))
        if interval is not None:
            axes.plot(interval, (row, row), color=style.INK, linewidth=0.9, solid_capstyle="butt")
            axes.plot(values[row], row, "|", color=style.INK, markersize=5)
        axes.text(1.03, row, number(values[row], 3), va="center", fontsize=5.6)
    macro = data.value(panel.metric, panel.population, "criteria", "macro")
    if macro is not None:
        axes.axvline(macro, color=style.INK, linewidth=0.7, linestyle=style.DASHES[1])
    axes.set_xlim(0, 1.19)
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1])
    axes.set_xlabel(panel.label)
    axes.grid(visible=False, axis="y")


def _names(axes: Axes, data: FigureData, criteria: list[str]) -> None:
    labels = []
    for name in criteria:
        total = data.value("queries", "all_queries", _cut(name), "n")
        known = "" if total is None else f"  {_positives(data, name):,} / {int(total):,}"
        labels.append(f"{label_of(name)}{known}")
    axes.set_yticks(range(len(criteria)), labels)
    axes.tick_params(axis="y", length=0)
    axes.invert_yaxis()
