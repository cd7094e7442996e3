"""A page of the contract as plain blocks, which the terminal and the Markdown writer both print."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Heading:
    """A title; level 1 is the page's own."""

    level: int
    text: str


@dataclass(frozen=True, slots=True)
class Paragraph:
    """One or more sentences."""

    text: str


@dataclass(frozen=True, slots=True)
class Bullets:
    """A list of sentences."""

    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PageTable:
    """A table; `code` columns hold ids, keys and formulas."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    code: tuple[int, ...] = (0,)


Block = Heading | Paragraph | Bullets | PageTable
Page = list[Block]
