"""Files into raw polars frames: CSV, JSON Lines, Parquet, and tables already in memory.

A raw frame holds the wanted columns under the contract's names, still as the file types them.
Text formats give text; nothing is trimmed, and nothing but JSON's own null is taken for a gap.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import polars as pl

from primary.columns import key_columns, resolve
from primary.errors import KEPT, Problems, refuse

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    import pandas as pd
    import pyarrow as pa

    Table: TypeAlias = str | Path | pl.DataFrame | pd.DataFrame | pa.Table

BLOCK = 1 << 24
"""Bytes looked at together when a CSV's structure is checked."""


@dataclass(frozen=True)
class Raw:
    """The wanted columns of an input, before anything is typed or checked."""

    frame: pl.DataFrame
    columns: Mapping[str, str]
    file: str | None


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
    if kind in ("csv", "jsonl"):
        content = contents(path)
        reader = _csv if kind == "csv" else _json_lines
        return reader(content, path, mapped, wanted, problems)
    raise refuse(
        f"a file called {path.name!r} is of no known kind",
        "Give a .csv, .jsonl (either also with .gz) or .parquet file; for TREC files a mapping "
        "with qrels and run.",
        file=str(path),
    )


def contents(path: Path) -> bytes:
    """Give the bytes of a plain or gzipped file."""
    try:
        if path.name.endswith(".gz"):
            with gzip.open(path) as stream:
                return stream.read()
        return path.read_bytes()
    except FileNotFoundError:
        raise refuse("there is no such file", "Check the path.", file=str(path)) from None
    except (OSError, EOFError, zlib.error) as error:
        raise refuse(
            f"the file cannot be read ({error})",
            "It may be truncated or damaged; write it again.",
            file=str(path),
        ) from None


def _empty(path: str | None) -> Exception:
    return refuse("the file holds no rows", "Give at least one row of data.", file=path)


def _choose(
    present: list[str], mapped: Mapping[str, str], wanted: Collection[str], problems: Problems
) -> dict[str, str]:
    found = resolve(present, mapped, problems)
    problems.stop_if_any()
    return {name: source for name, source in found.items() if name in wanted}


# --- tables in memory and Parquet ---------------------------------------------------------------


def _from_table(
    data: Any,  # noqa: ANN401 - any table library's frame
    mapped: Mapping[str, str],
    wanted: Collection[str],
    problems: Problems,
) -> Raw:
    if isinstance(data, pl.LazyFrame):
        data = data.collect()
    if isinstance(data, pl.DataFrame):
        frame, found = data, _choose(data.columns, mapped, wanted, problems)
    elif hasattr(data, "to_pandas"):
        frame = pl.DataFrame(pl.from_arrow(data))
        found = _choose(frame.columns, mapped, wanted, problems)
    elif hasattr(data, "iloc"):
        frame, found = _from_pandas(data, mapped, wanted, problems)
    else:
        raise refuse(
            f"data of type {type(data).__name__} cannot be read",
            "Give a path, a pandas or polars DataFrame, a pyarrow table, or a mapping with qrels "
            "and run.",
        )
    if not frame.height:
        raise _empty(None)
    return Raw(_renamed(frame, found), found, None)


def _from_pandas(
    data: Any,  # noqa: ANN401 - a pandas DataFrame, which is not imported here
    mapped: Mapping[str, str],
    wanted: Collection[str],
    problems: Problems,
) -> tuple[pl.DataFrame, dict[str, str]]:
    """Convert only what is wanted: other columns may hold objects that polars has no type for."""
    found = _choose([str(one) for one in data.columns], mapped, wanted, problems)
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


def _renamed(frame: pl.DataFrame, found: Mapping[str, str]) -> pl.DataFrame:
    return frame.select(pl.col(source).alias(name) for name, source in found.items())


def _parquet(
    path: Path, mapped: Mapping[str, str], wanted: Collection[str], problems: Problems
) -> Raw:
    try:
        present = list(pl.read_parquet_schema(path))
        found = _choose(present, mapped, wanted, problems)
        frame = pl.read_parquet(path, columns=list(dict.fromkeys(found.values())), glob=False)
    except FileNotFoundError:
        raise refuse("there is no such file", "Check the path.", file=str(path)) from None
    except (OSError, pl.exceptions.PolarsError) as error:
        raise refuse(
            f"the file cannot be read as Parquet ({error})",
            "It may be truncated or damaged; write it again.",
            file=str(path),
        ) from None
    if not frame.height:
        raise _empty(str(path))
    return Raw(_renamed(frame, found), found, str(path))


# --- CSV ----------------------------------------------------------------------------------------


def _csv(
    content: bytes,
    path: Path,
    mapped: Mapping[str, str],
    wanted: Collection[str],
    problems: Problems,
) -> Raw:
    content = content.removeprefix(b"\xef\xbb\xbf")
    if not content.strip():
        raise _empty(str(path))
    _check_utf8(content, problems)
    header = next(csv.reader(io.StringIO(content[: _first_record(content)].decode(), newline="")))
    found = _choose(header, mapped, wanted, problems)
    frame = _fast_csv(content, header, found)
    if frame is None:
        frame = _careful_csv(content, header, found, problems)
    if not frame.height:
        raise _empty(str(path))
    return Raw(frame, found, str(path))


def _check_utf8(content: bytes, problems: Problems) -> None:
    """Refuse what is not UTF-8, naming the line; polars would name neither."""
    try:
        content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        problems.add(f"byte {error.start} (line {line}) is not UTF-8", "Save the file as UTF-8.")
        problems.stop_if_any()


def _first_record(content: bytes) -> int:
    """Give where the header ends; a newline inside quotes does not end it."""
    end = content.find(b"\n")
    while end != -1 and content.count(b'"', 0, end) % 2:
        end = content.find(b"\n", end + 1)
    return len(content) if end == -1 else end + 1


def _fast_csv(content: bytes, header: list[str], found: Mapping[str, str]) -> pl.DataFrame | None:
    """Let polars split the fields, once it is certain that every record has all of them."""
    rows = _regular_rows(content, len(header))
    if rows is None:
        return None
    places = sorted({header.index(source) for source in found.values()})
    try:
        frame = pl.read_csv(content, columns=places, infer_schema=False, empty_string_is_null=False)
    except pl.exceptions.PolarsError:
        return None
    if frame.height != rows - 1:
        return None
    frame.columns = [header[place] for place in places]
    return _renamed(frame, found)


def _regular_rows(content: bytes, fields: int) -> int | None:
    """Count the records if each has `fields` fields and quotes only around whole fields."""
    buffer = np.frombuffer(content, dtype=np.uint8)
    quoted = commas = rows = 0
    for start in range(0, len(buffer), BLOCK):
        block = buffer[start : start + BLOCK]
        quotes = np.flatnonzero(block == ord('"'))
        inside = np.zeros(len(block), dtype=bool)
        if len(quotes) or quoted:
            marks = np.zeros(len(block), dtype=np.int8)
            marks[quotes] = 1
            inside = np.bitwise_xor.accumulate(marks).astype(bool) ^ bool(quoted)
            quoted = (quoted + len(quotes)) % 2
        ends = np.flatnonzero((block == ord("\n")) & ~inside)
        separators = np.cumsum((block == ord(",")) & ~inside, dtype=np.int64)
        at_ends = separators[ends]
        per_row = np.diff(at_ends, prepend=0)
        if len(ends):
            per_row[0] += commas
            if (per_row != fields - 1).any():
                return None
            commas = int(separators[-1] - at_ends[-1])
        else:
            commas += int(separators[-1])
        rows += len(ends)
    if quoted:
        return None
    if content.endswith(b"\n"):
        return rows
    return rows + 1 if commas == fields - 1 else None


def _careful_csv(
    content: bytes, header: list[str], found: Mapping[str, str], problems: Problems
) -> pl.DataFrame:
    """Read record by record, for files with blank lines or odd quotes, and say what is broken."""
    limit = csv.field_size_limit(max(csv.field_size_limit(), len(content) + 1))
    reader = csv.reader(io.StringIO(content.decode(), newline=""), strict=True)
    places = {name: header.index(source) for name, source in found.items()}
    kept: dict[str, list[str]] = {name: [] for name in found}
    row = 0
    try:
        next(reader)
        for record in reader:
            if not record:
                continue
            row += 1
            if len(record) != len(header):
                problems.add(
                    f"found {len(record)} fields, expected {len(header)} as in the header",
                    "The row may be truncated, or hold an unquoted comma or newline.",
                    row=row,
                )
                continue
            for name, place in places.items():
                kept[name].append(record[place])
    except csv.Error as error:
        problems.add(
            f"the record cannot be read ({error})",
            "The file may be truncated, or a quote not closed.",
            row=row + 1,
        )
    finally:
        csv.field_size_limit(limit)
    problems.stop_if_any()
    return pl.DataFrame(kept, schema=dict.fromkeys(found, pl.String))


# --- JSON Lines ---------------------------------------------------------------------------------


def _json_lines(
    content: bytes,
    path: Path,
    mapped: Mapping[str, str],
    wanted: Collection[str],
    problems: Problems,
) -> Raw:
    _check_utf8(content, problems)
    records = _records(content.removeprefix(b"\xef\xbb\xbf").decode(), problems)
    if not records:
        raise _empty(str(path))
    present = list(dict.fromkeys(name for record in records for name in record))
    found = _choose(present, mapped, wanted, problems)
    key = key_columns(found)
    keys = pl.DataFrame(
        {name: [str(record.get(found[name], "")) for record in records] for name in key}
    )
    split = found.get("split")
    unread = [
        split is not None and record.get(split) not in (None, "", "EVAL", "TEST")
        for record in records
    ]
    columns = [
        _json_column(_json_values(records, name, source, unread), name, source, keys, problems)
        for name, source in found.items()
    ]
    problems.stop_if_any()
    return Raw(pl.DataFrame(columns), found, str(path))


def _not_a_number(text: str) -> float:
    raise ValueError(f"{text} is not JSON")


def _records(text: str, problems: Problems) -> list[dict[str, Any]]:
    """Parse all lines in one go; where that fails, line by line, to name the bad ones."""
    lines = [line for line in text.split("\n") if line.strip()]
    try:
        records: list[Any] = json.loads(f"[{','.join(lines)}]", parse_constant=_not_a_number)
    except (ValueError, RecursionError):
        records = []
    if len(records) == len(lines) and all(type(record) is dict for record in records):
        return records
    records = []
    for row, line in enumerate(lines, start=1):
        try:
            record = json.loads(line, parse_constant=_not_a_number)
        except (ValueError, RecursionError) as error:
            problems.add(f"the line is not JSON ({error})", "The file may be truncated.", row=row)
            continue
        if type(record) is not dict:
            problems.add(f"found {line[:40]}, expected an object", "Write {…}.", row=row)
            continue
        records.append(record)
    problems.stop_if_any()
    return records


JSON_TYPES: dict[str, tuple[pl.DataType | type[pl.DataType], tuple[type, ...], str]] = {
    **dict.fromkeys(("post_id", "criterion_id", "query_id"), (pl.String, (str,), "text")),
    **dict.fromkeys(("split", "state"), (pl.String, (str, type(None)), "text")),
    "fold": (pl.Int64, (int,), "a whole number"),
    **dict.fromkeys(("has_evidence", "pred"), (pl.Int64, (int, bool, type(None)), "0 or 1")),
    "prob": (pl.Float64, (int, float, type(None)), "a number"),
    **dict.fromkeys(
        ("candidates", "gold", "selected"),
        (pl.List(pl.String), (list, str, type(None)), "a list of text"),
    ),
    **dict.fromkeys(
        ("scores", "node_probs"),
        (pl.List(pl.Float64), (list, str, type(None)), "a list of numbers"),
    ),
}
"""How each column is held, and which JSON values it may show."""


def _json_values(
    records: list[dict[str, Any]], name: str, source: str, unread: list[bool]
) -> list[Any]:
    """Give a column's values; of a list outside EVAL only whether it is empty is kept."""
    values = [record.get(source) for record in records]
    if not isinstance(JSON_TYPES[name][0], pl.List):
        return values
    stand_in = ["…"] if name == "gold" else []
    return [
        value if not skipped or type(value) is str else (stand_in if value else [])
        for value, skipped in zip(values, unread, strict=True)
    ]


def _json_column(
    values: list[Any], name: str, source: str, keys: pl.DataFrame, problems: Problems
) -> pl.Series:
    """Hold one column in its type, or say which rows do not fit it."""
    dtype, allowed, expected = JSON_TYPES[name]
    bad = [
        row
        for row, value in enumerate(values, start=1)
        if type(value) not in allowed or not _fits(value, name)
    ]
    for row in bad[:KEPT]:
        problems.add(
            f"found {json.dumps(values[row - 1])[:60]}, expected {expected}",
            "Write ids as text in quotes and numbers without.",
            row=row,
            query=" / ".join(keys.row(row - 1)),
            column=source,
        )
    problems.more(max(0, len(bad) - KEPT))
    if bad:
        return pl.Series(name, [None], dtype=pl.Null)
    if isinstance(dtype, pl.List):
        if any(type(value) is str for value in values):
            values = [json.dumps(value) if type(value) is list else value for value in values]
            return pl.Series(name, values, dtype=pl.String)
        return pl.Series(name, values, dtype=dtype, strict=False)
    return pl.Series(name, values, dtype=dtype, strict=False)


def _fits(value: Any, name: str) -> bool:  # noqa: ANN401 - any JSON value
    if type(value) is not list:
        return True
    kinds = set(map(type, value))
    return kinds <= ({str} if name in ("candidates", "gold", "selected") else {int, float})
