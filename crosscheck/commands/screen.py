"""The comparison on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.markup import escape
from rich.table import Table

from crosscheck.model.key import Key
from crosscheck.paper.text import number
from crosscheck.report import printing
from crosscheck.report.cells import Bracket, Number, Paper

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console

    from crosscheck.model.comparison import Comparison
    from crosscheck.report.cells import Cell

NARROW = ("Against", "Metric")
"""Columns that become captions, so that a line fits on a terminal."""
SURE = 0.05


def brief(console: Console, comparison: Comparison) -> None:
    """Print the table of values alone, a star where a difference is more than chance."""
    names = {row.key: row.name for row in comparison.rows}
    cells = {(row.system, row.key): row for row in comparison.rows}
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("system")
    for name in names.values():
        table.add_column(escape(name), justify="right")
    for system in comparison.systems:
        texts = []
        for key in names:
            row = cells.get((system, key))
            star = "*" if row and row.p_holm is not None and row.p_holm < SURE else " "
            texts.append(f"{printing.number(row.value)}{star}" if row else "– ")
        table.add_row(escape(system), *texts)
    console.print(table)
    if any(Key.parse(key).slice == "folds" for key in names):
        console.print("Means over folds.", style="dim")
    tests = sum(row.p is not None for row in comparison.rows)
    if tests:
        console.print(
            f"* differs from {escape(comparison.baseline)}, or from the first system that has the "
            f"number: p\N{NO-BREAK SPACE}<\N{NO-BREAK SPACE}{SURE}, {tests} permutation tests "
            f"corrected after {comparison.correction}",
            style="dim",
        )


def split(paper: Paper) -> Iterator[Paper]:
    """Give a table of differences as one a metric and baseline; any other as it is."""
    if not set(NARROW) <= set(paper.header):
        yield paper
        return
    places = [paper.header.index(name) for name in NARROW]
    kept = [place for place in range(len(paper.header)) if place not in places]
    groups: dict[tuple[Cell, ...], list[list[Cell]]] = {}
    for row in paper.rows:
        groups.setdefault(tuple(row[place] for place in places), []).append(row)
    header = [paper.header[place] for place in kept]
    for place, ((against, metric), rows) in enumerate(groups.items(), start=1):
        last = place == len(groups)
        yield Paper(
            name=paper.name,
            caption=f"{metric}: difference from {against}",
            header=header,
            rows=[[row[place] for place in kept] for row in rows],
            notes=[paper.caption, *paper.notes] if last else [],
        )


def show(console: Console, paper: Paper) -> None:
    """Print a table with its caption above and its notes below."""
    console.print(escape(paper.caption), style="bold")
    table = Table(box=None, pad_edge=False, header_style="dim")
    for place, head in enumerate(paper.header):
        numbers = any(isinstance(row[place], Number | Bracket) for row in paper.rows)
        table.add_column(escape(head), justify="right" if numbers else "left")
    for row in paper.rows:
        table.add_row(*(escape(text(cell)) for cell in row))
    console.print(table)
    for note in paper.notes:
        console.print(escape(note), style="dim")
    console.print()


def text(cell: Cell) -> str:
    """Write a cell with the documents' four decimals."""
    if isinstance(cell, Bracket):
        return printing.bracket(cell.low, cell.high)
    return number(cell) if isinstance(cell, Number) else cell or "–"
