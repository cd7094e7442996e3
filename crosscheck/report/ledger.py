"""`ledger.csv`: every key with every witness's value, how far apart they are, and the verdict.

Columns: `key, metric, population, slice, statistic`, one per witness by its name, then
`relative_difference` (the largest between any two) and `verdict` (the worst of any two: `exact`,
`drift`, `wrong`; `single` where one witness alone testified).
"""

from __future__ import annotations

import csv
import io
import math
from itertools import combinations
from typing import TYPE_CHECKING

from crosscheck.compare import TOLERANCE, judge, relative_difference

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    Value = int | float
    Ledgers = Mapping[str, Mapping[str, Value]]

NAME = "ledger.csv"
KEY_COLUMNS = ("key", "metric", "population", "slice", "statistic")
END_COLUMNS = ("relative_difference", "verdict")

_ORDER = {"exact": 0, "drift": 1, "wrong": 2}


def rows(ledgers: Ledgers, tolerance: float = TOLERANCE) -> Iterator[list[str]]:
    """Give the header, then a row a key: the first witness's in its order, then the others'."""
    yield [*KEY_COLUMNS, *ledgers, *END_COLUMNS]
    keys = dict.fromkeys(key for ledger in ledgers.values() for key in ledger)
    for key in keys:
        stated = [ledger.get(key) for ledger in ledgers.values()]
        known = [value for value in stated if value is not None]
        difference, verdict = _settled(known, tolerance)
        yield [key, *key.split("|"), *map(_cell, stated), difference, verdict]


def render(ledgers: Ledgers, tolerance: float = TOLERANCE) -> str:
    """Write the ledger as CSV."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows(ledgers, tolerance))
    return text.getvalue()


def read(text: str) -> dict[str, dict[str, Value]]:
    """Read `ledger.csv` back: witness → key → value."""
    lines = csv.reader(io.StringIO(text))
    header = next(lines)
    witnesses = header[len(KEY_COLUMNS) : -len(END_COLUMNS)]
    ledgers: dict[str, dict[str, Value]] = {name: {} for name in witnesses}
    for line in lines:
        for name, cell in zip(witnesses, line[len(KEY_COLUMNS) :], strict=False):
            if cell:
                ledgers[name][line[0]] = _value(cell)
    return ledgers


def _settled(known: list[Value], tolerance: float) -> tuple[str, str]:
    if len(known) == 1:
        return "", "single"
    if all(value == known[0] for value in known):
        return "0.0", "exact"
    pairs = list(combinations(known, 2))
    difference = max(relative_difference(*pair) for pair in pairs)
    verdict = max((judge(*pair, tolerance) for pair in pairs), key=_ORDER.__getitem__)
    return _cell(difference), verdict


def _cell(value: Value | None) -> str:
    return "" if value is None else "inf" if value == math.inf else repr(value)


def _value(cell: str) -> Value:
    try:
        return int(cell)
    except ValueError:
        return float(cell)
