"""What trec_eval prints: a measure, a topic or `all`, and a value to a line.

Its means are over every topic; its nDCG is of the grades, its MAP divides by all relevant
documents. So each measure is read as the contract's key of that definition, not by its bare name.
With `-q` every topic has lines of its own, and each is a claim about that query.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from crosscheck.notation.programs import ALL, meant, said
from crosscheck.readers import Reader

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crosscheck.notation.pieces import Piece
    from crosscheck.notation.written import Written

NAME = "trec_eval"
_FIELD = re.compile(r"\S+")
FIELDS = 3
"""Measure, topic, value."""


def read(page: Written, _name: str) -> list[Piece]:
    """Read every line that has a measure of the contract."""
    return [piece for line in page.lines() for piece in _line(line)]


def _line(line: Written) -> Iterator[Piece]:
    if not line.text.strip():
        return
    measure, topic, value = _fields(line)
    of = None if topic.text == ALL else topic
    yield from said(measure, key_of(measure.text), value, of)


def _fields(line: Written) -> tuple[Written, Written, Written]:
    """Part a line at its white space; the value, as the name of a run, may have some."""
    first, second = list(_FIELD.finditer(line.text))[:2]
    rest = line[second.end() :].strip()
    return line[first.start() : first.end()], line[second.start() : second.end()], rest


def key_of(measure: str) -> str:
    """Give the metric that a measure of trec_eval is; empty where the contract has none."""
    return meant(NAME, measure)


def _recognises(text: str) -> bool:
    lines = [line.split(None, FIELDS - 1) for line in text.splitlines() if line.strip()]
    if not lines or not all(len(fields) == FIELDS for fields in lines):
        return False
    spaced = [name for name, _, value in lines if len(value.split()) > 1]
    plain = all(name in _TEXTS for name in spaced)
    return plain and any(key_of(name) for name, _, _ in lines)


_TEXTS = frozenset(("runid", "relstring"))
"""Measures whose value is a text."""

READER = Reader(NAME, (), read, _recognises)
