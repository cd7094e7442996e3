"""Dynamic-K histogram by state and by has_evidence (S4 4.1, 10.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crosscheck.drawing import style
from crosscheck.drawing.plot import NotDrawnError, Plot
from crosscheck.drawing.words import count, number, percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from crosscheck.drawing.data import FigureData

GROUPS = {
    "by state": [("NEG", "state=NEG"), ("UNCERTAIN", "state=UNCERTAIN"), ("POS", "state=POS")],
    "by evidence": [("with evidence", "has_evidence=1"), ("without", "has_evidence=0")],
}
ALL = [("all queries", "all")]
SHADES = {
    1: [style.BLUE],
    2: [style.BLUE, style.PAPER],
    3: [style.PAPER, style.SKY, style.BLUE],
}
"""Fills from empty to full: they stay apart in grey."""


def draw(data: FigureData) -> Plot:
    """Draw the share of each selection size within each group."""
    sizes = [int(text) for text in data.settings_of("k/hist=")]
    if not sizes:
        raise NotDrawnError("the data have no selections")
    panels = {
        name: [group for group in groups if _total(data, sizes, group[1]) is not None]
        for name, groups in GROUPS.items()
    }
    panels = {name: groups for name, groups in panels.items() if groups} or {"all": ALL}
    mean = data.need("k", "all_queries", "all", "mean", lack="the ledger has no mean K")
    none = data.value("k/hist=0", "all_queries", "all", "n") or 0
    total = data.counts()[0]
    title = f"{number(mean, 2)} sentences are selected on average, none for {percent(none / total)}"
    wide = len(panels) > 1
    figure = style.blank(
        style.PAGE if wide else style.COLUMN,
        2.1,
        f"{title} of the queries",
        data.about(f"n = {count(total)} queries"),
    )
    drawn = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
    for axes, (name, groups) in zip(drawn, panels.items(), strict=True):
        _bars(axes, data, sizes, groups)
        axes.set_title(name, color=style.MUTED)
        axes.set_xlabel("Sentences selected (K)")
    drawn[0].set_ylabel("Share of the group")
    alt = f"Histograms of the number of selected sentences of {data.name}: " + _means(data, panels)
    caption = (
        "Share of each group's queries by number of selected sentences; each group's bars sum to "
        "one, its size is in the legend. Counts are in the ledger under k/hist."
    )
    return Plot(figure, f"{title} of the queries", alt, caption)


def _total(data: FigureData, sizes: list[int], cut: str) -> int | None:
    counts = [data.value(f"k/hist={size}", "all_queries", cut, "n") for size in sizes]
    known = [int(n) for n in counts if n is not None]
    return sum(known) if known else None


def _bars(axes: Axes, data: FigureData, sizes: list[int], groups: list[tuple[str, str]]) -> None:
    width = 0.84 / len(groups)
    for index, (name, cut) in enumerate(groups):
        total = _total(data, sizes, cut) or 0
        counts = [data.value(f"k/hist={size}", "all_queries", cut, "n") or 0 for size in sizes]
        offset = (index - (len(groups) - 1) / 2) * width
        axes.bar(
            [size + offset for size in sizes],
            [n / total if total else 0 for n in counts],
            width=width * 0.92,
            facecolor=SHADES[len(groups)][index],
            edgecolor=style.BLUE,
            linewidth=0.6,
            label=f"{name} (n = {count(total)})",
        )
    axes.set_xticks(sizes if len(sizes) <= 16 else sizes[:: len(sizes) // 8])  # noqa: PLR2004
    axes.set_ylim(0, None)
    axes.grid(visible=False, axis="x")
    axes.legend(loc="upper right")


def _means(data: FigureData, panels: dict[str, list[tuple[str, str]]]) -> str:
    parts = []
    for groups in panels.values():
        for name, cut in groups:
            mean = data.value("k", "all_queries", cut, "mean")
            if mean is not None:
                parts.append(f"{name} {number(mean, 2)} on average")
    return ", ".join(parts) + "."
