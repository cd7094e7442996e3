"""Tables that are drawn with plain characters: bars, grids of `+---+`, and columns of blanks."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING

from crosscheck.notation.source import is_digit
from crosscheck.readers.header import header

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crosscheck.notation.written import Written

    Rows = list[list[Written]]

_BORDER = re.compile(r"\s*\+(?:[-=:]{1,500}\+)+\s*")
_BAR = re.compile(r"(?<!\\)\|")
_GAP = re.compile(r"[ \u00a0]{2,}|\t+")
_RULE = re.compile(r"[\s|:+=─━┃│┼-]*")


def bars(line: Written) -> list[Written]:
    """Cut a line at its bars; those at its ends are no cells."""
    row = line.strip()
    marks = [found.start() for found in _BAR.finditer(row.text)]
    if marks and marks[0] == 0:
        row, marks = row[1:], [at - 1 for at in marks[1:]]
    if marks and marks[-1] == len(row) - 1:
        row, marks = row[: len(row) - 1], marks[:-1]
    edges = [-1, *marks, len(row)]
    return [row[low + 1 : high].strip() for low, high in itertools.pairwise(edges)]


def is_barred(lines: Sequence[Written]) -> bool:
    """Say whether lines are a table of bars, with or without a header."""
    barred = [line for line in lines if line.text.strip()[:1] == "|" and line.text.count("|") > 1]
    return bool(barred) and len(barred) == len([line for line in lines if line.text.strip()])


def is_rule(line: Written) -> bool:
    """Say whether a line is drawn only to part others."""
    return _RULE.fullmatch(line.text) is not None and len(line.text.strip()) > 1


def is_grid(lines: Sequence[Written]) -> bool:
    """Say whether lines are a table with borders of `+---+`."""
    return len(lines) > 2 and _BORDER.fullmatch(lines[0].text) is not None  # noqa: PLR2004 - a row at least


def grid(lines: Sequence[Written]) -> tuple[Rows, int]:
    """Read a table with borders: its rows, and how many are header."""
    rows: Rows = []
    open_row: list[list[Written]] = []
    head = 0
    for line in lines:
        if _BORDER.fullmatch(line.text):
            if open_row:
                rows.append([_stacked(cell) for cell in open_row])
                open_row = []
            if "=" in line.text and not head:
                head = len(rows)
        elif line.text.strip():
            cells = bars(line)
            open_row += [[] for _ in range(len(cells) - len(open_row))]
            for cell, part in zip(open_row, cells, strict=False):
                cell.append(part)
    if open_row:
        rows.append([_stacked(cell) for cell in open_row])
    return rows, header(rows, head or 1) if rows else 0


def _stacked(parts: list[Written]) -> Written:
    """Join the lines of one cell."""
    from crosscheck.notation.written import Written as Text  # noqa: PLC0415 - a type elsewhere here

    shown = [part for part in parts if part]
    joined: list[Written] = []
    for part in shown:
        joined += [Text.added(" "), part] if joined else [part]
    return Text.joined(joined)


def columns(lines: Sequence[Written]) -> tuple[Rows, int] | None:
    """Read a table whose columns stand apart by two blanks or more; None if it is none.

    A header may lack the name of its first column, as programs print it.
    """
    shown = [line for line in lines if line.text.strip() and not is_rule(line)]
    rows = [_apart(line) for line in shown]
    width = max((len(row) for row in rows), default=0)
    numbers = sum(
        any(map(is_digit, cell.text)) for row in rows[1:] for cell in row[1:]
    )  # fmt: skip
    if len(rows) < 2 or width < 2 or not numbers:  # noqa: PLR2004 - a header, a row, two columns
        return None
    fitting = [row for row in rows if len(row) in {width, width - 1}]
    if len(fitting) * 3 < len(rows) * 2:
        return None
    if len(rows[0]) < width:
        rows[0] = [rows[0][0][:0]] * (width - len(rows[0])) + rows[0]
    return rows, header(rows)


def _apart(line: Written) -> list[Written]:
    text = line.strip()
    edges = [0]
    for found in _GAP.finditer(text.text):
        edges += [found.start(), found.end()]
    edges.append(len(text))
    return [text[low:high] for low, high in zip(edges[::2], edges[1::2], strict=True)]
