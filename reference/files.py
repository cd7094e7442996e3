"""Where rows come from: text parted by commas or tabs, JSON, and tables in columns (`arrow`).

A `Source` knows its column names and yields rows of cells, for the columns asked for. Text
may be compressed, by gzip or Zstandard.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import sys
import zlib
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from operator import itemgetter
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from reference import arrow
from reference.errors import Problem, UnreadableError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
    from pathlib import Path

    Cells = Iterator[Sequence[Any]]

BROKEN = (OSError, EOFError, UnicodeDecodeError, zlib.error, csv.Error, ValueError)
PACKED = (".gz", ".zst")
JSON_SPACE = " \t\r\n"


@dataclass(frozen=True)
class Source:
    """A table: its column names, and its rows for the columns that are asked for.

    The second argument of `rows` says which of these columns hold ids: integers in them become
    their decimal text where the file has typed columns (Parquet). `where` tells in which file, and
    there in which row, a row stands. Where `open_columns`, rows name their own columns (JSON).
    `typed` files tell numbers from text.
    """

    header: list[str]
    rows: Callable[[Sequence[str], Collection[str]], Cells]
    where: Callable[[int], tuple[str, int]] = lambda row: ("", row)
    open_columns: bool = False
    typed: bool = False


class Format(NamedTuple):
    """A kind of file: what opens it, and whether it is text, which may be compressed."""

    read: Callable[[Path], Source]
    is_text: bool = True


def unreadable(path: Path, what: str, row: int | None = None) -> UnreadableError:
    """Say that a file cannot be read."""
    remedy = f"Give a whole {known()} file"
    return UnreadableError([Problem(what, remedy, file=str(path), row=row)])


@contextmanager
def opened(path: Path, ends: str = "") -> Iterator[IO[str]]:
    """Open a text file, compressed or not; whatever breaks it while it is read is said.

    Lines end in LF, CRLF or a CR alone, or in the `ends` that is given; none is changed.
    """
    if path.exists() and not path.is_file():
        raise unreadable(path, "is no regular file")
    try:
        with path.open("rb") as raw:
            plain: Any = raw
            if path.suffix.lower() in PACKED:
                gzipped = path.suffix.lower() == ".gz"
                plain = gzip.GzipFile(fileobj=raw) if gzipped else arrow.unpacked(path)
            with io.TextIOWrapper(plain, encoding="utf-8-sig", newline=ends) as stream:
                yield stream
    except UnreadableError:
        raise
    except BROKEN as error:
        raise unreadable(path, f"cannot be read: {error}") from error


def source(path: Path) -> Source:
    """Find out what kind of file this is and read its header."""
    kind = kind_of(path)
    if kind not in FORMATS:
        raise unreadable(path, f"files that end in {kind or 'nothing'} are not known")
    if path.exists() and not path.is_file():
        raise unreadable(path, "is no regular file")
    return replace(FORMATS[kind].read(path), where=lambda row: (str(path), row))


def kind_of(path: Path) -> str:
    """Return the ending of a name that tells the kind of file."""
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() not in PACKED]
    return suffixes[-1] if suffixes else ""


def known() -> str:
    """List the endings that are known, for a sentence."""
    text, other = (
        [kind for kind, each in FORMATS.items() if each.is_text is wanted]
        for wanted in (True, False)
    )
    return " or ".join([f"{', '.join(text)} (also .gz, .zst)", *other])


def _csv(path: Path) -> Source:
    return parted(path, ",")


def _tsv(path: Path) -> Source:
    return parted(path, "\t")


def parted(path: Path, delimiter: str) -> Source:
    """Read a table as text."""
    with _csv_rows(path, delimiter) as rows:
        header = [name.strip() for name in next(rows, [])]
    if not header:
        raise unreadable(path, "is empty")
    if "" in header[1:]:
        raise unreadable(path, f"column {header.index('', 1) + 1} has no name")

    def cells(columns: Sequence[str], _ids: Collection[str]) -> Cells:
        places = [header.index(column) for column in columns]
        several = len(places) > 1  # of one place `itemgetter` makes no row
        asked = itemgetter(*places) if several else lambda row: [row[place] for place in places]
        with _csv_rows(path, delimiter) as rows:
            next(rows)
            number = 0
            for row in rows:
                if not row:
                    continue
                number += 1
                if len(row) != len(header):
                    what = f"has {len(row)} fields where the header has {len(header)}"
                    raise unreadable(path, what, number)
                yield asked(row)

    # An unnamed first column is a written-out index, and no column.
    return Source(header if header[0] else header[1:], cells)


@contextmanager
def _csv_rows(path: Path, delimiter: str) -> Iterator[Iterator[list[str]]]:
    limit = csv.field_size_limit(sys.maxsize)
    try:
        with opened(path) as stream:
            yield csv.reader(stream, strict=True, delimiter=delimiter)
    finally:
        csv.field_size_limit(limit)


def json_lines(path: Path) -> Source:
    """Read an object a line."""
    return objects(path, lambda: _jsonl_rows(path))


def objects(path: Path, rows: Callable[[], Iterable[dict[str, Any]]]) -> Source:
    """Make a table of objects: its columns are the names that any of them has."""
    names: dict[str, None] = {}
    for row in rows():
        names.update(dict.fromkeys(row))
    if not names:
        raise unreadable(path, "is empty")

    def cells(columns: Sequence[str], _ids: Collection[str]) -> Cells:
        for row in rows():
            yield [row.get(column) for column in columns]

    return Source(list(names), cells, open_columns=True, typed=True)


def _jsonl_rows(path: Path) -> Iterator[dict[str, Any]]:
    decoder = json.JSONDecoder(object_pairs_hook=_names_once)
    number = 0
    with opened(path, ends="\n") as stream:  # a CR within a line is white space
        for line in stream:
            text = line.strip(JSON_SPACE)
            if not text:
                continue
            number += 1
            try:
                row = decoder.decode(text)
            except (ValueError, RecursionError) as error:
                raise unreadable(path, f"is not JSON: {error}", number) from error
            if not isinstance(row, dict):
                raise unreadable(path, "is not a JSON object", number)
            yield row


def _names_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a name appears twice in one object")
    return dict(pairs)


def whole_json(path: Path) -> Any:  # noqa: ANN401 - whatever the file holds
    """Read a file that is one JSON value."""
    with opened(path) as stream:
        text = stream.read()
    if not text.strip():
        raise unreadable(path, "is empty")
    try:
        return json.loads(text, object_pairs_hook=_names_once)
    except (ValueError, RecursionError) as error:
        raise unreadable(path, f"is not JSON: {error}") from error


def rows_of(value: object) -> list[dict[str, Any]] | None:
    """Return the objects of an array, or of the one array of objects that an object holds."""
    if isinstance(value, dict):
        arrays = [rows for each in value.values() if (rows := _array(each))]
        return arrays[0] if len(arrays) == 1 else None
    return _array(value)


def _array(value: object) -> list[dict[str, Any]] | None:
    """Return an array if its members are objects, all of them."""
    if isinstance(value, list) and all(isinstance(each, dict) for each in value):
        return value
    return None


def _json(path: Path) -> Source:
    found = whole_json(path)
    rows = rows_of(found)
    if rows is None and isinstance(found, list):
        row = next(n for n, each in enumerate(found, 1) if not isinstance(each, dict))
        raise unreadable(path, "is not a JSON object", row)
    if rows is None:
        raise unreadable(path, "is neither an array of objects nor an object that holds just one")
    return objects(path, lambda: rows)


def _in_columns(read: Callable[[Path], tuple[list[str], Any]], path: Path) -> Source:
    try:
        header, cells = read(path)
    except arrow.UnreadableColumns as error:
        raise unreadable(path, str(error)) from error

    def checked(columns: Sequence[str], ids: Collection[str]) -> Cells:
        try:
            yield from cells(columns, ids)
        except arrow.UnreadableColumns as error:
            raise unreadable(path, str(error)) from error

    return Source(header, checked, typed=True)


# By the ending of the name; .gz behind it apart.
FORMATS = {
    ".csv": Format(_csv),
    ".tsv": Format(_tsv),
    ".jsonl": Format(json_lines),
    ".ndjson": Format(json_lines),
    ".json": Format(_json),
    ".parquet": Format(partial(_in_columns, arrow.parquet), is_text=False),
    ".arrow": Format(_arrow := partial(_in_columns, arrow.ipc), is_text=False),
    ".feather": Format(_arrow, is_text=False),
}
