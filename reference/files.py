"""Where rows come from: CSV, JSON Lines and Parquet, the first two also compressed by gzip.

A `Source` knows its column names and yields rows as lists of cells, for the columns asked for.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import struct
import sys
import zlib
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from reference.errors import Problem, UnreadableError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence
    from pathlib import Path

    Cells = Iterator[list[Any]]

BROKEN = (OSError, EOFError, UnicodeDecodeError, zlib.error, csv.Error, ValueError)
SHORT_FLOATS = {"float": ("f", 9), "halffloat": ("e", 5)}


@dataclass(frozen=True)
class Source:
    """A table: its column names, and its rows for the columns that are asked for.

    The second argument of `rows` says which of these columns hold ids: integers in them become
    their decimal text where the file has typed columns (Parquet).
    """

    header: list[str]
    rows: Callable[[Sequence[str], Collection[str]], Cells]


class Format(NamedTuple):
    """A kind of file: what opens it, and whether it is text, which may be compressed."""

    read: Callable[[Path], Source]
    is_text: bool = True


def unreadable(path: Path, what: str, row: int | None = None) -> UnreadableError:
    """Say that a file cannot be read."""
    remedy = f"Give a whole {known()} file"
    return UnreadableError([Problem(what, remedy, file=str(path), row=row)])


@contextmanager
def opened(path: Path) -> Iterator[IO[str]]:
    """Open a text file, compressed or not; whatever breaks it while it is read is said."""
    try:
        with path.open("rb") as raw:
            plain = gzip.GzipFile(fileobj=raw) if path.suffix == ".gz" else raw
            with io.TextIOWrapper(plain, encoding="utf-8-sig", newline="") as stream:
                yield stream
    except UnreadableError:
        raise
    except BROKEN as error:
        raise unreadable(path, f"cannot be read: {error}") from error


def source(path: Path) -> Source:
    """Find out what kind of file this is and read its header."""
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() != ".gz"]
    kind = suffixes[-1] if suffixes else ""
    if kind not in FORMATS:
        raise unreadable(path, f"files that end in {kind or 'nothing'} are not known")
    return FORMATS[kind].read(path)


def known() -> str:
    """List the endings that are known, for a sentence."""
    text, other = (
        [kind for kind, each in FORMATS.items() if each.is_text is wanted]
        for wanted in (True, False)
    )
    return " or ".join([f"{', '.join(text)} (also .gz)", *other])


def _csv(path: Path) -> Source:
    with _csv_rows(path) as rows:
        header = next(rows, [])
    if not header:
        raise unreadable(path, "is empty")

    def cells(columns: Sequence[str], _ids: Collection[str]) -> Cells:
        places = [header.index(column) for column in columns]
        with _csv_rows(path) as rows:
            next(rows)
            number = 0
            for row in rows:
                if not row:
                    continue
                number += 1
                if len(row) != len(header):
                    what = f"has {len(row)} fields where the header has {len(header)}"
                    raise unreadable(path, what, number)
                yield [row[place] for place in places]

    return Source(header, cells)


@contextmanager
def _csv_rows(path: Path) -> Iterator[Iterator[list[str]]]:
    limit = csv.field_size_limit(sys.maxsize)
    try:
        with opened(path) as stream:
            yield csv.reader(stream, strict=True)
    finally:
        csv.field_size_limit(limit)


def _jsonl(path: Path) -> Source:
    names: dict[str, None] = {}
    for row in _jsonl_rows(path):
        names.update(dict.fromkeys(row))
    if not names:
        raise unreadable(path, "is empty")

    def cells(columns: Sequence[str], _ids: Collection[str]) -> Cells:
        for row in _jsonl_rows(path):
            yield [row.get(column) for column in columns]

    return Source(list(names), cells)


def _jsonl_rows(path: Path) -> Iterator[dict[str, Any]]:
    decoder = json.JSONDecoder(object_pairs_hook=_names_once)
    number = 0
    with opened(path) as stream:
        for line in stream:
            if not line.strip():
                continue
            number += 1
            try:
                row = decoder.decode(line.strip())
            except (ValueError, RecursionError) as error:
                raise unreadable(path, f"is not JSON: {error}", number) from error
            if not isinstance(row, dict):
                raise unreadable(path, "is not a JSON object", number)
            yield row


def _names_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a name appears twice in one object")
    return dict(pairs)


def _parquet(path: Path) -> Source:
    try:
        import pyarrow as pa  # noqa: PLC0415 - the one dependency, only for this format
        import pyarrow.parquet as pq  # noqa: PLC0415 - the same
    except ImportError as error:
        raise unreadable(path, "needs pyarrow; install it or convert the file to CSV") from error
    try:
        schema = pq.read_schema(path)
    except (OSError, pa.ArrowException) as error:
        raise unreadable(path, f"cannot be read: {error}") from error

    def cells(columns: Sequence[str], ids: Collection[str]) -> Cells:
        convert = [_typed(pa, schema.field(name).type, name in ids) for name in columns]
        try:
            with pq.ParquetFile(path) as file:
                for batch in file.iter_batches(batch_size=4096, columns=list(columns)):
                    typed = [batch.column(column).to_pylist() for column in columns]
                    for row in zip(*typed, strict=True):
                        yield [each(cell) for each, cell in zip(convert, row, strict=True)]
        except (OSError, pa.ArrowException) as error:
            raise unreadable(path, f"cannot be read: {error}") from error

    return Source(list(schema.names), cells)


def _typed(pa: Any, arrow: Any, is_id: bool) -> Callable[[Any], Any]:  # noqa: ANN401 - untyped
    """Return what turns a cell of this Arrow type into what the cell readers take."""
    if pa.types.is_list(arrow) or pa.types.is_large_list(arrow):
        each = _typed(pa, arrow.value_type, is_id)
        return lambda cell: None if cell is None else [each(item) for item in cell]
    if pa.types.is_dictionary(arrow):
        return _typed(pa, arrow.value_type, is_id)
    if is_id and pa.types.is_integer(arrow):
        return lambda cell: None if cell is None else str(cell)
    short = SHORT_FLOATS.get(str(arrow))
    if short is not None:
        return lambda cell: None if cell is None else _shortest(float(cell), *short)
    return _unchanged


def _unchanged(cell: object) -> object:
    return cell


def _shortest(number: float, code: str, digits: int) -> float:
    """Return the float64 whose shortest form is the shortest form of this smaller float."""
    for places in range(1, digits + 1):
        candidate = float(f"{number:.{places}g}")
        try:
            if struct.pack(code, candidate) == struct.pack(code, number):
                return candidate
        except OverflowError:  # rounded up beyond the largest float of this type
            continue
    return number


# By the ending of the name; .gz behind it apart.
FORMATS = {
    ".csv": Format(_csv),
    ".jsonl": Format(_jsonl),
    ".ndjson": Format(_jsonl),
    ".parquet": Format(_parquet, is_text=False),
}
