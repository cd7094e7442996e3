"""The facts of a data set: what `describe` answers (docs/interface.md, Facts)."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Any

from reference import calibration, classes
from reference.reading.ranked import float32_tied
from reference.study import DECISION, LABEL, NEEDS, SPLITS

if TYPE_CHECKING:
    from reference.study import Query, Study


def facts(study: Study) -> dict[str, Any]:
    """Answer `describe`."""
    missing = {family: _lacks(study, family) for family in NEEDS}
    return {
        "rows": {split: study.rows.get(split, 0) for split in SPLITS},
        "columns": study.columns,
        "families": sorted(family for family, lacks in missing.items() if not lacks),
        "missing": {family: lacks for family, lacks in missing.items() if lacks},
        "folds": study.folds,
        "criteria": study.criteria,
        "posts": len({(q.fold, q.post) for q in study.queries}) if study.has("posts") else None,
        "queries": _queries(study),
        "seeds": study.seeds,
        "slices": study.parts,
        **_of_rankings(study),
        "classes": list(study.classes) if study.has("classes") else [],
        "disagreeing_predictions": classes.disagreeing(study) if study.has("class_probs") else None,
        "straddling": calibration.straddling(study.queries, max(study.settings.bins, default=1))
        if study.has("calibration")
        else None,
        **study.counted,
    }


def _lacks(study: Study, family: str) -> list[str]:
    if family not in study.settings.families:
        return ["not asked for"]
    return [need for need in NEEDS[family] if need not in study.known]


def _queries(study: Study) -> dict[str, int | None]:
    queries, known = study.queries, study.known
    found: dict[str, int | None] = {
        "all_queries": len(queries),
        "positives_only": sum(query.positive for query in queries),
        "has_evidence": sum(q.label or 0 for q in queries) if LABEL in known else None,
        "predicted_positive": sum(q.pred or 0 for q in queries) if DECISION in known else None,
    }
    if study.of_classes:
        found["positives_only"] = None
    return found


def _of_rankings(study: Study) -> dict[str, Any]:
    queries, known = study.queries, study.known
    both = known >= {"candidates", "gold"}
    scored = known >= {"candidates", "scores"}
    return {
        "max_k": study.largest_k if "selected" in known else None,
        "queries_with_ties": sum(q.tied for q in queries) if scored else None,
        "float32_ties": sum(float32_tied(q.scores or ()) for q in queries) if scored else None,
        "gold_not_in_candidates": sum(len(q.gold or ()) - len(q.hits) for q in queries)
        if both
        else 0,
        "lookalikes": sum(map(lookalikes, queries)) if both else 0,
        "grade_max": study.grade_max if study.has("graded") else None,
    }


def lookalikes(query: Query) -> int:
    """Count the gold that no candidate is, but that one looks like."""
    absent = (query.gold or frozenset()).difference(query.ranking)
    if not absent:
        return 0
    seen = set(map(_plain, query.ranking))
    return sum(_plain(uid) in seen for uid in sorted(absent))


def _plain(uid: str) -> str:
    return unicodedata.normalize("NFC", uid).strip().casefold()
