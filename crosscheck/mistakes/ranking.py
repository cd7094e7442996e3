"""Ranking metrics gone wrong.

Most go wrong one query at a time: such a formula gets the query at one K, and gives what the faulty
code would give.
"""

from __future__ import annotations

import gzip
import math
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from crosscheck.mistakes.formula import (
    RANKED,
    Formula,
    cut_of,
    honest,
    most,
    of_keys,
    of_queries,
    ranked,
    within,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from crosscheck.data.rows import Floats, Mask
    from crosscheck.mistakes.bench import Bench, Hits, Query
    from crosscheck.mistakes.formula import OfQuery, QueryAtK
    from crosscheck.model.key import Key

_GRADE_COLUMN = 3


def ratio(part: float, whole: float) -> float:
    """Divide; a zero denominator gives 0."""
    return part / whole if whole else 0.0


def precisions(hits: Hits, shift: int = 0) -> float:
    """Sum the precisions at the ranks of gold; ranks below 1 count as 1."""
    return sum(count / max(rank + shift, 1) for count, rank in enumerate(hits, start=1))


def gain(hits: Hits, base: float = 2.0, shift: int = 1) -> float:
    """Discounted gain of hits at these ranks."""
    return sum(1 / math.log(rank + shift, base) for rank in hits)


def ideal(size: int, base: float = 2.0, shift: int = 1) -> float:
    """Discounted gain of that many hits at the top."""
    return gain(tuple(range(1, size + 1)), base, shift)


def _undiscounted_start(hits: Hits) -> float:
    return sum(1 / max(1.0, math.log2(rank)) for rank in hits)


def _by_rank(hits: Hits) -> float:
    return sum(1 / rank for rank in hits)


def _top(size: int) -> Hits:
    return tuple(range(1, size + 1))


def _doubled(hits: Hits) -> Hits:
    """Let the first gold sentence stand twice, and push the rest down."""
    return hits and (hits[0], hits[0] + 1, *(rank + 1 for rank in hits[1:]))


def _best_later(hits: Hits) -> float:
    """Sum the best precision at or after each hit."""
    found, best = 0.0, 0.0
    for count, rank in zip(range(len(hits), 0, -1), reversed(hits), strict=True):
        best = max(best, count / rank)
        found += best
    return found


def _every_precision(query: QueryAtK) -> float:
    """Sum the precisions at every rank up to K, whether gold stands there or not."""
    return math.fsum(sum(hit <= rank for hit in query.top) / rank for rank in _top(query.cut))


FORMULAS: dict[str, tuple[str, OfQuery]] = {
    # average precision
    "map-by-gold": ("map", lambda q: ratio(precisions(q.top), q.gold)),
    "map-by-hits": ("map", lambda q: ratio(precisions(q.top), len(q.top))),
    "map-by-k": ("map", lambda q: ratio(precisions(q.top), q.cut)),
    "map-not-cut": ("map", lambda q: ratio(precisions(q.hits), q.most)),
    "map-precision-off-by-one": ("map", lambda q: ratio(precisions(q.top, shift=1), q.most)),
    "map-rank-from-zero": ("map", lambda q: ratio(precisions(q.top, shift=-1), q.most)),
    "map-interpolated": ("map", lambda q: ratio(_best_later(q.top), q.most)),
    "map-mean-of-precisions": ("map", lambda q: ratio(_every_precision(q), q.cut)),
    # recall, precision, hit
    "recall-is-hit": ("recall", lambda q: float(bool(q.top))),
    "recall-capped-at-k": ("recall", lambda q: ratio(len(q.top), q.most)),
    "recall-over-k": ("recall", lambda q: ratio(len(q.top), q.cut)),
    "recall-of-retrieved": ("recall", lambda q: ratio(len(q.top), len(q.hits))),
    "recall-not-cut": ("recall", lambda q: ratio(len(q.hits), q.gold)),
    "precision-over-shown": ("precision", lambda q: ratio(len(q.top), q.shown)),
    "precision-over-gold": ("precision", lambda q: ratio(len(q.top), q.most)),
    "hit-counts-hits": ("hit", lambda q: float(len(q.top))),
    # reciprocal rank
    "mrr-rank-off-by-one": ("mrr", lambda q: 1 / (q.top[0] + 1) if q.top else 0.0),
    "mrr-rank-from-zero": ("mrr", lambda q: 1 / max(q.top[0] - 1, 1) if q.top else 0.0),
    "mrr-not-cut": ("mrr", lambda q: 1 / q.hits[0] if q.hits else 0.0),
    "mrr-of-last-hit": ("mrr", lambda q: 1 / q.top[-1] if q.top else 0.0),
    "mrr-of-every-hit": ("mrr", lambda q: ratio(_by_rank(q.top), len(q.top))),
    # nDCG
    "ndcg-two-log-bases": ("ndcg", lambda q: ratio(gain(q.top, base=math.e), ideal(q.most))),
    "ndcg-ideal-of-retrieved": (
        "ndcg",
        lambda q: ratio(gain(q.top), ideal(most(len(q.hits), q.k))),
    ),
    "ndcg-ideal-of-found": ("ndcg", lambda q: ratio(gain(q.top), ideal(len(q.top)))),
    "ndcg-ideal-of-shown": ("ndcg", lambda q: ratio(gain(q.top), ideal(q.shown))),
    "ndcg-ideal-of-k": ("ndcg", lambda q: ratio(gain(q.top), ideal(q.cut))),
    "ndcg-ideal-not-cut": ("ndcg", lambda q: ratio(gain(q.top), ideal(q.gold))),
    "ndcg-not-normalised": ("ndcg", lambda q: gain(q.top)),
    "ndcg-two-gains": ("ndcg", lambda q: ratio(gain(q.top), 3 * ideal(q.most))),
    "ndcg-discount-off-by-one": (
        "ndcg",
        lambda q: ratio(gain(q.top, shift=2), ideal(q.most, shift=2)),
    ),
    "ndcg-gain-off-by-one": ("ndcg", lambda q: ratio(gain(q.top, shift=2), ideal(q.most))),
    "ndcg-undiscounted-start": (
        "ndcg",
        lambda q: ratio(_undiscounted_start(q.top), _undiscounted_start(_top(q.most))),
    ),
    "ndcg-reciprocal-discount": (
        "ndcg",
        lambda q: ratio(_by_rank(q.top), _by_rank(_top(q.most))),
    ),
    # 2^rel without the −1: every sentence gains 1, gold gains 2
    "ndcg-gain-two-to-the-rel": (
        "ndcg",
        lambda q: ratio(ideal(q.shown) + gain(q.top), ideal(q.shown) + ideal(q.most)),
    ),
    "uid-counted-twice": (
        "map",
        lambda q: ratio(precisions(within(_doubled(q.hits), q.k)), q.most),
    ),
}


def tie_bound_is_average(bench: Bench, key: Key) -> float:
    """Give the middle of the two bounds for both of them."""
    stem, _, rest = str(key).partition("/tie_")
    place = rest.partition("|")[2]
    return sum(bench.ledger[f"{stem}/tie_{end}|{place}"] for end in ("low", "high")) / 2


def ndcg_averages_ties(bench: Bench, metric: str) -> Floats | None:
    """Give every place of a tie the mean gain of the tie, as scikit-learn's ndcg_score does."""
    found = RANKED.fullmatch(metric)
    if not found or found["name"] != "ndcg" or not bench.queries or not bench.has("scores"):
        return None
    cut = cut_of(metric)
    scores = bench.rows.frame["scores"].to_list()
    return np.array(
        [
            _averaged(hits, list(marks or ()), g, cut)
            for (hits, _, g), marks in zip(bench.queries, scores, strict=True)
        ]
    )


def _averaged(hits: Hits, scores: list[float], g: int, k: int | None) -> float:
    if not hits or len(set(scores)) == len(scores):
        return ratio(gain(within(hits, k)), ideal(most(g, k)))
    total = 0.0
    for score in dict.fromkeys(scores):
        places = [rank for rank, other in enumerate(scores, start=1) if other == score]
        share = sum(rank in hits for rank in places) / len(places)
        total += share * gain(within(tuple(places), k))
    return ratio(total, ideal(most(g, k)))


def free_without_gold(bench: Bench, metric: str) -> Floats | None:
    """Give a query without gold 1."""
    values = honest(bench, metric)
    return None if values is None else np.where(bench.rows.with_gold, values, 1.0)


def with_ranking(bench: Bench, _metric: str) -> Mask:
    """Take the queries whose ranking is not empty."""
    return np.array([n > 0 for _, n, _ in bench.queries], dtype=bool)


def with_gold_retrieved(bench: Bench, _metric: str) -> Mask:
    """Take the queries without gold, and those whose ranking holds any."""
    return np.array([bool(hits) or not g for hits, _, g in bench.queries], dtype=bool)


def with_a_hit(bench: Bench, metric: str) -> Mask:
    """Take the queries with gold among the first K, for which the metric is no 0/0."""
    cut = cut_of(metric)
    return np.array([bool(within(hits, cut)) for hits, _, _ in bench.queries], dtype=bool)


def _pooled(name: str, found: Callable[[list[Query], int | None], float]) -> Formula:
    """Break a mean over queries: `found` gets the queries of the slice, and K."""

    def value(bench: Bench, key: Key) -> float | None:
        at = RANKED.fullmatch(key.metric)
        if not at or at["name"] != name or key.statistic != "mean" or not bench.queries:
            return None
        mask = bench.rows.mask(key.population, key.slice)
        chosen = [query for query, inside in zip(bench.queries, mask, strict=True) if inside]
        return found(chosen, cut_of(key.metric))

    return Formula(value)


def pooled_recall(queries: list[Query], k: int | None) -> float:
    """Divide the hits of all queries by the gold of all queries."""
    return ratio(sum(len(within(h, k)) for h, _, _ in queries), sum(g for _, _, g in queries))


def inverse_of_mean_rank(queries: list[Query], k: int | None) -> float:
    """Invert the mean rank of the first hits."""
    firsts = [within(hits, k)[0] for hits, _, _ in queries if within(hits, k)]
    return ratio(len(firsts), sum(firsts))


def misses_below_k(queries: list[Query], k: int | None) -> float:
    """Invert the mean rank of the first hits, with a miss standing right below K."""
    firsts = [next(iter(within(hits, k)), (k or n) + 1) for hits, n, _ in queries]
    return ratio(len(firsts), sum(firsts))


def gains_over_ideals(queries: list[Query], k: int | None) -> float:
    """Divide the sum of all gains by the sum of all ideals."""
    return ratio(
        sum(gain(within(hits, k)) for hits, _, _ in queries),
        sum(ideal(most(g, k)) for _, _, g in queries),
    )


def _of_mean_rates(queries: list[Query], k: int | None) -> float:
    """Take the harmonic mean of the mean precision and the mean recall."""
    if not queries:
        return 0.0
    found = [(len(within(hits, k)), k or n, g) for hits, n, g in queries]
    precision = sum(ratio(hit, cut) for hit, cut, _ in found) / len(found)
    recall = sum(ratio(hit, g) for hit, _, g in found) / len(found)
    return ratio(2 * precision * recall, precision + recall)


def _graded(bench: Bench, metric: str, *, exponential: bool) -> Floats | None:
    """Take the grades of a TREC qrels file as gains of nDCG."""
    found = RANKED.fullmatch(metric)
    if not found or found["name"] != "ndcg" or not isinstance(bench.data, dict):
        return None
    grades = _grades(Path(bench.data["qrels"]))
    cut = cut_of(metric)
    values = []
    queries = bench.rows.frame["query_id"].to_list()
    for query, uids in zip(queries, bench.rows.lists("candidates"), strict=True):
        judged = {uid: grade for uid, grade in grades.get(query, {}).items() if grade > 0}
        gains = [judged.get(uid, 0) for uid in uids[:cut]]
        best = sorted(judged.values(), reverse=True)[:cut]
        values.append(ratio(_dcg(gains, exponential), _dcg(best, exponential)))
    return np.array(values)


def _dcg(grades: list[int], exponential: bool) -> float:
    return sum(
        (2**grade - 1 if exponential else grade) / math.log2(rank + 1)
        for rank, grade in enumerate(grades, 1)
    )


def _grades(path: Path) -> dict[str, dict[str, int]]:
    raw = path.read_bytes()
    text = gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw
    found: dict[str, dict[str, int]] = {}
    for line in text.decode("utf-8").splitlines():
        fields = line.split()
        if len(fields) > _GRADE_COLUMN:
            found.setdefault(fields[0], {})[fields[2]] = int(fields[_GRADE_COLUMN])
    return found


MISTAKES: dict[str, Formula] = {
    **{name: ranked(metric, formula) for name, (metric, formula) in FORMULAS.items()},
    "tie-bound-is-average": of_keys(r".*/tie_(low|high)", tie_bound_is_average),
    "ndcg-averages-ties": of_queries(ndcg_averages_ties),
    "free-without-gold": of_queries(free_without_gold),
    "hitless-dropped": of_queries(honest, with_a_hit),
    "missing-gold-dropped": of_queries(honest, with_gold_retrieved),
    "empty-rankings-skipped": of_queries(honest, with_ranking),
    "recall-pooled": _pooled("recall", pooled_recall),
    "mrr-inverse-of-mean-rank": _pooled("mrr", inverse_of_mean_rank),
    "mrr-misses-below-k": _pooled("mrr", misses_below_k),
    "ndcg-of-sums": _pooled("ndcg", gains_over_ideals),
    "f1-at-k-of-means": _pooled("f1", _of_mean_rates),
    "ndcg-exponential-gain": of_queries(lambda b, metric: _graded(b, metric, exponential=True)),
    "ndcg-linear-gain": of_queries(lambda b, metric: _graded(b, metric, exponential=False)),
}
