"""JSON Lines: one object a line, ids as text, numbers as numbers."""

from __future__ import annotations

import codecs
import json
import math
from typing import TYPE_CHECKING, Any

import polars as pl

from primary.errors import KEPT
from primary.reading.cells import WHITE, is_text
from primary.reading.columns import key_columns
from primary.reading.files.raw import ROWS, Raw, check_utf8, chosen, no_rows
from primary.reading.typed import SPLITS

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from pathlib import Path

    from primary.errors import Problems

OUTSIDE = tuple(name for name, meant in SPLITS.items() if meant != "EVAL")
"""The splits of whose rows no list, decision or state is read."""


def read_json_lines(
    content: bytes,
    path: Path,
    mapped: Mapping[str, str],
    wanted: Collection[str],
    problems: Problems,
) -> Raw:
    """Read the wanted columns, each in its type."""
    records = records_of(content, problems)
    if not records:
        raise no_rows(str(path))
    return from_records(records, mapped, wanted, problems)


def records_of(content: bytes, problems: Problems) -> list[dict[str, Any]]:
    """Give the objects of a file, one a line."""
    check_utf8(content, problems)
    return _records(content.removeprefix(codecs.BOM_UTF8).decode(), problems)


def from_records(
    records: list[dict[str, Any]],
    mapped: Mapping[str, str],
    wanted: Collection[str],
    problems: Problems,
) -> Raw:
    """Give the wanted columns of objects, each in its type."""
    present = list(dict.fromkeys(name for record in records for name in record))
    found = chosen(present, mapped, wanted, problems)
    key = [found[name] for name in key_columns(found)]
    queries = [" / ".join(str(record.get(source, "")) for source in key) for record in records]
    split = found.get("split")
    unread = [split is not None and record.get(split) in OUTSIDE for record in records]
    columns = [
        _json_column(_json_values(records, name, source, unread), name, source, queries, problems)
        for name, source in found.items()
    ]
    return Raw(pl.DataFrame(columns), found)


def _each_name_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object, unless it has two values under one name: which is meant, nobody knows."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in found if names.count(name) > 1)
        raise ValueError(f"the name {twice[:60]} stands twice in one object")
    return found


def parsed(text: str) -> Any:  # noqa: ANN401 - any JSON value
    """Read JSON, no name twice in an object.

    NaN and Infinity, which Python writes, are left to the columns that are read: none takes them.
    """
    return json.loads(text, object_pairs_hook=_each_name_once)


MARK = r'"\u0000"'
"""Stands between lines that are parsed together: a line that is no whole object displaces it."""


def _at_once(lines: list[str]) -> list[dict[str, Any]] | None:
    """Give the objects of lines that each hold one, and nothing else; None of any other lines."""
    try:
        found: list[Any] = parsed(f"[{f',{MARK},'.join(lines)}]")
    except (ValueError, RecursionError):
        return None
    records, marks = found[::2], found[1::2]
    if len(found) != 2 * len(lines) - 1 or any(mark != "\0" for mark in marks):
        return None
    return records if {*map(type, records)} == {dict} else None


def lines_of(text: str) -> list[str]:
    """Give the lines that are not empty; white space that is not JSON's fills a line."""
    return [line for line in text.split("\n") if line.strip(WHITE)]


def _records(text: str, problems: Problems) -> list[dict[str, Any]]:
    """Parse all lines in one go; where that fails, line by line, to name the bad ones."""
    lines = lines_of(text)
    records = _at_once(lines) if lines and MARK not in text else None
    if records is not None:
        return records
    records = []
    for row, line in enumerate(lines, start=1):
        try:
            record = parsed(line)
        except (ValueError, RecursionError) as error:
            problems.add(f"the line is not JSON ({error})", "The file may be truncated.", row=row)
            continue
        if type(record) is not dict:
            problems.add(f"found {line[:40]}, expected an object", "Write {…}.", row=row)
            continue
        records.append(record)
    problems.stop_if_any()
    return records


SCALARS = (str, int, float, bool, type(None))
"""What is held as its text: labels, classes and values of slices."""

JSON_TYPES: dict[str, tuple[pl.DataType | type[pl.DataType], tuple[type, ...], str]] = {
    **dict.fromkeys(("post_id", "criterion_id", "query_id"), (pl.String, (str, int), "text")),
    "seed": (pl.String, (str, int), "text or a whole number"),
    **dict.fromkeys(("split", "state"), (pl.String, (str, type(None)), "text")),
    "fold": (pl.String, (str, int, float), "a whole number of 64 bits"),
    **dict.fromkeys(("has_evidence", "pred"), (pl.String, SCALARS, "0 or 1")),
    **dict.fromkeys(("label", "predicted"), (pl.String, SCALARS, "a class")),
    **dict.fromkeys(("prob", "score"), (pl.Float64, (int, float, type(None)), "a number")),
    **dict.fromkeys(
        ("candidates", "gold", "selected", "judged"),
        (pl.List(pl.String), (list, str, type(None)), "a list of text"),
    ),
    **dict.fromkeys(
        ("scores", "node_probs", "grades", "class_probs"),
        (pl.List(pl.Float64), (list, str, type(None)), "a list of numbers"),
    ),
}
"""How each column is held, and which JSON values it may show."""

A_SLICE = (pl.String, SCALARS, "text, a number, true or false")
"""The same of the values of a declared slice."""

STAND_INS: dict[Any, Any] = {pl.String: "EVAL", pl.Float64: 0.0}
SAFE = {"state": "NEG", "has_evidence": "0", "pred": "0", "fold": "0"}
"""Values that no check objects to, for cells that were found wrong."""


def _json_values(
    records: list[dict[str, Any]], name: str, source: str, unread: list[bool]
) -> list[Any]:
    """Give a column's values; of a list outside EVAL only whether it is empty is kept."""
    if name == ROWS:
        return [None] * len(records)
    values = [record.get(source) for record in records]
    if name in ("pred", "state", "predicted"):
        return [None if skipped else one for one, skipped in zip(values, unread, strict=True)]
    if not isinstance(JSON_TYPES.get(name, A_SLICE)[0], pl.List):
        return values
    stand_in = ["…"] if name == "gold" else []
    return [
        value if not skipped or type(value) is str else (stand_in if value else [])
        for value, skipped in zip(values, unread, strict=True)
    ]


def _json_column(
    values: list[Any], name: str, source: str, queries: list[str], problems: Problems
) -> pl.Series:
    """Hold one column in its type, or say which rows do not fit it."""
    dtype, allowed, expected = JSON_TYPES.get(name, A_SLICE)
    bad = [
        row
        for row, value in enumerate(values, start=1)
        if type(value) not in allowed or not fits(value, name)
    ]
    for row in bad[:KEPT]:
        problems.add(
            f"found {json.dumps(values[row - 1])[:60]}, expected {expected}",
            "Write ids as text in quotes and numbers without.",
            row=row,
            query=queries[row - 1].encode(errors="backslashreplace").decode(),
            column=source,
        )
    problems.more(max(0, len(bad) - KEPT))
    for row in bad:
        # Already told; a harmless value lets the rest of the file be checked as well.
        values[row - 1] = SAFE.get(name, STAND_INS.get(dtype))
    if name in ("label", "predicted"):
        # The number −0 is a label like 0.
        values = [0.0 if type(value) is float and not value else value for value in values]
    if name == "fold":
        values = [int(value) if type(value) is float else value for value in values]
    if dtype == pl.String:
        return pl.Series(name, [_as_text(value) for value in values], dtype=pl.String)
    if isinstance(dtype, pl.List) and any(type(value) is str for value in values):
        values = [json.dumps(value) if type(value) is list else value for value in values]
        return pl.Series(name, values)
    return pl.Series(name, values, dtype=dtype, strict=False)


def _as_text(value: Any) -> str | None:  # noqa: ANN401 - a JSON scalar
    """Give text as it is, all else as JSON writes it."""
    return value if value is None or type(value) is str else json.dumps(value)


def fits(value: Any, name: str) -> bool:  # noqa: ANN401 - any JSON value
    """Say whether a value of an allowed type is one that its column can hold."""
    if type(value) is str:
        return is_text(value)
    if type(value) is int:
        return name != "fold" or -(2**63) <= value < 2**63
    if type(value) is float:
        # Of numbers it is told later, with what they have to be.
        if name == "fold":
            return value.is_integer() and -(2**63) <= value < 2**63
        return name in ("prob", "score") or math.isfinite(value)
    if type(value) is not list:
        return True
    kinds = set(map(type, value))
    if name in ("scores", "node_probs", "grades", "class_probs"):
        return kinds <= {int, float}
    return kinds <= {str} and is_text("".join(value))
