"""What the measured tools share: sizes, names of the compared means, data as dictionaries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

Answers = dict[str, float]
CUTOFFS = (1, 3, 5, 10, 20)
METRICS = ("recall", "precision", "hit", "mrr", "map", "ndcg")
RESAMPLES = 10_000
SCIPY_RESAMPLES = 60
BY_ENGINE = 10_000_000
"""Queries from which on an engine counts, as docs/scale.md advises."""
WANTED = ("query_id", "post_id", "criterion_id", "split", "candidates", "scores", "gold", "grades")


def dictionaries(path: Path) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """Read the EVAL queries as a peer's user would; a query without gold is judged all the same."""
    present = pl.read_parquet_schema(path)
    frame = pl.read_parquet(path, columns=[name for name in WANTED if name in present])
    if "split" in present:
        frame = frame.filter(pl.col("split") == "EVAL")
    if "query_id" not in present:
        frame = frame.with_columns(query_id=pl.format("{}/{}", "post_id", "criterion_id"))
    if "grades" not in present:
        frame = frame.with_columns(grades=pl.col("gold").list.eval(pl.lit(1)))
    wanted = ("query_id", "candidates", "scores", "gold", "grades")
    columns = (frame[name].to_list() for name in wanted)
    qrels: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    for query, candidates, scores, gold, grades in zip(*columns, strict=True):
        run[query] = dict(zip(candidates, scores, strict=True))
        judged = zip(gold, grades, strict=True)
        qrels[query] = dict(judged) if gold else {candidates[0]: 0}
    return qrels, run


def binary() -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Give labels and probabilities of 14,770 queries."""
    generator = np.random.default_rng(5)
    label = (generator.random(14_770) < 0.0934).astype(np.int64)
    positive, negative = (generator.beta(a, b, len(label)) for a, b in ((4, 3), (1, 5)))
    return label, np.where(label, positive, negative)


def mean(values: Any) -> float:
    """Give the plain mean."""
    return float(np.mean(list(values)))
