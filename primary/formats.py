"""Inputs into raw polars frames: CSV, JSON Lines, Parquet, and tables already in memory.

A raw frame holds the wanted columns under the contract's names, still as the file types them.
Text formats give text; nothing is trimmed, and nothing but JSON's own null is taken for a gap.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import polars as pl

from primary.cores import side_by_side
from primary.csv_file import read_csv
from primary.errors import Problems, refuse
from primary.json_lines import read_json_lines
from primary.raw import Raw, chosen, contents, no_rows, renamed

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    import pandas as pd
    import pyarrow as pa

    Table: TypeAlias = str | Path | pl.DataFrame | pd.DataFrame | pa.Table


TEXT = {"csv": read_csv, "jsonl": read_json_lines, "ndjson": read_json_lines}
"""The readers of the formats that are text, by the names that their files end in."""


def read(
    data: Table, mapped: Mapping[str, str], wanted: Collection[str], problems: Problems
) -> Raw:
    """Read the wanted columns of a file or of a table in memory."""
    if not isinstance(data, str | Path):
        return _from_table(data, mapped, wanted, problems)
    path = Path(data)
    name = path.name.removesuffix(".gz")
    kind = name.rpartition(".")[2].lower()
    if kind == "parquet":
        return _parquet(path, mapped, wanted, problems)
    if kind in TEXT:
        return TEXT[kind](contents(path), path, mapped, wanted, problems)
    raise refuse(
        f"a file called {path.name!r} is of no known kind",
        f"Give a {', '.join(f'.{one}' for one in TEXT)} (each also with .gz) or .parquet file; "
        "TREC files are given as qrels and run, on the command line with --qrels and --run.",
        file=str(path),
    )


def _from_table(
    data: Any,  # noqa: ANN401 - any table library's frame
    mapped: Mapping[str, str],
    wanted: Collection[str],
    problems: Problems,
) -> Raw:
    if isinstance(data, pl.LazyFrame):
        data = data.collect()
    if isinstance(data, pl.DataFrame):
        frame, found = data, chosen(data.columns, mapped, wanted, problems)
    elif hasattr(data, "to_pandas"):
        frame = pl.DataFrame(pl.from_arrow(data))
        found = chosen(frame.columns, mapped, wanted, problems)
    elif hasattr(data, "iloc"):
        frame, found = _from_pandas(data, mapped, wanted, problems)
    else:
        raise refuse(
            f"data of type {type(data).__name__} cannot be read",
            "Give a path, a pandas or polars DataFrame, a pyarrow table, or a mapping with qrels "
            "and run.",
        )
    if not frame.height:
        raise no_rows(None)
    return Raw(renamed(frame, found), found)


def _from_pandas(
    data: Any,  # noqa: ANN401 - a pandas DataFrame, which is not imported here
    mapped: Mapping[str, str],
    wanted: Collection[str],
    problems: Problems,
) -> tuple[pl.DataFrame, dict[str, str]]:
    """Convert only what is wanted: other columns may hold objects that polars has no type for."""
    found = chosen([str(one) for one in data.columns], mapped, wanted, problems)
    columns = {}
    for source in dict.fromkeys(found.values()):
        try:
            columns[source] = pl.from_pandas(data[source].reset_index(drop=True))
        except (TypeError, ValueError, pl.exceptions.PolarsError) as error:
            problems.add(
                f"the column mixes types ({error})", "Give every row the same type.", column=source
            )
    problems.stop_if_any()
    return pl.DataFrame(columns), found


def _parquet(
    path: Path, mapped: Mapping[str, str], wanted: Collection[str], problems: Problems
) -> Raw:
    try:
        schema = pl.read_parquet_schema(path)
        found = chosen(list(schema), mapped, wanted, problems)
        frame = _columns(path, {name: schema[name] for name in found.values()})
    except FileNotFoundError:
        raise refuse("there is no such file", "Check the path.", file=str(path)) from None
    except (OSError, pl.exceptions.PolarsError) as error:
        raise refuse(
            f"the file cannot be read as Parquet ({error})",
            "It may be truncated or damaged; write it again.",
            file=str(path),
        ) from None
    if not frame.height:
        raise no_rows(str(path))
    return Raw(renamed(frame, found), found)


def _columns(path: Path, schema: Mapping[str, pl.DataType]) -> pl.DataFrame:
    """Read columns side by side: polars decodes those of one row group one after the other.

    Only lists are long enough to be worth a reader of their own.
    """
    groups = [[name] for name, dtype in schema.items() if dtype.is_nested()]
    groups.append([name for name, dtype in schema.items() if not dtype.is_nested()])
    read = side_by_side(lambda names: pl.read_parquet(path, columns=names, glob=False), groups)
    return pl.concat(list(read), how="horizontal")
