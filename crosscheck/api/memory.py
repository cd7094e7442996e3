"""Data in memory → a private file that both implementations read: Parquet for tables, else JSON."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from crosscheck.errors import UserError
from crosscheck.extras import needed

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

PAIR = ("qrels", "run")
KINDS = (
    "a path, a pandas or polars frame, an Arrow table, a list of objects, a pair (qrels, run) of "
    "paths, dictionaries or frames, or arrays as y_true=…, y_prob=…"
)


def placed(data: object, folder: Path) -> dict[str, str]:
    """Give the options that name the data: what lies in memory is written to the folder."""
    if data is None:
        return {}
    if isinstance(data, Mapping) and set(data) == set(PAIR):
        return {name: _file(data[name], folder, name) for name in PAIR}
    if isinstance(data, tuple) and len(data) == len(PAIR):
        return {name: _file(one, folder, name) for name, one in zip(PAIR, data, strict=True)}
    if isinstance(data, Mapping):
        raise UserError(
            "data: a dictionary alone is neither a run nor a table; give (qrels, run), or "
            "pandas.DataFrame(…) of it"
        )
    return {"data": _file(data, folder, "data")}


def placed_claims(claims: object, folder: Path) -> tuple[str, ...]:
    """Give the claims' files; claims in memory are written to the folder."""
    if isinstance(claims, str | os.PathLike):
        return (os.fspath(claims),)
    if isinstance(claims, Mapping):
        return (_json(plain(claims), folder / "claims.json"),)
    if _is_table(claims):
        path = folder / "claims.csv"
        _arrow(claims).to_pandas().to_csv(path, index=False)
        return (str(path),)
    if isinstance(claims, Iterable):
        return tuple(path for one in claims for path in placed_claims(one, folder))
    raise UserError(
        f"claims: a {type(claims).__name__} is no claims; give a path, a list of paths, or a "
        "mapping such as {'nDCG@10': 0.412}"
    )


def _file(data: object, folder: Path, name: str) -> str:
    if isinstance(data, str | os.PathLike):
        return os.fspath(data)
    if _is_table(data):
        return _parquet(_arrow(data), folder / f"{name}.parquet")
    if isinstance(data, Mapping):
        return _json(plain(data), folder / f"{name}.json")
    if isinstance(data, list) and data and all(isinstance(one, Mapping) for one in data):
        return _json(plain(data), folder / f"{name}.json")
    if hasattr(data, "to_dict"):  # ranx.Qrels and ranx.Run
        return _json(plain(data.to_dict()), folder / f"{name}.json")
    raise UserError(f"{name}: a {type(data).__name__} cannot be read; give {KINDS}")


def _is_table(data: object) -> bool:
    """Tell frames by what they offer: neither pandas nor polars is loaded for the question."""
    return any(hasattr(data, name) for name in ("__arrow_c_stream__", "__dataframe__"))


def _arrow(data: Any) -> pa.Table:  # noqa: ANN401 - a frame of any library
    arrow = needed("pyarrow", "frames")
    module = type(data).__module__.partition(".")[0]
    try:
        if module == "pandas":
            # A named index is a column; a number that pandas counts by is not.
            named = [name for name in data.index.names if name is not None]
            whole = data.reset_index(level=named) if named else data
            table = arrow.Table.from_pandas(whole, preserve_index=False)
        else:
            table = arrow.table(data)
    except (arrow.ArrowException, TypeError, ValueError) as error:
        told = str(error).splitlines()[0]
        raise UserError(f"the frame cannot be read as a table: {told}") from None
    return table.replace_schema_metadata(None)


def _parquet(table: pa.Table, path: Path) -> str:
    import pyarrow as pa  # noqa: PLC0415 - heavy
    import pyarrow.parquet as pq  # noqa: PLC0415 - the same

    # Categories become what they stand for: both implementations read plain columns.
    for place, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type):
            column = table.column(place).cast(field.type.value_type)
            table = table.set_column(place, field.name, column)
    pq.write_table(table, path, store_schema=False)
    return str(path)


def _json(data: object, path: Path) -> str:
    path.write_text(json.dumps(data, ensure_ascii=False), encoding="utf-8", newline="\n")
    return str(path)


def plain(value: Any) -> Any:  # noqa: ANN401 - whatever a caller hands over
    """Give numbers, texts, lists and dictionaries of Python's own for those of numpy and pandas."""
    if isinstance(value, Mapping):
        return {str(name): plain(one) for name, one in value.items()}
    if isinstance(value, str | bytes):
        return value
    if hasattr(value, "tolist"):
        return plain(value.tolist()) if getattr(value, "ndim", 0) else value.item()
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(one) for one in value]
    return value
