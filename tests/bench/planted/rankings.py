"""Mistakes in ranking metrics, for any study with rankings."""

from __future__ import annotations

import math
from statistics import mean
from typing import TYPE_CHECKING

import plain as p
from plant import Plant, Query, Study, over

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

MRR = "mrr@all|positives_only|all|mean"
ONE = (lambda i: 1 / math.log2(i + 2), lambda i: 1 / math.log2(max(i, 2)), lambda i: 1 / i)


def at(metric: str, k: int, population: str = "positives_only") -> str:
    return f"{metric}@{k}|{population}|all|mean"


def positives(value: Callable[[Query], float]) -> Callable[[Study], float]:
    return lambda s: over(s.positives, value)


def _one(metric: str, k: int, mistake: str, what: str, value: Callable[[Query], float]) -> Plant:
    return Plant(at(metric, k), mistake, what, positives(value))


def of_ndcg(k: int) -> list[Plant]:
    """Mistakes in nDCG at K."""
    late, start, by_rank = ONE
    ndcg = "ndcg"
    return [
        _one(ndcg, k, "ndcg-undiscounted-start", "ranks from 0", lambda q: p.ndcg_by(q, k, start)),
        _one(
            ndcg,
            k,
            "ndcg-discount-off-by-one",
            "discount log2(i + 2)",
            lambda q: p.ndcg_by(q, k, late),
        ),
        _one(
            ndcg, k, "ndcg-reciprocal-discount", "discount 1/i", lambda q: p.ndcg_by(q, k, by_rank)
        ),
        _one(
            ndcg,
            k,
            "ndcg-two-log-bases",
            "gain by ln, ideal by log2",
            lambda q: p.ndcg_by(q, k, lambda i: 1 / math.log(i + 1), p.log2_discount),
        ),
        _one(
            ndcg,
            k,
            "ndcg-gain-off-by-one",
            "gain one rank late",
            lambda q: p.ndcg_by(q, k, late, p.log2_discount),
        ),
        _one(ndcg, k, "ndcg-not-normalised", "DCG", lambda q: p.ndcg(q, k, 1.0)),
        _one(ndcg, k, "ndcg-ideal-of-k", "ideal of the top K", lambda q: p.ndcg(q, k, p.ideal(k))),
        _one(
            ndcg,
            k,
            "ndcg-ideal-of-retrieved",
            "ideal of what was retrieved",
            lambda q: p.ndcg(q, k, p.ideal(min(sum(q.hits), k))),
        ),
        _one(
            ndcg,
            k,
            "ndcg-ideal-of-found",
            "ideal of the hits in the top K",
            lambda q: p.ndcg(q, k, p.ideal(sum(q.hits[:k]))),
        ),
        _one(ndcg, k, "hitless-dropped", "queries without a hit dropped", lambda q: p.ndcg(q, k)),
        Plant(
            at(ndcg, k),
            "ndcg-of-sums",
            "ΣDCG / Σideal",
            lambda s: (
                sum(p.ndcg(q, k, 1.0) for q in s.positives)
                / sum(p.ideal(min(len(q.gold), k)) for q in s.positives)
            ),
        ),
    ]


def hitless(k: int) -> Plant:
    """Queries without a hit leave the mean of nDCG."""
    return Plant(
        at("ndcg", k),
        "hitless-dropped",
        "queries without a hit dropped",
        lambda s: over([q for q in s.positives if any(q.hits[:k])], lambda q: p.ndcg(q, k)),
    )


def of_map(k: int) -> list[Plant]:
    """Mistakes in MAP at K."""
    m = "map"
    return [
        _one(m, k, "map-by-k", "divided by K", lambda q: p.precisions(q, k) / k),
        _one(
            m,
            k,
            "map-precision-off-by-one",
            "precision at i + 1",
            lambda q: p.safe(p.precisions(q, k, lambda i: i + 1), min(len(q.gold), k)),
        ),
        _one(
            m,
            k,
            "map-rank-from-zero",
            "precision at i − 1",
            lambda q: p.safe(p.precisions(q, k, lambda i: max(i - 1, 1)), min(len(q.gold), k)),
        ),
        _one(
            m,
            k,
            "map-mean-of-precisions",
            "mean of P@1 … P@K",
            lambda q: mean(p.precision(q, i) for i in range(1, k + 1)),
        ),
        _one(
            m,
            k,
            "map-interpolated",
            "interpolated precision",
            lambda q: p.safe(_interpolated(q, k), min(len(q.gold), k)),
        ),
        _one(
            m,
            k,
            "definition",
            "divided by the hits",
            lambda q: p.safe(p.precisions(q, k), sum(q.hits[:k])),
        ),
    ]


def _interpolated(query: Query, k: int) -> float:
    top = query.hits[:k]
    rates = [sum(top[:i]) / i for i in range(1, len(top) + 1)]
    return sum(max(rates[i:]) for i, hit in enumerate(top) if hit)


def of_mrr() -> list[Plant]:
    """Mistakes in MRR."""
    ten = at("mrr", 10)
    return [
        Plant(
            MRR,
            "mrr-rank-off-by-one",
            "1 / (rank + 1)",
            positives(lambda q: 1 / (r + 1) if (r := p.first(q)) else 0.0),
        ),
        Plant(
            MRR,
            "mrr-rank-from-zero",
            "1 / max(rank − 1, 1)",
            positives(lambda q: 1 / max(r - 1, 1) if (r := p.first(q)) else 0.0),
        ),
        Plant(
            MRR,
            "mrr-inverse-of-mean-rank",
            "1 / mean rank of the hits",
            lambda s: 1 / mean(r for q in s.positives if (r := p.first(q))),
        ),
        Plant(
            ten,
            "mrr-misses-below-k",
            "1 / mean rank, a miss as K + 1",
            lambda s: 1 / mean(p.first(q, 10) or 11 for q in s.positives),
        ),
        Plant(
            ten,
            "mrr-of-every-hit",
            "every hit's reciprocal rank",
            positives(lambda q: _every(q, 10)),
        ),
        Plant(
            ten,
            "mrr-of-last-hit",
            "rank of the last hit",
            positives(
                lambda q: (
                    max((i for i, hit in enumerate(q.hits[:10], 1) if hit), default=0)
                    and 1 / max(i for i, hit in enumerate(q.hits[:10], 1) if hit)
                )
            ),
        ),
    ]


def _every(query: Query, k: int) -> float:
    ranks = [1 / i for i, hit in enumerate(query.hits[:k], 1) if hit]
    return sum(ranks) / len(ranks) if ranks else 0.0


def of_sets(k: int) -> list[Plant]:
    """Mistakes in recall, precision and hit at K."""
    return [
        _one("recall", k, "another-metric", "Recall is Hit", lambda q: float(any(q.hits[:k]))),
        _one(
            "recall",
            k,
            "recall-capped-at-k",
            "divided by min(|G|, K)",
            lambda q: sum(q.hits[:k]) / min(len(q.gold), k),
        ),
        Plant(
            at("recall", k),
            "recall-pooled",
            "hits of all / gold of all",
            lambda s: (
                sum(sum(q.hits[:k]) for q in s.positives) / sum(len(q.gold) for q in s.positives)
            ),
        ),
        _one(
            "precision",
            k,
            "precision-over-gold",
            "divided by min(|G|, K)",
            lambda q: sum(q.hits[:k]) / min(len(q.gold), k),
        ),
        Plant(
            at("f1", k),
            "f1-at-k-of-means",
            "F1 of the mean P and the mean R",
            lambda s: _harmonic(
                over(s.positives, lambda q: p.precision(q, k)),
                over(s.positives, lambda q: p.recall(q, k)),
            ),
        ),
        _one("hit", k, "hit-counts-hits", "hits counted", lambda q: float(sum(q.hits[:k]))),
    ]


def _harmonic(a: float, b: float) -> float:
    return 2 * a * b / (a + b)


def of_means(k: int) -> list[Plant]:
    """Mistakes in averaging nDCG at K."""
    key = at("ndcg", k)

    def values(s: Study) -> list[float]:
        return [p.ndcg(q, k) for q in s.positives]

    def gold_weighted(s: Study) -> float:
        weights = [len(q.gold) for q in s.positives]
        return sum(w * v for w, v in zip(weights, values(s), strict=True)) / sum(weights)

    return [
        Plant(key, "population", "over all queries", lambda s: sum(values(s)) / len(s.queries)),
        Plant(
            key,
            "mean-over-one-more",
            "divided by n + 1",
            lambda s: sum(values(s)) / (len(values(s)) + 1),
        ),
        Plant(
            key,
            "mean-over-one-fewer",
            "divided by n − 1",
            lambda s: sum(values(s)) / (len(values(s)) - 1),
        ),
        Plant(key, "first-row-lost", "the first query lost", lambda s: mean(values(s)[1:]), 6),
        Plant(key, "last-row-lost", "the last query lost", lambda s: mean(values(s)[:-1]), 6),
        Plant(
            key,
            "mean-of-batches",
            "mean of batch means, 32 each",
            lambda s: mean(map(mean, p.batches(values(s), 32))),
        ),
        Plant(
            key,
            "mean-of-batches",
            "mean of batch means, 64 each",
            lambda s: mean(map(mean, p.batches(values(s), 64))),
        ),
        Plant(
            key,
            "last-batch-dropped",
            "last batch of 32 dropped",
            lambda s: mean(v for some in p.batches(values(s), 32) for v in some if len(some) == 32),
        ),
        Plant(key, "rows-joined", "a row for each gold id", gold_weighted),
        Plant(
            key,
            "queries-rounded",
            "each query rounded to one decimal",
            lambda s: mean(round(v, 1) for v in values(s)),
        ),
        Plant(
            key,
            "geometric-mean",
            "geometric mean",
            lambda s: math.exp(mean(math.log(max(v, 1e-5)) for v in values(s))),
        ),
        Plant(
            key,
            "short-lists-dropped",
            "lists shorter than K dropped",
            lambda s: over([q for q in s.positives if len(q.ranking) >= k], lambda q: p.ndcg(q, k)),
        ),
    ]


def of_order(k: int) -> list[Plant]:
    """Mistakes in the order of the lists, and in the gold."""
    key = at("ndcg", k)

    def after(change: Callable[[Query], Query]) -> Callable[[Study], float]:
        return lambda s: over(
            [q for q in map(change, s.positives) if q.gold], lambda q: p.ndcg(q, k)
        )

    return [
        Plant(
            key,
            "ranking-reversed",
            "list upside down",
            after(lambda q: q.but(ranking=q.ranking[::-1])),
        ),
        Plant(
            key,
            "lists-sorted-by-id",
            "list sorted by id",
            after(lambda q: q.but(ranking=sorted(q.ranking))),
        ),
        Plant(
            key,
            "first-gold-alone",
            "the first gold id alone",
            after(lambda q: q.but(gold=q.gold[:1])),
        ),
        Plant(
            key,
            "missing-gold-removed",
            "gold that was not retrieved removed",
            after(lambda q: q.but(gold=[uid for uid in q.gold if uid in q.ranking])),
        ),
        Plant(key, "cut-one-too-early", "K one too small", positives(lambda q: p.ndcg(q, k - 1))),
        Plant(key, "cut-one-too-late", "K one too large", positives(lambda q: p.ndcg(q, k + 1))),
        Plant(at("precision", k), "other-cutoff", "P@15", positives(lambda q: p.precision(q, 15))),
        Plant(at("recall", k), "other-cutoff", "Recall@7", positives(lambda q: p.recall(q, 7))),
    ]


def of_print(k: int) -> list[Plant]:
    """Right values, wrongly printed."""
    key = at("map", k)

    def right(s: Study) -> float:
        return over(s.positives, lambda q: p.ap(q, k))

    return [
        Plant(key, "complement", "one minus the value", lambda s: 1 - right(s)),
        Plant(key, "scale", "a hundredth", lambda s: right(s) / 100),
        Plant(
            key,
            "cutoff + complement",
            "one minus MAP@5",
            lambda s: 1 - over(s.positives, lambda q: p.ap(q, 5)),
        ),
    ]


def chosen(plants: Sequence[Plant], *names: str) -> list[Plant]:
    """Keep the plants of these mistakes."""
    return [one for one in plants if one.mistake in names]
