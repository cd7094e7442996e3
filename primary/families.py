"""Which metric families the data suffices for (contract, section 1, What each family needs)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

    from primary.study import Study

LABEL = ("has_evidence", "gold")
DECISION = ("pred", "prob", "threshold")
SCORE = ("prob", "score")
RANKED = (("candidates",), ("gold",))
CLASSES = (("label",), ("predicted",))

NEEDS: dict[str, tuple[tuple[str, ...], ...]] = {
    "ranking": RANKED,
    "ties": (*RANKED, ("scores",)),
    "pairs": (*RANKED, ("scores",)),
    "graded": (*RANKED, ("grades",)),
    "exponential": (*RANKED, ("grades",), ("low_grades",)),
    "judged": (*RANKED, ("judged",)),
    "curves": (SCORE, LABEL),
    "calibration": (("prob",), LABEL),
    "confusion": (DECISION, LABEL),
    "tuned": (SCORE, LABEL, ("fold",), ("tune",)),
    "grid": (("prob",), LABEL, ("fold",), ("tune",)),
    "dynamic_k": (("selected",), ("gold",), DECISION),
    "k_bounds": (("selected",), ("gold",), DECISION, ("candidates",)),
    "gamma": (("selected",), ("gold",), DECISION, ("candidates",), ("node_probs",)),
    "deployment": (("selected",), ("gold",), DECISION),
    "states": (("states",),),
    "classes": CLASSES,
    "class_probs": (*CLASSES, ("class_probs",)),
    "confusion_matrix": (*CLASSES, ("few_classes",)),
    "per_post": (("post_id",), ("criterion_id",), DECISION, LABEL),
    "per_criterion": (("criterion_id", "slices"), LABEL),
    "state_slices": (("states",),),
    "has_evidence_slices": (LABEL,),
    "posts": (("post_id",),),
}
"""Each family's needs; of the names in one bracket any one will do."""

SLICES_AND_UNITS = ("state_slices", "has_evidence_slices", "posts")
"""Families that are no metrics: parts of the rows that metrics are given for."""

OF_CLASSES = frozenset({"classes", "class_probs", "confusion_matrix", "posts"})
"""All that is owed of a file whose task is several classes."""

LOW_GRADES, FEW_CLASSES = 30, 100
"""Up to which grade gains are doubled, and up to how many classes their matrix is given."""

COLUMN_OF = {
    "tune": "split",
    "states": "state",
    "threshold": "score with a stated threshold",
    "low_grades": f"grades up to {LOW_GRADES}",
    "few_classes": f"at most {FEW_CLASSES} classes",
}
"""Needs that are no column by themselves, and what a reader would have to add."""

ALWAYS = (
    *("post_id", "criterion_id", "query_id", "fold", "split", "seed"),
    *("gold", "has_evidence", "pred", "prob"),
)
"""What identifies a query, and what decides the slices and populations that it belongs to."""

WITH = {"candidates": ("scores",), "states": ("prob", "state"), "threshold": ("score",)}
"""Columns that are read along: those that decide a ranking, and those that states are made of."""


def columns_for(families: Collection[str]) -> set[str]:
    """Name the columns that are read for some families."""
    needs = {name for family in families for choices in NEEDS[family] for name in choices}
    return {*ALWAYS, *needs, *(one for name in needs for one in WITH.get(name, ()))}


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
