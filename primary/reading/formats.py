"""Inputs into raw polars frames: CSV, TSV, JSON, Parquet, Arrow, folders, tables in memory.

A raw frame holds the wanted columns under the contract's names, still as the file types them.
Text formats give text; nothing is trimmed, and nothing but JSON's own null is taken for a gap.
"""

from __future__ import annotations

from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import polars as pl

from primary.arithmetic.cores import side_by_side
from primary.errors import InputError, Problem, Problems, refuse
from primary.reading.files.arrow import read_arrow
from primary.reading.files.csv_file import read_csv, read_tsv
from primary.reading.files.json_lines import read_json_lines
from primary.reading.files.json_table import read_json
from primary.reading.files.raw import Raw, chosen, contents, no_rows, renamed
from primary.reading.files.several import files_of, kind_of
from primary.reading.files.types import check_numbers, check_parquet, check_types

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    import pandas as pd
    import pyarrow as pa

    Table: TypeAlias = str | Path | pl.DataFrame | pd.DataFrame | pa.Table


TEXT = {"csv": read_csv, "tsv": read_tsv, "jsonl": read_json_lines, "ndjson": read_json_lines}
TEXT |= {"json": read_json}
"""The readers of the formats that are text, by the names that their files end in."""

COLUMNS = ("parquet", "arrow", "feather")
"""The formats that hold columns, which bring their own compression."""


def read(
    data: Table, mapped: Mapping[str, str], wanted: Collection[str], problems: Problems
) -> Raw:
    """Read the wanted columns of a file or of a table in memory."""
    if not isinstance(data, str | Path):
        return _from_table(data, mapped, wanted, problems)
    path = Path(data)
    files = files_of(path, (*TEXT, *COLUMNS))
    if files is None:
        return _one_file(path, mapped, wanted, problems)
    return _together(files, mapped, wanted)


def _one_file(
    path: Path, mapped: Mapping[str, str], wanted: Collection[str], problems: Problems
) -> Raw:
    kind = kind_of(path)
    compressed = path.name.lower().endswith((".gz", ".zst"))
    if kind == "parquet" and not compressed:
        return _parquet(path, mapped, wanted, problems)
    if kind in COLUMNS and not compressed:
        return read_arrow(path, mapped, wanted, problems)
    if kind in TEXT:
        return TEXT[kind](contents(path), path, mapped, wanted, problems)
    raise refuse(
        f"a file called {path.name!r} is of no known kind",
        f"Give a {', '.join(f'.{one}' for one in TEXT)} file (each also with .gz or .zst), "
        f"{', '.join(f'.{one}' for one in COLUMNS)}, or a folder of such files; "
        "TREC files are given as qrels and run, on the command line with --qrels and --run.",
        file=str(path),
    )


def _together(files: list[Path], mapped: Mapping[str, str], wanted: Collection[str]) -> Raw:
    """Read several files as one table; what is wrong with any of them is told together."""
    read_, told, count = [], [], 0
    for path in files:
        problems = Problems(str(path))
        try:
            read_.append(_one_file(path, mapped, wanted, problems))
        except InputError as error:
            told += error.problems
            count += error.count
    if told:
        raise InputError(told, count)
    first = read_[0]
    for path, raw in zip(files[1:], read_[1:], strict=True):
        if raw.columns != first.columns:
            told.append(_unlike(files[0], first.columns, path, raw.columns))
    if told:
        raise InputError(told)
    sizes = [raw.frame.height for raw in read_]
    begins = [0, *accumulate(sizes)]
    try:
        frame = pl.concat([raw.frame for raw in read_], how="vertical_relaxed")
    except pl.exceptions.PolarsError as error:
        raise refuse(
            f"the files hold different types ({error})", "Give every file the same types."
        ) from None
    sources = tuple((str(path), begin) for path, begin in zip(files, begins, strict=False))
    return Raw(frame, first.columns, sources)


def _unlike(
    first: Path, columns: Mapping[str, str], path: Path, others: Mapping[str, str]
) -> Problem:
    names = sorted({*columns.items()} ^ {*others.items()})
    return Problem(
        str(path),
        None,
        None,
        names[0][1],
        f"the column {names[0][1]} is not in both this file and {first.name}",
        "Files of one table have the same columns.",
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
        check_types(data.schema, problems)
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
    if path.is_file():
        check_parquet(path, problems)
    try:
        schema = pl.read_parquet_schema(path)
        found = chosen(list(schema), mapped, wanted, problems)
        frame = _columns(path, {name: schema[name] for name in found.values()})
    except FileNotFoundError:
        raise refuse("there is no such file", "Check the path.", file=str(path)) from None
    except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise refuse(
            f"the file cannot be read as Parquet ({error})",
            "It may be truncated or damaged; write it again.",
            file=str(path),
        ) from None
    if not frame.height:
        raise no_rows(str(path))
    frame = renamed(frame, found)
    check_numbers(frame, found, problems)
    return Raw(frame, found)


def _columns(path: Path, schema: Mapping[str, pl.DataType]) -> pl.DataFrame:
    """Read columns side by side: polars decodes those of one row group one after the other.

    Only lists are long enough to be worth a reader of their own.
    """
    groups = [[name] for name, dtype in schema.items() if dtype.is_nested()]
    groups.append([name for name, dtype in schema.items() if not dtype.is_nested()])
    read = side_by_side(lambda names: pl.read_parquet(path, columns=names, glob=False), groups)
    return pl.concat(list(read), how="horizontal")
