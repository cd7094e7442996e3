"""Tie bounds of a single query."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import reference

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Jsonl = Callable[[list[dict[str, Any]]], Path]


def test_the_bounds_of_one_query_are_its_own(jsonl: Jsonl) -> None:
    row = {"query_id": "q", "candidates": ["a", "b"], "scores": [1, 1], "gold": ["b"]}
    found = reference.evaluate(jsonl([row]), {"k": [1]})
    for population in ("positives_only", "all_queries"):
        assert found[f"hit@1/tie_low|{population}|all|mean"] == 0
        assert found[f"hit@1/tie_high|{population}|all|mean"] == 1
        assert found[f"mrr@all/tie_low|{population}|all|mean"] == 0.5
