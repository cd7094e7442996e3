"""Decisions at a threshold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import reference

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Jsonl = Callable[[list[dict[str, Any]]], Path]


def test_a_probability_of_zero_stays_below_the_tuned_threshold(jsonl: Jsonl) -> None:
    cells = [("EVAL", 0, 0), ("EVAL", 0.9, 1), ("TUNE", 0.2, 0), ("TUNE", 0.9, 1)]
    rows = [
        {"query_id": str(i), "fold": 0, "split": split, "prob": prob, "has_evidence": label}
        for i, (split, prob, label) in enumerate(cells)
    ]
    found = reference.evaluate(jsonl(rows), {"fpr": [1]})
    assert found["threshold@fpr=1%/tuned|all_queries|fold=0|value"] == 0.9
    assert found["fpr@fpr=1%/tuned|all_queries|fold=0|value"] == 0
    assert found["tpr@fpr=1%/tuned|all_queries|fold=0|value"] == 1
