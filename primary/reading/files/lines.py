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

    from primary.errors import Problems

QRELS = ("query", "iteration", "doc", "relevance")
RUN = ("query", "iteration", "doc", "rank", "score", "tag")
MARCO = ("query", "doc", "rank")
READ = ("query", "doc", "score", "tag")
"""Of a run: what is needed, and the last field, without which a line is too short."""

BLOCK = 1 << 20
"""Bytes looked at together: they stay in the cache."""


def read_lines(
    content: bytes, names: tuple[str, ...], path: Path, problems: Problems
) -> pl.DataFrame:
    """Split a file at white space; a line that begins with # is a comment."""
    frame = at_single_spaces(content, names)
    return _at_white_space(content, names, path, problems) if frame is None else frame


def fields_of(content: bytes) -> int:
    """Count the fields of the first line that is one."""
    for line in BytesIO(content):
        if line.strip() and not line.lstrip().startswith(b"#"):
            return len(line.decode(errors="replace").split())
    return 0


def at_single_spaces(content: bytes, names: tuple[str, ...]) -> pl.DataFrame | None:
    """Read the common form fast: fields with one space between, the same number in each line."""
    first = BytesIO(content).readline()
    separator = "\t" if b"\t" in first else " "
    fields = first.count(separator.encode()) + 1
    if fields < len(names) or (names != RUN and fields > len(names)):
        return None
    if not _plainly_parted(content, separator):
        return None
    inner = separator == "\t" or not content.isascii()
    if not inner and names == RUN:
        frame = _columns(content, separator, fields, READ, scored=True)
        if frame is None or not frame["score"].is_finite().all():
            frame = _columns(content, separator, fields, READ, scored=False)
    else:
        frame = _columns(content, separator, fields, names, scored=False)
    if frame is None or any(column.has_nulls() for column in frame):
        return None
    commented = frame["query"].str.starts_with("#").any()
    spaced = inner and any(column.str.contains(r"\s").any() for column in frame)
    return None if commented or spaced else frame.with_row_index("line", offset=1)


def _columns(
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

    def plain(begin: int) -> bool:
        some = text[begin : begin + BLOCK]
        parts = text[begin : begin + BLOCK + 1] == ord(separator)
        control = (some < ord(" ")) & (some != ord("\n")) & (some != ord(separator))
        return not control.any() and not (parts[1:] & parts[:-1]).any()

    return all(side_by_side(plain, range(0, len(text), BLOCK)))


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
