"""The whole ledger: every family that the data suffices for, then folds and criteria."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from primary import (
    calibration,
    classification,
    dynamic_k,
    gamma,
    multilabel,
    ranking,
    states,
    ties,
)
from primary.aggregate import Ledger, key, over_criteria, over_folds
from primary.families import available
from primary.hits import find_hits

if TYPE_CHECKING:
    from collections.abc import Callable

    from primary.hits import Hits
    from primary.study import Study


def ledger(study: Study) -> Ledger:
    """Compute every key that the contract owes."""
    owed = available(study)
    found = queries(study)
    if owed & {"ranking", "ties", "pairs", "gamma"}:
        hits = find_hits(study.data)
        for family, compute in _FROM_HITS.items():
            if family in owed:
                found |= compute(study, hits)
    if owed & {"dynamic_k", "deployment", "k_bounds"}:
        chosen = dynamic_k.selection(study)
        for family, compute_selection in _FROM_SELECTION.items():
            if family in owed:
                found |= compute_selection(study, chosen)
    for family, compute_rows in _FROM_ROWS.items():
        if family in owed:
            found |= compute_rows(study)
    found |= over_folds(found, study.fold_values)
    if "per_criterion" in owed:
        found |= over_criteria(found, [part.name for part in study.criteria], PER_CRITERION)
    return found


def queries(study: Study) -> Ledger:
    """Count the queries behind every number."""
    every = np.full(study.size, fill_value=True)
    populations = {"positives_only": study.positive, "all_queries": every}
    if study.pred is not None:
        populations["predicted_positive"] = study.pred == 1
    found: Ledger = {}
    for part in [*study.all, *study.folds, *study.criteria, *study.states, *study.views]:
        for population, mask in populations.items():
            found[key("queries", population, part.name, "n")] = int(
                np.count_nonzero(mask[part.rows])
            )
    return found


PER_CRITERION = {
    **dict.fromkeys((*classification.PER_CRITERION, "positive_rate"), ("all_queries", "value")),
    **dict.fromkeys(ranking.PER_CRITERION, ("positives_only", "mean")),
}
"""Section 9's metrics, and where each is found in the ledger."""

_FROM_HITS: dict[str, Callable[[Study, Hits], Ledger]] = {
    "ranking": ranking.ledger,
    "ties": ties.ledger,
    "pairs": classification.pairs,
    "gamma": gamma.ledger,
}
_FROM_SELECTION: dict[str, Callable[[Study, dynamic_k.Selection], Ledger]] = {
    "dynamic_k": dynamic_k.ledger,
    "deployment": dynamic_k.deployment,
    "k_bounds": dynamic_k.bounds,
}
_FROM_ROWS: dict[str, Callable[[Study], Ledger]] = {
    "curves": classification.curves,
    "calibration": calibration.ledger,
    "confusion": classification.confusion,
    "tuned": classification.tuned,
    "states": states.ledger,
    "grid": states.grid,
    "per_post": multilabel.ledger,
    "per_criterion": multilabel.criteria,
}
