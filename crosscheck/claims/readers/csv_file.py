"""CSV and TSV: one table per file, first row the header."""

from __future__ import annotations

import csv
import io

from crosscheck.claims.cells import Cells
from crosscheck.claims.readers import Reader
from crosscheck.errors import UserError

_CELL_LIMIT = 1 << 20


def grids(text: str, name: str) -> list[Cells]:
    """Read the file as one table; the delimiter is the one its first line has most of."""
    first = next((line for line in text.splitlines() if line.strip()), "")
    delimiter = max(",;\t", key=first.count)
    csv.field_size_limit(_CELL_LIMIT)
    try:
        read = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        rows = [[cell.strip() for cell in row] for row in read if any(cell.strip() for cell in row)]
    except csv.Error as error:
        raise UserError(f"{name}: cannot be read as CSV: {error}; check its quotes") from error
    return [Cells.of("table", rows)] if rows else []


READER = Reader("CSV", (".csv", ".tsv"), grids)
