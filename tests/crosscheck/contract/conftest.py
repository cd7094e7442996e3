"""Facts of data sets, as `describe` would give them."""

from __future__ import annotations

from typing import Any

import pytest

from crosscheck.contract import Contract, load

EVERYTHING = (
    "calibration confusion curves deployment dynamic_k gamma grid has_evidence_slices k_bounds "
    "pairs per_criterion per_post posts ranking state_slices states ties tuned"
)


@pytest.fixture(scope="session")
def contract() -> Contract:
    """Give the contract."""
    return load()


def facts_of(families: str, **given: Any) -> dict[str, Any]:
    """Make the facts of a data set with these families, without folds or criteria."""
    queries = {"all_queries": 4, "positives_only": 2, "has_evidence": 2, "predicted_positive": 2}
    return {
        "rows": {"EVAL": 4, "TUNE": 0, "TRAIN": 0},
        "columns": {},
        "families": families.split(),
        "missing": {},
        "folds": [],
        "criteria": [],
        "posts": None,
        "queries": queries | given.pop("queries", {}),
        "max_k": None,
        "queries_with_ties": 0,
        "gold_not_in_candidates": 0,
        "dropped_queries": 0,
        "seeds": [],
        "slices": {},
        "classes": [],
        "contradictions": {"has_evidence": 0, "state": 0, "pred": 0},
    } | given


@pytest.fixture
def make_facts() -> Any:
    """Give the maker of facts."""
    return facts_of


@pytest.fixture
def study_facts() -> dict[str, Any]:
    """Give the facts of the built-in study."""
    criteria = sorted(f"A.{number}" for number in range(1, 11))
    return facts_of(EVERYTHING, folds=[0, 1, 2, 3, 4], criteria=criteria, posts=1477, max_k=10)


@pytest.fixture
def field_facts() -> list[dict[str, Any]]:
    """Give the facts of two data sets that between them owe every metric of the field too."""
    study = facts_of(
        f"{EVERYTHING} graded exponential judged",
        folds=[0, 1],
        criteria=["A"],
        posts=2,
        max_k=3,
        seeds=["1", "2"],
        slices={"dataset": ["x", "y"]},
    )
    classes = facts_of(
        "classes class_probs confusion_matrix",
        classes=[*"abcd"],
        queries={"positives_only": None, "has_evidence": None, "predicted_positive": None},
    )
    return [study, classes]


@pytest.fixture
def study_settings() -> dict[str, Any]:
    """Give the settings of the built-in study that decide which keys there are."""
    return {"views": {"dsm5": [f"A.{number}" for number in range(1, 10)]}}
