"""Columns to bytes: CSV, the reference form and the same everywhere, or Parquet.

CSV lists of ids are joined by `|`, as in the study's own files; lists of numbers are JSON arrays.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import numpy as np

from crosscheck.study.columns import ColumnValues, DecimalLists, Decimals, TextLists

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import pyarrow as pa


def to_csv(table: Mapping[str, ColumnValues]) -> bytes:
    """Write the columns as CSV: UTF-8, line feeds, quotes only where a cell holds a comma."""
    cells = [_cells(column) for column in table.values()]
    lines = [",".join(table), *map(",".join, zip(*cells, strict=True)), ""]
    return "\n".join(lines).encode()


def to_parquet(table: Mapping[str, ColumnValues]) -> bytes:
    """Write the columns as Parquet; another pyarrow may write other bytes, never other values."""
    import pyarrow as pa  # noqa: PLC0415 - heavy, and CSV does without it
    import pyarrow.parquet as pq  # noqa: PLC0415 - the same

    arrow = pa.table({name: _arrow(column) for name, column in table.items()})
    sink = io.BytesIO()
    pq.write_table(arrow, sink, version="2.6", compression="zstd", write_statistics=False)
    return sink.getvalue()


WRITERS: Mapping[str, Callable[[Mapping[str, ColumnValues]], bytes]] = {
    "csv": to_csv,
    "parquet": to_parquet,
}


def decimal_text(value: int, places: int) -> str:
    """Write an integer of the last decimal place as the shortest decimal, such as 0.25 or 1.0."""
    sign = "-" if value < 0 else ""
    whole, part = divmod(abs(value), 10**places)
    digits = f"{part:0{places}d}".rstrip("0") or "0"
    return f"{sign}{whole}.{digits}"


def _cells(column: ColumnValues) -> list[str]:
    match column:
        case Decimals(values, places):
            return list(map(_Texts(places).__getitem__, values.tolist()))
        case DecimalLists(rows, places):
            text = _Texts(places).__getitem__
            return [f'"[{",".join(map(text, row))}]"' if row else "" for row in rows]
        case TextLists(rows):
            return list(map("|".join, rows))
    return list(map(str, column))


class _Texts(dict[int, str]):
    """Decimals by their integers, each written once."""

    def __init__(self, places: int) -> None:
        super().__init__()
        self._places = places

    def __missing__(self, value: int) -> str:
        text = self[value] = decimal_text(value, self._places)
        return text


def _arrow(column: ColumnValues) -> pa.Array:
    import pyarrow as pa  # noqa: PLC0415 - heavy, and CSV does without it

    match column:
        case Decimals(values, places):
            return pa.array(values / 10**places)
        case DecimalLists(rows, places):
            # A quotient of two exact integers is the float64 nearest to the decimal.
            flat = np.array([value for row in rows for value in row], dtype=np.int64)
            return _list_array(rows, pa.array(flat / 10**places))
        case TextLists(rows):
            return _list_array(rows, pa.array([uid for row in rows for uid in row], pa.string()))
    return pa.array(column)


def _list_array(rows: list[list[int]] | list[list[str]], flat: pa.Array) -> pa.Array:
    import pyarrow as pa  # noqa: PLC0415 - heavy, and CSV does without it

    offsets = np.concatenate(([0], np.cumsum([len(row) for row in rows]))).astype(np.int32)
    return pa.ListArray.from_arrays(pa.array(offsets), flat)
