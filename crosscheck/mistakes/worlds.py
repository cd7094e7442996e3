"""Other rows or settings than the file's and the config's: whatever is computed follows from them.

A world takes the bench and gives changed rows, changed settings, or both; the primary then computes
the ledger as always, so a world can be wrong in one thing only. None: the data lack what the
mistake needs.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from crosscheck.contract import load
from crosscheck.data import door
from crosscheck.data.rows import Rows
from crosscheck.mistakes.formula import Formula

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from crosscheck.mistakes.bench import Bench
    from crosscheck.model.key import Key
    from crosscheck.model.ledgers import Ledger, Number

    Change = Callable[[pl.DataFrame], pl.DataFrame]


OTHER_BINS = (5, 15, 20, 25, 50, 100)
BUDGET = 5
"""Of false positives, in percent, at which a threshold is chosen."""
_OBSERVED = ("pred", "state")
COMPUTED = {
    "ranking": {"ranking", "graded", "exponential", "judged"},
    "classification": {"curves", "confusion", "tuned", "classes", "class_probs"},
    "calibration": {"calibration", "class_probs"},
    "dynamic_k": {"dynamic_k", "k_bounds", "deployment"},
    "states": {"states", "grid"},
    "multilabel": {"per_post"},
    "classes": {"classes", "class_probs", "confusion_matrix"},
    "aggregate": set(),
}
"""The contract's family of a metric → what the primary is asked to compute."""


@dataclass(frozen=True)
class World:
    """Rows and settings as a mistake leaves them."""

    table: pl.DataFrame
    settings: dict[str, Any]
    called: Mapping[str, Collection[str]] = field(default_factory=dict)
    """The parameter that is computed with → those under whose name the value goes."""


def families(key: Key) -> frozenset[str]:
    """Name what must be computed for a key."""
    found = COMPUTED[load().metric(key.metric).metric.family]
    return frozenset({"gamma"} if "@gamma=" in key.metric else found | {"per_criterion"})


def evaluated(world: World, wanted: Collection[str]) -> Ledger:
    """Give a world's ledger under the names it goes by."""
    ledger = door.primary.evaluate(world.table, world.settings, families=wanted)
    if not world.called:
        return ledger
    taken = {}
    for text, value in ledger.items():
        metric, _, place = text.partition("|")
        stem, at, rest = metric.partition("@")
        number, slash, variant = rest.partition("/")
        for name in world.called.get(number, ()) if at else ():
            taken[f"{stem}@{name}{slash}{variant}|{place}"] = value
    return taken


def first_problem(error: Exception) -> str:
    """Give the first of the problems that an implementation has with some rows."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__


def lived(make: Callable[[Bench], World | None], reaches: Collection[str]) -> Formula:
    """Read a key in a world; `reaches` are the contract's families that it can change."""

    def value(bench: Bench, key: Key) -> Number | None:
        found = load().find(key.metric)
        if found is None or found.bound or found.metric.family not in reaches:
            return None
        known = bench.known.setdefault(formula, {})
        wanted = families(key)
        if wanted not in known:
            known[wanted] = asked(bench, wanted)
        answer: Number | None = known[wanted].get(str(key))
        return answer

    def asked(bench: Bench, wanted: Collection[str]) -> Ledger:
        world = make(bench)
        if world is None:
            return {}  # the data have no place for it
        try:
            return evaluated(world, wanted)
        except door.primary.InputError as error:
            bench.refused[formula] = first_problem(error)
            return {}

    formula = Formula(value, averages=True)
    return formula


def _where(rows: pl.Expr, table: pl.DataFrame, change: Change) -> pl.DataFrame:
    """Change some rows, each of which has a number `row`, and leave the others as they are."""
    numbered = table.with_row_index("row")
    wanted = rows.fill_null(value=False)
    changed = change(numbered.filter(wanted)).select(numbered.columns)
    return pl.concat([numbered.filter(~wanted), changed]).sort("row").drop("row")


def ranked_by(
    keys: Mapping[str, bool], table: pl.DataFrame, *, ties_only: bool = True
) -> pl.DataFrame:
    """Sort each query's candidates otherwise, and what belongs to them along with them.

    `keys`: what is sorted by, of `score`, `place`, `uid`, `hit`, `mixed` and `text` → descending.
    """

    def change(some: pl.DataFrame) -> pl.DataFrame:
        names = [
            name
            for name in ("candidates", "scores", "node_probs")
            if name in some.columns and not some[name].null_count()
        ]
        flat = some.select("row", "gold", *names).explode(names)
        ranks = flat.with_columns(
            place=pl.int_range(pl.len()).over("row"),
            uid=pl.col("candidates"),
            hit=pl.col("candidates").is_in(pl.col("gold")).fill_null(value=False),
            mixed=pl.int_range(pl.len()).over("row") % 2,
            score=pl.col("scores"),
            text=pl.col("scores").cast(pl.String),
        ).sort("row", *keys, descending=[False, *keys.values()], maintain_order=True)
        if not ties_only:
            # Scores that fall by one, or the honest sort would mend the order.
            ranks = ranks.with_columns(scores=-pl.int_range(pl.len()).over("row").cast(float))
        back = ranks.group_by("row", maintain_order=True).agg(names)
        return some.drop(names).join(back, on="row", maintain_order="left")

    lists = pl.col("scores").list
    wanted = lists.n_unique() < lists.len() if ties_only else lists.len() > 0
    return _where(wanted, table, change)


def scores_in_32_bits(table: pl.DataFrame) -> pl.DataFrame:
    """Keep scores in single precision, and order what ties then by id."""
    scores = pl.col("scores").cast(pl.List(pl.Float32)).cast(table["scores"].dtype)
    return ranked_by(ORDERS["ties-by-document-id"], table.with_columns(scores))


def changed(change: Change, needs: tuple[str, ...], bench: Bench) -> World | None:
    """Change the rows, where the data have what it takes."""
    return World(change(bench.source), bench.settings) if bench.has(*needs) else None


def negative_scores_not_relevant(table: pl.DataFrame) -> pl.DataFrame:
    """Drop gold whose score is not above 0."""

    def change(some: pl.DataFrame) -> pl.DataFrame:
        kept = [
            [uid for uid in gold or () if uid not in uids or scores[uids.index(uid)] > 0]
            for uids, scores, gold in some.select("candidates", "scores", "gold").iter_rows()
        ]
        return some.with_columns(pl.Series("gold", kept, some["gold"].dtype))

    return _where(pl.col("scores").list.min() <= 0, table, change)


def ids_as_numbers(table: pl.DataFrame) -> pl.DataFrame:
    """Read criteria that look like numbers as numbers, and write them back as text."""
    return table.with_columns(
        pl.col("criterion_id").map_elements(
            lambda uid: str(int(uid)) if uid.isdecimal() else uid, return_dtype=pl.String
        )
    )


def tune_in_eval(table: pl.DataFrame) -> pl.DataFrame:
    """Ignore the split; what TUNE rows do not have counts as nothing."""
    filled = [
        pl.col(name).fill_null(value)
        for name, value in (("pred", 0), ("state", "NEG"))
        if name in table.columns
    ]
    return table.drop("split").with_columns(filled)


def tune_split(table: pl.DataFrame) -> pl.DataFrame:
    """Evaluate the TUNE rows, which have probabilities and labels only."""
    lists = ("candidates", "scores", "gold", "selected", "node_probs")
    rows = table.filter(pl.col("split") == "TUNE").drop(*lists, *_OBSERVED, strict=False)
    return rows.with_columns(split=pl.lit("EVAL"))


def label_from_gold(table: pl.DataFrame) -> pl.DataFrame:
    """Ignore the label where there is gold to derive it from."""
    derived = (pl.col("gold").list.len() > 0).cast(pl.Int8)
    return table.with_columns(derived.fill_null(pl.col("has_evidence")).alias("has_evidence"))


def gated_selection(bench: Bench) -> World | None:
    """Select nothing where the gate says no."""
    if not bench.has("selected", "pred"):
        return None
    empty = pl.lit([], dtype=pl.List(pl.String))
    kept = pl.when(bench.table["pred"] == 1).then(pl.col("selected")).otherwise(empty)
    return World(bench.source.with_columns(selected=kept), bench.settings)


def decided(bench: Bench, threshold: object) -> World | None:
    """Decide by another threshold, whatever the file says."""
    if not bench.has("prob"):
        return None
    table = bench.source.drop(*_OBSERVED, strict=False)
    return World(table, bench.settings | {"threshold": threshold})


def strictly_above(bench: Bench) -> World | None:
    """Pass a query if prob > threshold."""
    if not bench.has("prob"):
        return None
    limit = Rows(bench.source, bench.settings).threshold
    above = pl.Series("pred", bench.source["prob"].to_numpy() > limit).cast(pl.Int8)
    return World(bench.source.with_columns(above), bench.settings)


def threshold_of_next_fold(bench: Bench) -> World | None:
    """Decide each fold by its neighbour's threshold."""
    configured = bench.settings.get("threshold")
    if not isinstance(configured, dict):
        return None
    folds = list(configured)
    turned = dict(zip(folds, [configured[fold] for fold in (*folds[1:], folds[0])], strict=True))
    return decided(bench, turned)


def mean_threshold(bench: Bench) -> World | None:
    """Decide every fold by the mean of their thresholds."""
    configured = bench.settings.get("threshold")
    if not isinstance(configured, dict) or not configured:
        return None
    mean = sum(float(one) for one in configured.values()) / len(configured)
    return decided(bench, round(mean, 12))


def rule_on_eval(bench: Bench) -> World | None:
    """Choose each fold's threshold on its own EVAL rows."""
    stem = f"threshold@fpr={BUDGET}%|all_queries|fold="
    known = {
        key.slice.removeprefix("fold="): bench.ledger[text]
        for text, key in bench.keys.items()
        if text.startswith(stem)
    }
    if not known or not np.isfinite(list(known.values())).all():
        return None
    return decided(bench, known)


def hard_predictions(bench: Bench) -> World | None:
    """Take the 0/1 decision for the probability."""
    if not bench.has("prob"):
        return None
    decided = pl.Series("prob", Rows(bench.source.fill_null(0), bench.settings).pred.astype(float))
    return World(bench.source.drop(*_OBSERVED, strict=False).with_columns(decided), bench.settings)


def _cut_off(by: int, bench: Bench) -> World | None:
    """Cut every ranking one place too late or too early."""
    if not bench.has("candidates", "gold"):
        return None
    called = {str(int(k) + by): (k,) for k in _parameters("recall", bench) if int(k) + by > 0}
    moved = [int(k) for k in called]
    return World(bench.source, bench.settings | {"k": moved}, called) if called else None


def _bins(count: int, bench: Bench) -> World | None:
    """Calibrate with another number of bins."""
    called = {str(count): [m for m in _parameters("ece", bench) if m != str(count)]}
    return World(bench.source, bench.settings | {"bins": [count]}, called)


def _parameters(stem: str, bench: Bench) -> list[str]:
    """Give the numbers at which a metric was asked for."""
    names = {key.metric.partition("/")[0].partition("@") for key in bench.keys.values()}
    return sorted(number for metric, _, number in names if metric == stem and number.isdecimal())


RANKINGS = ("ranking",)
SCORES = ("classification", "calibration", "states")
DECISIONS = ("classification", "dynamic_k", "multilabel")
EVERY = tuple(COMPUTED)
SCORED = ("candidates", "scores", "gold")
"""Columns of what an order of the scores decides."""

ORDERS: dict[str, dict[str, bool]] = {
    "ties-reversed": {"score": True, "place": True},
    "ties-by-document-id": {"score": True, "uid": True},
    "ties-by-ascending-id": {"score": True, "uid": False},
    "ties-gold-first": {"score": True, "hit": True},
    "sort-unstable": {"score": True, "mixed": True},
}
"""Orders that differ from the right one among equal scores only."""

SORTS: dict[str, dict[str, bool]] = {
    "sort-ascending": {"score": False},
    "scores-as-text": {"text": True},
}

CHANGES: dict[str, tuple[tuple[str, ...], tuple[str, ...], Change]] = {
    **{name: (RANKINGS, SCORED, partial(ranked_by, rank)) for name, rank in ORDERS.items()},
    **{
        name: (RANKINGS, SCORED, partial(ranked_by, rank, ties_only=False))
        for name, rank in SORTS.items()
    },
    "scores-in-32-bits": (RANKINGS, SCORED, scores_in_32_bits),
    "negative-scores-not-relevant": (RANKINGS, SCORED, negative_scores_not_relevant),
    "ranking-reversed": (
        RANKINGS,
        ("candidates", "gold"),
        lambda t: t.drop("scores", "node_probs", strict=False).with_columns(
            pl.col("candidates").list.reverse()
        ),
    ),
    "gold-shifted-in-reader": (
        EVERY,
        ("gold",),
        lambda t: t.drop("graded", "grades", "judged", strict=False).with_columns(
            pl.col("gold").shift(1).fill_null([])
        ),
    ),
    "label-from-gold": (EVERY, ("gold", "has_evidence"), label_from_gold),
    "ids-as-numbers": (EVERY, ("criterion_id",), ids_as_numbers),
    "na-is-a-gap": (EVERY, ("criterion_id",), lambda t: t.filter(pl.col("criterion_id") != "NA")),
    "fold-zero-is-false": (EVERY, ("fold",), lambda t: t.filter(pl.col("fold") != 0)),
    "one-row-per-post": (
        EVERY,
        ("criterion_id",),
        lambda t: t.filter(pl.col("criterion_id") == pl.col("criterion_id").first()),
    ),
    "tune-in-eval": (EVERY, ("split",), tune_in_eval),
    "tune-split": (SCORES, ("split", "prob"), tune_split),
    "probs-in-32-bits": (
        (*SCORES, *DECISIONS),
        ("prob",),
        lambda t: t.with_columns(pl.col("prob").cast(pl.Float32).cast(pl.Float64)),
    ),
    "probs-rounded": (
        (*SCORES, *DECISIONS),
        ("prob",),
        lambda t: t.with_columns(pl.col("prob").round(1)),
    ),
    "prob-flipped": (
        SCORES,
        ("prob",),
        lambda t: t.drop(*_OBSERVED, strict=False).with_columns(prob=1 - pl.col("prob")),
    ),
    "decision-column-ignored": (DECISIONS, ("pred", "prob"), lambda t: t.drop("pred")),
    "ungated-selection": (
        ("dynamic_k",),
        ("selected", "pred"),
        lambda t: t.with_columns(pred=pl.lit(1, dtype=pl.Int8)),
    ),
}
"""Mistake → the families it can change, the columns it needs, what it does to the rows."""

WORLDS: dict[str, tuple[tuple[str, ...], Callable[[Bench], World | None]]] = {
    **{name: (reach, partial(changed, do, needs)) for name, (reach, needs, do) in CHANGES.items()},
    "cut-one-too-late": (RANKINGS, partial(_cut_off, 1)),
    "cut-one-too-early": (RANKINGS, partial(_cut_off, -1)),
    **{f"other-bins-{count}": (("calibration",), partial(_bins, count)) for count in OTHER_BINS},
    "threshold-strictly-above": (DECISIONS, strictly_above),
    "decision-at-one-half": (DECISIONS, partial(decided, threshold=0.5)),
    "threshold-of-next-fold": (DECISIONS, threshold_of_next_fold),
    "threshold-mean-of-folds": (DECISIONS, mean_threshold),
    "rule-on-eval": (DECISIONS, rule_on_eval),
    "decisions-for-probabilities": (SCORES, hard_predictions),
    "gated-selection": (("dynamic_k",), gated_selection),
}
"""Mistake → the families it can change, and the world it makes."""

MISTAKES: dict[str, Formula] = {name: lived(make, reach) for name, (reach, make) in WORLDS.items()}
