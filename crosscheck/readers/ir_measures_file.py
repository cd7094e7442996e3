"""What ir_measures prints: a measure and its value to a line, with `-q` a topic before them.

Its nDCG is of the grades, its AP divides by all relevant documents, its means are over all topics.
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

NAME = "ir_measures"
_FIELD = re.compile(r"[^\t]+")
_MEASURE = re.compile(r"(?P<name>[A-Za-z]+)(?:\((?P<inside>[^()]*)\))?(?:@(?P<cut>[\d.]+))?")
OWN = {"AP", "RR", "R", "Rprec", "Bpref", "Judged", "Success"}
"""Names that people print otherwise: one of them tells the file from a table of their own."""
UNSAID = {"rel=1", "judged_only=False", "dcg='log2'"}
"""Parameters that say what goes without saying."""
SAID = {"NumRet", "RBP"}
"""Measures that are others without `rel=1`."""


def read(page: Written, _name: str) -> list[Piece]:
    """Read every line that has a measure of the contract."""
    return [piece for line in page.lines() for piece in _line(line)]


def _line(line: Written) -> Iterator[Piece]:
    if not line.text.strip():
        return
    fields = [line[found.start() : found.end()].strip() for found in _FIELD.finditer(line.text)]
    *topic, measure, value = fields
    of = topic[0] if topic and topic[0].text != ALL else None
    yield from said(measure, key_of(measure.text), value, of)


def key_of(measure: str) -> str:
    """Give the contract's metric that a measure is; empty where it has none."""
    found = _MEASURE.fullmatch(measure)
    if found is None:
        return ""
    parts = sorted(one.strip() for one in (found["inside"] or "").split(",") if one.strip())
    if found["name"] not in SAID:
        parts = [one for one in parts if one.replace('"', "'") not in UNSAID]
    inside = f"({','.join(parts)})" if parts else ""
    cut = f"@{found['cut']}" if found["cut"] else ""
    return meant(NAME, f"{found['name']}{inside}{cut}")


def _recognises(text: str) -> bool:
    lines = [line.split("\t") for line in text.splitlines() if line.strip()]
    plain = bool(lines) and all(len(fields) in (2, 3) for fields in lines)
    names = [_MEASURE.fullmatch(fields[-2].strip()) for fields in lines] if plain else []
    own = any(name and name["name"] in OWN for name in names)
    per_topic = any(len(fields) == 3 and key_of(fields[1].strip()) for fields in lines)  # noqa: PLR2004 - topic, measure, value
    return bool(names) and all(names) and (own or per_topic)


READER = Reader(NAME, (), read, _recognises)
