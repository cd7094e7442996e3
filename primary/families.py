"""Which metric families the data suffices for (contract, section 1, What each family needs)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from primary.study import Study

LABEL = ("has_evidence", "gold")
DECISION = ("pred", "prob")

NEEDS: dict[str, tuple[tuple[str, ...], ...]] = {
    "ranking": (("candidates",), ("gold",)),
    "ties": (("candidates",), ("gold",), ("scores",)),
    "pairs": (("candidates",), ("gold",), ("scores",)),
    "curves": (("prob",), LABEL),
    "calibration": (("prob",), LABEL),
    "confusion": (DECISION, LABEL),
    "tuned": (("prob",), LABEL, ("fold",), ("tune",)),
    "grid": (("prob",), LABEL, ("fold",), ("tune",)),
    "dynamic_k": (("selected",), ("gold",), DECISION),
    "k_bounds": (("selected",), ("gold",), DECISION, ("candidates",)),
    "gamma": (("selected",), ("gold",), DECISION, ("candidates",), ("node_probs",)),
    "deployment": (("selected",), ("gold",), DECISION),
    "states": (("states",),),
    "per_post": (("post_id",), ("criterion_id",), DECISION, LABEL),
    "per_criterion": (("criterion_id",), LABEL),
    "state_slices": (("states",),),
    "has_evidence_slices": (LABEL,),
    "posts": (("post_id",),),
}
"""Each family's needs; of the names in one bracket any one will do."""

COLUMN_OF = {"tune": "split", "states": "state"}
"""Needs that are no column by themselves, and the column a reader would have to add."""


def available(study: Study) -> set[str]:
    """Name the families that the data suffices for."""
    present = _present(study)
    return {
        family
        for family, needs in NEEDS.items()
        if all(present.intersection(choices) for choices in needs)
    }


def missing(study: Study) -> dict[str, list[str]]:
    """Name for every other family the columns that it lacks; of alternatives all are named."""
    present = _present(study)
    lacking: dict[str, list[str]] = {}
    for family, needs in NEEDS.items():
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
        "pred": data.pred,
        "selected": data.selected,
        "node_probs": data.node_probs,
        "tune": data.tune,
        "states": study.state,
    }
    return {name for name, value in held.items() if value is not None}
