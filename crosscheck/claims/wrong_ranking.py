"""Wrong computations of ranking metrics, on purpose: each as somebody would have written it.

A formula takes the case and the claimed key and gives the value that the mistake leads to, or None
where it does not apply. Names are those of `mistakes.toml`.
"""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from crosscheck.claims.aggregation import aggregate, by_group
from crosscheck.claims.measure import Measure
from crosscheck.key import Key

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from crosscheck.claims.case import Bools, Case, Floats, Rows

    Discount = Callable[[Floats], Floats]
    PerQuery = Callable[[Rows, Measure], Floats]
    Formula = Callable[[Case, str], float | None]

_GRADE_COLUMN = 3


def _plain(ranks: Floats) -> Floats:
    discount: Floats = 1 / np.log2(ranks + 1)
    return discount


def _top(rows: Rows, measure: Measure) -> Bools:
    return rows.hits[:, : int(min(measure.k, rows.hits.shape[1]))]


def _ranks(hits: Bools) -> Floats:
    return np.arange(1, hits.shape[1] + 1, dtype=float)


def _ideals(discount: Discount, counts: Floats) -> Floats:
    """Sum the first `count` discounts for each query."""
    most = int(counts.max(initial=0))
    sums = np.concatenate([[0.0], np.cumsum(discount(np.arange(1, most + 1, dtype=float)))])
    ideals: Floats = sums[counts.astype(int)]
    return ideals


def _over(above: Floats, below: Floats) -> Floats:
    shares: Floats = np.divide(above, below, out=np.zeros(len(above)), where=below > 0)
    return shares


def _ndcg(gain: Discount, ideal: Discount, counts: Callable[[Rows, Measure], Floats]) -> PerQuery:
    def per_query(rows: Rows, measure: Measure) -> Floats:
        top = _top(rows, measure)
        return _over(top @ gain(_ranks(top)), _ideals(ideal, counts(rows, measure)))

    return per_query


def _cut_gold(rows: Rows, measure: Measure) -> Floats:
    return np.minimum(rows.gold, min(measure.k, rows.gold.max(initial=0)))


def _cutoff(rows: Rows, measure: Measure) -> Floats:
    return np.where(rows.gold > 0, min(measure.k, rows.hits.shape[1]), 0)


def _retrieved(rows: Rows, measure: Measure) -> Floats:
    found: Floats = np.minimum(rows.hits.sum(axis=1), measure.k).astype(float)
    return found


def _average_precision(
    rank: Callable[[Floats], Floats], below: Callable[[Rows, Measure], Floats]
) -> PerQuery:
    def per_query(rows: Rows, measure: Measure) -> Floats:
        top = _top(rows, measure)
        total = (top * np.cumsum(top, axis=1) / rank(_ranks(top))).sum(axis=1)
        return _over(total, below(rows, measure))

    return per_query


def _reciprocal(rank: Callable[[Floats], Floats]) -> PerQuery:
    def per_query(rows: Rows, measure: Measure) -> Floats:
        top = _top(rows, measure)
        if not top.shape[1]:
            return np.zeros(len(top))
        first = top.argmax(axis=1)
        return np.where(top.any(axis=1), 1 / rank(_ranks(top))[first], 0.0)

    return per_query


def _late(ranks: Floats) -> Floats:
    return ranks + 1


def _from_zero(ranks: Floats) -> Floats:
    return np.maximum(ranks - 1, 1)


def _late_discount(ranks: Floats) -> Floats:
    return _plain(_late(ranks))


def _zero_discount(ranks: Floats) -> Floats:
    return _plain(_from_zero(ranks))


def _natural(ranks: Floats) -> Floats:
    return 1 / np.log(ranks + 1)


def _by_rank(ranks: Floats) -> Floats:
    return 1 / ranks


def _dcg(rows: Rows, measure: Measure) -> Floats:
    top = _top(rows, measure)
    return np.asarray(top @ _plain(_ranks(top)), dtype=float)


def _capped_recall(rows: Rows, measure: Measure) -> Floats:
    return _over(_top(rows, measure).sum(axis=1).astype(float), _cut_gold(rows, measure))


def _interpolated_map(rows: Rows, measure: Measure) -> Floats:
    top = _top(rows, measure)
    precision = np.cumsum(top, axis=1) / _ranks(top)
    best = np.maximum.accumulate(precision[:, ::-1], axis=1)[:, ::-1]
    return _over((top * best).sum(axis=1), _cut_gold(rows, measure))


def _every_reciprocal_rank(rows: Rows, measure: Measure) -> Floats:
    top = _top(rows, measure)
    return _over(top @ (1 / _ranks(top)), top.sum(axis=1).astype(float))


def _applied(kinds: Mapping[str, PerQuery]) -> Formula:
    """Make a formula of per-query computations, one for each metric it is a mistake of."""

    def formula(case: Case, written: str) -> float | None:
        key = Key.parse(written)
        measure = Measure.parse(key.metric)
        if (
            measure is None
            or measure.variant
            or measure.kind not in kinds
            or not case.rows.hits.size
        ):
            return None
        return aggregate(case.rows, kinds[measure.kind](case.rows, measure), key)

    return formula


def _empty_counts_as_one(case: Case, written: str) -> float | None:
    """Count a query without gold as 1, which shows over all queries only."""
    key = Key.parse(written)
    values = case.per_query.get(key.metric)
    if values is None or Measure.parse(key.metric) is None:
        return None
    changed = np.where(case.rows.gold > 0, values, 1.0)
    return aggregate(case.rows, changed, Key(key.metric, "all_queries", key.slice, key.statistic))


def _hitless_dropped(case: Case, written: str) -> float | None:
    key = Key.parse(written)
    measure = Measure.parse(key.metric)
    values = case.per_query.get(key.metric)
    if measure is None or values is None:
        return None
    kept: Bools = np.asarray(_top(case.rows, measure).any(axis=1), dtype=bool)
    return aggregate(case.rows, values, key, kept)


def _micro_recall(case: Case, written: str) -> float | None:
    key = Key.parse(written)
    measure = Measure.parse(key.metric)
    mask = case.rows.mask(key.population, key.slice)
    if measure is None or measure.kind != "recall" or mask is None or key.statistic != "mean":
        return None
    gold = case.rows.gold[mask].sum()
    return float(_top(case.rows, measure)[mask].sum() / gold) if gold else None


def _mean_rank_inverted(case: Case, written: str) -> float | None:
    key = Key.parse(written)
    measure = Measure.parse(key.metric)
    mask = case.rows.mask(key.population, key.slice)
    if measure is None or measure.kind != "mrr" or mask is None or key.statistic != "mean":
        return None
    top = _top(case.rows, measure)[mask]
    found = top.any(axis=1)
    return float(1 / (top[found].argmax(axis=1) + 1).mean()) if found.any() else None


def _grouped(column: str) -> Formula:
    """Make the mean over posts or criteria of the means within them."""

    def formula(case: Case, written: str) -> float | None:
        key = Key.parse(written)
        values = case.per_query.get(key.metric)
        if values is None or key.statistic != "mean":
            return None
        return by_group(case.rows, values, key, getattr(case.rows, column))

    return formula


def _graded(*, exponential: bool) -> Formula:
    """Make nDCG with the grades of a TREC qrels file as gains."""

    def formula(case: Case, written: str) -> float | None:
        key = Key.parse(written)
        measure = Measure.parse(key.metric)
        if measure is None or measure.kind != "ndcg" or not isinstance(case.data, dict):
            return None
        grades = _grades(Path(case.data["qrels"]))
        values = []
        rows = case.table
        for query, ranking in zip(
            rows["query_id"].to_list(), rows["candidates"].to_list(), strict=True
        ):
            judged = {uid: grade for uid, grade in grades.get(query, {}).items() if grade > 0}
            cut = int(min(measure.k, max(len(ranking), len(judged), 1)))
            gains = np.array([judged.get(uid, 0) for uid in ranking[:cut]], dtype=float)
            best = np.array(sorted(judged.values(), reverse=True)[:cut], dtype=float)
            if exponential:
                gains, best = 2**gains - 1, 2**best - 1
            ideal = best @ _plain(np.arange(1, len(best) + 1, dtype=float))
            gained = gains @ _plain(np.arange(1, len(gains) + 1, dtype=float))
            values.append(gained / ideal if ideal else 0.0)
        return aggregate(case.rows, np.array(values), key)

    return formula


def _grades(path: Path) -> dict[str, dict[str, int]]:
    raw = path.read_bytes()
    text = gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw
    found: dict[str, dict[str, int]] = {}
    for line in text.decode("utf-8").splitlines():
        fields = line.split()
        if len(fields) > _GRADE_COLUMN:
            found.setdefault(fields[0], {})[fields[2]] = int(fields[_GRADE_COLUMN])
    return found


FORMULAS: dict[str, Formula] = {
    "empty_counts_as_one": _empty_counts_as_one,
    "hitless_dropped": _hitless_dropped,
    "rank_one_too_high": _applied(
        {
            "mrr": _reciprocal(_late),
            "ndcg": _ndcg(_late_discount, _plain, _cut_gold),
            "map": _average_precision(_late, _cut_gold),
        }
    ),
    "rank_from_zero": _applied(
        {
            "mrr": _reciprocal(_from_zero),
            "ndcg": _ndcg(_zero_discount, _zero_discount, _cut_gold),
            "map": _average_precision(_from_zero, _cut_gold),
        }
    ),
    "natural_log": _applied({"ndcg": _ndcg(_natural, _plain, _cut_gold)}),
    "unnormalised": _applied({"ndcg": _dcg}),
    "ideal_of_k": _applied({"ndcg": _ndcg(_plain, _plain, _cutoff)}),
    "ideal_uncut": _applied({"ndcg": _ndcg(_plain, _plain, lambda rows, _: rows.gold)}),
    "ideal_of_retrieved": _applied({"ndcg": _ndcg(_plain, _plain, _retrieved)}),
    "reciprocal_discount": _applied({"ndcg": _ndcg(_by_rank, _by_rank, _cut_gold)}),
    "capped_recall": _applied({"recall": _capped_recall}),
    "micro_recall": _micro_recall,
    "map_by_k": _applied({"map": _average_precision(lambda ranks: ranks, _cutoff)}),
    "interpolated_map": _applied({"map": _interpolated_map}),
    "every_reciprocal_rank": _applied({"mrr": _every_reciprocal_rank}),
    "mean_rank_inverted": _mean_rank_inverted,
    "by_post": _grouped("post"),
    "by_criterion": _grouped("criterion"),
    "exponential_gain": _graded(exponential=True),
    "linear_gain": _graded(exponential=False),
}
