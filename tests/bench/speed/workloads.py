"""The workloads: a study like the contract's (A), a deep run (B), a wide one (C), and any size.

Scores are whole numbers, distinct within a query, so that every tool sees the same ranking
whatever it does about ties or with 32-bit floats.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from pathlib import Path

CRITERIA = tuple(f"A.{number}" for number in range(1, 11))
POSTS_PER_FOLD = (295, 295, 295, 295, 297)
TUNE_POSTS_PER_FOLD = 354
SETTINGS: dict[str, Any] = {
    "tau_neg": 0.1,
    "tau_pos": 0.6,
    "views": {"dsm5": list(CRITERIA[:9])},
}
"""The settings of workload A: states and a view are owed too."""


def ranking(queries: int, depth: int, seed: int, first: int = 0) -> pl.DataFrame:
    """Give queries of `depth` candidates with one or two gold, most of them retrieved.

    They are numbered from `first`.
    """
    generator = np.random.default_rng(seed)
    numbers = np.arange(queries * depth, dtype=np.int64).reshape(queries, depth)
    scores = np.broadcast_to(np.arange(depth, 0, -1, dtype=np.float64), (queries, depth))
    scores = generator.permuted(scores, axis=1)
    # Gold stands near the top more often than chance would have it.
    wanted = np.minimum(generator.geometric(min(0.5, 20 / depth), (queries, 2)), depth)
    order = np.argsort(-scores, axis=1)
    places = np.take_along_axis(order, wanted - 1, axis=1)
    gold = np.take_along_axis(numbers, places, axis=1)
    one = (generator.random(queries) < 0.7) | (gold[:, 0] == gold[:, 1])
    lost = generator.random(queries) < 0.05
    gold[lost, 0] = -1
    names = pl.Series(gold.ravel()).cast(pl.String).to_numpy().reshape(queries, 2)
    golds = [
        [f"D{a}"] if single else [f"D{a}", f"D{b}"]
        for (a, b), single in zip(names, one, strict=True)
    ]
    ids = pl.select(pl.format("D{}", pl.Series(numbers.ravel()))).to_series()
    return pl.DataFrame(
        {
            "query_id": pl.select(
                pl.format("q{}", pl.int_range(first, first + queries))
            ).to_series(),
            "candidates": ids.reshape((queries, depth)).arr.to_list(),
            "scores": pl.Series(scores.ravel()).reshape((queries, depth)).arr.to_list(),
            "gold": golds,
        }
    )


def graded(queries: int, seed: int) -> pl.DataFrame:
    """Give queries of 20 candidates whose gold has grades from 1 to 3."""
    frame = ranking(queries, 20, seed)
    generator = np.random.default_rng(seed)
    grades = generator.integers(1, 4, (queries, 2)).tolist()
    counts = frame["gold"].list.len().to_list()
    cut = [pair[:count] for pair, count in zip(grades, counts, strict=True)]
    return frame.with_columns(grades=pl.Series(cut, dtype=pl.List(pl.Int64)))


def classes(rows: int, seed: int) -> pl.DataFrame:
    """Give rows of ten classes, three quarters of them predicted right."""
    generator = np.random.default_rng(seed)
    names = np.array([f"class {number}" for number in range(10)])
    label = generator.integers(0, 10, rows)
    right = generator.random(rows) < 0.75
    predicted = np.where(right, label, generator.integers(0, 10, rows))
    return pl.DataFrame(
        {
            "query_id": pl.select(pl.format("q{}", pl.int_range(rows))).to_series(),
            "label": names[label],
            "predicted": names[predicted],
        }
    )


def study(seed: int = 7) -> pl.DataFrame:
    """Give a study of the contract's profile: 14,770 EVAL and 17,700 TUNE queries, all columns."""
    generator = np.random.default_rng(seed)
    rows: list[dict[str, Any]] = []
    for fold, size in enumerate(POSTS_PER_FOLD):
        for number in range(size):
            length = int(np.clip(generator.poisson(20), 1, 60))
            key = {"post_id": f"p{fold}_{number}", "fold": fold, "split": "EVAL"}
            rows += [_query(generator, key | {"criterion_id": one}, length) for one in CRITERIA]
        for number in range(TUNE_POSTS_PER_FOLD):
            key = {"post_id": f"t{fold}_{number}", "fold": fold, "split": "TUNE"}
            rows += [_query(generator, key | {"criterion_id": one}, 2) for one in CRITERIA]
    return pl.DataFrame(rows)


def _query(generator: np.random.Generator, key: dict[str, Any], length: int) -> dict[str, Any]:
    candidates = [f"{key['post_id']}_s{number}" for number in range(length)]
    positive = bool(generator.random() < 0.0934)
    gold = generator.choice(length, size=min(length, int(generator.integers(1, 3))), replace=False)
    lift = np.zeros(length)
    if positive:
        lift[gold] = 1.0
    order = np.argsort(-(generator.normal(size=length) + 2 * lift))
    scores = np.empty(length)
    scores[order] = np.arange(length, 0, -1)
    node = np.round(np.clip(generator.beta(1, 6, length) + 0.4 * lift, 0, 1), 4)
    kept = int(generator.integers(1, min(10, length) + 1))
    return key | {
        "candidates": candidates,
        "scores": scores.tolist(),
        "gold": [candidates[place] for place in gold] if positive else [],
        "has_evidence": int(positive),
        "prob": float(np.round(generator.beta(4, 3) if positive else generator.beta(1, 5), 4)),
        "selected": [candidates[place] for place in order[:kept]],
        "node_probs": node.tolist(),
    }


def trec(folder: Path, topics: int = 3_000, depth: int = 1_000, seed: int = 8) -> Path:
    """Write qrels with grades from 0 to 3 and a run as TREC text, once; give their folder."""
    place = folder / f"trec{topics}"
    if place.exists():
        return place
    generator = np.random.default_rng(seed)
    topic = np.repeat(np.arange(topics), depth)
    documents = np.argsort(generator.random((topics, 2 * depth)), axis=1)
    judged = documents[:, :: depth // 50]
    run = pl.select(
        pl.format(
            "{} Q0 doc-{}-{} {} {} bench",
            pl.Series(topic + 1),
            pl.Series(topic),
            pl.Series(documents[:, :depth].ravel()),
            pl.Series(np.tile(np.arange(1, depth + 1), topics)),
            pl.Series(np.tile(np.arange(depth, 0, -1), topics) / 8),
        )
    )
    qrels = pl.select(
        pl.format(
            "{} 0 doc-{}-{} {}",
            pl.Series(np.repeat(np.arange(topics), judged.shape[1]) + 1),
            pl.Series(np.repeat(np.arange(topics), judged.shape[1])),
            pl.Series(judged.ravel()),
            pl.Series(np.minimum(generator.geometric(0.6, judged.size) - 1, 3)),
        )
    )
    place.mkdir()
    for name, lines in (("qrels", qrels), ("run", run)):
        (place / name).write_text("\n".join(lines.to_series()) + "\n", encoding="utf-8")
    return place


PART = 1_000_000
"""Queries of one file, where a workload is a folder of files."""


def parts(folder: Path, queries: int) -> Path:
    """Write queries of 20 candidates in files of a million, once; give their folder."""
    place = folder / f"parts{queries}"
    if not place.exists():
        place.mkdir()
        for number, first in enumerate(range(0, queries, PART)):
            some = ranking(min(PART, queries - first), 20, seed=number, first=first)
            some.write_parquet(place / f"{number:04}.parquet")
    return place


def write(folder: Path, name: str) -> Path:
    """Write a workload to disk once and give its path."""
    if name == "trec":
        return trec(folder)
    path = folder / f"{name}.parquet"
    if not path.exists():
        _made(name).write_parquet(path)
    return path


def _made(name: str) -> pl.DataFrame:
    if name == "A":
        return study()
    if name == "B":
        return ranking(6_980, 1_000, seed=1)
    if name == "C":
        return ranking(1_000_000, 20, seed=2)
    if name.startswith("graded"):
        return graded(int(name.removeprefix("graded")), seed=4)
    if name.startswith("classes"):
        return classes(int(name.removeprefix("classes")), seed=6)
    return ranking(int(name.removeprefix("rows")) // 20, 20, seed=3)
