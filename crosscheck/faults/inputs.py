"""Readers gone wrong: one implementation sees other data than the file holds.

The rows are changed on their way to the primary; the reference reads the file as it is.
"""

from __future__ import annotations

import zlib
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from collections.abc import Callable

    from crosscheck.faults.bench import Bench
    from crosscheck.witnesses import Ledger

    Rank = Callable[[int, str, float, bool], Any]
    """(place in the ranking, uid, score, whether it is gold) → what the faulty code sorts by."""
    Reading = tuple[Ledger, dict[str, Any]]
    """Ledger and facts."""


def read(bench: Bench, table: pl.DataFrame, settings: dict[str, Any] | None = None) -> Reading:
    """Ask the primary about changed rows."""
    import primary  # noqa: PLC0415 - polars is heavy

    used = bench.case.settings if settings is None else settings
    return primary.evaluate(table, used), primary.describe(table, used)


def _changed(change: Callable[[pl.DataFrame], pl.DataFrame], bench: Bench) -> Reading:
    return read(bench, change(bench.source))


def _ranked_by(rank: Rank, table: pl.DataFrame, *, ties_only: bool) -> pl.DataFrame:
    """Sort each query's candidates otherwise, and what belongs to them along with them."""
    names = [name for name in ("candidates", "scores", "node_probs") if name in table.columns]
    changed: dict[str, list[Any]] = {name: table[name].to_list() for name in names}
    golds = table["gold"].to_list()
    for row, (uids, scores) in enumerate(
        zip(changed["candidates"], changed["scores"], strict=True)
    ):
        if not uids or (ties_only and len(set(scores)) == len(scores)):
            continue
        gold = set(golds[row] or ())
        keys = [rank(n, uid, scores[n], uid in gold) for n, uid in enumerate(uids)]
        order = sorted(range(len(uids)), key=keys.__getitem__)
        for name in names:
            changed[name][row] = [changed[name][row][place] for place in order]
        if not ties_only:
            # Scores that fall by one, or the honest sort would mend the order.
            changed["scores"][row] = [-float(place) for place in range(len(uids))]
    return table.with_columns(
        pl.Series(name, values, table[name].dtype) for name, values in changed.items()
    )


def _descending(uid: str) -> tuple[int, ...]:
    """Sort by this to have ids in descending order."""
    return tuple(-byte for byte in uid.encode())


TIES: dict[str, Rank] = {
    "ties-reversed": lambda place, _uid, score, _gold: (-score, -place),
    "ties-by-document-id": lambda _place, uid, score, _gold: (-score, _descending(uid)),
    "ties-gold-first": lambda place, _uid, score, gold: (-score, not gold, place),
    "sort-unstable": lambda _place, uid, score, _gold: (-score, zlib.crc32(uid.encode()) % 97),
}
"""Orders that differ from the right one among equal scores only."""

SORTS: dict[str, Rank] = {
    "sort-ascending": lambda place, _uid, score, _gold: (score, place),
    "scores-in-32-bits": lambda _place, uid, score, _gold: (
        -float(np.float32(score)),
        _descending(uid),
    ),
    "scores-as-text": lambda place, _uid, score, _gold: (_descending(repr(score)), place),
}


def negative_scores_not_relevant(table: pl.DataFrame) -> pl.DataFrame:
    """Drop gold whose score is not above 0."""
    kept = [
        None
        if gold is None
        else [uid for uid in gold if uid not in (uids or ()) or scores[uids.index(uid)] > 0]
        for uids, scores, gold in table.select("candidates", "scores", "gold").iter_rows()
    ]
    return table.with_columns(pl.Series("gold", kept, table["gold"].dtype))


def ids_as_numbers(table: pl.DataFrame) -> pl.DataFrame:
    """Read criteria that look like numbers as numbers, and write them back as text."""
    return table.with_columns(
        pl.col("criterion_id").map_elements(
            lambda uid: str(int(uid)) if uid.isdecimal() else uid, return_dtype=pl.String
        )
    )


def na_is_a_gap(table: pl.DataFrame) -> pl.DataFrame:
    """Lose the rows whose id reads NA."""
    return table.filter(pl.col("criterion_id") != "NA")


def fold_zero_is_false(table: pl.DataFrame) -> pl.DataFrame:
    """Keep a row `if fold`: fold 0 is lost."""
    return table.filter(pl.col("fold") != 0)


def tune_in_eval(table: pl.DataFrame) -> pl.DataFrame:
    """Ignore the split; what TUNE rows do not have counts as nothing."""
    filled = [
        pl.col(name).fill_null(value)
        for name, value in (("pred", 0), ("state", "NEG"))
        if name in table.columns
    ]
    return table.drop("split").with_columns(filled)


def label_from_gold(table: pl.DataFrame) -> pl.DataFrame:
    """Ignore the label where there is gold to derive it from."""
    derived = (pl.col("gold").list.len() > 0).cast(pl.Int8)
    return table.with_columns(derived.fill_null(pl.col("has_evidence")).alias("has_evidence"))


def one_row_per_post(table: pl.DataFrame) -> pl.DataFrame:
    """Drop “duplicates” by post, so that one criterion of each is left."""
    return table.filter(pl.col("criterion_id") == pl.col("criterion_id").first())


def probs_in_32_bits(table: pl.DataFrame) -> pl.DataFrame:
    """Keep probabilities in single precision."""
    return table.with_columns(pl.col("prob").cast(pl.Float32).cast(pl.Float64))


def probs_rounded(table: pl.DataFrame) -> pl.DataFrame:
    """Round probabilities to one decimal before anything is computed."""
    return table.with_columns(pl.col("prob").round(1))


def gold_shifted_in_reader(table: pl.DataFrame) -> pl.DataFrame:
    """Join gold by position after one row was skipped."""
    return table.with_columns(pl.col("gold").shift(1).fill_null([]))


def threshold_of_next_fold(bench: Bench) -> Reading:
    """Decide each fold by its neighbour's threshold."""
    configured = bench.case.settings["threshold"]
    folds = list(configured)
    turned = dict(zip(folds, [configured[fold] for fold in (*folds[1:], folds[0])], strict=True))
    table = bench.source.drop("pred", strict=False)
    return read(bench, table, bench.case.settings | {"threshold": turned})


def decision_column_ignored(bench: Bench) -> Reading:
    """Decide by prob ≥ threshold although the file has decisions."""
    return read(bench, bench.source.drop("pred"))


CHANGES: dict[str, Callable[[pl.DataFrame], pl.DataFrame]] = {
    "negative-scores-not-relevant": negative_scores_not_relevant,
    "ids-as-numbers": ids_as_numbers,
    "na-is-a-gap": na_is_a_gap,
    "fold-zero-is-false": fold_zero_is_false,
    "tune-in-eval": tune_in_eval,
    "label-from-gold": label_from_gold,
    "one-row-per-post": one_row_per_post,
    "probs-in-32-bits": probs_in_32_bits,
    "probs-rounded": probs_rounded,
    "gold-shifted-in-reader": gold_shifted_in_reader,
}

ORDERS = {
    **{fault: partial(_ranked_by, rank, ties_only=True) for fault, rank in TIES.items()},
    **{fault: partial(_ranked_by, rank, ties_only=False) for fault, rank in SORTS.items()},
}

INJECT: dict[str, Callable[[Bench], Reading]] = {
    **{fault: partial(_changed, change) for fault, change in (ORDERS | CHANGES).items()},
    "threshold-of-next-fold": threshold_of_next_fold,
    "decision-column-ignored": decision_column_ignored,
}
