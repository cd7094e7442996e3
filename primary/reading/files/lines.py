"""Lines of fields with white space between: TREC's qrels and runs, MS MARCO's runs."""

from __future__ import annotations

from io import BytesIO, StringIO
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from primary.arithmetic.cores import side_by_side
from primary.errors import refuse

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from primary.errors import Problems

QRELS = ("query", "iteration", "doc", "relevance")
RUN = ("query", "iteration", "doc", "rank", "score", "tag")
MARCO = ("query", "doc", "rank")
READ = ("query", "doc", "score", "tag")
"""Of a run: what is needed, and the last field, without which a line is too short."""

BLOCK = 1 << 18
"""Bytes looked at together: they stay in the cache."""


def read_lines(
    content: bytes, names: tuple[str, ...], path: Path, problems: Problems
) -> pl.DataFrame:
    """Split a file at white space; a line that begins with # is a comment."""
    frame = at_single_spaces(content, names)
    return _at_white_space(content, names, path, problems) if frame is None else frame


def fields_of(content: bytes) -> int:
    """Count the fields of the first line that is one."""
    lines = (line for piece in BytesIO(content) for line in piece.split(b"\r"))
    for line in lines:
        if line.strip() and not line.lstrip().startswith(b"#"):
            return len(line.decode(errors="replace").split())
    return 0


def fields_for(first: bytes, names: tuple[str, ...]) -> tuple[str, int]:
    """Give what parts the fields of a first line, and how many it has: 0 if they do not fit."""
    separator = "\t" if b"\t" in first else " "
    fields = first.count(separator.encode()) + 1
    if fields < len(names) or (names != RUN and fields > len(names)):
        return separator, 0
    return separator, fields


def at_single_spaces(content: bytes, names: tuple[str, ...]) -> pl.DataFrame | None:
    """Read the common form fast: fields with one space between, the same number in each line."""
    separator, fields = fields_for(BytesIO(content).readline(), names)
    if not fields or not _plainly_parted(content, separator):
        return None
    inner = separator == "\t" or not content.isascii()
    if not inner and names == RUN:
        frame = columns_of(content, separator, fields, READ, scored=True)
        if frame is None or not frame["score"].is_finite().all():
            frame = columns_of(content, separator, fields, READ, scored=False)
    else:
        frame = columns_of(content, separator, fields, names, scored=False)
    if frame is None or not is_sound(frame, content):
        return None
    spaced = inner and any(column.str.contains(r"\s").any() for column in frame)
    return None if spaced else frame.with_row_index("line", offset=1)


def is_sound(frame: pl.DataFrame, content: bytes) -> bool:
    """Say whether no line lacks a field, and none is a comment."""
    if any(column.has_nulls() for column in frame):
        return False
    return b"#" not in content or not frame["query"].str.starts_with("#").any()


def columns_of(
    content: bytes, separator: str, fields: int, read: tuple[str, ...], *, scored: bool
) -> pl.DataFrame | None:
    """Let polars split the lines of a run or of qrels; scores as numbers, if they all are."""
    names = RUN if read == READ else read
    places = [names.index(name) for name in read]
    schema: dict[str, type[pl.DataType]] = {f"c{number}": pl.String for number in range(fields)}
    if scored:
        schema[f"c{names.index('score')}"] = pl.Float64
    try:
        frame = pl.read_csv(
            content,
            separator=separator,
            has_header=False,
            quote_char=None,
            columns=places,
            schema=schema,
        )
    except pl.exceptions.PolarsError:
        return None
    frame.columns = list(read)
    return frame


def _plainly_parted(content: bytes, separator: str) -> bool:
    """Say whether lines end plainly, and their fields are parted by one separator, never two."""
    text = np.frombuffer(content, dtype=np.uint8)
    # Neighbours share a byte, for two separators may stand at the end of one and the next.
    some = (text[begin : begin + BLOCK + 1] for begin in range(0, len(text), BLOCK))
    return all(side_by_side(lambda block: _parted(block, separator), some))


def is_plain(text: NDArray[np.uint8], separator: str) -> bool:
    """Say the same of bytes that are looked at one block after the other."""
    starts = range(0, len(text), BLOCK)
    return all(_parted(text[begin : begin + BLOCK + 1], separator) for begin in starts)


def _parted(block: NDArray[np.uint8], separator: str) -> bool:
    parts = block == ord(separator)
    if (parts[1:] & parts[:-1]).any():
        return False
    control = np.count_nonzero(block < ord(" ")) - np.count_nonzero(block == ord("\n"))
    return bool(control == (np.count_nonzero(parts) if separator < " " else 0))


def _at_white_space(
    content: bytes, names: tuple[str, ...], path: Path, problems: Problems
) -> pl.DataFrame:
    """Read any white space between fields, and comments; a run's name may hold white space."""
    try:
        lines = list(StringIO(content.decode(), newline=None))
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise refuse(
            f"byte {error.start} (line {line}) is not UTF-8", "Save it as UTF-8.", file=str(path)
        ) from None
    kept = [
        (number, line.split())
        for number, line in enumerate(lines, start=1)
        if line.strip() and not line.lstrip().startswith("#")
    ]
    if not kept:
        raise refuse("the file holds no rows", "Give at least one row of data.", file=str(path))
    for number, fields in kept:
        if len(fields) < len(names) or (names != RUN and len(fields) > len(names)):
            problems.add(
                f"found {len(fields)} fields, expected {len(names)} ({' '.join(names)})",
                "The line may be truncated, or two may have run together.",
                row=number,
                query=fields[0],
            )
    problems.stop_if_any()
    columns = {name: [fields[place] for _, fields in kept] for place, name in enumerate(names)}
    return pl.DataFrame({"line": [number for number, _ in kept], **columns})
