"""Probabilities of several classes (section 17).

One table has a row for every EVAL row: the largest probability, how many stand before the label's.
One has a row for every row and class. In the second, the probabilities of a class in order give all
its areas at once: of every row of another class, the positives above it and among its equals are
counted, and added up by the row's own class.
"""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING, Any

from crosscheck.contract import parameter_values
from crosscheck.engine.exact import Exact, mean, ratio
from crosscheck.engine.metrics import calibration
from crosscheck.engine.metrics.curves import Kind, kinds_of
from crosscheck.engine.metrics.ordered import Range, cell, ranges

if TYPE_CHECKING:
    from collections.abc import Mapping

    from crosscheck.engine.slices import Book, Slices
    from crosscheck.engine.table import Table

EVERY = "all_queries"
ROWS, SCORES = "class_rows", "class_scores"
Areas = dict[tuple[int, int], int]
"""Of a class and another: 2·P·N·area of the first's probabilities, of those two alone."""


def enter(table: Table, slices: Slices, book: Book) -> int:
    """Enter every metric of the probabilities; give how many predictions they do not lead to."""
    engine, words = table.engine, table.engine.words
    classes = table.settings["classes"]
    dims = "".join(f"{one}, " for one in table.dims)
    engine.define("class_lists", _lists(table))
    flags = ", ".join(
        f"CASE WHEN first = {column} THEN 1 ELSE 0 END AS {name}"
        for column, name in (("c", "correct"), ("named", "agrees"))
    )
    place = words.count_where("probs", "v", "at_v", "(v > own OR (v = own AND at_v < c))")
    engine.keep(ROWS, f"SELECT {dims}c, top, {flags}, {place} AS place FROM class_lists")
    numbers = words.numbers("1", str(len(classes)))
    engine.keep(SCORES, words.pairs(f"{dims}c, ", "probs", numbers, "class_lists"))
    kinds = kinds_of(table, slices, "fold", "declared")
    _ranked(table, kinds, book)
    for count in parameter_values(table.settings)["M"]:
        _bins(table, kinds, book, int(count))
    _losses(table, kinds, book)
    for kind in kinds.values():
        _areas(table, kind, book, len(classes))
    engine.drop(SCORES)
    [(differing,)] = engine.rows(f"SELECT count(*) - sum(agrees) FROM {ROWS}")
    engine.drop(ROWS)
    return int(differing)


def _lists(table: Table) -> str:
    """Write every EVAL row's probabilities, its label's place among the classes, its prediction's.

    A zero has no sign here: 0 and -0 are one number.
    """
    words = table.engine.words
    dims = "".join(f"{one}, " for one in table.dims)
    listed = words.listed(table.settings["classes"])
    plain = words.transform("class_probs", "v", f"v + {words.double(0.0)}")
    c, named = (words.position(listed, name) for name in ("label", "predicted"))
    inner = words.settled(
        f"SELECT {dims}{c} AS c, {named} AS named, {plain} AS probs FROM eval_rows"
    )
    own, top = words.entry("probs", "c"), words.largest("probs")
    return words.settled(
        f"SELECT *, {own} AS own, {top} AS top, {words.position('probs', top)} AS first "
        f"FROM ({inner}) x"
    )


def _ranked(table: Table, kinds: Mapping[str, Kind], book: Book) -> None:
    """Enter how often the label is among the first."""
    firsts = parameter_values(table.settings)["k"]
    if not firsts:
        return
    sums = ", ".join(f"sum(CASE WHEN place < {int(one)} THEN 1 ELSE 0 END)" for one in firsts)
    for kind in kinds.values():
        found = {
            kind.labels[part]: values
            for part, *values in table.engine.rows(
                f"SELECT part, count(*), {sums} FROM (SELECT {kind.shown} AS part, place FROM "
                f"{ROWS}) r GROUP BY part"
            )
        }
        for label in kind.labels.values():
            rows, *among = map(int, found.get(label, [0] * (1 + len(firsts))))
            for first, count in zip(firsts, among, strict=True):
                book.put(f"top_k_accuracy@{first}", EVERY, label, ratio(count, rows))


def _bins(table: Table, kinds: Mapping[str, Kind], book: Book, bins: int) -> None:
    """Enter the calibration of the largest probability."""
    words = table.engine.words
    sums = ["count(*)", words.total("y"), *map(words.total, calibration.fixed(words, "score"))]
    for kind in kinds.values():
        rows: dict[str, int] = defaultdict(int)
        gaps: dict[str, Fraction] = defaultdict(Fraction)
        for part, _, count, right, *probs in table.engine.rows(
            f"SELECT part, bin, {', '.join(sums)} FROM (SELECT part, "
            f"{calibration.bin_of(words, bins)} AS bin, score, y FROM (SELECT {kind.shown} AS "
            f"part, top AS score, correct AS y FROM {ROWS}) t) b GROUP BY part, bin"
        ):
            label = kind.labels[part]
            rows[label] += int(count)
            gaps[label] += abs(int(right) - calibration.read(*probs))
        for label in kind.labels.values():
            book.put(f"ece@{bins}/top_label", EVERY, label, ratio(gaps[label], rows[label]))


def _losses(table: Table, kinds: Mapping[str, Kind], book: Book) -> None:
    """Enter the logarithmic loss, and the squared error over all classes."""
    engine, words = table.engine, table.engine.words
    dims = "".join(f", {one}" for one in table.dims)
    # Of the second table: Sail chooses no rows by what a list of the first would give.
    engine.keep("marks", f"SELECT 1 AS y, score{dims} FROM {SCORES} WHERE c = y")
    rows: dict[str, int] = {}
    for label, found, close in calibration.sums_of_losses(table, kinds):
        rows[label] = found[0]
        book.put("log_loss", EVERY, label, calibration.log_loss(found, close))
    engine.drop("marks")
    own = "CASE WHEN c = y THEN 1 ELSE 0 END AS y"
    engine.define("class_marks", f"SELECT {own}, score{dims} FROM {SCORES}")
    sums = ", ".join(calibration.squares(words))
    engine.keep("class_gaps", calibration.gaps(words, dims, "class_marks"))
    for kind in kinds.values():
        added = {
            kind.labels[part]: calibration.read_squares(*map(int, values))
            for part, *values in engine.rows(
                f"SELECT part, {sums} FROM (SELECT *, {kind.shown} AS part FROM class_gaps) g "
                "GROUP BY part"
            )
        }
        for label in kind.labels.values():
            value = ratio(added.get(label, Fraction(0)), rows[label])
            book.put("brier/multiclass", EVERY, label, value)
    engine.drop("class_gaps")


def _areas(table: Table, kind: Kind, book: Book, count: int) -> None:
    """Enter the areas of every class against the rest, and of every pair."""
    held: dict[str, Areas] = {label: defaultdict(int) for label in kind.labels.values()}
    above: dict[tuple[str, int], int] = defaultdict(int)
    for found in ranges(table.engine, SCORES):
        # A cell's rows come after those of the cells above it.
        for part, _, k, c, rows, doubled in _of_range(table, kind, found, count):
            label = kind.labels[part]
            held[label][k, c] += doubled + 2 * above[label, k] * rows
            above[label, k] += rows if c == k else 0
    supports: dict[str, dict[int, int]] = {label: {} for label in kind.labels.values()}
    for part, c, rows in table.engine.rows(
        f"SELECT part, c, count(*) FROM (SELECT {kind.shown} AS part, c FROM {ROWS}) r "
        "GROUP BY part, c"
    ):
        supports[kind.labels[part]][int(c)] = int(rows)
    for label, areas in held.items():
        for name, value in _averages(areas, supports[label], count).items():
            book.put(name, EVERY, label, value)


def _of_range(
    table: Table, kind: Kind, found: Range, count: int
) -> list[tuple[Any, int, int, int, int, int]]:
    """Add up over a range of probabilities: part, cell, class, label, rows, 2·above + equal.

    Cells come from the top, and in each a class's own rows last. Classes lie side by side already,
    so that fewer cells do.
    """
    engine, words = table.engine, table.engine.words
    made = cell(engine, found, -(-engine.ordering.cells // count))
    rows = (
        f"SELECT {kind.shown} AS part, {made} AS cell, y AS k, c, score, "
        f"CASE WHEN c = y THEN 1 ELSE 0 END AS hit FROM {SCORES} WHERE {found.where(engine)}"
    )
    placed = (
        "SELECT part, cell, k, c, CAST(sum(hit) OVER (PARTITION BY part, k, cell ORDER BY score "
        "DESC) AS BIGINT) AS tp, CAST(sum(hit) OVER (PARTITION BY part, k, cell, score) AS "
        f"BIGINT) AS own FROM ({rows}) r"
    )
    answer = engine.rows(
        f"SELECT part, cell, k, c, count(*), {words.total('2 * tp - own')} FROM ({placed}) p "
        "GROUP BY part, cell, k, c"
    )
    listed = [(part, *map(int, numbers)) for part, *numbers in answer]
    return sorted(listed, key=lambda row: (-row[1], row[2], row[3] == row[2]))


def _averages(areas: Areas, supports: dict[int, int], count: int) -> dict[str, Exact]:
    """Average the areas of the classes, and of the pairs, that have one."""
    rows, there = sum(supports.values()), sorted(supports)
    of_rest = {
        k: Fraction(
            sum(areas.get((k, c), 0) for c in there if c != k),
            2 * supports[k] * (rows - supports[k]),
        )
        for k in there
        if rows > supports[k]
    }
    weighed = sum((area * supports[k] for k, area in of_rest.items()), Fraction(0))
    pairs = [
        Fraction(areas.get((i, j), 0) + areas.get((j, i), 0), 4 * supports[i] * supports[j])
        for i, j in combinations(there, 2)
    ]
    half = Fraction(1, 2)
    return {
        "auroc/ovr_macro": mean(of_rest.values()) if of_rest else half,
        "auroc/ovr_weighted": weighed / sum(supports[k] for k in of_rest) if of_rest else half,
        "auroc/ovo_macro": mean(pairs) if pairs else half,
        "classes_left_out": count - len(of_rest),
    }
