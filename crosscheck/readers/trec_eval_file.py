"""What trec_eval prints: a measure, a topic or `all`, and a value to a line.

Its means are over every topic; its nDCG is of the grades, its MAP divides by all relevant
documents. So each measure is read as the contract's key of that definition, not by its bare name.
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

_FIELD = re.compile(r"\S+")
FIELDS = 3
"""Measure, topic, value."""
ALL = "all"
MEASURES = {
    "map": "map@all/by_gold|all_queries",
    "gm_map": "gmap|all_queries",
    "Rprec": "rprecision|all_queries",
    "bpref": "bpref|all_queries",
    "recip_rank": "mrr@all|all_queries",
    "ndcg": "ndcg@all/graded|all_queries",
    "num_q": "queries|all_queries",
}
CUT = {
    "P": "precision@{}|all_queries",
    "recall": "recall@{}|all_queries",
    "success": "hit@{}|all_queries",
    "map_cut": "map@{}/by_gold|all_queries",
    "ndcg_cut": "ndcg@{}/graded|all_queries",
}
"""What comes before the underscore and the cut-off."""
IPREC = "iprec_at_recall_"
CERTAIN = (f"{IPREC}0.00", f"{IPREC}1.00")
"""The levels at which no version of trec_eval has anything to round."""


def read(page: Written, _name: str) -> list[Piece]:
    """Read the lines of all topics; those of single ones have no key of their own."""
    return [piece for line in page.lines() for piece in _line(line)]


def _line(line: Written) -> Iterator[Piece]:
    fields = [line[found.start() : found.end()] for found in _FIELD.finditer(line.text)]
    if not fields:
        return
    measure, topic, value = fields
    key = key_of(measure.text)
    if topic.text != ALL:
        yield Passed.of(line, "topic")
    elif measure.text.startswith(IPREC) and measure.text not in CERTAIN:
        yield Passed.of(line, "recall level")
    elif key is None:
        yield Passed.of(line, "measure")
    else:
        yield Leaf((measure.said(key),), value, numeric=True)


def key_of(measure: str) -> str | None:
    """Give the beginning of the key that a measure of trec_eval is, if the contract has it."""
    if measure.startswith(IPREC):
        level = measure.removeprefix(IPREC).rstrip("0").rstrip(".")
        return f"iprec@recall={level or '0'}|all_queries"
    name, _, cut = measure.rpartition("_")
    if name in CUT and cut.isdecimal():
        return CUT[name].format(int(cut))
    return MEASURES.get(measure)


def _recognises(text: str) -> bool:
    lines = [line.split() for line in text.splitlines() if line.strip()]
    plain = bool(lines) and all(len(fields) == FIELDS for fields in lines)
    return plain and any(key_of(name) and topic == ALL for name, topic, _ in lines)


READER = Reader("trec_eval", (), read, _recognises)
