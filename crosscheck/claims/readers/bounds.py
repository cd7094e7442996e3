"""Limits on what a claims file may hold, and what its commas are: before meaning is read."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from crosscheck.claims.pieces import Leaf, Sentence, Table
from crosscheck.claims.quantity import convention
from crosscheck.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crosscheck.claims.pieces import Piece
    from crosscheck.claims.quantity import Comma
    from crosscheck.claims.source import Source
    from crosscheck.claims.written import Written

MOST_CELLS = 60_000
"""Cells and named values of a file: more is data, not claims."""
LONGEST_NAME = 1_000
"""Characters of a name or a cell; a longer cell is a text, and a longer name is none."""


def bounded(pieces: Sequence[Piece], source: Source) -> list[Piece]:
    """Refuse what is out of all bounds, and tell every table what a comma is in this file."""
    cells = sum(_cells(one) for one in pieces)
    if cells > MOST_CELLS:
        raise UserError(
            f"{source.file}: {cells:,} cells and named values; claims are read from at most "
            f"{MOST_CELLS:,}: give the summary, not the data"
        )
    for one in pieces:
        if isinstance(one, Leaf):
            _refuse_long_names(one, source)
    comma = convention(list(_numbers(pieces)))
    return [part for one in pieces for part in _settled(one, comma)]


def _cells(piece: Piece) -> int:
    if isinstance(piece, Table):
        return len(piece.rows) * piece.width
    return int(isinstance(piece, Leaf))


def _refuse_long_names(leaf: Leaf, source: Source) -> None:
    for name in leaf.names:
        if len(name) > LONGEST_NAME:
            line, column = source.place(name.range[0])
            raise UserError(
                f"{source.file}: line {line}, column {column}: a name of {len(name):,} characters; "
                f"at most {LONGEST_NAME:,} are read"
            )


def _numbers(pieces: Sequence[Piece]) -> Iterator[str]:
    """Give the texts that tell what a comma is: cells below a header, and values in quotes."""
    for one in pieces:
        if isinstance(one, Table):
            yield from (cell for row in one.body for cell in row if len(cell) <= LONGEST_NAME)
        elif isinstance(one, Leaf):
            yield one.text[:LONGEST_NAME]


def _settled(piece: Piece, comma: Comma) -> Iterator[Piece]:
    if isinstance(piece, Leaf):
        yield replace(piece, comma=comma)
    elif isinstance(piece, Table):
        long = [cell for row in piece.cells for cell in row if len(cell) > LONGEST_NAME]
        cells = tuple(tuple(map(_shortened, row)) for row in piece.cells) if long else piece.cells
        fields = {name: getattr(piece, name) for name in _AROUND}
        yield Table(piece.name, cells, comma=comma, **fields)
        yield from (Sentence(cell, piece.title) for cell in long)
    else:
        yield piece


_AROUND = ("header", "caption", "title", "label", "notes", "sentence")


def _shortened(cell: Written) -> Written:
    return cell[:0] if len(cell) > LONGEST_NAME else cell
