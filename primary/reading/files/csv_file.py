"""CSV and TSV: polars splits the fields, once it is certain that every record has all of them."""

from __future__ import annotations

import codecs
import csv
import io
import re
from contextlib import suppress
from threading import Lock
from typing import TYPE_CHECKING, Self

import numpy as np
import polars as pl

from primary.reading.files.raw import Raw, check_utf8, chosen, no_rows, once_each, renamed

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from primary.errors import Problems

BLOCK = 1 << 19
"""Bytes looked at together when a file's structure is checked: they stay in the cache."""

NONE = np.zeros(0, dtype=np.int64)
FEW = 32
"""Of more bytes than this to a quote, it is faster to compare the places of quotes than bytes."""

QUOTE = "The file may be truncated, or a quote not closed; inside quotes each is doubled."
"""What to do about a record that has no end."""


def read_csv(
    content: bytes,
    path: Path,
    mapped: Mapping[str, str],
    wanted: Collection[str],
    problems: Problems,
) -> Raw:
    """Read the wanted columns as text."""
    return _read(content, path, mapped, wanted, problems, separator=",")


def read_tsv(
    content: bytes,
    path: Path,
    mapped: Mapping[str, str],
    wanted: Collection[str],
    problems: Problems,
) -> Raw:
    """Read the same where tabs part the columns."""
    return _read(content, path, mapped, wanted, problems, separator="\t")


def _read(
    content: bytes,
    path: Path,
    mapped: Mapping[str, str],
    wanted: Collection[str],
    problems: Problems,
    *,
    separator: str,
) -> Raw:
    header, content = opened(content, path, problems, separator)
    if separator == ",":
        _check_separator(header, mapped, problems)
    found = chosen(header, mapped, wanted, problems)
    frame = columns_of(content, header, found, problems, separator)
    if not frame.height:
        raise no_rows(str(path))
    return Raw(frame, found)


def opened(
    content: bytes, path: Path, problems: Problems, separator: str
) -> tuple[list[str], bytes]:
    """Give the names of the columns, without blanks at their ends, and the text.

    An unnamed first column is a written-out index; any other without a name is a mistake.
    """
    content = content.removeprefix(codecs.BOM_UTF8)
    if not content or content.isspace():
        raise no_rows(str(path))
    check_utf8(content, problems)
    header = _header(content, problems, separator)
    if "" in header[1:]:
        place = header.index("", 1) + 1
        problems.add(f"column {place} has no name", "Name it in the first line, or remove it.")
    once_each([name for name in header if name], problems)
    return header, content


def columns_of(
    content: bytes,
    header: list[str],
    found: Mapping[str, str],
    problems: Problems,
    separator: str,
) -> pl.DataFrame:
    """Give some columns under their new names, as text."""
    frame = _fast(content, header, found, separator)
    return _careful(content, header, found, problems, separator) if frame is None else frame


def _check_separator(header: list[str], mapped: Mapping[str, str], problems: Problems) -> None:
    """Say what is wrong with a file that spreadsheets write where the comma is a decimal sign."""
    alone = len(header) == 1 and header[0] not in mapped.values()
    if alone and (";" in header[0] or "\t" in header[0]):
        problems.add(
            f"the header is one column, {header[0]!r}",
            "Separate columns by commas, not by semicolons or tabs.",
        )
        problems.stop_if_any()


def _header(content: bytes, problems: Problems, separator: str) -> list[str]:
    """Give the fields of the first record, without blanks at their ends; no further one is read."""
    header: list[str] = []
    with _Records(content, separator) as records:
        try:
            header = [name.strip() for name in next(records.reader)]
        except csv.Error:
            place, what = records.broken()
            problems.add(f"the first line cannot be read: in column {place} {what}", QUOTE)
    problems.stop_if_any()
    return header


class _Records:
    """The records of a file one by one, as Python's strict csv module parts them.

    It reads the text as far as it is asked for, and no field is too long for it.
    """

    limit = Lock()
    """The module has one limit for all threads, and qrels and run are read side by side."""

    def __init__(self, content: bytes, separator: str) -> None:
        self.content = content
        self.separator = separator
        self.reader = self._parted(self._lines())

    def _lines(self) -> Iterator[str]:
        return io.TextIOWrapper(io.BytesIO(self.content), encoding="utf-8", newline="")

    def _parted(self, lines: Iterator[str]) -> Iterator[list[str]]:
        return csv.reader(lines, strict=True, delimiter=self.separator)

    def __enter__(self) -> Self:
        self.limit.acquire()
        self.before = csv.field_size_limit(max(csv.field_size_limit(), len(self.content)))
        return self

    def __exit__(self, *_: object) -> None:
        csv.field_size_limit(self.before)
        self.limit.release()

    def broken(self) -> tuple[int, str]:
        """Give the column, from 1, of the quote that broke a record, and what is wrong there."""
        record, begin, place = self._unparted(), 0, 1
        field = re.compile(rf'(?:"(?:[^"]|"")*+"|[^"{self.separator}][^{self.separator}]*+)?+')
        while (found := field.match(record, begin)) and record[found.end()] == self.separator:
            begin, place = found.end() + 1, place + 1
        if found is None or found.end() == begin:
            return place, "a quote is opened and never closed"
        return place, f"{record[found.end() : found.end() + 20]!r} follows the closing quote"

    def _unparted(self) -> str:
        """Give the text of the broken record, as far as it was read, by reading all again."""
        lines: list[str] = []

        def noted() -> Iterator[str]:
            for line in self._lines():
                lines.append(line)
                yield line

        records = self._parted(noted())
        with suppress(csv.Error):
            while True:
                lines.clear()
                next(records)
        return "".join(lines)


def _fast(
    content: bytes, header: list[str], found: Mapping[str, str], separator: str = ","
) -> pl.DataFrame | None:
    """Let polars split the fields, once it is certain that every record has all of them."""
    # Of a lone column polars would take a blank line for an empty field.
    rows = _regular_rows(content, len(header), separator) if len(header) > 1 else None
    if rows is None:
        return None
    places = sorted({header.index(source) for source in found.values()})
    try:
        frame = pl.read_csv(
            content,
            columns=places,
            infer_schema=False,
            empty_string_is_null=False,
            separator=separator,
        )
    except pl.exceptions.PolarsError:
        return None
    if frame.height != rows - 1:
        return None
    frame.columns = [header[place] for place in places]
    return renamed(frame, found)


def _regular_rows(content: bytes, fields: int, separator: str = ",") -> int | None:
    """Count the records if each has `fields` fields and quotes only around whole fields.

    Quotes in the midst of a field do no harm where nothing parts or ends between them. A carriage
    return alone ends a record, which polars does not know.
    """
    buffer = np.frombuffer(content, dtype=np.uint8)
    returns, marks = b"\r" in content, b'"' in content
    quoted, separators, rows, end = False, 0, 0, 0
    while end < len(buffer):
        start, end = end, _block_end(content, end)
        block = buffer[start:end]
        newlines = np.flatnonzero(block == ord("\n"))
        quotes = _quotes(buffer, (start, end), separator, quoted=quoted) if marks else NONE
        if quotes is None or (returns and _ended_alone(block, newlines, quotes)):
            return None
        # What is left open closes behind the block.
        quoted = bool(len(quotes)) and int(quotes[-1]) == end - start
        at_ends, outside = _parted(block, newlines, quotes, separator)
        if not len(at_ends):
            separators += outside
            continue
        per_row = np.diff(at_ends, prepend=0)
        per_row[0] += separators
        if (per_row != fields - 1).any():
            return None
        separators = outside - int(at_ends[-1])
        rows += len(at_ends)
    if quoted:
        return None
    if content.endswith(b"\n"):
        return rows
    return rows + 1 if separators == fields - 1 else None


def _block_end(content: bytes, start: int) -> int:
    """End a block with a line, so that it cuts no neighbouring quotes, and no field without."""
    end = start + BLOCK
    if end >= len(content):
        return len(content)
    return content.rfind(b"\n", start, end) + 1 or content.find(b"\n", end) + 1 or len(content)


def _quotes(
    buffer: NDArray[np.uint8], part: tuple[int, int], separator: str, *, quoted: bool
) -> NDArray[np.int64] | None:
    """Give where quotes open and close in a block, in turn; None if one stands where it may not.

    What is open where the block begins opens at −1, what is left open closes at its length.
    """
    block = buffer[slice(*part)]
    first, behind = _runs(block == ord('"'))
    before, after = _at_edge(buffer, part[0] - 1, separator), _at_edge(buffer, part[0], separator)
    odd = ((first ^ behind) & 1).astype(bool)
    if not odd.all():
        # An even number of neighbours turns nothing: inside quotes each two of them are one.
        empty = ~odd & ((np.cumsum(odd) + quoted) % 2 == 0)
        if (before(first[empty]) & ~after(behind[empty])).any():
            return None
        first, behind = first[odd], behind[odd]
    quotes, whole, closed = first, before(first[quoted::2]), after(behind[not quoted :: 2])
    if quoted:
        quotes, whole = np.append(-1, quotes), np.append([True], whole)
    if len(quotes) % 2:
        quotes, closed = np.append(quotes, len(block)), np.append(closed, [True])
    if (whole & ~closed).any():
        return None
    return quotes if whole.all() or _undivided(block, quotes, ~whole, separator) else None


def _runs(mask: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Give where each run of true values begins, and where it has ended."""
    count = np.count_nonzero(mask)
    if not count:
        return NONE, NONE
    if count < len(mask) // FEW:
        places = np.flatnonzero(mask)
        apart = places[1:] - places[:-1] > 1
        if apart.all():
            return places, places + 1
        return places[np.append([True], apart)], places[np.append(apart, [True])] + 1
    turns = np.flatnonzero(mask[1:] != mask[:-1]) + 1
    if mask[0]:
        turns = np.append(0, turns)
    if mask[-1]:
        turns = np.append(turns, len(mask))
    return turns[::2], turns[1::2]


def _at_edge(
    buffer: NDArray[np.uint8], shift: int, separator: str
) -> Callable[[NDArray[np.int64]], NDArray[np.bool_]]:
    """Say of places, so far on in the file, whether what stands there ends or begins a field."""
    edges = np.zeros(256, dtype=bool)
    # Beyond the ends of the file `clip` finds the quote itself, which elsewhere has no neighbour.
    edges[[ord(separator), *b'\r\n"']] = True
    return lambda places: edges.take(buffer.take(places + shift, mode="clip"))


def _undivided(
    block: NDArray[np.uint8],
    quotes: NDArray[np.int64],
    within: NDArray[np.bool_],
    separator: str,
) -> bool:
    """Say whether both quotes of some pairs stand in one field: they are plain characters there."""
    stops = np.flatnonzero((block == ord(separator)) | (block == ord("\n")) | (block == ord("\r")))
    before = np.searchsorted(quotes, stops)
    return not within[before[before % 2 == 1] // 2].any()


def _ended_alone(
    block: NDArray[np.uint8], newlines: NDArray[np.int64], quotes: NDArray[np.int64]
) -> bool:
    """Say whether a carriage return stands outside quotes without a newline behind it."""
    is_return = block == ord("\r")
    paired = block.take(newlines - 1, mode="clip") == ord("\r")
    if np.count_nonzero(is_return) == np.count_nonzero(paired):
        return False
    returns = np.flatnonzero(is_return)
    alone = returns[block.take(returns + 1, mode="clip") != ord("\n")]
    return bool((np.searchsorted(quotes, alone) % 2 == 0).any())


def _parted(
    block: NDArray[np.uint8],
    newlines: NDArray[np.int64],
    quotes: NDArray[np.int64],
    separator: str,
) -> tuple[NDArray[np.int64], int]:
    """Count the separators before each end of a record, and all.

    What stands in quotes parts and ends nothing.
    """
    separators = np.flatnonzero(block == ord(separator))
    at_quotes = np.searchsorted(separators, quotes)
    inside = np.append(0, np.cumsum(at_quotes[1::2] - at_quotes[::2]))
    before = np.searchsorted(quotes, newlines)
    ends = np.flatnonzero(before % 2 == 0)
    at_ends = np.searchsorted(separators, newlines[ends]) - inside[before[ends] // 2]
    return at_ends, len(separators) - int(inside[-1])


def _careful(
    content: bytes,
    header: list[str],
    found: Mapping[str, str],
    problems: Problems,
    separator: str = ",",
) -> pl.DataFrame:
    """Read record by record, for files with blank lines or odd quotes, and say what is broken."""
    places = {name: header.index(source) for name, source in found.items()}
    kept: dict[str, list[str]] = {name: [] for name in found}
    row = 0
    with _Records(content, separator) as records:
        try:
            next(records.reader)
            for record in records.reader:
                if not record:
                    continue
                row += 1
                if len(record) != len(header):
                    problems.add(
                        f"found {len(record)} fields, expected {len(header)} as in the header",
                        "The row may be truncated, or hold an unquoted comma or newline.",
                        row=row,
                    )
                    continue
                for name, place in places.items():
                    kept[name].append(record[place])
        except csv.Error:
            place, what = records.broken()
            column = header[place - 1] if place <= len(header) else None
            problems.add(f"the record cannot be read: {what}", QUOTE, row=row + 1, column=column)
    problems.stop_if_any()
    return pl.DataFrame(kept)
