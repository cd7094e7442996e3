"""JSON as pandas writes a table unless it is told to write one object a row.

The readers take an array of objects. A table written by column, by row or in parts is told what it
is, and the line of Python that writes it as records.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from crosscheck.contract import load

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    Columns = dict[str, list[Any]]

PARTS = ["columns", "index", "data"]


def written_otherwise(path: Path, held: Any) -> tuple[str, Columns]:  # noqa: ANN401 - what JSON holds
    """Say how a table is written and what writes it as records, with its columns; empty if none."""
    if not isinstance(held, dict) or not held:
        return "", {}
    columns, shown, how = _table(held)
    if not columns:
        return "", {}
    read = f"pd.read_json({path.name!r}{how}"
    return (
        f"{path.name} looks like a table that is written {shown}. Write one object for each row: "
        f"{read}.to_json('records.json', orient='records')."
    ), columns


def _table(held: dict[str, Any]) -> tuple[Columns, str, str]:
    if list(held) == PARTS:
        cells = zip(*held["data"], strict=True)
        columns = {str(name): list(one) for name, one in zip(held["columns"], cells, strict=True)}
        return columns, "in parts (orient='split')", ", orient='split')"
    if _are_lists(held):
        return held, "with a list for each column", ")"
    first, *rest = held.values()
    if not _is_object(first) or any(_names(one) != list(first) for one in rest):
        return {}, "", ""
    numbers = all(isinstance(cell, int | float) for one in held.values() for cell in one.values())
    # Judgements and runs are objects of numbers too: known names of columns tell a table.
    if _known(held) or (_is_numbered(first) and not numbers):
        named = "" if _is_numbered(first) or _known(held, keys=True) else _NAMED
        columns = {name: list(one.values()) for name, one in held.items()}
        return columns, "by column, as pandas' to_json() does", f"){named}"
    if _is_numbered(held) and (_known(first) or not numbers):
        columns = {name: [one[name] for one in held.values()] for name in first}
        return columns, "by row (orient='index')", ", orient='index')"
    return {}, "", ""


_NAMED = ".reset_index(names='query_id')"
"""Rows with names are queries."""


def names_of(column: str) -> set[str]:
    """Give every name by which a column is known."""
    return {
        name for one in load().columns if one.name == column for name in (one.name, *one.aliases)
    }


def _known(names: Iterable[str], *, keys: bool = False) -> bool:
    """Whether one of the names is a column's, or a key's."""
    columns = (one.name for one in load().columns if one.key or not keys)
    return any(not names_of(one).isdisjoint(names) for one in columns)


def _are_lists(held: dict[str, Any]) -> bool:
    """Whether all members are lists of one length, none of them of objects."""
    sizes = {len(one) if isinstance(one, list) else 0 for one in held.values()}
    if len(sizes) > 1 or 0 in sizes:
        return False
    return not any(isinstance(cell, dict) for one in held.values() for cell in one)


def _is_object(value: object) -> bool:
    return isinstance(value, dict) and bool(value)


def _names(value: object) -> list[str]:
    return list(value) if isinstance(value, dict) else []


def _is_numbered(held: dict[str, Any]) -> bool:
    """Whether the names are those of an index that nobody chose, from 0 on."""
    return list(held) == [str(one) for one in range(len(held))]
