"""Org mode: the first table of the file."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from crosscheck.notation.pieces import Table
from crosscheck.readers import Reader

if TYPE_CHECKING:
    from crosscheck.notation.written import Written


def grids(page: Written, _name: str) -> list[Table]:
    """Read the rows between vertical bars; a line such as |---+---| is none."""
    lines = [line.strip() for line in page.lines()]
    rows = [line for line in lines if line.text[:1] == "|" and line.text[1:2] != "-"]
    return [Table.of("table", [_cells(row.strip("|")) for row in rows])]


def _cells(row: Written) -> list[Written]:
    bars = [-1, *(at for at, char in enumerate(row.text) if char == "|"), len(row)]
    return [row[low + 1 : high].strip() for low, high in pairwise(bars)]


READER = Reader("Org", (".org",), grids, lambda text: "+---|" in text)
