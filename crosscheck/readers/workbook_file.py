"""XLSX workbooks: every sheet as tables, cells as they are shown; needs the extra `documents`."""

from __future__ import annotations

import io
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from crosscheck.errors import UserError
from crosscheck.extras import needed
from crosscheck.notation.pieces import Sentence, Table
from crosscheck.notation.source import Source
from crosscheck.notation.written import BOLD, UNDERLINE, Written
from crosscheck.readers import Reader, unreadable
from crosscheck.readers.archives import refuse_bombs
from crosscheck.readers.header import header

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crosscheck.notation.pieces import Piece

_MOST_ROWS = 20_000
_MOST_COLUMNS = 500


def open_book(raw: bytes, name: str) -> tuple[Source, Sequence[Piece]]:
    """Read a workbook: its text is a line per row, its cells parted by tabs."""
    openpyxl = needed("openpyxl", name)
    refuse_bombs(raw, name)
    try:
        book = openpyxl.load_workbook(io.BytesIO(raw), data_only=True)
        formulas = openpyxl.load_workbook(io.BytesIO(raw))
    except Exception as error:
        raise UserError(f"{name}: cannot be opened as a workbook: {error}") from error
    sheets = _Sheets(name)
    for sheet in book.worksheets:
        sheets.add(sheet, formulas[sheet.title])
    return Source(name, "".join(sheets.texts), tuple(sheets.landmarks)), sheets.pieces


class _Sheets:
    def __init__(self, name: str) -> None:
        self.name = name
        self.texts: list[str] = []
        self.size = 0
        self.landmarks: list[tuple[int, str]] = []
        self.pieces: list[Piece] = []

    def add(self, sheet: Any, formulas: Any) -> None:  # noqa: ANN401 - openpyxl has no types
        """Read a sheet; blank rows part its tables, a row of one text alone is a sentence."""
        if sheet.max_row > _MOST_ROWS or sheet.max_column > _MOST_COLUMNS:
            raise UserError(
                f"{self.name}: sheet “{sheet.title}” has {sheet.max_row:,} rows and "
                f"{sheet.max_column:,} columns; give the table alone"
            )
        self.landmarks.append((self.size, f"sheet “{sheet.title}”"))
        block: list[list[Written]] = []
        title = ""
        spans = _spans(sheet)
        known: dict[tuple[int, int], Written] = {}
        for row in sheet.iter_rows():
            cells = []
            for cell in row:
                at = (cell.row, cell.column)
                first = spans.get(at, at)
                if first not in known:
                    known[first] = self._cell(cell, formulas.cell(*at).value)
                cells.append(known[first])
            self._put("\n")
            filled = list({id(cell): cell for cell in cells if cell}.values())
            if len(filled) == 1 and not block:
                title = filled[0].text
                self.pieces.append(Sentence(filled[0], title))
            elif filled:
                block.append(cells)
            else:
                self._table(block, f"sheet “{sheet.title}”", title)
                block = []
        self._table(block, f"sheet “{sheet.title}”", title)

    def _put(self, text: str) -> Written:
        at, self.size = self.size, self.size + len(text)
        self.texts.append(text)
        return Written.of(text, at)

    def _cell(self, cell: Any, formula: object) -> Written:  # noqa: ANN401 - the same
        """Read a cell; a formula whose value was not saved is text, and so not understood."""
        value = formula if cell.value is None else cell.value
        written = self._put(" ".join(shown(value, cell.number_format).split()))
        self._put("\t")
        font = getattr(cell, "font", None)
        if written and font is not None:
            written = written.marked((BOLD if font.b else 0) | (UNDERLINE if font.u else 0))
        return written

    def _table(self, block: list[list[Written]], sheet: str, title: str) -> None:
        if block:
            used = [any(row[c] for row in block) for c in range(len(block[0]))]
            first = used.index(True)
            rows = [row[first:] for row in block]
            number = 1 + sum(isinstance(one, Table) for one in self.pieces)
            name = f"table {number} ({sheet})"
            self.pieces.append(Table.of(name, rows, header(rows), title=title))


def _spans(sheet: Any) -> dict[tuple[int, int], tuple[int, int]]:  # noqa: ANN401 - the same
    """Say for every cell of a merged area which one has its text."""
    found: dict[tuple[int, int], tuple[int, int]] = {}
    for area in sheet.merged_cells.ranges:
        if (area.max_row - area.min_row + 1) * (area.max_col - area.min_col + 1) > _MOST_ROWS:
            continue
        for row in range(area.min_row, area.max_row + 1):
            for column in range(area.min_col, area.max_col + 1):
                found[row, column] = (area.min_row, area.min_col)
    return found


def shown(value: object, number_format: str) -> str:
    """Give a cell as it is shown: rounded to the decimals of its format, percent as percent."""
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    plain = number_format.partition(";")[0]
    exact = Decimal(repr(value))
    if not exact.is_finite():
        return str(value)
    if "%" in plain:
        return f"{_rounded(exact * 100, plain)}%"
    return _rounded(exact, plain) if "0" in plain else str(value)


def _rounded(value: Decimal, plain: str) -> str:
    decimals = len(plain.partition(".")[2]) - len(plain.partition(".")[2].lstrip("0"))
    if not any(mark in plain for mark in "0"):
        return str(value)
    return f"{value:.{decimals}f}"


READER = Reader("XLSX", (".xlsx", ".xlsm"), unreadable, open=open_book)
