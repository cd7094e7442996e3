"""Sums of probabilities lose nothing, however far apart these are."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import reference

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Jsonl = Callable[[list[dict[str, Any]]], Path]

TINY = Fraction(1, 10**300)


def ledger(jsonl: Jsonl, cells: list[tuple[float, int]], bins: int) -> dict[str, Any]:
    rows = [{"query_id": str(i), "prob": p, "has_evidence": y} for i, (p, y) in enumerate(cells)]
    return reference.exact(jsonl(rows), {"bins": [bins]})


def test_the_mean_of_a_bin_is_exact(jsonl: Jsonl) -> None:
    found = ledger(jsonl, [(0.25, 0), (1e-300, 0)], 2)
    mean = (Fraction(1, 4) + TINY) / 2
    assert found["reliability@2/bin=0|all_queries|all|mean_prob"] == mean


def test_the_last_bin_with_p_of_one_is_exact(jsonl: Jsonl) -> None:
    found = ledger(jsonl, [(1, 0), (1e-300, 0)], 1)
    assert found["reliability@1/bin=0|all_queries|all|mean_prob"] == (1 + TINY) / 2


def test_brier_is_exact(jsonl: Jsonl) -> None:
    found = ledger(jsonl, [(0.5, 0), (1e-300, 1)], 1)
    assert found["brier|all_queries|all|value"] == (Fraction(1, 4) + (1 - TINY) ** 2) / 2
