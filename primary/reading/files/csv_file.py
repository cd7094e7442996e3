"""CSV and TSV: polars splits the fields, once it is certain that every record has all of them."""

from __future__ import annotations

import codecs
import csv
import io
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from primary.reading.files.raw import Raw, check_utf8, chosen, no_rows, once_each, renamed

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from primary.errors import Problems

BLOCK = 1 << 19
"""Bytes looked at together when a file's structure is checked: they stay in the cache."""


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
    first = io.StringIO(content[: _first_record(content)].decode(), newline="")
    try:
        header = [name.strip() for name in next(csv.reader(first, delimiter=separator))]
    except (csv.Error, StopIteration) as error:
        problems.add(f"the first line cannot be read ({error})", "It names the columns.")
        problems.stop_if_any()
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


def _first_record(content: bytes) -> int:
    """Give where the header ends; a newline inside quotes does not end it."""
    end = content.find(b"\n")
    while end != -1 and content.count(b'"', 0, end) % 2:
        end = content.find(b"\n", end + 1)
    return len(content) if end == -1 else end + 1


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
    """Count the records if each has `fields` fields and quotes only around whole fields."""
    buffer = np.frombuffer(content, dtype=np.uint8)
    quoted, separators, rows = False, 0, 0
    for start in range(0, len(buffer), BLOCK):
        at_ends, outside, quoted = _parted(buffer[start : start + BLOCK], separator, quoted=quoted)
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


def _parted(
    block: NDArray[np.uint8], separator: str, *, quoted: bool
) -> tuple[NDArray[np.int64], int, bool]:
    """Count the separators before each end of a record, and all; say if a quote is left open.

    What stands in quotes parts and ends nothing. `quoted` says if the block begins inside them.
    """
    quotes, newlines, separators = (
        np.flatnonzero(block == ord(sign)) for sign in ('"', "\n", separator)
    )
    if quoted:
        quotes = np.append(-1, quotes)
    left_open = len(quotes) % 2 == 1
    if left_open:
        quotes = np.append(quotes, len(block))
    at_quotes = np.searchsorted(separators, quotes)
    inside = np.append(0, np.cumsum(at_quotes[1::2] - at_quotes[::2]))
    before = np.searchsorted(quotes, newlines)
    ends = np.flatnonzero(before % 2 == 0)
    at_ends = np.searchsorted(separators, newlines[ends]) - inside[before[ends] // 2]
    return at_ends, len(separators) - int(inside[-1]), left_open


def _careful(
    content: bytes,
    header: list[str],
    found: Mapping[str, str],
    problems: Problems,
    separator: str = ",",
) -> pl.DataFrame:
    """Read record by record, for files with blank lines or odd quotes, and say what is broken."""
    limit = csv.field_size_limit(max(csv.field_size_limit(), len(content)))
    text = io.StringIO(content.decode(), newline="")
    reader = csv.reader(text, strict=True, delimiter=separator)
    places = {name: header.index(source) for name, source in found.items()}
    kept: dict[str, list[str]] = {name: [] for name in found}
    row = 0
    try:
        next(reader)
        for record in reader:
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
    except csv.Error as error:
        problems.add(
            f"the record cannot be read ({error})",
            "The file may be truncated, or a quote not closed.",
            row=row + 1,
        )
    finally:
        csv.field_size_limit(limit)
    problems.stop_if_any()
    return pl.DataFrame(kept)
