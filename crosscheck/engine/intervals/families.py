"""What is added up for a family of headline metrics, and what a metric makes of the sums."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from crosscheck.engine.intervals.groups import ROWS
from crosscheck.engine.table import STATES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from crosscheck.engine.intervals.groups import Grouping
    from crosscheck.engine.intervals.sums import Floats
    from crosscheck.engine.table import Table

    Sums = Mapping[str, Floats]
    Formula = Callable[[Sums], Floats]

BITS = 60
"""A value of a row is a whole number of 2^-60."""
UNIT = 1 << BITS


@dataclass(frozen=True)
class Family:
    """Whole numbers that rows have, added up by unit and slice, and metrics of their sums."""

    columns: tuple[str, ...]
    formulas: dict[str, Formula]
    dims: tuple[str, ...]
    """What slices are made of."""
    rows: Sequence[tuple[tuple[Any, ...], tuple[Any, ...], Sequence[int]]] = field(repr=False)
    """The unit, the values of the dims, the sums."""
    counts: tuple[int, ...] = ()
    """Of kinds of queries, how many there are of each, the last in no row; empty: of groups."""


def ratio(above: Floats, below: Floats) -> Floats:
    """Divide; a zero denominator gives 0."""
    return np.divide(above, below, out=np.zeros_like(above), where=below != 0)


def mean(name: str, of: str) -> Formula:
    """Average values of 2^-60 over so many rows."""
    return lambda sums: ratio(sums[name] / UNIT, sums[of])


def counted_if(condition: str) -> str:
    """Write 1 where a condition holds, else 0."""
    return f"CASE WHEN {condition} THEN 1 ELSE 0 END"


def decided(table: Table) -> tuple[dict[str, str], dict[str, Formula]]:
    """Give the columns of decisions and states, and their metrics."""
    columns: dict[str, str] = {"rows": "1"}
    formulas: dict[str, Formula] = {}
    if table.labelled and table.decided:
        for name, y, passed in (("tp", 1, 1), ("fp", 0, 1), ("tn", 0, 0), ("fn", 1, 0)):
            columns[name] = counted_if(f"y = {y} AND passed = {passed}")
        formulas |= RATES
    if table.labelled and table.stateful:
        columns |= {one.lower(): counted_if(f"in_state = '{one}'") for one in STATES}
        columns["positives"] = counted_if("y = 1")
        columns["missed"] = counted_if("y = 1 AND in_state = 'NEG'")
        columns["alarmed"] = counted_if("y = 1 AND in_state = 'POS'")
        formulas |= OF_STATES
    return columns, formulas


def evidence(table: Table) -> tuple[dict[str, str], dict[str, Formula]]:
    """Give the columns of the selected evidence, of queries with gold."""
    words = table.engine.words
    if not (table.has("selected", "gold") and table.decided):
        return {}, {}
    hits = words.size(words.keep("selected", "u", words.has("gold", "u")))
    columns = {"with_gold": counted_if("relevant > 0")}
    for name, size in (("recalled", words.size("gold")), ("precise", words.size("selected"))):
        share = words.quotient(str(UNIT), f"CASE WHEN {size} > 0 THEN {size} ELSE 1 END")
        columns[name] = f"CASE WHEN relevant > 0 THEN {share} * {hits} ELSE 0 END"
    return columns, {
        "evidence_recall": mean("recalled", "with_gold"),
        "evidence_precision": mean("precise", "with_gold"),
    }


def by_group(
    table: Table, grouping: Grouping, asked: tuple[dict[str, str], dict[str, Formula]]
) -> Family:
    """Add the columns up within groups."""
    columns, formulas = asked
    by = [*grouping.columns, *table.dims]
    made = ", ".join([*by, *(f"{made} AS c_{name}" for name, made in columns.items())])
    total = table.engine.words.total
    sums = ", ".join(total(f"c_{name}") for name in columns)
    rows = table.engine.rows(
        f"SELECT {', '.join(by)}, {sums} FROM (SELECT {made} FROM {ROWS}) counted "
        f"GROUP BY {', '.join(by)}"
    )
    return Family(tuple(columns), formulas, table.dims, spread(rows, grouping, table.dims))


def by_kind(table: Table, asked: tuple[dict[str, str], dict[str, Formula]]) -> Family:
    """Count the queries that have the same columns."""
    columns, formulas = asked
    by = [*table.dims, *(f"c_{name}" for name in columns)]
    made = ", ".join([*table.dims, *(f"{made} AS c_{name}" for name, made in columns.items())])
    rows = table.engine.rows(
        f"SELECT {', '.join(by)}, count(*) FROM (SELECT {made} FROM eval_rows) counted "
        f"GROUP BY {', '.join(by)}"
    )
    width = len(table.dims)
    cells = sorted((row[:width], tuple(map(int, row[width:-1])), int(row[-1])) for row in rows)
    found = [((at,), dims, values) for at, (dims, values, _) in enumerate(cells)]
    counts = (*(count for _, _, count in cells), 0)
    return Family(tuple(columns), formulas, table.dims, found, counts)


def spread(
    rows: Sequence[tuple[Any, ...]], grouping: Grouping, dims: Sequence[str]
) -> list[tuple[tuple[Any, ...], tuple[Any, ...], Sequence[int]]]:
    """Take rows of an engine apart: the unit, the dims, the sums."""
    first, second = len(grouping.columns), len(grouping.columns) + len(dims)
    return [
        (row[:first], row[first:second], [int(one or 0) for one in row[second:]]) for row in rows
    ]


def _mcc(sums: Sums) -> Floats:
    tp, fp, tn, fn = (sums[name] for name in ("tp", "fp", "tn", "fn"))
    below = np.sqrt((tp + fp) * (tp + fn)) * np.sqrt((tn + fp) * (tn + fn))
    return ratio(tp * tn - fp * fn, below)


def _kappa(sums: Sums) -> Floats:
    tp, fp, tn, fn = (sums[name] for name in ("tp", "fp", "tn", "fn"))
    rows = tp + fp + tn + fn
    expected = (tp + fp) * (tp + fn) + (tn + fn) * (tn + fp)
    return ratio(rows * (tp + tn) - expected, rows * rows - expected)


def _share(above: str, *below: str) -> Formula:
    return lambda sums: ratio(sums[above], _added(sums, below))


def _added(sums: Sums, names: Sequence[str]) -> Floats:
    found = sums[names[0]]
    for name in names[1:]:
        found = found + sums[name]
    return found


RATES: dict[str, Formula] = {
    "sensitivity": _share("tp", "tp", "fn"),
    "specificity": _share("tn", "tn", "fp"),
    "fpr": _share("fp", "fp", "tn"),
    "fnr": _share("fn", "fn", "tp"),
    "precision": _share("tp", "tp", "fp"),
    "npv": _share("tn", "tn", "fn"),
    "f1": lambda sums: ratio(2 * sums["tp"], 2 * sums["tp"] + sums["fp"] + sums["fn"]),
    "mcc": _mcc,
    "balanced_accuracy": lambda sums: (RATES["sensitivity"](sums) + RATES["specificity"](sums)) / 2,
    "accuracy": lambda sums: ratio(sums["tp"] + sums["tn"], sums["rows"]),
    "kappa": _kappa,
}
OF_STATES: dict[str, Formula] = {
    **{f"{name}_rate": _share(name, "rows") for name in (one.lower() for one in STATES)},
    "alert_rate_per_1000": lambda sums: ratio(1000 * sums["pos"], sums["rows"]),
    "screening_sensitivity": lambda sums: ratio(
        sums["positives"] - sums["missed"], sums["positives"]
    ),
    "screening_fn_per_1000": lambda sums: ratio(1000 * sums["missed"], sums["rows"]),
    "alert_precision": _share("alarmed", "pos"),
}
