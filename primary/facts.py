"""The facts of a data set (docs/interface.md, Facts)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from primary.families import available, missing
from primary.lists import match, with_equals

if TYPE_CHECKING:
    from primary.study import Study


def facts(study: Study) -> dict[str, Any]:
    """Tell what the data holds, what it suffices for, and where it contradicts itself."""
    data = study.data
    return {
        "rows": dict(data.rows),
        "columns": dict(data.columns),
        "families": sorted(available(study)),
        "missing": missing(study),
        "folds": study.fold_values,
        "criteria": study.criterion_values,
        "posts": int(study.post_code.max()) + 1 if "post" in study.units else None,
        "queries": _queries(study),
        "max_k": None if data.selected is None else int(data.selected.lengths.max()),
        "queries_with_ties": _queries_with_ties(study),
        "gold_not_in_candidates": _gold_not_in_candidates(study),
        "dropped_queries": data.dropped,
        "contradictions": _contradictions(study),
    }


def _queries(study: Study) -> dict[str, int | None]:
    label, pred = study.data.label, study.pred
    return {
        "all_queries": study.size,
        "positives_only": int(np.count_nonzero(study.positive)),
        "has_evidence": None if label is None else int(np.count_nonzero(label)),
        "predicted_positive": None if pred is None else int(np.count_nonzero(pred)),
    }


def _queries_with_ties(study: Study) -> int | None:
    data = study.data
    if data.scores is None or data.candidates is None:
        return None
    return int(np.count_nonzero(with_equals(data.scores, data.candidates.offsets)))


def _gold_not_in_candidates(study: Study) -> int:
    data = study.data
    if data.gold is None or data.candidates is None:
        return 0
    return len(data.gold.values) - len(match(data.gold, data.candidates)[0])


def _contradictions(study: Study) -> dict[str, int]:
    data = study.data
    found = {"has_evidence": 0, "state": 0, "pred": 0}
    if data.has_evidence is not None and data.gold is not None:
        found["has_evidence"] = int(
            np.count_nonzero((data.has_evidence == 1) != (data.gold.lengths > 0))
        )
    if data.state is not None and study.assigned is not None:
        found["state"] = int(np.count_nonzero(data.state != study.assigned))
    if data.pred is not None and study.decided is not None:
        found["pred"] = int(np.count_nonzero(data.pred != study.decided))
    return found
