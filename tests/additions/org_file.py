"""Org mode: the first table of the file."""

from __future__ import annotations

from crosscheck.claims.cells import Cells
from crosscheck.claims.readers import Reader


def grids(text: str, _name: str) -> list[Cells]:
    """Read the rows between vertical bars; a line such as |---+---| is none."""
    lines = [line.strip() for line in text.splitlines()]
    rows = [line.strip("|").split("|") for line in lines if line[:1] == "|" and line[1:2] != "-"]
    return [Cells.of("table", [[cell.strip() for cell in row] for row in rows])]


READER = Reader("Org", (".org",), grids, lambda text: "+---|" in text)
