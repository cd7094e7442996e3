"""The result pages of TREC: what old versions of trec_eval print, and newer ones with `-o`.

    Queryid (Num):       50
    Total number of documents over all queries
        Retrieved:    50000
    Interpolated Recall - Precision Averages:
        at 0.00       0.7421
    Average precision (non-interpolated) over all rel docs
                      0.2313
    Precision:
      At    5 docs:   0.5440
    R-Precision (precision after R (= num_rel for a query) docs retrieved):
        Exact:        0.2711

With `-q` each topic has a page of its own before that, and `Queryid (Num)` is its id.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from crosscheck.notation.pieces import Passed
from crosscheck.notation.programs import meant, said
from crosscheck.notation.written import NOTHING
from crosscheck.readers import Reader

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crosscheck.notation.pieces import Piece
    from crosscheck.notation.written import Written

NAME = "nist"
_TOPIC = re.compile(r"\s*Queryid\s*\(Num\)\s*:\s*(?P<value>.*?)\s*$", re.IGNORECASE)
_VALUE = re.compile(r"^\s*(?P<name>.*?)[\s:]*(?P<value>(?<!\S)[-+]?\d+(?:\.\d+)?)\s*$")
_MEAN = re.compile(r"\s*(?:mean )?average precision\b", re.IGNORECASE)
_MARKS = ("interpolated recall", "queryid")


def read(page: Written, _name: str) -> list[Piece]:
    """Read the page line by line: a value without a name belongs to the heading above it."""
    lines = page.lines()
    last = max((at for at, line in enumerate(lines) if _TOPIC.match(line.text)), default=0)
    pieces: list[Piece] = []
    above = NOTHING
    topic: Written | None = None
    for at, line in enumerate(lines):
        begins = _TOPIC.match(line.text)
        if begins:
            named = line[begins.start("value") : begins.end("value")]
            # The page over all topics is the last, and names their number.
            topic, above = None if at == last else named, NOTHING
            label = line[: begins.start("value")].strip()
            pieces += said(label, "queries", named, None) if topic is None else ()
            pieces += [Passed.of(line, "name")] if topic is not None else []
        elif line.text.strip():
            pieces += _line(line, above, topic)
            above = line
    return pieces


def _line(line: Written, above: Written, topic: Written | None) -> Iterator[Piece]:
    found = _VALUE.match(line.text)
    if found is None:
        yield Passed.of(line, "around")
        return
    name, value = (line[found.start(part) : found.end(part)] for part in ("name", "value"))
    if not name:
        name = above.strip()
    yield from said(name, _meant(name.text, found["name"]), value, topic)


def _meant(name: str, own: str) -> str:
    """Give the metric that a line's name, or the heading above it, stands for."""
    if not own:
        return meant(NAME, "average precision") if _MEAN.match(name) else ""
    return meant(NAME, " ".join(name.lower().split()))


def _recognises(text: str) -> bool:
    lowered = text.lower()
    return all(mark in lowered for mark in _MARKS)


READER = Reader(NAME, (), read, _recognises)
