"""Posts × criteria (section 8) within groups of posts."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

import numpy as np

from crosscheck.engine.intervals.families import UNIT, Family, mean, ratio
from crosscheck.engine.intervals.groups import ROWS

if TYPE_CHECKING:
    from crosscheck.engine.intervals.families import Formula, Sums
    from crosscheck.engine.intervals.groups import Grouping
    from crosscheck.engine.intervals.sums import Floats
    from crosscheck.engine.table import Table

CELLS = (("tp", 1, 1), ("fp", 0, 1), ("tn", 0, 0), ("fn", 1, 0))
OF_POSTS = ("posts", "exact", "post_f1", "post_weighed", "tp", "fp", "tn", "fn")


def by_group(table: Table, grouping: Grouping, criteria: tuple[str, ...]) -> Family:
    """Add up the posts' own numbers, and every criterion's confusion."""
    dims = tuple(one for one in ("seed", "fold") if table.has(one))
    columns = (*OF_POSTS, *(f"{name}_{at}" for at in range(len(criteria)) for name, *_ in CELLS))
    found: dict[tuple[Any, ...], list[int]] = defaultdict(lambda: [0] * len(columns))
    by = [*grouping.columns, *dims]
    for *unit, tp, fp, tn, fn, count in _posts(table, by):
        own, often = found[tuple(unit)], int(count)
        cells = [int(one) for one in (tp, fp, tn, fn)]
        below = 2 * cells[0] + cells[1] + cells[3]
        f1 = 2 * cells[0] * UNIT // below if below else 0
        values = [1, int(not (cells[1] or cells[3])), f1, f1 * (cells[0] + cells[3]), *cells]
        own[: len(OF_POSTS)] = [a + b * often for a, b in zip(own, values, strict=False)]
    places = {criterion: at for at, criterion in enumerate(criteria)}
    kinds = {(y, passed): at for at, (_, y, passed) in enumerate(CELLS)}
    listed = ", ".join(by)
    for *unit, criterion, y, passed, count in table.engine.rows(
        f"SELECT {listed}, criterion_id, y, passed, count(*) FROM {ROWS} "
        f"GROUP BY {listed}, criterion_id, y, passed"
    ):
        at = len(OF_POSTS) + len(CELLS) * places[criterion] + kinds[int(y), int(passed)]
        found[tuple(unit)][at] += int(count)
    width = len(grouping.columns)
    rows = [(unit[:width], unit[width:], sums) for unit, sums in found.items()]
    return Family(columns, {**FORMULAS, **_of_criteria(len(criteria))}, dims, rows)


def _posts(table: Table, by: list[str]) -> list[tuple[Any, ...]]:
    """Count the posts of every group by their own confusion."""
    cells = ", ".join(
        f"sum(CASE WHEN y = {y} AND passed = {passed} THEN 1 ELSE 0 END) AS {name}"
        for name, y, passed in CELLS
    )
    listed = ", ".join(by)
    return table.engine.rows(
        f"SELECT {listed}, tp, fp, tn, fn, count(*) FROM (SELECT {listed}, post_id, {cells} FROM "
        f"{ROWS} GROUP BY {listed}, post_id) posts GROUP BY {listed}, tp, fp, tn, fn"
    )


def _of_criteria(count: int) -> dict[str, Formula]:
    def f1(sums: Sums, at: int) -> Floats:
        tp, fp, fn = (sums[f"{name}_{at}"] for name in ("tp", "fp", "fn"))
        return ratio(2 * tp, 2 * tp + fp + fn)

    def macro(sums: Sums) -> Floats:
        found = np.zeros_like(sums["posts"])
        for at in range(count):
            found = found + f1(sums, at)
        return found / count

    def weighted(sums: Sums) -> Floats:
        found = np.zeros_like(sums["posts"])
        for at in range(count):
            found = found + f1(sums, at) * (sums[f"tp_{at}"] + sums[f"fn_{at}"])
        return ratio(found, sums["tp"] + sums["fn"])

    return {"f1_macro/per_criterion": macro, "f1_weighted/per_criterion": weighted}


def _hamming(sums: Sums) -> Floats:
    right = sums["tp"] + sums["tn"]
    return ratio(right, right + sums["fp"] + sums["fn"])


FORMULAS: dict[str, Formula] = {
    "exact_match": lambda sums: ratio(sums["exact"], sums["posts"]),
    "hamming_score": _hamming,
    "hamming_loss": lambda sums: 1 - _hamming(sums),
    "f1_micro": lambda sums: ratio(2 * sums["tp"], 2 * sums["tp"] + sums["fp"] + sums["fn"]),
    "f1_macro/per_post": mean("post_f1", "posts"),
    "f1_weighted/per_post": lambda sums: ratio(
        sums["post_weighed"] / UNIT, sums["tp"] + sums["fn"]
    ),
}
