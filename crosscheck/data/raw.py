"""The file's own columns, as they are named there: what the contract's table leaves out."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    import polars as pl


def read_column(data: str, name: str) -> list[Any]:
    """Read one column of a table file, as text where the file has no types."""
    frame = read_columns(data, lambda column: column == name)
    return [] if frame is None else frame[name].to_list()


def read_columns(data: str | dict[str, str], wanted: Callable[[str], bool]) -> pl.DataFrame | None:
    """Read the wanted columns of a table file, lists aside; None where there are none."""
    if isinstance(data, dict):
        return None
    path = Path(data)
    kind = path.name.lower().removesuffix(".gz").rpartition(".")[2]
    readers = {"csv": _csv, "parquet": _parquet}
    frame = readers.get(kind, _json_lines)(path, wanted)
    return frame if frame.width else None


def _csv(path: Path, wanted: Callable[[str], bool]) -> pl.DataFrame:
    import polars as pl  # noqa: PLC0415 - heavy

    file = pl.scan_csv(path, infer_schema=False)
    return file.select(name for name in file.collect_schema() if wanted(name)).collect()


def _parquet(path: Path, wanted: Callable[[str], bool]) -> pl.DataFrame:
    import polars as pl  # noqa: PLC0415 - heavy

    file = pl.scan_parquet(path)
    types = file.collect_schema().items()
    return file.select(
        name for name, kind in types if wanted(name) and not kind.is_nested()
    ).collect()


def _json_lines(path: Path, wanted: Callable[[str], bool]) -> pl.DataFrame:
    import polars as pl  # noqa: PLC0415 - heavy

    opener = gzip.open if path.name.lower().endswith(".gz") else Path.open
    with opener(path, "rt", encoding="utf-8-sig") as file:
        rows = [json.loads(line) for line in file if line.strip()]
    names = dict.fromkeys(name for row in rows for name in row if wanted(name))
    columns = {name: [row.get(name) for row in rows] for name in names}
    plain = {
        name: [None if value is None else str(value) for value in values]
        for name, values in columns.items()
        if not any(isinstance(value, list | dict) for value in values)
    }
    return pl.DataFrame(plain)
