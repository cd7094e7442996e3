"""A page of the contract as plain blocks, which the terminal and the Markdown writer both print."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from crosscheck.contract.words import Words


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


def worded(page: Page, words: Words) -> Page:
    """Say a page in the words of a kind of study; ids, keys and formulas stay."""
    return [_worded(block, words) for block in page]


def _worded(block: Block, words: Words) -> Block:
    if isinstance(block, Bullets):
        return Bullets(tuple(map(words.fit, block.items)))
    if isinstance(block, PageTable):
        rows = (
            tuple(cell if n in block.code else words.fit(cell) for n, cell in enumerate(row))
            for row in block.rows
        )
        return PageTable(block.columns, tuple(rows), block.code)
    return replace(block, text=words.fit(block.text))
