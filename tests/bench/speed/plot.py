"""The one plot of the benchmarks: seconds against rows, both logarithmic."""

from __future__ import annotations

from typing import TYPE_CHECKING

import matplotlib as mpl
from matplotlib.figure import Figure

if TYPE_CHECKING:
    from pathlib import Path


def growth(series: dict[str, dict[int, float]], path: Path) -> None:
    """Draw each tool's line, and a thin one that grows with the rows."""
    mpl.rcParams["svg.hashsalt"] = "benchmarks"
    figure = Figure(figsize=(6.4, 4.0))
    axes = figure.subplots()
    for (name, points), marker in zip(series.items(), "os", strict=True):
        axes.loglog(list(points), list(points.values()), marker=marker, label=name)
    last = max(series["primary"])
    rows = [last / 100, last]
    seconds = series["primary"][last]
    axes.loglog(rows, [seconds / 100, seconds], color="0.6", linewidth=0.8, label="linear")
    axes.set(xlabel="candidate rows", ylabel="seconds, file to means")
    axes.grid(visible=True, which="major", linewidth=0.4)
    axes.legend(frameon=False)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
