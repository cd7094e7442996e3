"""The file's own columns, as they are named there: what the contract's table leaves out."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from crosscheck.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Callable

    Wanted = Callable[[str], bool]


def evaluated(
    data: str | dict[str, str], table: pl.DataFrame, wanted: Wanted
) -> pl.DataFrame | None:
    """Read the wanted columns of a file, lists aside, of its EVAL rows; None: there are none.

    `table` has the same rows under the contract's names. Columns are text where the file has no
    types. TREC files have no columns of their own.
    """
    if isinstance(data, dict):
        return None
    path = Path(data)
    kind = path.name.lower().removesuffix(".gz").rpartition(".")[2]
    if kind not in FORMATS:
        raise UserError(
            f"{data}: the columns that the contract does not know cannot be read from a file that "
            f"ends in .{kind}; known are {', '.join(f'.{one}' for one in FORMATS)}"
        )
    frame = FORMATS[kind](path, wanted)
    if not frame.width or frame.height != table.height:
        return None
    return frame.filter(table["split"] == "EVAL")


def _csv(path: Path, wanted: Wanted) -> pl.DataFrame:
    # Of a blank line polars makes a row of gaps; no row of data is one.
    file = pl.scan_csv(path, infer_schema=False).remove(pl.all_horizontal(pl.all().is_null()))
    return file.select(name for name in file.collect_schema() if wanted(name)).collect()


def _parquet(path: Path, wanted: Wanted) -> pl.DataFrame:
    file = pl.scan_parquet(path)
    types = file.collect_schema().items()
    return file.select(
        name for name, kind in types if wanted(name) and not kind.is_nested()
    ).collect()


def _json_lines(path: Path, wanted: Wanted) -> pl.DataFrame:
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


FORMATS: dict[str, Callable[[Path, Wanted], pl.DataFrame]] = {
    "csv": _csv,
    "jsonl": _json_lines,
    "ndjson": _json_lines,
    "parquet": _parquet,
}
"""The formats of docs/interface.md, by what a file's name ends in; a new one is a line here."""
