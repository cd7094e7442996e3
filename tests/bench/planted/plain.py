"""The metrics in the plainest way, for planted mistakes to depart from."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from plant import Query

    Discount = Callable[[int], float]
    Pairs = Sequence[tuple[int, float]]


def log2_discount(rank: int) -> float:
    return 1 / math.log2(rank + 1)


def discounted(hits: Sequence[float], discount: Discount = log2_discount) -> float:
    return sum(hit * discount(i) for i, hit in enumerate(hits, 1) if hit)


def ideal(count: int, discount: Discount = log2_discount) -> float:
    return sum(discount(i) for i in range(1, count + 1))


def safe(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def ndcg(query: Query, k: int, below: float | None = None) -> float:
    best = ideal(min(len(query.gold), k)) if below is None else below
    return safe(discounted(query.hits[:k]), best)


def ndcg_by(query: Query, k: int, discount: Discount, ideal_by: Discount | None = None) -> float:
    best = ideal(min(len(query.gold), k), ideal_by or discount)
    return safe(discounted(query.hits[:k], discount), best)


def first(query: Query, k: int | None = None) -> int | None:
    return next((i for i, hit in enumerate(query.hits[:k], 1) if hit), None)


def mrr(query: Query, k: int | None = None) -> float:
    rank = first(query, k)
    return 1 / rank if rank else 0.0


def recall(query: Query, k: int) -> float:
    return safe(sum(query.hits[:k]), len(query.gold))


def precision(query: Query, k: int) -> float:
    return sum(query.hits[:k]) / k


def precisions(query: Query, k: int, rank: Callable[[int], float] = float) -> float:
    """Sum of the precisions at the hits."""
    top = query.hits[:k]
    return sum(sum(top[:i]) / rank(i) for i, hit in enumerate(top, 1) if hit)


def ap(query: Query, k: int) -> float:
    return safe(precisions(query, k), min(len(query.gold), k))


def graded(query: Query, k: int, gain: Callable[[int], float] = float) -> float:
    """nDCG of grades."""
    known = query.grades or {}
    gains = [gain(known.get(uid, 0)) for uid in query.ranking[:k]]
    best = sorted((gain(one) for one in known.values()), reverse=True)[:k]
    return safe(discounted(gains), discounted(best))


def batches(values: Sequence[float], size: int) -> list[Sequence[float]]:
    return [values[i : i + size] for i in range(0, len(values), size)]


def auroc(pairs: Pairs, tie: float = 0.5) -> float:
    positive = np.array([score for label, score in pairs if label])
    negative = np.sort(np.array([score for label, score in pairs if not label]))
    below = np.searchsorted(negative, positive, side="left")
    upto = np.searchsorted(negative, positive, side="right")
    return float((below + tie * (upto - below)).sum() / len(positive) / len(negative))


def average_precision(pairs: Pairs) -> float:
    """Area under precision and recall, in steps, ties together."""
    total = sum(label for label, _ in pairs)
    area, tp, seen, before = 0.0, 0, 0, 0
    ordered = sorted(pairs, key=lambda pair: -pair[1])
    for i, (label, prob) in enumerate(ordered):
        tp, seen = tp + label, seen + 1
        if i + 1 == len(ordered) or ordered[i + 1][1] != prob:
            area += (tp - before) / total * tp / seen
            before = tp
    return area


def counts(queries: Iterable[Query], decide: Callable[[Query], bool]) -> tuple[int, int, int, int]:
    """TP, FP, TN, FN."""
    found = {(a, b): 0 for a in (0, 1) for b in (False, True)}
    for query in queries:
        found[query.label, bool(decide(query))] += 1
    return found[1, True], found[0, True], found[0, False], found[1, False]


def f1(tp: float, fp: float, fn: float) -> float:
    return safe(2 * tp, 2 * tp + fp + fn)


def gaps(pairs: Pairs, bin_of: Callable[[float], int]) -> list[tuple[int, float]]:
    """Size, and mean label − mean probability, of every bin that is not empty."""
    bins: dict[int, list[tuple[int, float]]] = {}
    for label, prob in pairs:
        bins.setdefault(bin_of(prob), []).append((label, prob))
    return [
        (
            len(some),
            sum(label for label, _ in some) / len(some) - sum(p for _, p in some) / len(some),
        )
        for _, some in sorted(bins.items())
    ]


def expected(found: list[tuple[int, float]]) -> float:
    return sum(n * abs(gap) for n, gap in found) / sum(n for n, _ in found)


def tenth(prob: float, count: int = 10) -> int:
    """Bin of a probability; halves of a digit that floats leave are mended."""
    return min(int(round(prob * count, 9)), count - 1)


def resorted(query: Query, *, descending: bool) -> Query:
    """Equal scores ordered by id."""
    pairs = sorted(zip(query.ranking, query.scores, strict=True), reverse=descending)
    pairs.sort(key=lambda pair: -pair[1])
    return query.but(ranking=[uid for uid, _ in pairs])
