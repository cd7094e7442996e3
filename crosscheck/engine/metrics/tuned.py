"""Numbers from TUNE rows (sections 4 and 7): thresholds by budget, and the grid of states."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

from crosscheck.contract import parameter_values
from crosscheck.engine.exact import Exact, first_at_least, fraction
from crosscheck.engine.metrics import curves
from crosscheck.engine.metrics.curves import Kind
from crosscheck.engine.metrics.decisions import Confusion, Row, rates, states
from crosscheck.engine.slices import within

if TYPE_CHECKING:
    from crosscheck.engine.slices import Book, Slices
    from crosscheck.engine.table import Table

RATES = {"tpr": "sensitivity", "fpr": "fpr", "precision": "precision", "f1": "f1", "mcc": "mcc"}
"""Name before `@fpr=α/tuned` → the rate of the confusion."""


def _label(table: Table) -> str:
    words = table.engine.words
    if table.has("has_evidence"):
        return "has_evidence"
    return f"CASE WHEN {words.size('gold')} > 0 THEN 1 ELSE 0 END"


def define(table: Table) -> None:
    """Make the view of TUNE rows."""
    mark = "prob" if table.has("prob") else "score"
    seed = "seed, " if table.has("seed") else ""
    table.engine.define(
        "tune_rows",
        f"SELECT {seed}fold, {mark} AS score, {_label(table)} AS y FROM all_rows "
        "WHERE part = 'TUNE'",
    )


def thresholds(table: Table, slices: Slices) -> dict[tuple[str | None, int, str], Exact]:
    """Choose the threshold of every (seed, fold) and budget on its TUNE rows."""
    seeds = table.has("seed")
    words = table.engine.words
    shown = f"concat(CAST(fold AS {words.text}), ' ', seed)" if seeds else "fold"
    units = [(seed, fold) for seed in slices.seeds or (None,) for fold in slices.folds]
    labels = {
        (f"{fold} {seed}" if seeds else fold): within(seed or "", fold) for seed, fold in units
    }
    rows = table.engine.rows(f"SELECT {shown}, sum(y), count(*) FROM tune_rows GROUP BY {shown}")
    totals = dict.fromkeys(labels.values(), (0, 0))
    for value, positives, count in rows:
        if value in labels:
            totals[labels[value]] = int(positives), int(count) - int(positives)
    asked = curves.budgets(table)
    found = curves.add_up(
        table.engine,
        "tune_rows",
        [Kind(shown, labels)],
        totals,
        asked,
    )
    return {
        (seed, fold, budget.name): curves.at_budget(found[within(seed or "", fold)], budget)[
            f"threshold@fpr={budget.name}%"
        ]
        for seed, fold in units
        for budget in asked
    }


def enter(table: Table, slices: Slices, book: Book) -> None:
    """Apply each fold's thresholds to its EVAL rows."""
    chosen = thresholds(table, slices)
    by = ["fold", *(["seed"] if table.has("seed") else [])]
    for budget in curves.budgets(table):
        cases = "".join(
            f"WHEN {_unit(table, seed, fold)} THEN {_reached(table, value)} "
            for (seed, fold, name), value in chosen.items()
            if name == budget.name
        )
        rows = table.engine.rows(
            f"SELECT {', '.join(by)}, y, passed_here, count(*) FROM (SELECT {', '.join(by)}, y, "
            f"CASE {cases}END AS passed_here FROM eval_rows) tuned "
            f"GROUP BY {', '.join(by)}, y, passed_here"
        )
        cells: dict[str, Counter[tuple[int, int]]] = {}
        for row in rows:
            *unit, y, passed, count = row
            labels = [f"fold={unit[0]}"]
            labels += [within(unit[1], unit[0])] if len(unit) > 1 else []
            for label in labels:
                cells.setdefault(label, Counter())[int(y), int(passed)] += int(count)
        for label, counter in cells.items():
            found = rates(Confusion(counter[1, 1], counter[0, 1], counter[0, 0], counter[1, 0]))
            for name, rate in RATES.items():
                book.put(f"{name}@fpr={budget.name}%/tuned", "all_queries", label, found[rate])
    for (seed, fold, name), value in chosen.items():
        if seed is None or len(slices.seeds) == 1:
            book.put(f"threshold@fpr={name}%/tuned", "all_queries", f"fold={fold}", value)


def _unit(table: Table, seed: str | None, fold: int) -> str:
    also = "" if seed is None else f" AND seed = {table.engine.words.quote(seed)}"
    return f"fold = {fold}{also}"


def _reached(table: Table, value: Exact) -> str:
    """Write whether a row's score reaches a threshold."""
    if value == math.inf:
        return "0"
    edge = table.engine.words.double(float(value))
    return f"CASE WHEN mark >= {edge} THEN 1 ELSE 0 END"


def grid(table: Table, slices: Slices, book: Book) -> None:
    """Enter the rates of every pair of τ on the TUNE rows of each fold."""
    words = table.engine.words
    pairs = parameter_values(table.settings)["τ"]
    edges = sorted({fraction(one) for pair in pairs for one in pair.split(",")})
    cases = "".join(
        f"WHEN score < {words.double(first_at_least(edge))} THEN {at} "
        for at, edge in enumerate(edges)
    )
    by = ["fold", *(["seed"] if table.has("seed") else [])]
    rows = table.engine.rows(
        f"SELECT {', '.join(by)}, y, cell, count(*) FROM (SELECT {', '.join(by)}, y, CASE {cases}"
        f"ELSE {len(edges)} END AS cell FROM tune_rows) cells GROUP BY {', '.join(by)}, y, cell"
    )
    found: dict[str, Counter[tuple[int, int]]] = {f"fold={one}": Counter() for one in slices.folds}
    for *unit, y, cell, count in rows:
        if unit[0] not in slices.folds:
            continue
        labels = [f"fold={unit[0]}"] + ([within(unit[1], unit[0])] if len(unit) > 1 else [])
        for label in labels:
            found.setdefault(label, Counter())[int(y), int(cell)] += int(count)
    for pair in pairs:
        low, high = (edges.index(fraction(one)) for one in pair.split(","))
        for label, counter in found.items():
            rows_of = _states(counter, low, high)
            values = states(rows_of)
            for name in (
                "screening_sensitivity",
                "alert_precision",
                "alert_rate_per_1000",
                "neg_rate",
            ):
                book.put(f"{name}@tau={pair}", "tune_queries", label, values[name])


def _states(counter: Counter[tuple[int, int]], low: int, high: int) -> Counter[Row]:
    found: Counter[Row] = Counter()
    for (y, cell), count in counter.items():
        state = "NEG" if cell <= low else "UNCERTAIN" if cell <= high else "POS"
        found[Row(y, 0, 0, state, 0, 0, 0)] += count
    return found
