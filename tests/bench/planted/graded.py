"""Plants in graded judgements of fifty topics: the built-in study of a TREC kind."""

from __future__ import annotations

import math
from statistics import mean
from typing import TYPE_CHECKING

import numpy as np
import plain as p
import rankings as r
from plant import Plant, Query, Study, over

import primary
from crosscheck.diagnose.scene import Scene
from crosscheck.study import further

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SETTINGS = {"ties": "trec_eval", "k": [5, 10, 20]}
GRADED = "ndcg@10/graded|positives_only|all|mean"


def of(folder: Path) -> Study:
    """Write the study, and read it as plain Python."""
    files = further.write("trec", folder)
    data = {"qrels": files["qrels.txt"], "run": files["bm25.run"]}
    other = Scene(data | {"run": files["dense.run"]}, SETTINGS)
    queries = [
        Query(
            row["candidates"],
            row["scores"],
            row["gold"],
            grades=dict(zip(row["graded"], row["grades"], strict=True)),
            judged=tuple(row["judged"]),
        )
        for row in primary.table(data, SETTINGS).to_dicts()
    ]
    return Study("graded", Scene(data, SETTINGS, others={"dense": other}), queries)


def gains(q: Query, k: int | None = 10) -> list[int]:
    return [(q.grades or {}).get(uid, 0) for uid in q.ranking[:k]]


def best(q: Query, k: int = 10) -> list[int]:
    return sorted((q.grades or {}).values(), reverse=True)[:k]


def level(q: Query, least: int) -> Query:
    return q.but(gold=[uid for uid, grade in (q.grades or {}).items() if grade >= least])


def err(q: Query, largest: int) -> float:
    left, total = 1.0, 0.0
    for i, grade in enumerate(gains(q), 1):
        share = (2**grade - 1) / 2**largest
        total, left = total + left * share / i, left * (1 - share)
    return total


def float32(q: Query) -> Query:
    """In doubles: scores as they are written, ties by id."""
    return p.resorted(q, descending=True)


def _graded(what: str, mistake: str, value: Callable[[Query], float]) -> Plant:
    return Plant(GRADED, mistake, what, r.positives(value))


def plants() -> list[Plant]:
    """Every plant of this study."""
    ten, map10 = r.at("ndcg", 10), r.at("map", 10)
    start = r.ONE[1]
    return [
        _graded("gains 2^g − 1", "definition", lambda q: p.graded(q, 10, lambda g: 2**g - 1)),
        _graded("every grade 1", "definition", lambda q: p.ndcg(q, 10)),
        _graded(
            "ideal of the retrieved",
            "graded-ideal-of-retrieved",
            lambda q: p.safe(
                p.discounted(gains(q)), p.discounted(sorted(gains(q, None), reverse=True)[:10])
            ),
        ),
        _graded(
            "ideal of the top K",
            "graded-ideal-of-found",
            lambda q: p.safe(p.discounted(gains(q)), p.discounted(sorted(gains(q), reverse=True))),
        ),
        _graded(
            "first two not discounted",
            "graded-first-two-undiscounted",
            lambda q: p.safe(p.discounted(gains(q), start), p.discounted(best(q), start)),
        ),
        _graded("not normalised", "another-metric", lambda q: p.discounted(gains(q))),
        _graded(
            "gain 2^g",
            "graded-gain-two-to-the-grade",
            lambda q: p.safe(
                p.discounted([2**g for g in gains(q)]), p.discounted([2**g for g in best(q)])
            ),
        ),
        _graded(
            "ideal not cut",
            "graded-ideal-not-cut",
            lambda q: p.safe(p.discounted(gains(q)), p.discounted(best(q, 999))),
        ),
        Plant(
            "err@10|positives_only|all|mean",
            "err-gmax-of-the-query",
            "ERR by each query's largest grade",
            r.positives(lambda q: err(q, max(best(q)))),
        ),
        Plant(ten, "definition", "graded gains", r.positives(lambda q: p.graded(q, 10))),
        Plant(
            map10,
            "relevance-level",
            "relevant from grade 2",
            lambda s: over(
                [q for q in (level(q, 2) for q in s.queries) if q.gold], lambda q: p.ap(q, 10)
            ),
        ),
        Plant(
            r.at("precision", 10),
            "relevance-level",
            "relevant from grade 3",
            lambda s: over(
                [q for q in (level(q, 3) for q in s.queries) if q.gold],
                lambda q: p.precision(q, 10),
            ),
        ),
        Plant(
            map10,
            "unjudged-removed",
            "unjudged removed",
            r.positives(
                lambda q: p.ap(q.but(ranking=[uid for uid in q.ranking if uid in q.judged]), 10)
            ),
        ),
        Plant(
            ten,
            "scores-in-64-bits",
            "scores as they are written, not in 32 bits",
            r.positives(lambda q: p.ndcg(float32(q), 10)),
        ),
        Plant(
            GRADED,
            "system",
            "the other run",
            lambda s: float(s.scene.others["dense"].ledger[GRADED]),
        ),
        Plant(
            GRADED,
            "mean-over-one-more",
            "divided by n + 1",
            lambda s: sum(p.graded(q, 10) for q in s.positives) / (len(s.positives) + 1),
        ),
        Plant(
            GRADED,
            "mean-of-batches",
            "mean of batch means, 16 each",
            lambda s: mean(map(mean, p.batches([p.graded(q, 10) for q in s.positives], 16))),
        ),
        Plant(
            GRADED,
            "lists-sorted-by-id",
            "list sorted by id",
            r.positives(lambda q: p.graded(q.but(ranking=sorted(q.ranking)), 10)),
        ),
        Plant(
            "precision@10|positives_only|all|mean",
            "other-cutoff",
            "P@15 as P_10",
            r.positives(lambda q: p.precision(q, 15)),
            4,
        ),
        Plant(
            "ndcg@20/graded|positives_only|all|mean",
            "geometric-mean",
            "geometric mean",
            lambda s: math.exp(mean(math.log(max(p.graded(q, 20), 1e-5)) for q in s.positives)),
        ),
        Plant(
            map10,
            "definition",
            "divided by |G|",
            r.positives(lambda q: p.precisions(q, 10) / len(q.gold)),
        ),
        Plant(
            "mrr@10|positives_only|all|mean",
            "mrr-misses-below-k",
            "1 / mean rank, a miss as K + 1",
            lambda s: 1 / float(np.mean([p.first(q, 10) or 11 for q in s.positives])),
        ),
    ]
