"""What ranx's `compare` prints: a letter, a model and its values to a line, below a line of dashes.

Its NDCG is of the grades, its MAP divides by all relevant documents, its means are over all
queries. The raised letters behind a value name the models that it beats; a table in percent is
left to the reader of tables, which tells the scale.
"""

from __future__ import annotations

import itertools
import re
from string import ascii_lowercase
from typing import TYPE_CHECKING

from crosscheck.notation.pieces import Passed
from crosscheck.notation.programs import meant, said
from crosscheck.readers import Reader

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crosscheck.notation.pieces import Piece
    from crosscheck.notation.written import Written

NAME = "ranx"
_HEAD = re.compile(r"\s*#\s+Model\s+\S")
_DASHES = re.compile(r"-+")
_VALUE = re.compile(r"[01](?:\.\d+)?(?![\d.])")
LABELS = 2
"""Columns before the values: the letter, and the model."""


def read(page: Written, _name: str) -> list[Piece]:
    """Read every value of the table under its model."""
    head, dashes, *rows = [line for line in page.lines() if line.text.strip()]
    names = _cells(head, dashes.text)[LABELS:]
    return [piece for row in rows for piece in _row(_cells(row, dashes.text), names)]


def _row(cells: list[Written], names: Sequence[Written]) -> Iterator[Piece]:
    _, model, *values = cells
    yield Passed.of(model, "name")
    for name, value in zip(names, values, strict=True):
        found = _VALUE.match(value.text)
        digits = value[: found.end()] if found else value
        yield from said(name, meant(NAME, name.text), digits, None, system=model.text)


def _cells(line: Written, dashes: str) -> list[Written]:
    """Cut a line where the dashes say that columns begin."""
    starts = [found.start() for found in _DASHES.finditer(dashes)]
    return [line[low:high].strip() for low, high in itertools.pairwise([*starts, len(line)])]


def _recognises(text: str) -> bool:
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) <= LABELS or not _HEAD.match(lines[0]) or set(lines[1]) != {"-", " "}:
        return False
    starts = [found.start() for found in _DASHES.finditer(lines[1])]
    rows = [
        [line[low:high].strip() for low, high in itertools.pairwise([*starts, None])]
        for line in lines
    ]
    letters = [row[0] for row in rows[2:]]
    return letters == list(ascii_lowercase[: len(letters)]) and all(
        _VALUE.match(cell) for row in rows[2:] for cell in row[LABELS:]
    )


READER = Reader(NAME, (), read, _recognises)
