"""ranx: compiled ranking metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from common import CUTOFFS, METRICS, Answers, dictionaries
from ranx import Qrels, Run, evaluate

if TYPE_CHECKING:
    from pathlib import Path

THEIRS = {
    f"{'hit_rate' if name == 'hit' else name}@{k}": f"{name}@{k}"
    for name in METRICS
    for k in CUTOFFS
}


def warm() -> None:
    """Compile everything before the clock starts."""
    evaluate(Qrels({"q": {"a": 1}}), Run({"q": {"a": 1.0, "b": 0.5}}), list(THEIRS))


def ranking(path: Path) -> Answers:
    """Compute all six metrics."""
    qrels, run = dictionaries(path)
    found = evaluate(Qrels(qrels), Run(run), list(THEIRS))
    return {THEIRS[name]: float(value) for name, value in found.items()}


def graded(path: Path) -> Answers:
    """Compute nDCG of graded judgements."""
    qrels, run = dictionaries(path)
    names = [f"ndcg@{k}" for k in CUTOFFS]
    found = evaluate(Qrels(qrels), Run(run), names)
    return {name: float(value) for name, value in found.items()}
