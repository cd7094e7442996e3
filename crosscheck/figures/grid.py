"""Threshold grid of the three-state gate, on TUNE rows alone (S4 8.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crosscheck.drawing import style
from crosscheck.drawing.plot import NotDrawnError, Plot
from crosscheck.drawing.words import number, span

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from crosscheck.drawing.data import FigureData

PANELS = (
    ("screening_sensitivity", "Screening sensitivity", 3),
    ("alert_precision", "Alert precision", 3),
    ("alert_rate_per_1000", "Alerts per 1,000", 1),
    ("neg_rate", "Share NEG", 3),
)

Cells = dict[tuple[str, str], float]


def draw(data: FigureData) -> Plot:
    """Draw one small table a quantity, shaded by its value."""
    pairs = [tuple(text.split(",")) for text in data.settings_of("screening_sensitivity@tau=")]
    if not pairs:
        raise NotDrawnError("the data have no TUNE rows with probabilities: no grid without them")
    lows = list(dict.fromkeys(pair[0] for pair in pairs))
    highs = sorted({pair[1] for pair in pairs}, key=float)
    panels = {name: _cells(data, name) for name, _, _ in PANELS}
    found, precise = panels["screening_sensitivity"], panels["alert_precision"]
    title = (
        f"Screening sensitivity runs {span(list(found.values()))}, alert precision "
        f"{span(list(precise.values()))} over the grid"
    )
    rows = sum(int(n) for n in [data.facts.get("rows", {}).get("TUNE", 0)])
    figure = style.blank(
        style.PAGE,
        0.62 + 0.24 * len(lows),
        title,
        data.about(f"mean over {len(data.folds)} folds' TUNE rows (n = {rows:,})"),
    )
    drawn = figure.subplots(1, len(PANELS), sharey=True)
    for axes, (name, label, digits) in zip(drawn, PANELS, strict=True):
        _table(axes, panels[name], lows, highs, digits)
        axes.set_title(label)
        axes.set_xlabel("τ_pos")
    drawn[0].set_ylabel("τ_neg")
    alt = f"Threshold grid of {data.name} on TUNE rows: " + "; ".join(
        f"{label} {span(list(panels[name].values()), digits)}" for name, label, digits in PANELS
    )
    caption = (
        "Each pair of thresholds on the folds' TUNE rows, mean over folds; EVAL rows are never "
        "used to choose. Darker is larger within a panel."
    )
    return Plot(figure, title, f"{alt}.", caption)


def _cells(data: FigureData, name: str) -> Cells:
    cells = {}
    for text in data.settings_of(f"{name}@tau="):
        low, high = text.split(",")
        lack = f"the grid lacks {name} at {text}"
        cells[low, high] = data.need(
            f"{name}@tau={text}", "tune_queries", "folds", "mean", lack=lack
        )
    return cells


def _table(axes: Axes, cells: Cells, lows: list[str], highs: list[str], digits: int) -> None:
    from matplotlib.patches import Rectangle  # noqa: PLC0415 - loaded on use

    least, most = min(cells.values()), max(cells.values())
    for (low, high), value in cells.items():
        x, y = highs.index(high), lows.index(low)
        depth = (value - least) / (most - least) if most > least else 0.5
        box = Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor=style.BLUE, alpha=0.06 + 0.42 * depth)
        box.set_linewidth(0)
        axes.add_patch(box)
        axes.text(x, y, number(value, digits), ha="center", va="center", fontsize=5.6)
    axes.set_xlim(-0.5, len(highs) - 0.5)
    axes.set_ylim(len(lows) - 0.5, -0.5)
    axes.set_xticks(range(len(highs)), highs)
    axes.set_yticks(range(len(lows)), lows)
    axes.tick_params(length=0)
    axes.grid(visible=False)
