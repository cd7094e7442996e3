"""What each metric family needs (contract, section 1, What each family needs)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

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
