"""What every format shares: the bytes of a file, and its wanted columns before typing."""

from __future__ import annotations

import gzip
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from primary.columns import resolve
from primary.errors import Problems, refuse

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from pathlib import Path


@dataclass(frozen=True)
class Raw:
    """The wanted columns of an input, before anything is typed or checked."""

    frame: pl.DataFrame
    columns: Mapping[str, str]
    sources: tuple[tuple[str, int], ...] = ()
    """Of several files each one's name, and the row where it begins."""


def contents(path: Path) -> bytes:
    """Give the bytes of a plain or gzipped file."""
    try:
        if path.name.endswith(".gz"):
            with gzip.open(path) as stream:
                return stream.read()
        return path.read_bytes()
    except FileNotFoundError:
        raise refuse("there is no such file", "Check the path.", file=str(path)) from None
    except (OSError, EOFError, zlib.error) as error:
        raise refuse(
            f"the file cannot be read ({error})",
            "It may be truncated or damaged; write it again.",
            file=str(path),
        ) from None


def no_rows(path: str | None) -> Exception:
    """Say that there is nothing to compute from."""
    return refuse("the file holds no rows", "Give at least one row of data.", file=path)


def chosen(
    present: list[str], mapped: Mapping[str, str], wanted: Collection[str], problems: Problems
) -> dict[str, str]:
    """Give the wanted columns that the input has, under the contract's names."""
    found = resolve(present, mapped, wanted, problems)
    problems.stop_if_any()
    return found


def renamed(frame: pl.DataFrame, found: Mapping[str, str]) -> pl.DataFrame:
    """Give the chosen columns the contract's names."""
    return frame.select(pl.col(source).alias(name) for name, source in found.items())


def check_utf8(content: bytes, problems: Problems) -> None:
    """Refuse what is not UTF-8, naming the line; polars would name neither."""
    try:
        content.decode()
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        problems.add(f"byte {error.start} (line {line}) is not UTF-8", "Save the file as UTF-8.")
        problems.stop_if_any()
