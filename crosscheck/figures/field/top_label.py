"""Reliability of the predicted class: how often it is right against how sure the model is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from crosscheck.drawing import style
from crosscheck.drawing.plot import NotDrawnError, Plot
from crosscheck.drawing.words import count, number
from crosscheck.figures import reliability

if TYPE_CHECKING:
    from crosscheck.drawing.data import FigureData


def draw(data: FigureData) -> Plot:
    """Draw the share that is right against the largest probability, in bins of equal width."""
    sizes = data.variants_of("ece@", "/top_label")
    if data.truth is None or data.class_probs is None or not sizes:
        raise NotDrawnError("the data have no probabilities of classes")
    size = sizes[0]
    ece = data.need(
        f"ece@{size}/top_label", "all_queries", "all", "value", lack="the ledger has no such error"
    )
    bins = _bins(data, int(size))
    filled = [each for each in bins if each.n]
    worst = max(filled, key=lambda each: abs(each.mean_label - each.mean_prob))
    title = (
        f"ECE of the top label {number(ece)}; the furthest bin says {number(worst.mean_prob, 2)} "
        f"where {number(worst.mean_label, 2)} are right"
    )
    subtitle = data.about(f"n = {count(len(data.truth))} rows, {size} bins")
    figure = style.blank(style.COLUMN, 3.05, title, subtitle)
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=[3.4, 1])
    reliability.diagram(upper, filled, "Share that is right")
    reliability.counts(lower, bins, "Rows", "Mean probability of the top label")
    alt = (
        f"Reliability diagram of the top label of {data.name} with {len(filled)} filled bins of "
        f"{size}; expected calibration error {number(ece)}."
    )
    caption = (
        f"Share of rows whose class is the one with the largest probability, against that "
        f"probability, in {size} bins of equal width, and how many rows each bin holds (log scale)."
    )
    return Plot(figure, title, alt, caption)


def _bins(data: FigureData, size: int) -> list[reliability.Bin]:
    assert data.truth is not None  # noqa: S101 - `draw` has looked
    assert data.class_probs is not None  # noqa: S101 - the same
    # The earlier of equal classes counts, which is what argmax takes.
    top = data.class_probs.argmax(axis=1)
    sure = data.class_probs[np.arange(len(top)), top]
    right = top == data.truth
    place = np.minimum(np.floor(np.round(sure * size, 9)).astype(int), size - 1)
    bins = []
    for index in range(size):
        inside = place == index
        n = int(inside.sum())
        bins.append(
            reliability.Bin(
                n,
                float(np.round(sure[inside].mean(), 9)) if n else 0.0,
                float(right[inside].sum() / n) if n else 0.0,
            )
        )
    return bins
