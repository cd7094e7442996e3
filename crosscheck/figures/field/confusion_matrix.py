"""The confusion matrix of several classes: counts, shaded by their share of the true class."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from crosscheck.drawing import style
from crosscheck.drawing.plot import NotDrawnError, Plot
from crosscheck.drawing.words import count, label_of, number
from crosscheck.model.key import escape_class

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.patches import Rectangle
    from numpy.typing import NDArray

    from crosscheck.drawing.data import FigureData

MOST = 25
"""Classes that a figure of a page shows; of more, the largest."""
WRITTEN = 15
"""Up to so many classes the counts fit into their cells."""
DARK = 0.55
"""From this share on a cell is dark, and what is written in it light."""


def draw(data: FigureData) -> Plot:
    """Draw one cell a pair of true and predicted class."""
    matrix = _matrix(data)
    support = matrix.sum(axis=1)
    order = sorted(range(len(support)), key=lambda place: (-support[place], place))[:MOST]
    kept = sorted(order)
    shown = matrix[np.ix_(kept, kept)]
    names = [label_of(data.classes[place]) for place in kept]
    total, right = int(matrix.sum()), int(np.trace(matrix))
    title = f"{number(right / total, 3)} of the rows are on the diagonal{_worst(data, matrix)}"
    side = 0.9 + 0.26 * len(names)
    width = style.COLUMN if len(names) <= 10 else style.PAGE  # noqa: PLR2004 - names fit a column
    left = f", {len(names)} of {len(support)} shown" if len(names) < len(support) else ""
    subtitle = data.about(f"n = {count(total)} rows, {len(support)} classes{left}")
    figure = style.blank(width, side, title, subtitle)
    axes = figure.add_subplot()
    _cells(axes, shown, support[kept])
    axes.set_xticks(range(len(names)), names, rotation=45, ha="right", rotation_mode="anchor")
    axes.set_yticks(range(len(names)), names)
    axes.set_xlabel("Predicted class")
    axes.set_ylabel("True class")
    alt = f"Confusion matrix of {data.name}. " + "; ".join(
        f"{name}: {count(shown[place, place])} of {count(support[kept[place]])} right"
        for place, name in enumerate(names[:12])
    )
    caption = (
        "Rows are true classes, columns predicted ones; a cell is as dark as its share of the true "
        "class. Counts are in the ledger under count@true=…,predicted=…."
    )
    return Plot(figure, title, f"{alt}.", caption)


def _matrix(data: FigureData) -> NDArray[np.int64]:
    lack = "the data have no classes, or more than the contract counts cells of"
    names = [escape_class(name) for name in data.classes]
    cells = [
        [
            data.need(f"count@true={a},predicted={b}", "all_queries", "all", "value", lack=lack)
            for b in names
        ]
        for a in names
    ]
    matrix = np.array(cells, dtype=np.int64)
    if not matrix.sum():
        raise NotDrawnError("the data have no classes")
    return matrix


def _worst(data: FigureData, matrix: NDArray[np.int64]) -> str:
    """Name the pair that is confused most often."""
    off = matrix.copy()
    np.fill_diagonal(off, 0)
    if not off.any():
        return ""
    true, predicted = divmod(int(off.argmax()), len(off))
    names = label_of(data.classes[true]), label_of(data.classes[predicted])
    return f"; {names[0]} is taken for {names[1]} most often ({count(off.max())})"


def _cells(axes: Axes, shown: NDArray[np.int64], support: NDArray[np.int64]) -> None:
    size = len(shown)
    for row in range(size):
        for column in range(size):
            share = float(shown[row, column] / support[row]) if support[row] else 0.0
            colour = style.BLUE if row == column else style.ORANGE
            axes.add_patch(_cell(column, row, colour, share))
            if size <= WRITTEN:
                axes.text(
                    column,
                    row,
                    count(shown[row, column]),
                    ha="center",
                    va="center",
                    fontsize=5.6,
                    color=style.PAPER if share > DARK else style.INK,
                )
    axes.set_xlim(-0.5, size - 0.5)
    axes.set_ylim(size - 0.5, -0.5)
    axes.grid(visible=False)
    axes.tick_params(length=0)


def _cell(column: int, row: int, colour: str, share: float) -> Rectangle:
    from matplotlib import patches  # noqa: PLC0415 - loaded on use

    return patches.Rectangle(
        (column - 0.48, row - 0.48), 0.96, 0.96, facecolor=colour, alpha=share, linewidth=0
    )
