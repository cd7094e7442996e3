"""The γ sweep at its edges."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import reference

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Jsonl = Callable[[list[dict[str, Any]]], Path]


@pytest.mark.parametrize(
    ("node_probs", "k"),
    [
        ([0, 0], 0),  # no mass at all
        ([0.5, 1e-300], 2),  # the whole mass needs the last crumb of it
    ],
)
def test_how_many_candidates_reach_the_whole_mass(
    jsonl: Jsonl, node_probs: list[float], k: int
) -> None:
    row = {
        "query_id": "q", "candidates": ["a", "b"], "node_probs": node_probs, "gold": [],
        "selected": [], "pred": 1,
    }  # fmt: skip
    found = reference.evaluate(jsonl([row]), {"gamma": [1], "k_min": 0, "k_max_ratio": 1})
    assert found["sentences@gamma=1|all_queries|all|value"] == k
