"""Arrow files and streams, which Feather and Hugging Face `datasets` are too."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from primary.errors import InputError, refuse
from primary.reading.files.raw import Raw, chosen, contents, no_rows, once_each, renamed
from primary.reading.files.types import check_numbers, check_types

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from pathlib import Path

    from primary.errors import Problems

MAGIC = b"ARROW1"
"""How a file begins that is no stream."""


def read_arrow(
    path: Path, mapped: Mapping[str, str], wanted: Collection[str], problems: Problems
) -> Raw:
    """Read the wanted columns."""
    frame_of = whole(path, problems)
    once_each(frame_of.columns, problems)
    found = chosen(frame_of.columns, mapped, wanted, problems)
    if not frame_of.height:
        raise no_rows(str(path))
    frame = renamed(frame_of, found)
    check_numbers(frame, found, problems)
    return Raw(frame, found)


def whole(path: Path, problems: Problems) -> pl.DataFrame:
    """Read every column; the file is told from the stream by how it begins."""
    import pyarrow as pa  # noqa: PLC0415 - half a second, for those who have such files
    import pyarrow.ipc  # noqa: PLC0415

    content = contents(path)
    try:
        opened = pa.ipc.open_file if content.startswith(MAGIC) else pa.ipc.open_stream
        table = opened(pa.BufferReader(content)).read_all()
        table.validate(full=True)
        check_types(table.schema, problems)
        return pl.DataFrame(pl.from_arrow(table))
    except InputError:
        raise
    except (pa.ArrowException, OSError, ValueError, TypeError, pl.exceptions.PolarsError) as error:
        raise refuse(
            f"the file cannot be read as Arrow ({error})",
            "It may be truncated or damaged; write it again.",
            file=str(path),
        ) from None
