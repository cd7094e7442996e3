"""Limits on what a claims file may hold, before its meaning is read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crosscheck.errors import UserError
from crosscheck.notation.pieces import Leaf, Printed, Sentence, Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crosscheck.notation.pieces import Piece
    from crosscheck.notation.source import Source
    from crosscheck.notation.written import Written

MOST_CELLS = 60_000
"""Cells and named values of a file: more is data, not claims."""
LONGEST_TEXT = 4_000
"""Characters of a text that is read in one go: a longer one is cut, at the end of a sentence."""
LONGEST_NAME = 1_000
"""Characters of a name or a cell; a longer cell is a text, and a longer name is none."""


def bounded(pieces: Sequence[Piece], source: Source) -> list[Piece]:
    """Refuse what is out of all bounds, and take texts that are no cells out of tables."""
    cells = sum(_cells(one) for one in pieces)
    if cells > MOST_CELLS:
        raise UserError(
            f"{source.file}: {cells:,} cells and named values; claims are read from at most "
            f"{MOST_CELLS:,}: give the summary, not the data"
        )
    for one in pieces:
        if isinstance(one, Leaf):
            _refuse_long_names(one, source)
    return [part for one in pieces for part in _parted(one)]


def _cells(piece: Piece) -> int:
    if isinstance(piece, Table):
        return len(piece.rows) * piece.width
    return int(isinstance(piece, Leaf | Printed))


def _refuse_long_names(leaf: Leaf, source: Source) -> None:
    for name in leaf.names:
        if len(name) > LONGEST_NAME:
            line, column = source.place(name.range[0])
            raise UserError(
                f"{source.file}: line {line}, column {column}: a name of {len(name):,} characters; "
                f"at most {LONGEST_NAME:,} are read"
            )


def _parted(piece: Piece) -> Iterator[Piece]:
    """Give a table without the cells that are texts, and those as sentences."""
    long = (
        [cell for row in piece.cells for cell in row if len(cell) > LONGEST_NAME]
        if isinstance(piece, Table)
        else []
    )
    if isinstance(piece, Table) and long:
        cells = tuple(tuple(map(_shortened, row)) for row in piece.cells)
        fields = {name: getattr(piece, name) for name in _AROUND}
        yield Table(piece.name, cells, **fields)
        yield from (
            part for cell in long for part in _cut(Sentence(cell, piece.title, piece.above))
        )
    elif isinstance(piece, Sentence):
        yield from _cut(piece)
    else:
        yield piece


def _cut(piece: Sentence) -> Iterator[Sentence]:
    """Give a text in parts that are not too long."""
    text, at = piece.written, 0
    while len(text) - at > LONGEST_TEXT:
        limit = at + LONGEST_TEXT
        end = max(text.text.rfind(". ", at, limit) + 1, at)
        end = end if end > at else max(text.text.rfind(" ", at, limit), at)
        end = end if end > at else limit
        yield Sentence(text[at:end], piece.title, piece.above)
        at = end
    yield Sentence(text[at:], piece.title, piece.above) if at else piece


_AROUND = ("header", "caption", "title", "label", "notes", "sentence", "above")


def _shortened(cell: Written) -> Written:
    return cell[:0] if len(cell) > LONGEST_NAME else cell
