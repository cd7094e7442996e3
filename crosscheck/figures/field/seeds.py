"""Seeds as points with mean ± standard deviation: what another run of the same would have given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crosscheck.figures.folds import spread
from crosscheck.model.key import escape

if TYPE_CHECKING:
    from crosscheck.drawing.data import FigureData
    from crosscheck.drawing.plot import Plot


def draw(data: FigureData) -> Plot:
    """Draw one row a metric: each seed, their mean, one standard deviation to both sides."""
    return spread(data, [f"seed={escape(seed)}" for seed in data.seeds], "seed")
