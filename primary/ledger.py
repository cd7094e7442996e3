"""The whole ledger: every family that the data suffices for, then folds and criteria."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from primary.arithmetic.aggregate import Ledger, key, over_criteria, over_folds, over_seeds
from primary.classification import binary, calibration, class_probs, classes, multilabel, states
from primary.data.available import available
from primary.data.study import CELL, escaped
from primary.ranking import graded, judged, metrics, ties
from primary.ranking.hits import find_hits
from primary.selection import dynamic_k, gamma

if TYPE_CHECKING:
    from collections.abc import Callable

    from primary.data.study import Study
    from primary.ranking.hits import Hits


def ledger(study: Study) -> Ledger:
    """Compute every key that the contract owes."""
    owed = available(study)
    found = queries(study)
    if owed & {*_FROM_HITS, "judged", *graded.FAMILIES}:
        found |= _ranked(study, owed)
    if owed & {"dynamic_k", "deployment", "k_bounds"}:
        chosen = dynamic_k.selection(study)
        for family, compute_selection in _FROM_SELECTION.items():
            if family in owed:
                found |= compute_selection(study, chosen)
    for family, compute_rows in _FROM_ROWS.items():
        if family in owed:
            found |= compute_rows(study)
    return _aggregated(study, found, owed)


def _ranked(study: Study, owed: set[str]) -> Ledger:
    """Give what rankings are judged by; whatever is looked for in them is found once."""
    judgements = judged.find_judgements(study.data) if "judged" in owed else None
    hits = find_hits(study.data) if judgements is None else judgements.gold
    found: Ledger = {}
    for family, compute in _FROM_HITS.items():
        if family in owed:
            found |= compute(study, hits)
    return found | _relevance(study, hits, judgements, owed)


def _relevance(
    study: Study, hits: Hits, judgements: judged.Judgements | None, owed: set[str]
) -> Ledger:
    """Give what needs grades or judgements, with the bounds of ties where there are scores."""
    found: Ledger = {}
    by_grade = owed & graded.FAMILIES
    if by_grade:
        ranked = graded.find_graded(study, hits)
        found |= graded.ledger(study, ranked, by_grade)
        if "ties" in owed:
            found |= ties.graded_ledger(study, ranked, by_grade)
    if judgements is not None:
        found |= judged.ledger(study, judgements)
        if "ties" in owed:
            found |= ties.judged_ledger(study, judgements)
    return found


def _aggregated(study: Study, found: Ledger, owed: set[str]) -> Ledger:
    """Add the slices over folds, seeds, criteria and declared slices; the seeds' cells go."""
    found |= over_folds(found, study.fold_values)
    found |= over_seeds(found, study.seed_parts)
    if "per_criterion" in owed and study.data.criterion is not None:
        found |= over_criteria(found, [part.name for part in study.criteria], PER_CRITERION)
    metrics = PER_SLICE if "per_criterion" in owed else {}
    metrics = metrics | (PER_CLASSES if "classes" in owed else {})
    for name, values in study.declared_values.items():
        parts = [f"{name}={escaped(value)}" for value in values]
        found |= over_criteria(found, parts, metrics, name)
    if not study.cells:
        return found
    return {name: value for name, value in found.items() if f"|{CELL}" not in name}


def queries(study: Study) -> Ledger:
    """Count the queries behind every number."""
    populations = {"all_queries": np.full(study.size, fill_value=True)}
    slices = [*study.all, *study.plain_folds, *study.declared]
    if not study.multiclass:
        populations["positives_only"] = study.positive
        slices += [*study.criteria, *study.states, *study.views]
        if study.pred is not None:
            populations["predicted_positive"] = study.pred == 1
    found: Ledger = {}
    for part in slices:
        for population, mask in populations.items():
            found[key("queries", population, part.name, "n")] = int(
                np.count_nonzero(mask[part.rows])
            )
    return found


PER_CRITERION = {
    **dict.fromkeys((*binary.PER_CRITERION, "positive_rate"), ("all_queries", "value")),
    **dict.fromkeys(metrics.PER_CRITERION, ("positives_only", "mean")),
}
"""Section 9's metrics, and where each is found in the ledger."""

PER_SLICE = {
    **PER_CRITERION,
    **dict.fromkeys(graded.PER_CRITERION, ("positives_only", "mean")),
}
PER_CLASSES = dict.fromkeys(
    ("accuracy", "balanced_accuracy/multiclass", "f1/macro"), ("all_queries", "value")
)
"""The same of declared slices, with grades and with classes (section 18)."""

_FROM_HITS: dict[str, Callable[[Study, Hits], Ledger]] = {
    "ranking": metrics.ledger,
    "ties": ties.ledger,
    "pairs": binary.pairs,
    "gamma": gamma.ledger,
}
_FROM_SELECTION: dict[str, Callable[[Study, dynamic_k.Selection], Ledger]] = {
    "dynamic_k": dynamic_k.ledger,
    "deployment": dynamic_k.deployment,
    "k_bounds": dynamic_k.bounds,
}
_FROM_ROWS: dict[str, Callable[[Study], Ledger]] = {
    "curves": binary.curves,
    "calibration": calibration.ledger,
    "confusion": binary.confusion,
    "tuned": binary.tuned,
    "states": states.ledger,
    "grid": states.grid,
    "per_post": multilabel.ledger,
    "per_criterion": multilabel.criteria,
    "classes": classes.ledger,
    "class_probs": class_probs.ledger,
    "confusion_matrix": classes.matrix,
}
