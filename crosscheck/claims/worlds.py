"""Changed data and settings: what the contract's own program gives where a mistake was made.

Each world is named in `mistakes.toml`. It takes the rows and settings and gives changed ones; the
primary then computes the ledger as always, so a world can be wrong in one thing only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import polars as pl

    Settings = dict[str, Any]
    World = tuple[pl.DataFrame, Settings, tuple[str, ...]]

RANKING = ("ranking", "per_criterion")
GATE = ("curves", "calibration", "confusion", "per_criterion")
DECISION = ("confusion", "dynamic_k", "deployment", "per_post", "per_criterion")
SELECTION = ("dynamic_k", "deployment")
BUDGET = 5
OTHER_BINS = (5, 15, 20, 25, 50, 100)
_OBSERVED = ("pred", "state")


def ledger(name: str, table: pl.DataFrame, settings: Settings) -> Mapping[str, int | float]:
    """Give a world's ledger; empty where the data lack what the mistake needs."""
    import primary  # noqa: PLC0415 - polars is heavy

    world = WORLDS[name](table, settings)
    if world is None:
        return {}
    changed, chosen, families = world
    try:
        return primary.evaluate(changed, chosen, families=families)
    except primary.InputError:
        return {}  # the mistake leaves data that nobody could have evaluated


def _evaluated(table: pl.DataFrame) -> pl.DataFrame:
    return table.filter(table["split"] == "EVAL")


def _has(table: pl.DataFrame, *columns: str) -> bool:
    return all(
        name in table.columns and table[name].null_count() < table.height for name in columns
    )


def _off_by_one(table: pl.DataFrame, settings: Settings) -> World | None:
    if not _has(table, "candidates", "gold"):
        return None
    cutoffs = [int(k) for k in settings.get("k", (1, 3, 5, 10, 20))]
    near = sorted({k + step for k in cutoffs for step in (-1, 1)} - {0})
    return _evaluated(table), settings | {"k": near}, RANKING


def _other_bins(table: pl.DataFrame, settings: Settings) -> World | None:
    if not _has(table, "prob"):
        return None
    return _evaluated(table), settings | {"bins": list(OTHER_BINS)}, ("calibration",)


def _resorted(table: pl.DataFrame, settings: Settings, *, descending: bool) -> World | None:
    if not _has(table, "candidates", "scores"):
        return None
    import polars as pl  # noqa: PLC0415 - heavy

    rows = _evaluated(table).drop("node_probs", strict=False)
    rankings, scores = [], []
    for ids, values in zip(rows["candidates"].to_list(), rows["scores"].to_list(), strict=True):
        pairs = sorted(zip(ids, values, strict=True), reverse=descending)
        pairs.sort(key=lambda pair: -pair[1])
        rankings.append([uid for uid, _ in pairs])
        scores.append([value for _, value in pairs])
    changed = rows.with_columns(
        pl.Series("candidates", rankings, dtype=pl.List(pl.String)),
        pl.Series("scores", scores, dtype=pl.List(pl.Float64)),
    )
    return changed, settings, RANKING


def _reversed(table: pl.DataFrame, settings: Settings) -> World | None:
    if not _has(table, "candidates", "gold"):
        return None
    import polars as pl  # noqa: PLC0415 - heavy

    rows = _evaluated(table).drop("scores", "node_probs", strict=False)
    return rows.with_columns(pl.col("candidates").list.reverse()), settings, RANKING


def _missing_dropped(table: pl.DataFrame, settings: Settings) -> World | None:
    if not _has(table, "candidates", "gold"):
        return None
    import polars as pl  # noqa: PLC0415 - heavy

    found = pl.col("gold").list.set_intersection("candidates").list.len() > 0
    rows = _evaluated(table)
    kept = rows.filter(found | (pl.col("gold").list.len() == 0))
    return (kept, settings, RANKING) if kept.height < rows.height else None


def _unanswered_dropped(table: pl.DataFrame, settings: Settings) -> World | None:
    if not _has(table, "candidates", "gold"):
        return None
    import polars as pl  # noqa: PLC0415 - heavy

    rows = _evaluated(table)
    kept = rows.filter(pl.col("candidates").list.len() > 0)
    return (kept, settings, RANKING) if kept.height < rows.height else None


def _tune_split(table: pl.DataFrame, settings: Settings) -> World | None:
    import polars as pl  # noqa: PLC0415 - heavy

    rows = table.filter(table["split"] == "TUNE")
    if not rows.height or not _has(rows, "prob"):
        return None
    lists = ("candidates", "scores", "gold", "selected", "node_probs")
    rows = rows.drop(*lists, *_OBSERVED, strict=False).with_columns(split=pl.lit("EVAL"))
    return rows, settings, ("curves", "calibration", "confusion")


def _thresholds(table: pl.DataFrame, settings: Settings) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Give each row's operating threshold."""
    given = settings.get("threshold", 0.5)
    if not isinstance(given, dict):
        return np.full(table.height, float(given))
    return np.array([float(given.get(str(fold), 0.5)) for fold in table["fold"].to_list()])


def _strictly_above(table: pl.DataFrame, settings: Settings) -> World | None:
    if not _has(table, "prob"):
        return None
    import polars as pl  # noqa: PLC0415 - heavy

    rows = _evaluated(table)
    above = rows["prob"].to_numpy() > _thresholds(rows, settings)
    return rows.with_columns(pl.Series("pred", above.astype(np.int8))), settings, DECISION


def _with_threshold(table: pl.DataFrame, settings: Settings, threshold: object) -> World:
    rows = _evaluated(table).drop(*_OBSERVED, strict=False)
    return rows, settings | {"threshold": threshold}, DECISION


def _default_threshold(table: pl.DataFrame, settings: Settings) -> World | None:
    return _with_threshold(table, settings, 0.5) if _has(table, "prob") else None


def _mean_threshold(table: pl.DataFrame, settings: Settings) -> World | None:
    given = settings.get("threshold")
    if not isinstance(given, dict) or not given or not _has(table, "prob"):
        return None
    mean = sum(float(one) for one in given.values()) / len(given)
    return _with_threshold(table, settings, round(mean, 12))


def _rule_on_eval(table: pl.DataFrame, settings: Settings) -> World | None:
    if not _has(table, "prob", "fold"):
        return None
    import primary  # noqa: PLC0415 - heavy

    known = primary.evaluate(_evaluated(table), settings, families=("curves",))
    folds = sorted({int(fold) for fold in _evaluated(table)["fold"].to_list()})
    key = f"threshold@fpr={BUDGET}%|all_queries|fold={{}}|value"
    chosen = {str(fold): known.get(key.format(fold), 1.0) for fold in folds}
    if any(not np.isfinite(one) for one in chosen.values()):
        return None
    return _with_threshold(table, settings, chosen)


def _flipped_labels(table: pl.DataFrame, settings: Settings) -> World | None:
    if not _has(table, "prob"):
        return None
    import polars as pl  # noqa: PLC0415 - heavy

    rows = _evaluated(table).drop(*_OBSERVED, strict=False)
    return rows.with_columns(prob=1 - pl.col("prob")), settings, GATE


def _hard_predictions(table: pl.DataFrame, settings: Settings) -> World | None:
    if not _has(table, "prob"):
        return None
    import polars as pl  # noqa: PLC0415 - heavy

    rows = _evaluated(table)
    decided = (
        rows["pred"].to_numpy()
        if _has(rows, "pred")
        else rows["prob"].to_numpy() >= _thresholds(rows, settings)
    )
    rows = rows.drop(*_OBSERVED, strict=False)
    return rows.with_columns(pl.Series("prob", decided.astype(float))), settings, GATE


def _gated_selection(table: pl.DataFrame, settings: Settings) -> World | None:
    if not _has(table, "selected", "pred"):
        return None
    import polars as pl  # noqa: PLC0415 - heavy

    empty = pl.lit([], dtype=pl.List(pl.String))
    kept = pl.when(pl.col("pred") == 1).then(pl.col("selected")).otherwise(empty)
    return _evaluated(table).with_columns(selected=kept), settings, SELECTION


def _ungated_selection(table: pl.DataFrame, settings: Settings) -> World | None:
    if not _has(table, "selected", "pred"):
        return None
    import polars as pl  # noqa: PLC0415 - heavy

    return _evaluated(table).with_columns(pred=pl.lit(1, dtype=pl.Int8)), settings, SELECTION


WORLDS: dict[str, Callable[[pl.DataFrame, Settings], World | None]] = {
    "off_by_one": _off_by_one,
    "other_bins": _other_bins,
    "ties_by_id": lambda table, settings: _resorted(table, settings, descending=False),
    "ties_by_id_descending": lambda table, settings: _resorted(table, settings, descending=True),
    "reversed": _reversed,
    "missing_dropped": _missing_dropped,
    "unanswered_dropped": _unanswered_dropped,
    "tune_split": _tune_split,
    "strictly_above": _strictly_above,
    "default_threshold": _default_threshold,
    "mean_threshold": _mean_threshold,
    "rule_on_eval": _rule_on_eval,
    "flipped_labels": _flipped_labels,
    "hard_predictions": _hard_predictions,
    "gated_selection": _gated_selection,
    "ungated_selection": _ungated_selection,
}
