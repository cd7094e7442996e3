"""Tables that read better with two sides: criteria by metric, metrics by cut-off, γ by outcome.

A pivot shows the same rows as the list it is made of. What each metric means and whom it is about
stands in its legend, so that nothing S4 10.2 asks for is lost.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from string import digits
from typing import TYPE_CHECKING

from crosscheck import contract
from crosscheck.contract.naming import base_name, meaning_of, name_of, subset_of, variant_name
from crosscheck.model.key import Key, unescape
from crosscheck.report.results import (
    BY,
    CLASSES,
    CRITERIA,
    CUT_OFFS,
    CUT_OFFS_ALL,
    GAMMA,
    GRADED,
    GRID,
    MATRIX,
    RECALL,
    SEEDS,
    SELECTED_K,
    TUNED,
    VIEWS,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from crosscheck.contract.words import Words
    from crosscheck.report.view import RowView


NONE = "–"
"""In place of the parameter that a metric has not."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """One line of a legend."""

    name: str
    subset: str
    text: str


@dataclass(frozen=True, slots=True)
class Pivot:
    """A table with two sides; a missing cell is `None`."""

    corner: str
    columns: list[str]
    rows: list[tuple[str, list[RowView | None]]]
    legend: list[Meaning]


@dataclass(frozen=True, slots=True)
class Sides:
    """How a table's rows are laid out."""

    corner: str
    row: Callable[[Key], str]
    column: Callable[[Key], str]


def natural(name: str) -> list[tuple[int, int, str]]:
    """Sort key under which A.2 comes before A.10."""
    parts = re.findall(r"[0-9]+|.", name, re.DOTALL)
    return [(0, int(part), "") if part[0] in digits else (1, 0, part) for part in parts]


def pivot(title: str, rows: list[RowView], words: Words | None = None) -> Pivot | None:
    """Lay a table out with two sides; `None` for one that is a plain list."""
    sides = _by(title.removeprefix(BY)) if title.startswith(BY) else SIDES.get(title)
    if sides is None:
        return None
    cells: dict[str, dict[str, RowView]] = {}
    columns: dict[str, None] = {}
    legend: dict[str, Meaning] = {}
    for row in rows:
        key = Key.parse(row.key)
        column = sides.column(key)
        columns.setdefault(column)
        cells.setdefault(sides.row(key), {})[column] = row
        name = variant_name(key.metric)
        meaning = meaning_of(key.metric, general=True)
        said = words.fit(meaning) if words else meaning
        legend.setdefault(name, Meaning(name, key.population, said))
    names = sorted(cells, key=natural) if title in NATURAL else list(cells)
    return Pivot(
        corner=sides.corner,
        columns=list(columns),
        rows=[(name, [cells[name].get(column) for column in columns]) for name in names],
        legend=list(legend.values()),
    )


def _value_of_slice(key: Key) -> str:
    return unescape(key.slice.partition("=")[2])


def _view(key: Key) -> str:
    return f"view {_value_of_slice(key)}"


def _cut_off(key: Key) -> str:
    """Give the metric's parameter as its id writes it: `@10`; a metric may have none."""
    _, at, value = key.metric.partition("@")
    return f"{at}{value}" or NONE


def _value(key: Key, unit: str = "") -> str:
    value = contract.load().metric(key.metric).at
    return f"{value.replace(',', ', ')}{unit}" if value else NONE


def _percent(key: Key) -> str:
    return _value(key, " %")


def _metric(key: Key) -> str:
    return base_name(key.metric)


def _metric_at(key: Key) -> str:
    return name_of(key.metric)


def _statistic(key: Key) -> str:
    return contract.load().statistic(key.statistic).id


def _true(key: Key) -> str:
    return unescape(_pair(key)["true"])


def _predicted(key: Key) -> str:
    return unescape(_pair(key)["predicted"])


def _pair(key: Key) -> dict[str, str]:
    """Give both classes of a cell: commas within them are escaped."""
    parts = key.metric.partition("@")[2].split(",")
    return dict(part.partition("=")[::2] for part in parts)


def _variant_of(key: Key) -> str:
    return variant_name(key.metric)


def _bare_cut_off(key: Key) -> str:
    _, at, value = key.metric.partition("/")[0].partition("@")
    return f"{at}{value}" or NONE


def _seed(key: Key) -> str:
    if key.slice == "seeds":
        return f"{key.statistic} over seeds"
    return f"seed {_value_of_slice(key)}"


def _by(name: str) -> Sides:
    """Lay a declared slice out as a leaderboard: its values, then the averages over them."""

    def part(key: Key) -> str:
        return f"{key.statistic} average" if key.slice == name else _value_of_slice(key) or EMPTY

    return Sides(name, part, _metric_at)


EMPTY = "(empty)"
NATURAL = (CRITERIA, CLASSES)
"""Tables whose rows are in the natural order of their names."""
SIDES = {
    CLASSES: Sides("Class", _value_of_slice, _metric_at),
    MATRIX: Sides("True \\ predicted", _true, _predicted),
    GRADED: Sides("Metric", _variant_of, _bare_cut_off),
    RECALL: Sides("Metric", _metric, _value),
    SEEDS: Sides("Metric", _metric_at, _seed),
    CRITERIA: Sides("Criterion", _value_of_slice, _metric_at),
    CUT_OFFS: Sides("Metric", _metric, _cut_off),
    CUT_OFFS_ALL: Sides("Metric", _metric, _cut_off),
    TUNED: Sides("FPR ≤", _percent, _metric),
    SELECTED_K: Sides("Subset", subset_of, _statistic),
    GAMMA: Sides("γ", _value, _metric),
    GRID: Sides("τ_neg, τ_pos", _value, _metric),
    VIEWS: Sides("Metric", _metric_at, _view),
}
"""Title → its sides; every other table is a list."""
