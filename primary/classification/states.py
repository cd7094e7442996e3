"""The three-state gate and its threshold grid (contract, section 7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from primary.arithmetic.aggregate import Ledger, key, ratio
from primary.arithmetic.decimals import shortest
from primary.data.study import CELL

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from primary.data.rows import Tune
    from primary.data.study import Study

STATE_COUNTS = ("n_neg", "n_uncertain", "n_pos")
STATE_RATES = (
    "neg_rate",
    "uncertain_rate",
    "pos_rate",
    "alert_rate_per_1000",
    "screening_sensitivity",
    "screening_fn_per_1000",
    "alert_precision",
)
GRID = ("screening_sensitivity", "alert_precision", "alert_rate_per_1000", "neg_rate")


def rates(counts: list[int], positives: list[int]) -> dict[str, float]:
    """Give the rates from how many queries, and how many positives, each state holds."""
    (neg, uncertain, pos), (missed, unsure, alerts) = counts, positives
    total, evidence = neg + uncertain + pos, missed + unsure + alerts
    values = (
        ratio(neg, total),
        ratio(uncertain, total),
        ratio(pos, total),
        ratio(1000 * pos, total),
        ratio(evidence - missed, evidence),
        ratio(1000 * missed, total),
        ratio(alerts, pos),
    )
    return dict(zip(STATE_RATES, values, strict=True))


def _counts(
    state: NDArray[np.int8], has_evidence: NDArray[np.bool_]
) -> tuple[list[int], list[int]]:
    return (
        np.bincount(state, minlength=3).tolist(),
        np.bincount(state[has_evidence], minlength=3).tolist(),
    )


def ledger(study: Study) -> Ledger:
    """Give counts and rates of the three states."""
    state = study.state
    if state is None:
        raise LookupError("states are not known")
    found: Ledger = {}
    for part in [*study.all, *study.folds, *study.views]:
        counts, positives = _counts(state[part.rows], study.has_evidence[part.rows])
        values = dict(zip(STATE_COUNTS, counts, strict=True)) | rates(counts, positives)
        for metric, value in values.items():
            found[key(metric, "all_queries", part.name, "value")] = value
    return found


def grid(study: Study) -> Ledger:
    """Give the rates at every pair of τ, per fold on its TUNE rows; on EVAL never (S4 8.2)."""
    tune, settings = study.data.tune, study.settings
    if tune is None:
        raise LookupError("the grid needs TUNE rows")
    found: Ledger = {}
    for name_of_part, rows in _tuning(study, tune):
        prob, has_evidence = tune.score[rows], tune.label[rows] == 1
        for low in settings.grid_neg:
            for high in settings.grid_pos:
                if low > high:
                    continue
                state = (prob >= float(low)).astype(np.int8) + (prob >= float(high))
                values = rates(*_counts(state, has_evidence))
                at = f"@tau={shortest(low)},{shortest(high)}"
                for metric in GRID:
                    name = key(f"{metric}{at}", "tune_queries", name_of_part, "value")
                    found[name] = values[metric]
    return found


def _tuning(study: Study, tune: Tune) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Give the TUNE rows of each fold, then of each fold of a seed."""
    for fold in study.fold_values:
        yield f"fold={fold}", tune.fold == fold
    for seed, cells in study.cells.items():
        own = np.zeros(len(tune.fold), dtype=bool)
        if tune.seed is not None:
            own = (tune.seed == seed).to_numpy()
        for cell in cells:
            yield cell.name, own & (tune.fold == int(cell.name.rpartition(CELL)[2]))
