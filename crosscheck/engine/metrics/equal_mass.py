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
from crosscheck.engine.metrics.calibration import EVERY, KINDS, fixed, read
from crosscheck.engine.metrics.curves import Curve, Kind, kinds_of, layers, literal
from crosscheck.engine.metrics.ordered import Range, ranges

if TYPE_CHECKING:
    from crosscheck.engine.slices import Book, Slices
    from crosscheck.engine.table import Table
    from crosscheck.engine.words import Words

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
    divided: list[tuple[Any, ...]] = field(default_factory=list)
    """Part, score, first place, positives and negatives of groups that a cut divides."""


def enter(table: Table, slices: Slices, book: Book) -> int:
    """Enter ece@M/equal_mass; give the rows that stand on both sides of a cut of the most bins."""
    counts = [int(one) for one in parameter_values(table.settings)["M"]]
    found = ranges(table.engine, "marks")
    straddling = 0
    for bins in counts:
        for kind in kinds_of(table, slices, *KINDS).values():
            curves = {label: _curve(book, label) for label in kind.labels.values()}
            held = _Bins()
            for one in found:
                _add(table, one, (kind, curves), bins, held)
            if kind.labels.get(0) == "all" and bins == max(counts):
                straddling = sum(int(pos) + int(neg) for *_, pos, neg in held.divided)
            known = _divide(table, kind, bins, curves, held)
            for label in known:
                rows = curves[label].positives + curves[label].negatives
                gaps = [abs(held.labels[label, at] - held.probs[label, at]) for at in range(bins)]
                book.put(f"ece@{bins}/equal_mass", EVERY, label, ratio(sum(gaps), rows))
            if len(known) < len(curves):
                book.decline([f"ece@{bins}/equal_mass"], UNORDERED)
    return straddling


def _curve(book: Book, label: str) -> Curve:
    rows, positives = (
        int(book.values[name, EVERY, label, "value"]) for name in ("n_queries", "n_positive")
    )
    return Curve(positives, rows - positives)


def _add(
    table: Table, found: Range, of: tuple[Kind, dict[str, Curve]], bins: int, held: _Bins
) -> None:
    """Add a range of probabilities to the bins."""
    kind, curves = of
    engine, words = table.engine, table.engine.words
    layered = layers(engine, "marks", kind, found, curves)
    if layered is None:
        return
    placed = (
        f"SELECT part, score, pos, neg, first, {_mass_bin(words, 'first', bins)} AS b1, "
        f"{_mass_bin(words, '(first + pos + neg - 1)', bins)} AS b2 FROM (SELECT *, "
        f"p + n - tp - fp AS first FROM ({layered}) layers) placed"
    )
    sums = ["pos", *(_widened("pos + neg", one) for one in fixed(words, "score"))]
    for part, at, *values in engine.rows(
        f"SELECT part, b1, {', '.join(map(words.total, sums))} FROM ({placed}) inside "
        "WHERE b1 = b2 GROUP BY part, b1"
    ):
        held.labels[kind.labels[part], int(at)] += int(values[0])
        held.probs[kind.labels[part], int(at)] += read(*values[1:])
    held.divided += engine.rows(
        f"SELECT part, score, first, pos, neg FROM ({placed}) across WHERE b1 <> b2"
    )
    for part, pos, neg in engine.rows(
        f"SELECT part, sum(pos), sum(neg) FROM ({layered}) layers GROUP BY part"
    ):
        curve = curves[kind.labels[part]]
        curve.above = curve.above[0] + int(pos), curve.above[1] + int(neg)


def _widened(left: str, right: str) -> str:
    """Multiply in whole numbers of 128 bits: a large group times a part of a number."""
    return f"CAST({left} AS DECIMAL(18,0)) * CAST({right} AS DECIMAL(19,0))"


def _divide(table: Table, kind: Kind, bins: int, curves: dict[str, Curve], held: _Bins) -> set[str]:
    """Divide the groups that a cut divides; give the slices of which all could be divided."""
    known = set(curves)
    pieces: list[tuple[Any, float, int, int, int]] = []
    for part, score, *counts in held.divided:
        label = kind.labels[part]
        first, pos, neg = map(int, counts)
        rows = curves[label].positives + curves[label].negatives
        edges = cuts(rows, bins)
        for at in range(bins):
            low, high = max(first, edges[at]), min(first + pos + neg, edges[at + 1])
            if low >= high:
                continue
            held.probs[label, at] += (high - low) * Fraction(score)
            if not (pos and neg):
                held.labels[label, at] += (high - low) if pos else 0
            elif table.engine.place is None:
                known.discard(label)
            else:
                pieces.append((part, score, low - first, high - first, at))
    if pieces and table.engine.place is not None:
        for part, at, some in _ordered_labels(table, kind, pieces):
            held.labels[kind.labels[part], int(at)] += int(some or 0)
    return known


def _ordered_labels(
    table: Table, kind: Kind, pieces: list[tuple[Any, float, int, int, int]]
) -> list[tuple[Any, ...]]:
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
