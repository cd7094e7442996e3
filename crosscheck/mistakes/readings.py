"""Other rows than were meant: lists in another order, other gold, other decisions, other labels."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import polars as pl

from crosscheck.data.rows import Rows
from crosscheck.mistakes.worlds import (
    DECISIONS,
    RANKINGS,
    SCORED,
    SCORES,
    World,
    changed,
    lived,
    ranked_by,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from crosscheck.mistakes.bench import Bench
    from crosscheck.mistakes.formula import Formula

LEVELS = (2, 3, 4)
"""Grades from which a document may have been called relevant."""
LISTED = ("candidates", "gold")
CLASSES = ("classes",)
CLASSIFIED = (*CLASSES, "classification", "calibration")
"""The contract's families that metrics of several classes are in."""
_OF_CANDIDATES = ("scores", "node_probs")


def _relisted(cells: pl.Expr) -> Callable[[pl.DataFrame], pl.DataFrame]:
    """Give the rankings another order or other members, and no scores that would mend it."""
    return lambda table: table.drop(*_OF_CANDIDATES, strict=False).with_columns(candidates=cells)


def _gold(table: pl.DataFrame, cells: pl.Expr) -> pl.DataFrame:
    """Give the rows other gold; the labels of the file stay, its grades cannot."""
    return table.drop("graded", "grades", "judged", strict=False).with_columns(gold=cells)


def _of_level(level: int, bench: Bench) -> World | None:
    """Call relevant what has a grade of so much or more."""
    if not bench.has("graded", "grades"):
        return None
    source = bench.source
    table = bench.table
    kept = [
        [uid for uid, grade in zip(uids or (), grades or (), strict=True) if grade >= level]
        for uids, grades in table.select("graded", "grades").iter_rows()
    ]
    if not any(kept):
        return None
    gold = pl.Series("gold", kept, pl.List(pl.String))
    rows = source.drop("has_evidence", "graded", "grades", "judged", strict=False)
    return World(rows.with_columns(gold), bench.settings)


def all_digits(bench: Bench) -> World | None:
    """Order by the scores as they are written, and what ties then by descending id."""
    if not bench.has(*SCORED) or bench.given.get("ties") != "trec_eval":
        return None
    scores = bench.table.select("scores")
    source = bench.source.with_columns(scores)
    return World(ranked_by({"score": True, "uid": True}, source, ties_only=False), bench.settings)


def wrong_side(bench: Bench) -> World | None:
    """Pass a query if prob < threshold."""
    if not bench.has("prob"):
        return None
    limit = Rows(bench.source, bench.settings).threshold
    below = pl.Series("pred", bench.source["prob"].to_numpy() < limit).cast(pl.Int8)
    return World(bench.source.with_columns(below), bench.settings)


def labels_flipped(bench: Bench) -> World | None:
    """Take the negatives for the positives, 1 − p for their probability, the rest for passed."""
    if not bench.has("prob", "has_evidence"):
        return None
    source = bench.source
    held = pl.Series("pred", ~Rows(source.fill_null(0), bench.settings).pred).cast(pl.Int8)
    table = source.select(
        name
        for name in source.columns
        if name not in {*LISTED, *_OF_CANDIDATES, "selected", "state", "pred"}
    ).with_columns(held, prob=1 - pl.col("prob"), has_evidence=1 - pl.col("has_evidence"))
    settings = {k: v for k, v in bench.settings.items() if k not in {"tau_neg", "tau_pos"}}
    return World(table, settings)


def likeliest(bench: Bench) -> World | None:
    """Take the likeliest class for the decision, whatever the file says."""
    if not bench.has("class_probs", "predicted") or not bench.settings.get("classes"):
        return None
    names = [str(name) for name in bench.settings["classes"]]
    place = pl.col("class_probs").list.arg_max()
    first = place.replace_strict(dict(enumerate(names)), return_dtype=pl.String)
    return World(bench.source.with_columns(predicted=first), bench.settings)


def certain(bench: Bench) -> World | None:
    """Give the decision a probability of 1."""
    if not bench.has("class_probs", "predicted") or not bench.settings.get("classes"):
        return None
    names = [str(name) for name in bench.settings["classes"]]
    cells = [[float(one == name) for name in names] for one in bench.source["predicted"]]
    probs = pl.Series("class_probs", cells, pl.List(pl.Float64))
    return World(bench.source.with_columns(probs), bench.settings)


_JUDGED = pl.col("candidates").list.set_intersection(pl.col("judged"))

WORLDS: dict[str, tuple[tuple[str, ...], Callable[[Bench], World | None]]] = {
    "lists-sorted-by-id": (
        RANKINGS, partial(changed, _relisted(pl.col("candidates").list.sort()), LISTED),
    ),
    "lists-sorted-by-id-descending": (
        RANKINGS,
        partial(changed, _relisted(pl.col("candidates").list.sort(descending=True)), LISTED),
    ),
    "unjudged-removed": (
        RANKINGS, partial(changed, _relisted(_JUDGED), (*LISTED, "judged")),
    ),
    "scores-in-64-bits": (RANKINGS, all_digits),
    "first-gold-alone": (
        RANKINGS, partial(changed, lambda t: _gold(t, pl.col("gold").list.head(1)), LISTED),
    ),
    "missing-gold-removed": (
        RANKINGS,
        partial(
            changed,
            lambda t: _gold(t, pl.col("gold").list.set_intersection(pl.col("candidates"))),
            LISTED,
        ),
    ),
    **{f"relevance-level-{level}": (RANKINGS, partial(_of_level, level)) for level in LEVELS},
    "threshold-wrong-side": (DECISIONS, wrong_side),
    "labels-flipped": ((*SCORES, *DECISIONS), labels_flipped),
    "argmax-for-predicted": (CLASSIFIED, likeliest),
    "decisions-for-class-probs": (CLASSIFIED, certain),
}  # fmt: skip
"""Mistake → the families it can change, and the world it makes."""

MISTAKES: dict[str, Formula] = {name: lived(make, reach) for name, (reach, make) in WORLDS.items()}
