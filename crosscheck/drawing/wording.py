"""A figure's text in the words of its data: documents, classes, rows in place of sentences."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from crosscheck.drawing.plot import Plot

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.axes import Axes

    from crosscheck.contract.words import Words

_WORDS: ContextVar[Words | None] = ContextVar("words", default=None)


@contextmanager
def worded(words: Words | None) -> Iterator[None]:
    """Draw in the words of a kind of study."""
    token = _WORDS.set(words)
    try:
        yield
    finally:
        _WORDS.reset(token)


def fit(text: str) -> str:
    """Say a text in the words of the data."""
    words = _WORDS.get()
    return words.fit(text) if words else text


def fitted(plot: Plot) -> Plot:
    """Say what stands in a drawn figure in the words of its data; names from the data stay."""
    for axes in plot.figure.axes:
        _fit_axes(axes)
    return Plot(plot.figure, fit(plot.title), fit(plot.alt), fit(plot.caption))


def _fit_axes(axes: Axes) -> None:
    legend = axes.get_legend()
    written = [axes.xaxis.label, axes.yaxis.label, *(legend.get_texts() if legend else ())]
    for text in (*written, *axes.texts):
        text.set_text(fit(text.get_text()))
    title = axes.get_title(loc="left")
    if fit(title) != title:
        axes.set_title(fit(title), loc="left")
