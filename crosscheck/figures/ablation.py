"""Ablation forest plot: each system against the baseline, with paired intervals (S4 8.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from crosscheck.drawing import style
from crosscheck.drawing.plot import NotDrawnError, Plot
from crosscheck.drawing.words import count, label_of
from crosscheck.report.printing import signed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from crosscheck.model.comparison import Comparison, ComparisonRow

MOST = 4
"""Panels side by side on a page."""


def draw(comparison: Comparison) -> Plot:
    """Draw one panel a metric and one row a system."""
    rows = [row for row in comparison.rows if row.difference is not None]
    metrics = list(dict.fromkeys(row.key for row in rows))[:MOST]
    if not metrics:
        raise NotDrawnError("no metric is shared by two systems")
    systems = [name for name in comparison.systems if name != comparison.baseline]
    best = max((row for row in rows if row.key == metrics[0]), key=_size)
    title = (
        f"{label_of(best.system)} changes {best.name} most against {label_of(best.baseline)}: "
        f"{signed(_size(best))}"
    )
    baseline = label_of(comparison.baseline)
    tested = (
        f"paired 95 % intervals, {count(comparison.resamples)} resamples; "
        f"p after {comparison.correction}"
        if comparison.resamples
        else "no intervals were asked for"
    )
    about = f"difference from {baseline}; {tested}"
    figure = style.blank(style.PAGE, 0.72 + 0.24 * len(systems), title, about)
    drawn = figure.subplots(1, len(metrics), sharey=True, squeeze=False)[0]
    for axes, metric in zip(drawn, metrics, strict=True):
        own = {row.system: row for row in rows if row.key == metric}
        _panel(axes, systems, own)
        first = next(iter(own.values()))
        other = first.baseline != comparison.baseline
        beside = f"\nfrom {label_of(first.baseline)}" if other else ""
        axes.set_xlabel(f"Δ {first.name}{beside}")
    drawn[0].set_yticks(range(len(systems)), [label_of(system) for system in systems])
    drawn[0].set_ylim(len(systems) - 0.4, -0.6)
    alt = "Ablation: " + "; ".join(
        f"{label_of(row.system)} {row.name} {signed(_size(row))}"
        for row in rows
        if row.key in metrics
    )
    caption = f"Difference of each system from {baseline}."
    if comparison.resamples:
        caption = (
            f"Difference of each system from {baseline} with its paired 95 % interval; filled "
            "where the interval leaves out zero. Numbers: difference, and p after "
            f"{comparison.correction}'s correction where a test was made."
        )
    return Plot(figure, title, f"{alt}.", caption)


def _size(row: ComparisonRow) -> float:
    return row.difference or 0.0


def _panel(axes: Axes, systems: list[str], own: dict[str, ComparisonRow]) -> None:
    axes.axvline(0, color=style.MUTED, linewidth=0.8)
    for y, system in enumerate(systems):
        row = own.get(system)
        if row is None:
            baseline = any(each.baseline == system for each in own.values())
            said = "baseline" if baseline else "not owed"
            axes.text(0.5, y, said, transform=axes.get_yaxis_transform(), bbox=_CLEAR, **_MUTED)
            continue
        size = _size(row)
        clear = row.low is not None and row.high is not None and (row.low > 0 or row.high < 0)
        if row.low is not None and row.high is not None:
            axes.plot([row.low, row.high], [y, y], color=style.BLUE, linewidth=1.4)
        axes.plot(
            size,
            y,
            "o",
            markerfacecolor=style.BLUE if clear else style.PAPER,
            markeredgecolor=style.BLUE,
        )
        p = "" if row.p_holm is None else f"  p {_p(row.p_holm)}"
        axes.annotate(
            f"{signed(size)}{p}",
            (size, y),
            xytext=(0, 4),
            textcoords="offset points",
            ha="center",
            fontsize=5,
            bbox=_CLEAR,
        )
    axes.tick_params(axis="y", length=0)
    axes.margins(x=0.3)
    # A narrow panel has room for few labels: more run into each other where they are long.
    axes.locator_params(axis="x", nbins=4, steps=[1, 2, 5, 10])
    axes.grid(visible=False, axis="y")


def _p(value: float) -> str:
    return "< 0.001" if value < 0.001 else f"= {value:.3f}"  # noqa: PLR2004 - as papers print it


_MUTED: dict[str, Any] = {"color": style.MUTED, "fontsize": 5.6, "va": "center", "ha": "center"}
_CLEAR: dict[str, Any] = {"facecolor": style.PAPER, "edgecolor": "none", "pad": 0.6}
"""Keeps words free of the line they stand on."""
