"""What a figure is before and after it becomes files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class NotDrawnError(Exception):
    """The data lack what a figure shows; the text says what, for the report."""


@dataclass(frozen=True, slots=True)
class Plot:
    """A drawn figure with its words: what to see, what it shows, how it came about."""

    figure: Figure
    title: str
    alt: str
    caption: str
