"""`ledger.csv`: every key with every witness's value, how far apart they are, and the verdict.

Columns: `key, metric, population, slice, statistic`, one per witness by its name, then
`relative_difference` (the largest between any two) and `verdict` (the worst of any two: `exact`,
`drift`, `wrong`; `single` where one witness alone testified).

The file is named in `report.json` by a hash of the columns that are the same on every machine: the
keys, what the implementations say, and the verdict.
"""

from __future__ import annotations

import csv
import hashlib
import io
import math
from contextlib import contextmanager
from itertools import chain, combinations
from typing import TYPE_CHECKING

from crosscheck.errors import UserError
from crosscheck.model.ledgers import TOLERANCE, judge, relative_difference
from crosscheck.report.names import LEDGER

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    Value = int | float
    Ledgers = Mapping[str, Mapping[str, Value]]

NAME = LEDGER
KEY_COLUMNS = ("key", "metric", "population", "slice", "statistic")
END_COLUMNS = ("relative_difference", "verdict")

_ORDER = {"exact": 0, "drift": 1, "wrong": 2}


def rows(ledgers: Ledgers, tolerance: float = TOLERANCE) -> Iterator[list[str]]:
    """Give the header, then a row a key: the first witness's in its order, then the others'."""
    yield [*KEY_COLUMNS, *ledgers, *END_COLUMNS]
    stating = list(ledgers.values())
    keys = dict.fromkeys(key for ledger in stating for key in ledger)
    for key in keys:
        stated = [ledger.get(key) for ledger in stating]
        known = [value for value in stated if value is not None]
        difference, verdict = _settled(known, tolerance)
        yield [key, *key.split("|"), *map(_cell, stated), difference, verdict]


def render(ledgers: Ledgers, tolerance: float = TOLERANCE) -> str:
    """Write the ledger as CSV."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows(ledgers, tolerance))
    return text.getvalue()


@contextmanager
def _legible() -> Iterator[None]:
    """Refuse a file that is no ledger: a field without end, a cell that is no number."""
    try:
        yield
    except (csv.Error, ValueError) as error:
        told = str(error)[:80]
        raise UserError(f"{NAME}: cannot be read ({told}); run `crosscheck gate` again") from None


@_legible()
def read(text: str) -> dict[str, dict[str, Value]]:
    """Read `ledger.csv` back: witness → key → value."""
    lines = csv.reader(io.StringIO(text))
    header = next(lines, [])
    witnesses = header[len(KEY_COLUMNS) : -len(END_COLUMNS)]
    ledgers: dict[str, dict[str, Value]] = {name: {} for name in witnesses}
    for line in lines:
        for name, cell in zip(witnesses, line[len(KEY_COLUMNS) :], strict=False):
            if cell:
                ledgers[name][line[0]] = _value(cell)
    return ledgers


def stable_columns(implementations: Iterable[str]) -> list[str]:
    """Name the columns that do not depend on the machine; the other witnesses' may."""
    return [KEY_COLUMNS[0], *implementations, END_COLUMNS[-1]]


@_legible()
def digest(text: str, columns: Sequence[str]) -> str:
    """Hash a ledger as it would be with these columns alone; one it lacks changes the hash."""
    lines = csv.reader(io.StringIO(text))
    header = next(lines, [])
    places = [header.index(name) for name in columns if name in header]
    kept = io.StringIO()
    writer = csv.writer(kept, lineterminator="\n")
    for line in chain([header], lines):
        writer.writerow([line[place] for place in places if place < len(line)])
    return hashlib.sha256(kept.getvalue().encode("utf-8", "backslashreplace")).hexdigest()


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
        value = int(cell)
        float(value)
    except (ValueError, OverflowError):  # an integer beyond all floats is no metric's: infinite
        return float(cell)
    return value
