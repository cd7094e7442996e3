"""A small study with everything in it: folds, criteria, ties, empty rankings, TUNE rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

CRITERIA = ("A.1", "A.2", "A.3")


def _row(generator: np.random.Generator, post: int, criterion: str) -> dict[str, Any]:
    size = int(generator.integers(0, 9))
    candidates = [f"p{post}_s{number}" for number in range(size)]
    positive = generator.random() < 0.45
    pool = [*candidates, "elsewhere"]
    gold = list(generator.permutation(pool)[: generator.integers(1, 4)]) if positive else []
    order = generator.permutation(size)
    return {
        "post_id": f"p{post}",
        "criterion_id": criterion,
        "fold": post % 2,
        "split": "EVAL",
        "candidates": candidates,
        "scores": np.round(generator.random(size), 1).tolist(),
        "gold": [str(uid) for uid in gold],
        "has_evidence": int(positive),
        "prob": float(np.round(np.clip(generator.normal(0.6 if positive else 0.3, 0.25), 0, 1), 1)),
        "selected": [candidates[place] for place in order[: generator.integers(0, 4)]],
        "node_probs": np.round(generator.random(size), 2).tolist(),
    }


def _tune(generator: np.random.Generator, fold: int, number: int) -> dict[str, Any]:
    positive = generator.random() < 0.4
    return {
        "post_id": f"t{fold}_{number}",
        "criterion_id": "A.1",
        "fold": fold,
        "split": "TUNE",
        "has_evidence": int(positive),
        "prob": float(np.round(generator.random(), 2)),
    }


@pytest.fixture(scope="session")
def small_study() -> pl.DataFrame:
    """Fourteen posts, three criteria, two folds."""
    generator = np.random.default_rng(20260119)
    rows = [_row(generator, post, criterion) for post in range(14) for criterion in CRITERIA]
    rows += [_tune(generator, fold, number) for fold in range(2) for number in range(15)]
    return pl.DataFrame(rows, infer_schema_length=None)


@pytest.fixture(scope="session")
def small_settings() -> dict[str, Any]:
    return {"tau_neg": 0.2, "tau_pos": "0.6", "views": {"first": ["A.1", "A.2"]}}
