"""Calibration within groups: the gap of every bin, squared errors, logarithms, as whole numbers."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

import numpy as np

from crosscheck.engine.exact import fraction, logarithm
from crosscheck.engine.intervals.families import BITS, UNIT, Family, mean, ratio
from crosscheck.engine.intervals.groups import ROWS
from crosscheck.engine.metrics import calibration
from crosscheck.engine.metrics.calibration import LN2, LOW, PLACES

if TYPE_CHECKING:
    from crosscheck.engine.intervals.families import Formula, Sums
    from crosscheck.engine.intervals.groups import Grouping
    from crosscheck.engine.intervals.sums import Floats
    from crosscheck.engine.table import Table

BINS = 10
FINER = 140
LN2_FINE = int(LN2 * (1 << (BITS + FINER)))
GAPS = tuple(f"gap_{at}" for at in range(BINS))
COLUMNS = ("rows", "square", "never", "loss", *GAPS)

Found = dict[tuple[Any, ...], list[int]]


def by_group(table: Table, grouping: Grouping) -> Family:
    """Add up within groups."""
    by = [*grouping.columns, *table.dims]
    listed = "".join(f", {one}" for one in by)
    table.engine.keep("marks", f"SELECT mark AS score, y{listed} FROM {ROWS}")
    found: Found = defaultdict(lambda: [0] * len(COLUMNS))
    _scores(table, by, found)
    _bins(table, by, found)
    table.engine.drop("marks")
    width = len(grouping.columns)
    rows = [(unit[:width], unit[width:], sums) for unit, sums in found.items()]
    return Family(COLUMNS, FORMULAS, table.dims, rows)


def _scores(table: Table, by: list[str], found: Found) -> None:
    words = table.engine.words
    listed = ", ".join(by)
    table.engine.keep("losses", calibration.losses(words, "".join(f", {one}" for one in by)))
    sums = ", ".join(calibration.loss_sums(words))
    for row in table.engine.rows(f"SELECT {listed}, {sums} FROM losses GROUP BY {listed}"):
        values = [int(one or 0) for one in row[len(by) :]]
        rows, _, square, high, low, never, twos, *halves = values
        own = found[row[: len(by)]]
        own[0], own[2] = rows, never
        own[1] = square * UNIT // PLACES**2 + _bits(high, low)
        own[3] = (twos * LN2_FINE >> FINER) + _bits(*halves[:2]) - _bits(*halves[2:])
    table.engine.drop("losses")
    near = calibration.near(words)
    for *unit, y, score, count in table.engine.rows(
        f"SELECT {listed}, y, score, count(*) FROM marks WHERE {near} GROUP BY {listed}, y, score"
    ):
        prob = fraction(repr(score))
        lost = -logarithm(prob if y else 1 - prob) * int(count)
        found[tuple(unit)][3] += int(lost * UNIT)


def _bins(table: Table, by: list[str], found: Found) -> None:
    words = table.engine.words
    listed = ", ".join(by)
    parts = ", ".join(map(words.total, ("y", *calibration.fixed(words, "score"))))
    rows = table.engine.rows(
        f"SELECT {listed}, bin, {parts} FROM (SELECT *, {calibration.bin_of(words, BINS)} AS bin "
        f"FROM marks) m GROUP BY {listed}, bin"
    )
    for *unit, at, labels, decimals, high, low in rows:
        prob = int(decimals or 0) * UNIT // PLACES + _bits(int(high or 0), int(low or 0))
        found[tuple(unit)][COLUMNS.index(GAPS[int(at)])] = int(labels) * UNIT - prob


def _bits(high: int, low: int) -> int:
    """Read both parts of a sum by bits, in 2^-60."""
    return (high * LOW + low) >> (30 + 60 - BITS)


def _ece(sums: Sums) -> Floats:
    gaps = np.zeros_like(sums["rows"])
    for name in GAPS:
        gaps = gaps + np.abs(sums[name])
    return ratio(gaps / UNIT, sums["rows"])


def _log_loss(sums: Sums) -> Floats:
    return np.where(sums["never"] > 0, np.inf, mean("loss", "rows")(sums))


FORMULAS: dict[str, Formula] = {
    "brier": mean("square", "rows"),
    "log_loss": _log_loss,
    f"ece@{BINS}": _ece,
}
