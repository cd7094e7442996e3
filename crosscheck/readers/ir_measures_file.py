"""What ir_measures prints: a measure and its value to a line, with `-q` a topic before them.

Its nDCG is of the grades, its AP divides by all relevant documents, its means are over all topics.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from crosscheck.notation.pieces import Leaf, Passed
from crosscheck.readers import Reader

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crosscheck.notation.pieces import Piece
    from crosscheck.notation.written import Written

_FIELD = re.compile(r"[^\t]+")
_MEASURE = re.compile(r"(?P<name>[A-Za-z]+)(?:\((?P<inside>[^()]*)\))?(?:@(?P<cut>[\d.]+))?")
EVERY = {
    "AP": "map@all/by_gold",
    "RR": "mrr@all",
    "nDCG": "ndcg@all/graded",
    "Rprec": "rprecision",
    "Bpref": "bpref",
    "NumQ": "queries",
}
AT = {
    "AP": "map@{}/by_gold",
    "RR": "mrr@{}",
    "nDCG": "ndcg@{}/graded",
    "P": "precision@{}",
    "R": "recall@{}",
    "Success": "hit@{}",
    "Judged": "judged@{}",
}
OWN = {"AP", "RR", "R", "Rprec", "Bpref", "Judged", "Success"}
"""Names that people print otherwise: one of them tells the file from a table of their own."""


def read(page: Written, _name: str) -> list[Piece]:
    """Read the means; lines of single topics have no key of their own."""
    return [piece for line in page.lines() for piece in _line(line)]


def _line(line: Written) -> Iterator[Piece]:
    fields = [line[found.start() : found.end()].strip() for found in _FIELD.finditer(line.text)]
    if not line.text.strip():
        return
    *topic, measure, value = fields
    key = key_of(measure.text)
    if topic:
        yield Passed.of(line, "topic")
    elif key is None:
        yield Passed.of(line, "measure")
    else:
        yield Leaf((measure.said(f"{key}|all_queries"),), value, numeric=True)


def key_of(measure: str) -> str | None:
    """Give the contract's metric that a measure is, if it has it; `rel=1` is what goes unsaid."""
    found = _MEASURE.fullmatch(measure)
    if found is None or (found["inside"] or "rel=1").replace(" ", "") != "rel=1":
        return None
    if found["cut"] is None:
        return EVERY.get(found["name"])
    known = AT.get(found["name"])
    return known.format(found["cut"]) if known and found["cut"].isdecimal() else None


def _recognises(text: str) -> bool:
    lines = [line.split("\t") for line in text.splitlines() if line.strip()]
    plain = bool(lines) and all(len(fields) in (2, 3) for fields in lines)
    names = [_MEASURE.fullmatch(fields[-2].strip()) for fields in lines] if plain else []
    return bool(names) and all(names) and any(name and name["name"] in OWN for name in names)


READER = Reader("ir_measures", (), read, _recognises)
