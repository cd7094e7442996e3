"""What tar_eval prints, CLEF's for technology-assisted reviews: topic, measure, value to a line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from crosscheck.notation.programs import meant, said
from crosscheck.readers import Reader

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crosscheck.notation.pieces import Piece
    from crosscheck.notation.written import Written

NAME = "tar_eval"
_FIELD = re.compile(r"\S+")
_MARK = re.compile(r"^\S+\s+topic_id\s", re.MULTILINE)
FIELDS = 3
ALL = "ALL"
POPULATION = "positives_only"
"""Its means leave out a topic without relevant documents."""


def read(page: Written, _name: str) -> list[Piece]:
    """Read every line that has a measure of the contract."""
    return [piece for line in page.lines() for piece in _line(line)]


def _line(line: Written) -> Iterator[Piece]:
    fields = [line[found.start() : found.end()] for found in _FIELD.finditer(line.text)]
    if fields:
        topic, measure, value = fields
        of = None if topic.text == ALL else topic
        yield from said(measure, meant(NAME, measure.text), value, of, POPULATION)


def _recognises(text: str) -> bool:
    lines = [line.split() for line in text.splitlines() if line.strip()]
    return bool(_MARK.search(text)) and all(len(fields) == FIELDS for fields in lines)


READER = Reader(NAME, (), read, _recognises)
