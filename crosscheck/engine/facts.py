"""The facts of the data (docs/interface.md, Facts), counted by an engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from crosscheck.engine import classes
from crosscheck.engine.slices import Slices
from crosscheck.engine.table import by_threshold

if TYPE_CHECKING:
    from crosscheck.engine.table import Table

STEEPEST = 30


def slices_of(table: Table) -> Slices:
    """Find the values that slices are made of."""
    engine = table.engine

    def values(column: str) -> tuple[Any, ...]:
        if column not in table.dims:
            return ()
        rows = engine.rows(f"SELECT {column} FROM eval_rows GROUP BY {column}")
        return tuple(sorted(row[0] for row in rows if row[0] is not None))

    views = table.settings.get("views") or {}
    return Slices(
        seeds=values("seed"),
        folds=values("fold"),
        criteria=values("criterion_id"),
        views={name: tuple(some) for name, some in views.items()},
        declared={name: (column, values(column)) for name, column in table.names.items()},
    )


def families(table: Table, rows: dict[str, int]) -> list[str]:
    """Name the families that the data suffice for (section 1, what each family needs)."""
    if table.columns.multiclass:
        return _wanted(table, classes.families(table))
    ranking = table.has("candidates", "gold")
    label, decided = table.labelled, table.decided
    tune = table.has("fold") and bool(rows.get("TUNE"))
    chosen = table.has("selected", "gold") and decided
    grades = ranking and table.has("grades")
    found = {
        "ranking": ranking,
        "ties": ranking and table.has("scores"),
        "pairs": ranking and table.has("scores"),
        "curves": table.scored and label,
        "calibration": table.has("prob") and label,
        "confusion": decided and label,
        "tuned": table.scored and label and tune,
        "grid": table.has("prob") and label and tune,
        "dynamic_k": chosen,
        "deployment": chosen,
        "k_bounds": chosen and table.has("candidates"),
        "gamma": chosen and table.has("candidates", "node_probs"),
        "states": table.stateful and label,
        "state_slices": table.stateful,
        "has_evidence_slices": label,
        "per_post": table.has("post_id", "criterion_id") and decided and label,
        "per_criterion": label and (table.has("criterion_id") or bool(table.names)),
        "posts": table.has("post_id"),
        "graded": grades,
        "exponential": grades and (table.settings.get("grade_max") or 0) <= STEEPEST,
        "judged": ranking and table.has("judged"),
    }
    return _wanted(table, found)


def _wanted(table: Table, found: dict[str, bool]) -> list[str]:
    asked = table.settings.get("families")
    return sorted(
        name for name, there in found.items() if there and (asked is None or name in asked)
    )


def criteria_of(table: Table, slices: Slices) -> list[str]:
    """Name the criteria of the EVAL rows, also where no slice is made of them."""
    if not (table.columns.multiclass and table.has("criterion_id")):
        return list(slices.criteria)
    rows = table.engine.rows("SELECT DISTINCT criterion_id FROM eval_rows")
    return sorted(name for (name,) in rows)


def posts_of(table: Table) -> int | None:
    """Count the distinct (fold, post)."""
    if not table.has("post_id"):
        return None
    by = "fold, post_id" if table.has("fold") else "post_id"
    [(count,)] = table.engine.rows(f"SELECT count(*) FROM (SELECT DISTINCT {by} FROM eval_rows) p")
    return int(count)


def contradictions(table: Table) -> dict[str, int]:
    """Count the EVAL rows whose column contradicts what it follows from."""
    words = table.engine.words
    found = dict.fromkeys(("has_evidence", "state", "pred"), 0)
    asked: dict[str, str] = {}
    if table.has("has_evidence", "gold"):
        asked["has_evidence"] = f"(y = 1) <> ({words.size('gold')} > 0)"
    if table.has("state", "prob") and table.settings.get("tau_neg") is not None:
        asked["state"] = "state <> in_state"
    stated = table.has("prob") or table.settings.get("threshold") is not None
    if table.has("pred") and table.scored and stated:
        asked["pred"] = f"pred <> {by_threshold(table)}"
    if asked:
        counts = ", ".join(f"count(CASE WHEN {one} THEN 1 END)" for one in asked.values())
        [row] = table.engine.rows(f"SELECT {counts} FROM eval_rows")
        found |= dict(zip(asked, map(int, row), strict=True))
    return found


def ties_of(table: Table) -> int | None:
    """Count the queries with two equal scores."""
    if not table.has("scores", "candidates"):
        return None
    words = table.engine.words
    # A zero has no sign: 0 and -0 are equal.
    plain = words.transform("scores", "s", f"s + {words.double(0.0)}")
    tied = words.doubled(plain)
    [(count,)] = table.engine.rows(f"SELECT count(CASE WHEN {tied} THEN 1 END) FROM eval_rows")
    return int(count)
