"""Made-up data of any size for `make bench-scale`: Parquet files of queries with 20 candidates."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import parquet

CANDIDATES = 20
CRITERIA = 10
PER_FILE = 250_000
"""Queries of one file."""


def write(folder: Path, rows: int, seed: int = 20) -> list[Path]:
    """Write files that hold so many candidate rows; the same rows for the same seed."""
    queries = rows // CANDIDATES
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for number, first in enumerate(range(0, queries, PER_FILE)):
        path = folder / f"part-{number:04}.parquet"
        count = min(PER_FILE, queries - first)
        parquet.write_table(_part(first, count, seed + number), path, compression="zstd")
        written.append(path)
    return written


def _part(first: int, count: int, seed: int) -> pa.Table:
    draw = np.random.default_rng(seed)
    at = np.arange(first, first + count)
    positive = draw.random(count) < 0.1
    gold_count = np.where(positive, draw.integers(1, 4, count), 0)
    offsets = np.arange(0, (count + 1) * CANDIDATES, CANDIDATES, dtype=np.int32)
    places = np.tile(np.arange(CANDIDATES), count)
    scores = draw.normal(size=count * CANDIDATES)
    # Gold is what a query's first candidates are, and scores somewhat higher.
    scores += 1.5 * (places < np.repeat(gold_count, CANDIDATES))
    names = np.array([f"s{one}" for one in range(CANDIDATES)])
    gold_offsets = np.concatenate(([0], np.cumsum(gold_count))).astype(np.int32)
    own = np.arange(int(gold_offsets[-1])) - np.repeat(gold_offsets[:-1], gold_count)
    prob = np.clip(draw.beta(1, 6, count) + 0.4 * positive, 0, 1)
    return pa.table(
        {
            "post_id": pa.array([f"p{one}" for one in (at // CRITERIA).tolist()]),
            "criterion_id": pa.array([f"A.{one}" for one in (at % CRITERIA).tolist()]),
            "fold": pa.array((at // CRITERIA % 5).astype(np.int64)),
            "candidates": pa.ListArray.from_arrays(
                pa.array(offsets), pa.array(names).take(pa.array(places))
            ),
            "scores": pa.ListArray.from_arrays(pa.array(offsets), pa.array(scores)),
            "gold": pa.ListArray.from_arrays(pa.array(gold_offsets), pa.array(names[own])),
            "has_evidence": pa.array(positive.astype(np.int64)),
            "prob": pa.array(prob),
        }
    )


if __name__ == "__main__":
    print(*write(Path(sys.argv[1]), int(sys.argv[2])), sep="\n")
