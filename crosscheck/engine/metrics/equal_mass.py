"""Calibration by bins of equal mass (section 16): rows by probability, then by file order.

Groups of one probability that lie in one bin are added up by the engine. Those that a cut divides
come to the driver, at most one for each cut; their labels are counted in the order of the files.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from crosscheck.contract import parameter_values
from crosscheck.engine.exact import ratio
from crosscheck.engine.metrics.calibration import EVERY, fixed, read
from crosscheck.engine.metrics.curves import Kind, literal

if TYPE_CHECKING:
    from crosscheck.engine.slices import Book
    from crosscheck.engine.table import Table
    from crosscheck.engine.words import Words

Piece = tuple[Any, float, int, int, int]
"""Part and score of a group, where a piece of it begins and ends, and the piece's bin."""
UNORDERED = (
    "a cut divides rows of one probability and different labels, and this engine does not say in "
    "which order its files have them"
)


def cuts(rows: int, bins: int) -> list[int]:
    """Give where bins of equal mass begin: sizes differ by at most one, larger ones first."""
    size, larger = divmod(rows, bins)
    return [at * size + min(at, larger) for at in range(bins + 1)]


def _mass_bin(words: Words, row: str, bins: int) -> str:
    """Write the bin of equal mass of a row's place, counted from 0; p + n rows in all."""
    size, larger = words.quotient("p + n", str(bins)), f"((p + n) % {bins})"
    border = f"({larger} * ({size} + 1))"
    later = words.quotient(f"{row} - {border}", f"greatest(1, {size})")
    early = words.quotient(row, f"{size} + 1")
    return f"CASE WHEN {row} < {border} THEN {early} ELSE {larger} + {later} END"


@dataclass
class _Bins:
    """What the bins of a kind of slice hold so far."""

    labels: dict[tuple[str, int], int] = field(default_factory=lambda: defaultdict(int))
    probs: dict[tuple[str, int], Fraction] = field(default_factory=lambda: defaultdict(Fraction))
    divided: list[tuple[Kind, Any, float, int, int, int]] = field(default_factory=list)
    """Kind, part, score, first place, positives and negatives of groups that a cut divides."""


class EqualMass:
    """Collects the bins from tables of placed rows, and enters them at the end."""

    def __init__(self, table: Table) -> None:
        self.table = table
        counts = [int(one) for one in parameter_values(table.settings)["M"]]
        self.bins = {count: _Bins() for count in counts}

    def add(self, kind: Kind, placed: str) -> None:
        """Add a range of probabilities to the bins."""
        engine, words = self.table.engine, self.table.engine.words
        for bins, held in self.bins.items():
            binned = (
                f"SELECT part, score, y, first, {_mass_bin(words, 'first', bins)} AS b1, "
                f"{_mass_bin(words, '(first + through - above - 1)', bins)} AS b2 FROM (SELECT *, "
                f"p + n - through AS first FROM {placed}) places"
            )
            sums = ["y", *fixed(words, "score")]
            for part, at, *values in engine.rows(
                f"SELECT part, b1, {', '.join(map(words.total, sums))} FROM ({binned}) inside "
                "WHERE b1 = b2 GROUP BY part, b1"
            ):
                held.labels[kind.labels[part], int(at)] += int(values[0])
                held.probs[kind.labels[part], int(at)] += read(*values[1:])
            for part, score, *counts in engine.rows(
                "SELECT part, score, min(first), sum(y), count(*) - sum(y) FROM "
                f"({binned}) across WHERE b1 <> b2 GROUP BY part, score"
            ):
                first, pos, neg = map(int, counts)
                held.divided.append((kind, part, score, first, pos, neg))

    def enter(self, book: Book, rows: dict[str, int]) -> int:
        """Enter ece@M/equal_mass; give the rows on both sides of a cut of the most bins.

        `rows`: slice → its number of rows.
        """
        for bins, held in self.bins.items():
            unknown = _divide(self.table, bins, rows, held)
            for label, count in rows.items():
                gaps = [abs(held.labels[label, at] - held.probs[label, at]) for at in range(bins)]
                if label not in unknown:
                    value = ratio(sum(gaps), count)
                    book.put(f"ece@{bins}/equal_mass", EVERY, label, value)
            if unknown:
                book.decline([f"ece@{bins}/equal_mass"], UNORDERED)
        most = self.bins[max(self.bins)]
        return sum(
            pos + neg for kind, part, *_, pos, neg in most.divided if kind.labels[part] == "all"
        )


def _divide(table: Table, bins: int, rows: dict[str, int], held: _Bins) -> set[str]:
    """Divide the groups that a cut divides; give the slices of which some could not be."""
    unknown: set[str] = set()
    pieces: dict[str, tuple[Kind, list[Piece]]] = {}
    for kind, part, score, first, pos, neg in held.divided:
        label = kind.labels[part]
        edges = cuts(rows[label], bins)
        for at in range(bins):
            low, high = max(first, edges[at]), min(first + pos + neg, edges[at + 1])
            if low >= high:
                continue
            held.probs[label, at] += (high - low) * Fraction(score)
            if not (pos and neg):
                held.labels[label, at] += (high - low) if pos else 0
            elif table.engine.place is None:
                unknown.add(label)
            else:
                piece = (part, score, low - first, high - first, at)
                pieces.setdefault(kind.shown, (kind, []))[1].append(piece)
    for kind, some in pieces.values():
        for part, at, labels in _ordered_labels(table, kind, some):
            held.labels[kind.labels[part], int(at)] += int(labels or 0)
    return unknown


def _ordered_labels(table: Table, kind: Kind, pieces: list[Piece]) -> list[tuple[Any, ...]]:
    """Count the labels of pieces of groups of one probability, in the order of the files."""
    words = table.engine.words
    rows = [
        (literal(words, part), words.double(score), str(low), str(high), str(at))
        for part, score, low, high, at in pieces
    ]
    wanted = words.values("pieces", ("part", "score", "low", "high", "bin"), rows)
    groups = f"(SELECT DISTINCT part, score FROM {wanted} w)"
    numbered = (
        "SELECT m.part AS part, m.score AS score, m.y AS y, row_number() OVER (PARTITION BY "
        "m.part, m.score ORDER BY m.of_file, m.in_file) AS place FROM (SELECT "
        f"{kind.shown} AS part, mark AS score, y, of_file, in_file FROM eval_rows) m "
        f"JOIN {groups} g ON m.part = g.part AND m.score = g.score"
    )
    return table.engine.rows(
        f"SELECT w.part, w.bin, sum(x.y) FROM ({numbered}) x JOIN {wanted} w ON x.part = w.part "
        "AND x.score = w.score AND x.place > w.low AND x.place <= w.high GROUP BY w.part, w.bin"
    )
