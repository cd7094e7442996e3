"""What every format shares: the bytes of a file, and its wanted columns before typing."""

from __future__ import annotations

import gzip
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from primary.errors import Problems, refuse
from primary.reading.columns import resolve
from primary.reading.files.types import plain
from primary.settings import COLUMNS

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path


ROWS = "rows."
"""Stands for a column of which only the rows are counted."""


@dataclass(frozen=True)
class Raw:
    """The wanted columns of an input, before anything is typed or checked."""

    frame: pl.DataFrame
    columns: Mapping[str, str]
    sources: tuple[tuple[str, int], ...] = ()
    """Of several files each one's name, and the row where it begins."""


def contents(path: Path) -> bytes:
    """Give the bytes of a plain or compressed file."""
    try:
        if path.exists() and not path.is_file():
            raise refuse(
                "this is no regular file", "Give a file, not a pipe or device.", file=str(path)
            )
        ending = path.suffix.lower()
        if ending == ".gz":
            with gzip.open(path) as stream:
                return stream.read()
        return _zstandard(path) if ending == ".zst" else path.read_bytes()
    except FileNotFoundError:
        raise refuse("there is no such file", "Check the path.", file=str(path)) from None
    except (OSError, EOFError, zlib.error) as error:
        raise refuse(
            f"the file cannot be read ({error})",
            "It may be truncated or damaged; write it again.",
            file=str(path),
        ) from None


def _zstandard(path: Path) -> bytes:
    import pyarrow as pa  # noqa: PLC0415 - half a second, for those who have such files

    with pa.OSFile(str(path)) as file, pa.CompressedInputStream(file, "zstd") as stream:
        content: bytes = stream.read()
        return content


def once_each(names: Sequence[str], problems: Problems) -> None:
    """Refuse a table that has two columns of one name: which is meant, nobody knows."""
    for name in dict.fromkeys(names):
        if list(names).count(name) > 1:
            problems.add(f"the column {name} is there twice", "Rename or remove one.", column=name)
    problems.stop_if_any()


def no_rows(path: str | None) -> Exception:
    """Say that there is nothing to compute from."""
    return refuse("the file holds no rows", "Give at least one row of data.", file=path)


def chosen(
    present: list[str], mapped: Mapping[str, str], wanted: Collection[str], problems: Problems
) -> dict[str, str]:
    """Give the wanted columns that the input has, under the contract's names.

    Where it has none, any column stands for the rows, which are counted.
    """
    found = resolve(present, mapped, wanted, problems)
    if not found and not resolve(present, mapped, {*COLUMNS, *mapped}, problems):
        problems.add(
            f"no column is known; found {', '.join(present[:20]) or 'none'}",
            "Name the columns as the contract does, or map them under columns in the config.",
        )
    problems.stop_if_any()
    return found or {ROWS: present[0]}


def renamed(frame: pl.DataFrame, found: Mapping[str, str]) -> pl.DataFrame:
    """Give the chosen columns the contract's names."""
    return plain(frame.select(pl.col(source).alias(name) for name, source in found.items()))


def check_utf8(content: bytes, problems: Problems) -> None:
    """Refuse what is not UTF-8, naming the line; polars would name neither."""
    if content.isascii():
        return
    try:
        content.decode()
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        problems.add(f"byte {error.start} (line {line}) is not UTF-8", "Save the file as UTF-8.")
        problems.stop_if_any()
