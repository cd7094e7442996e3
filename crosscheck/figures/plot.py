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


@dataclass(frozen=True, slots=True)
class Drawn:
    """A figure as files (`svg`, `pdf`) and as markup for the page (`inline`)."""

    name: str
    title: str
    alt: str
    caption: str
    svg: str
    pdf: bytes
    inline: str
    wide: bool = False
    """Whether it is meant for both columns of a page."""


@dataclass(frozen=True, slots=True)
class Gallery:
    """All figures of one system, and why the others were not drawn."""

    figures: tuple[Drawn, ...]
    not_drawn: dict[str, str]
