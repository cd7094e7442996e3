"""Plants in the published study: its own rankings, where the data are at hand."""

from __future__ import annotations

import csv
from statistics import mean
from typing import TYPE_CHECKING

import plain as p
import rankings as r
from plant import Plant, Query, Study, over

from crosscheck.diagnose.scene import Scene

if TYPE_CHECKING:
    from pathlib import Path


def of(file: Path) -> Study:
    """Read the study's rows."""
    systems = {
        name: {"columns": {"candidates": f"{name}_topk"}} for name in ("reranked", "retriever")
    }
    others = {"retriever": Scene(file, systems["retriever"])}
    scene = Scene(file, systems["reranked"], others=others)
    with file.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    queries = [
        Query(
            _ids(row["reranked_topk"]),
            [],
            _ids(row["gold_ids"]),
            post=row["post_id"],
            criterion=row["criterion_id"],
        )
        for row in rows
    ]
    return Study("published", scene, queries)


def _ids(cell: str) -> list[str]:
    return [one for one in cell.split("|") if one]


def _by(s: Study, name: str, k: int) -> float:
    groups: dict[str, list[float]] = {}
    for q in s.positives:
        groups.setdefault(getattr(q, name), []).append(p.ndcg(q, k))
    return mean(mean(values) for values in groups.values())


def plants() -> list[Plant]:
    """Every plant of this study."""
    ndcg = r.at("ndcg", 10)
    every = [one for one in r.of_ndcg(10) if one.mistake != "hitless-dropped"]
    return [
        *every,
        r.hitless(5),
        *r.of_map(5),
        *r.of_mrr()[:4],
        *r.of_sets(3)[:5],
        *[
            one
            for one in r.of_means(5)
            if one.mistake not in {"geometric-mean", "short-lists-dropped"}
        ],
        *[
            one
            for one in r.of_order(10)
            if one.mistake not in {"missing-gold-removed", "cut-one-too-late"}
        ],
        Plant(
            ndcg,
            "system",
            "the retriever's number",
            lambda s: float(s.scene.others["retriever"].ledger[ndcg]),
        ),
        Plant(
            r.at("recall", 10),
            "part-left-out",
            "criterion A.9 left out",
            lambda s: over(
                [q for q in s.positives if q.criterion != "A.9"], lambda q: p.recall(q, 10)
            ),
            4,
        ),
        Plant(ndcg, "mean-of-posts", "mean of posts", lambda s: _by(s, "post", 10)),
    ]
