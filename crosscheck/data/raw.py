"""The file's own columns, as they are named there: what the contract's table leaves out."""

from __future__ import annotations

import gzip
import json
import zlib
from typing import TYPE_CHECKING, Any

import polars as pl

from crosscheck.config.places import COMPRESSED, STATE, kind, members
from crosscheck.errors import UserError
from crosscheck.extras import needed

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Wanted = Callable[[str], bool]

MAGIC = b"ARROW1"
"""How an Arrow file begins; a stream of the same does not."""


def evaluated(
    data: str | dict[str, str], table: pl.DataFrame, wanted: Wanted
) -> pl.DataFrame | None:
    """Read the wanted columns of a file, lists aside, of its EVAL rows; None: there are none.

    `table` has the same rows under the contract's names. Columns are text where the file has no
    types. Qrels and runs have no columns of their own.
    """
    if isinstance(data, dict):
        return None
    frames = [read(path, wanted) for path in members(data) if path.name != STATE]
    frame = frames[0] if len(frames) == 1 else _stacked(frames)
    if not frame.width or frame.height != table.height:
        return None
    return frame.filter(table["split"] == "EVAL")


def _stacked(frames: list[pl.DataFrame]) -> pl.DataFrame:
    """Put the columns that all files have below each other, as text: types may differ."""
    shared = [name for name in frames[0].columns if all(name in one.columns for one in frames)]
    return pl.concat([one.select(pl.col(shared).cast(pl.String)) for one in frames])


def read(path: Path, wanted: Wanted) -> pl.DataFrame:
    """Read the wanted columns of one file, lists aside."""
    if kind(path) not in FORMATS:
        raise UserError(
            f"{path}: the columns that the contract does not know cannot be read from a file that "
            f"ends in .{kind(path)}; known are {', '.join(f'.{one}' for one in FORMATS)}"
        )
    return FORMATS[kind(path)](path, wanted)


def content(path: Path) -> bytes:
    """Give what a file holds, unpacked."""
    packing = COMPRESSED.get(path.suffix.lower())
    if packing is None:
        return path.read_bytes()
    if packing == "gzip":
        try:
            return gzip.decompress(path.read_bytes())
        except (EOFError, zlib.error) as error:
            raise OSError(f"{path}: damaged ({error})") from None
    pa = needed("pyarrow", str(path))
    with pa.input_stream(str(path), compression=packing) as file:
        return bytes(file.read())


def _csv(path: Path, wanted: Wanted, separator: str = ",") -> pl.DataFrame:
    # Of a blank line polars makes a row of gaps; no row of data is one.
    file = pl.scan_csv(path, infer_schema=False, separator=separator)
    file = file.remove(pl.all_horizontal(pl.all().is_null()))
    return file.select(name for name in file.collect_schema() if wanted(name)).collect()


def _tsv(path: Path, wanted: Wanted) -> pl.DataFrame:
    return _csv(path, wanted, "\t")


def _parquet(path: Path, wanted: Wanted) -> pl.DataFrame:
    return _typed(pl.scan_parquet(path), wanted)


def _arrow(path: Path, wanted: Wanted) -> pl.DataFrame:
    held = content(path)
    reader = pl.read_ipc if held.startswith(MAGIC) else pl.read_ipc_stream
    return _typed(reader(held).lazy(), wanted)


def _typed(file: pl.LazyFrame, wanted: Wanted) -> pl.DataFrame:
    types = file.collect_schema().items()
    return file.select(
        name for name, kind in types if wanted(name) and not kind.is_nested()
    ).collect()


def _json_lines(path: Path, wanted: Wanted) -> pl.DataFrame:
    lines = content(path).decode("utf-8-sig").split("\n")  # other ends of lines may be in texts
    return _objects([json.loads(line) for line in lines if line.strip()], wanted)


def _json(path: Path, wanted: Wanted) -> pl.DataFrame:
    held = json.loads(content(path).decode("utf-8-sig"))
    if isinstance(held, dict):
        [held] = [one for one in held.values() if _is_table(one)]
    return _objects(held, wanted)


def _is_table(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, dict) for one in value)


def _objects(rows: list[dict[str, Any]], wanted: Wanted) -> pl.DataFrame:
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
    "tsv": _tsv,
    "json": _json,
    "jsonl": _json_lines,
    "ndjson": _json_lines,
    "parquet": _parquet,
    "arrow": _arrow,
    "feather": _arrow,
}
"""The formats of docs/interface.md, by what a file's name ends in; a new one is a line here."""
