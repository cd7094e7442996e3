"""CSV and TSV: one table per file; its first row is the header unless it holds numbers."""

from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING

from crosscheck.errors import UserError
from crosscheck.notation.pieces import Sentence, Table
from crosscheck.readers import Reader
from crosscheck.readers.header import header

if TYPE_CHECKING:
    from crosscheck.notation.written import Written

_CELL_LIMIT = 1 << 20
_END = {mark: re.compile(f"[{mark}\r\n]") for mark in ",;\t"}
_LINE_END = re.compile(r"\r\n|\n|\r")
_TWICE = re.compile('""')


def tables(page: Written, name: str) -> list[Table | Sentence]:
    """Read the file as one table; the delimiter is the one that its first line has most of.

    Lines above it that begin with `#` are sentences.
    """
    remarks, page = _remarks(page)
    top = page.text[:_CELL_LIMIT].splitlines()
    first = next((line for line in top if any(mark in line for mark in ",;\t")), "")
    delimiter = max(",;\t", key=first.count)
    _refuse_bad_quotes(page.text, name, delimiter)
    rows = [row for row in _rows(page, delimiter) if any(row)]
    found: list[Table | Sentence] = [Sentence(line) for line in remarks]
    return [*found, Table.of("table", rows, header(rows))] if rows else found


def _remarks(page: Written) -> tuple[list[Written], Written]:
    remarks = []
    while page.text.startswith("#"):
        end = _LINE_END.search(page.text)
        remarks.append(page[: end.start() if end else len(page)])
        page = page[end.end() if end else len(page) :]
    return remarks, page


def _refuse_bad_quotes(text: str, name: str, delimiter: str) -> None:
    """Let Python's own reader say what is wrong with the quotes."""
    csv.field_size_limit(_CELL_LIMIT)
    read = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        for _ in read:
            pass
    except csv.Error as error:
        raise UserError(
            f"{name}: line {read.line_num}: cannot be read as CSV: {error}; check its quotes"
        ) from error


def _rows(page: Written, delimiter: str) -> list[list[Written]]:
    """Split into cells by the rules of RFC 4180, each with its place."""
    text, rows, row, at = page.text, [], [], 0
    while at < len(text):
        cell, at = _quoted(page, at) if text[at] == '"' else _bare(page, at, delimiter)
        row.append(cell.strip())
        if text[at : at + 1] == delimiter:
            at += 1
            if at < len(text):
                continue
        at += 2 if text[at : at + 2] == "\r\n" else 1
        rows.append(row)
        row = []
    return rows


def _bare(page: Written, at: int, delimiter: str) -> tuple[Written, int]:
    found = _END[delimiter].search(page.text, at)
    end = found.start() if found else len(page)
    return page[at:end], end


def _quoted(page: Written, at: int) -> tuple[Written, int]:
    """Read a quoted cell, `""` in it being one quote."""
    text, at, end = page.text, at + 1, at + 1
    while True:
        end = text.find('"', end)
        if end < 0:
            return page[at:].replaced(_TWICE, '"'), len(text)
        if text[end + 1 : end + 2] != '"':
            return page[at:end].replaced(_TWICE, '"'), end + 1
        end += 2


READER = Reader("CSV", (".csv", ".tsv"), tables)
