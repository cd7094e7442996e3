"""What a program printed: tables drawn with plain characters, else lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crosscheck.notation.pieces import Sentence, Table
from crosscheck.notation.written import NOTHING
from crosscheck.readers.header import header
from crosscheck.readers.plain_tables import bars, columns, grid, is_barred, is_grid, is_rule

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crosscheck.notation.pieces import Piece
    from crosscheck.notation.written import Written


def printed(text: Written, title: str = "") -> Iterator[Piece]:
    """Read the blocks between blank lines."""
    for block in parted(text.lines()):
        yield from _block(block, title)


def _block(block: Sequence[Written], title: str) -> Iterator[Piece]:
    found = drawn(block) or columns(block)
    if found is None:
        yield from (Sentence(line.tidied(), title) for line in block)
        return
    rows, count = found
    cells = [[cell.tidied() for cell in row] for row in rows]
    yield Table.of("printed table", cells, count, NOTHING, title)


def drawn(lines: Sequence[Written]) -> tuple[list[list[Written]], int] | None:
    """Read a table of bars or borders; None if it is none."""
    if is_grid(lines):
        return grid(lines)
    if is_barred(lines):
        rows = [bars(line) for line in lines if not is_rule(line)]
        return (rows, header(rows)) if rows else None
    return None


def parted(lines: Sequence[Written]) -> Iterator[list[Written]]:
    """Give the blocks between blank lines."""
    block: list[Written] = []
    for line in [*lines, NOTHING]:
        if line.text.strip():
            block.append(line)
        elif block:
            yield block
            block = []
