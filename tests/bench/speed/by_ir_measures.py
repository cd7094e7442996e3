"""ir_measures: one vocabulary over several engines."""

from __future__ import annotations

from typing import TYPE_CHECKING

import ir_measures
from common import CUTOFFS, Answers, dictionaries

if TYPE_CHECKING:
    from pathlib import Path

KINDS = {
    "R": "recall",
    "P": "precision",
    "Success": "hit",
    "RR": "mrr",
    "AP": "map",
    "nDCG": "ndcg",
}
THEIRS = {
    getattr(ir_measures, kind) @ k: f"{name}@{k}" for kind, name in KINDS.items() for k in CUTOFFS
}


def warm() -> None:
    """Load the engines before the clock starts."""
    ir_measures.calc_aggregate(list(THEIRS), {"q": {"a": 1}}, {"q": {"a": 1.0}})


def ranking(path: Path) -> Answers:
    """Compute all six metrics."""
    qrels, run = dictionaries(path)
    found = ir_measures.calc_aggregate(list(THEIRS), qrels, run)
    return {THEIRS[measure]: float(value) for measure, value in found.items()}


def graded(path: Path) -> Answers:
    """Compute nDCG of graded judgements."""
    qrels, run = dictionaries(path)
    wanted = {ir_measures.nDCG @ k: f"ndcg@{k}" for k in CUTOFFS}
    found = ir_measures.calc_aggregate(list(wanted), qrels, run)
    return {wanted[measure]: float(value) for measure, value in found.items()}
