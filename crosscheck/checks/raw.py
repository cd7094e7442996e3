"""The file's own columns, as they are named there: what the contract's table leaves out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection

    import polars as pl


def read_columns(data: Any, leave_out: Collection[str]) -> pl.DataFrame | None:  # noqa: ANN401 - a path, or a pair of TREC paths
    """Read the other columns of a table file, lists aside; None for TREC files."""
    import polars as pl  # noqa: PLC0415 - heavy

    if isinstance(data, dict):
        return None
    path = Path(data)
    kind = path.name.removesuffix(".gz").rpartition(".")[2].lower()
    if kind == "csv":
        header = pl.read_csv(path, n_rows=0, infer_schema=False).columns
        wanted = [name for name in header if name not in leave_out]
        return pl.read_csv(path, columns=wanted, infer_schema=False) if wanted else None
    if kind == "parquet":
        frame = pl.scan_parquet(path)
        schema = frame.collect_schema()
        wanted = [n for n, t in schema.items() if n not in leave_out and not t.is_nested()]
        return frame.select(wanted).collect() if wanted else None
    frame_read = pl.read_ndjson(path)
    wanted = [
        name
        for name, dtype in frame_read.schema.items()
        if name not in leave_out and not dtype.is_nested()
    ]
    return frame_read.select(wanted) if wanted else None
