"""What a refused input is told: each problem once, and what the file looks like.

The implementations say what is wrong with each row. Here a problem that many rows have is told once
with a count, and a file that nobody recognises gets what it looks like and what would map it.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crosscheck.config.places import members, splits_of
from crosscheck.data.looks import looks_like

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

ALIKE = 3
"""Problems of one kind that are told each; of more, the first is told with a count."""
VARIES = re.compile(r"“[^”]*”|'[^']*'|\d+(?:[.,]\d+)*")
"""What may differ between problems of one kind: a value, a number."""


def told(error: Any, data: str | dict[str, str]) -> str:  # noqa: ANN401 - an InputError of either package
    """Write the message of a refusal."""
    groups: dict[tuple[object, ...], list[Any]] = {}
    for one in error.problems:
        alike = (one.file, one.column, VARIES.sub("…", one.what or ""), one.remedy)
        groups.setdefault(alike, []).append(one)
    text = str(error)
    if any(len(some) > ALIKE for some in groups.values()):
        text = "\n".join(_lines(groups.values()))
    # What is wrong with one row says nothing about the file.
    if all(one.row is None for one in error.problems):
        text += "".join(f"\n{each}" for each in _looks(data))
    return text


def _lines(groups: Iterable[list[Any]]) -> Iterator[str]:
    file = None
    for some in groups:
        if some[0].file != file:
            file = some[0].file
            yield f"{file}:"
        for one in some[: 1 if len(some) > ALIKE else ALIKE]:
            yield f"  {_line(one)}"
        if len(some) > ALIKE:
            yield f"  … and {len(some) - 1:,} more of the same, up to {_place(some[-1])}"


def _line(one: Any) -> str:  # noqa: ANN401 - a problem
    place = _place(one)
    remedy = f" {one.remedy}" if one.remedy else ""
    return f"{place}{': ' if place else ''}{one.what}.{remedy}"


def _place(one: Any) -> str:  # noqa: ANN401 - a problem
    parts = (("row", one.row), ("query", one.query), ("column", one.column))
    return ", ".join(f"{name} {value}" for name, value in parts if value is not None)


def _looks(data: str | dict[str, str]) -> Iterator[str]:
    places = [data] if isinstance(data, str) else list(data.values())
    role = None if isinstance(data, str) else ""
    for place in places:
        if splits := splits_of(place):
            names = ", ".join(splits)
            yield f"{Path(place).name} holds the splits {names}: give {Path(place) / splits[-1]}"
            continue
        files = [path for path in members(place) if path.is_file()]
        shown = looks_like(Path(files[0]), alone=role is None) if files else None
        if shown:
            yield shown
