"""Which metric families the data suffices for, and what the others lack."""

from __future__ import annotations

from typing import TYPE_CHECKING

from primary.families import COLUMN_OF, FEW_CLASSES, LOW_GRADES, NEEDS, OF_CLASSES

if TYPE_CHECKING:
    from primary.data.study import Study


def available(study: Study) -> set[str]:
    """Name the families that are asked for and that the data suffices for."""
    present = _present(study)
    asked = study.settings.families
    return {
        family
        for family in (asked & OF_CLASSES if study.multiclass else asked)
        if all(present.intersection(choices) for choices in NEEDS[family])
    }


def missing(study: Study) -> dict[str, list[str]]:
    """Name for every other family the columns that it lacks; of alternatives all are named."""
    present = _present(study)
    lacking: dict[str, list[str]] = {}
    for family, needs in NEEDS.items():
        if family not in study.settings.families:
            lacking[family] = ["not asked for"]
            continue
        if study.multiclass and family not in OF_CLASSES:
            lacking[family] = ["the task is several classes"]
            continue
        names = [
            COLUMN_OF.get(name, name)
            for choices in needs
            if not present.intersection(choices)
            for name in choices
        ]
        if names:
            lacking[family] = names
    return lacking


def _present(study: Study) -> set[str]:
    data = study.data
    held = {
        "post_id": data.post,
        "criterion_id": data.criterion,
        "fold": data.fold,
        "candidates": data.candidates,
        "scores": data.scores,
        "gold": data.gold,
        "has_evidence": data.has_evidence,
        "prob": data.prob,
        "score": data.score,
        "threshold": study.decided,
        "pred": data.pred,
        "selected": data.selected,
        "node_probs": data.node_probs,
        "grades": data.grades,
        "low_grades": True if study.grade_max <= LOW_GRADES else None,
        "judged": data.judged,
        "label": data.classes,
        "predicted": data.classes,
        "class_probs": data.class_probs,
        "few_classes": True if len(data.classes or ()) <= FEW_CLASSES else None,
        "slices": data.slices or None,
        "tune": data.tune,
        "states": study.state,
    }
    return {name for name, value in held.items() if value is not None}
