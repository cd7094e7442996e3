"""A figure as files and as markup for the page, and all figures of one system."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


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


Galleries = Mapping[str | None, Gallery]
"""A gallery for each system; the comparison's is under None."""
