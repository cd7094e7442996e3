"""A plain run, or plain qrels, block by block: each is read, looked through and split by itself.

That is what most files are: ASCII, fields with one space between, no comments. Anything else is for
`lines.py`, which takes a file as a whole and tells what is wrong with it.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from primary.arithmetic.cores import side_by_side
from primary.reading.files.lines import READ, RUN, columns_of, fields_for, is_plain, is_sound

if TYPE_CHECKING:
    from pathlib import Path

BLOCK = 1 << 23
"""Bytes read together, up to the end of their last line."""


def in_blocks(path: Path, first: bytes, names: tuple[str, ...]) -> pl.DataFrame | None:
    """Read a file whose first line is this one; None of what is not plain throughout."""
    separator, fields = fields_for(first, names)
    if not fields or separator != " ":
        return None
    frames = []
    for frame in side_by_side(lambda part: _split(path, part, fields, names), _parts(path)):
        if frame is None:
            return None
        frames.append(frame)
    return pl.concat(frames).with_row_index("line", offset=1)


def _parts(path: Path) -> list[tuple[int, int]]:
    """Cut a file at the ends of lines."""
    size, cuts = path.stat().st_size, [0]
    with path.open("rb") as file:
        while cuts[-1] + BLOCK < size:
            file.seek(cuts[-1] + BLOCK)
            file.readline()
            cuts.append(file.tell())
    return [part for part in pairwise([*cuts, size]) if part[0] < part[1]]


def _split(
    path: Path, part: tuple[int, int], fields: int, names: tuple[str, ...]
) -> pl.DataFrame | None:
    """Split some lines; None of what is not plain."""
    begin, end = part
    with path.open("rb") as file:
        file.seek(begin)
        content = file.read(end - begin)
    if not content.isascii() or not is_plain(np.frombuffer(content, dtype=np.uint8), " "):
        return None
    run = names == RUN
    frame = columns_of(content, " ", fields, READ if run else names, scored=run)
    if frame is None or not is_sound(frame, content):
        return None
    return frame if not run or frame["score"].is_finite().all() else None
