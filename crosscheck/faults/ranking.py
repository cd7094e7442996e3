"""Ranking metrics gone wrong, one query at a time.

Each formula gets the ranks of the gold sentences, the length of the ranking, |G|, and K (None for
`all`), and gives what the faulty code would give.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from crosscheck.faults.bench import Bench, Formula, Hits
    from crosscheck.witnesses import Ledger
    from crosscheck.witnesses.rows import Floats


def within(hits: Hits, k: int | None) -> Hits:
    """Ranks of the gold among the first K."""
    return hits if k is None else tuple(rank for rank in hits if rank <= k)


def ratio(part: float, whole: float) -> float:
    """Divide; a zero denominator gives 0."""
    return part / whole if whole else 0.0


def precisions(hits: Hits) -> float:
    """Sum the precisions at the ranks of gold."""
    return sum(count / rank for count, rank in enumerate(hits, start=1))


def most(g: int, k: int | None) -> int:
    """min(|G|, K)."""
    return g if k is None else min(g, k)


def gain(hits: Hits, base: float = 2.0, shift: int = 1) -> float:
    """Discounted gain of hits at these ranks."""
    return sum(1 / math.log(rank + shift, base) for rank in hits)


def ideal(size: int, base: float = 2.0, shift: int = 1) -> float:
    """Discounted gain of that many hits at the top."""
    return gain(tuple(range(1, size + 1)), base, shift)


def _undiscounted_start(hits: Hits) -> float:
    return sum(1 / max(1.0, math.log2(rank)) for rank in hits)


def _shifted_cut(k: int | None, by: int) -> int | None:
    return None if k is None else k + by


def _doubled(hits: Hits) -> Hits:
    """Let the first gold sentence stand twice, and push the rest down."""
    return hits and (hits[0], hits[0] + 1, *(rank + 1 for rank in hits[1:]))


def _gain_of_all(hits: Hits, n: int, k: int | None) -> float:
    """2^rel without the −1: every sentence gains 1, gold gains 2."""
    shown = n if k is None else min(n, k)
    return ideal(shown) + gain(within(hits, k))


FORMULAS: dict[str, tuple[str, Formula]] = {
    # average precision
    "map-by-gold": ("map", lambda h, _n, g, k: ratio(precisions(within(h, k)), g)),
    "map-by-hits": (
        "map",
        lambda h, _n, _g, k: ratio(precisions(within(h, k)), len(within(h, k))),
    ),
    "map-by-k": ("map", lambda h, n, _g, k: ratio(precisions(within(h, k)), n if k is None else k)),
    "map-not-cut": ("map", lambda h, _n, g, k: ratio(precisions(h), most(g, k))),
    "map-precision-off-by-one": (
        "map",
        lambda h, _n, g, k: ratio(
            sum(c / (r + 1) for c, r in enumerate(within(h, k), start=1)), most(g, k)
        ),
    ),
    # recall, precision, hit
    "recall-is-hit": ("recall", lambda h, _n, _g, k: float(bool(within(h, k)))),
    "recall-capped-at-k": ("recall", lambda h, _n, g, k: ratio(len(within(h, k)), most(g, k))),
    "recall-over-k": (
        "recall",
        lambda h, n, _g, k: ratio(len(within(h, k)), n if k is None else k),
    ),
    "recall-of-retrieved": ("recall", lambda h, _n, _g, k: ratio(len(within(h, k)), len(h))),
    "recall-free-without-gold": (
        "recall",
        lambda h, _n, g, k: ratio(len(within(h, k)), g) if g else 1.0,
    ),
    "recall-not-cut": ("recall", lambda h, _n, g, _k: ratio(len(h), g)),
    "precision-over-shown": (
        "precision",
        lambda h, n, _g, k: ratio(len(within(h, k)), n if k is None else min(k, n)),
    ),
    "precision-over-gold": ("precision", lambda h, _n, g, k: ratio(len(within(h, k)), most(g, k))),
    "hit-counts-hits": ("hit", lambda h, _n, _g, k: float(len(within(h, k)))),
    # reciprocal rank
    "mrr-rank-off-by-one": (
        "mrr",
        lambda h, _n, _g, k: 1 / (within(h, k)[0] + 1) if within(h, k) else 0.0,
    ),
    "mrr-not-cut": ("mrr", lambda h, _n, _g, _k: 1 / h[0] if h else 0.0),
    "mrr-of-last-hit": ("mrr", lambda h, _n, _g, k: 1 / within(h, k)[-1] if within(h, k) else 0.0),
    # nDCG
    "ndcg-two-log-bases": (
        "ndcg",
        lambda h, _n, g, k: ratio(gain(within(h, k), base=math.e), ideal(most(g, k))),
    ),
    "ndcg-ideal-of-retrieved": (
        "ndcg",
        lambda h, _n, _g, k: ratio(gain(within(h, k)), ideal(most(len(h), k))),
    ),
    "ndcg-ideal-of-shown": (
        "ndcg",
        lambda h, n, _g, k: ratio(gain(within(h, k)), ideal(n if k is None else min(n, k))),
    ),
    "ndcg-two-gains": (
        "ndcg",
        lambda h, _n, g, k: ratio(gain(within(h, k)), 3 * ideal(most(g, k))),
    ),
    "ndcg-ideal-not-cut": ("ndcg", lambda h, _n, g, k: ratio(gain(within(h, k)), ideal(g))),
    "ndcg-discount-off-by-one": (
        "ndcg",
        lambda h, _n, g, k: ratio(gain(within(h, k), shift=2), ideal(most(g, k), shift=2)),
    ),
    "ndcg-undiscounted-start": (
        "ndcg",
        lambda h, _n, g, k: ratio(
            _undiscounted_start(within(h, k)),
            _undiscounted_start(tuple(range(1, most(g, k) + 1))),
        ),
    ),
    "ndcg-gain-two-to-the-rel": (
        "ndcg",
        lambda h, n, g, k: ratio(
            _gain_of_all(h, n, k), ideal(n if k is None else min(n, k)) + ideal(most(g, k))
        ),
    ),
    # a uid that stands twice
    "uid-counted-twice": (
        "map",
        lambda h, _n, g, k: ratio(precisions(within(_doubled(h), k)), most(g, k)),
    ),
    # the cut-off itself
    "cut-one-too-late": (
        "recall",
        lambda h, _n, g, k: ratio(len(within(h, _shifted_cut(k, 1))), g),
    ),
    "cut-one-too-early": (
        "hit",
        lambda h, _n, _g, k: float(bool(within(h, _shifted_cut(k, -1)))),
    ),
}


def tie_bound_is_average(bench: Bench) -> Ledger:
    """Give the middle of the two bounds for both of them."""

    def middle(low: str) -> float:
        return (bench.ledger[low] + bench.ledger[low.replace("/tie_low", "/tie_high")]) / 2

    bounds = [key for key in bench.ledger if "/tie_low|" in key]
    patch = {key: middle(key) for key in bounds}
    patch |= {key.replace("/tie_low", "/tie_high"): value for key, value in patch.items()}
    return bench.overlaid(patch)


def ndcg_averages_ties(bench: Bench) -> Ledger:
    """Give every place of a tie the mean gain of the tie, as scikit-learn's ndcg_score does."""

    def values(metric: str) -> Floats | None:
        name, _, cut = metric.partition("@")
        if name != "ndcg" or "/" in cut:
            return None
        k = None if cut == "all" else int(cut)
        scores = bench.rows.frame["scores"].to_list()
        return np.array(
            [
                _averaged(hits, list(marks or ()), g, k)
                for (hits, _, g), marks in zip(bench.queries, scores, strict=True)
            ]
        )

    return bench.per_query(values)


def _averaged(hits: Hits, scores: list[float], g: int, k: int | None) -> float:
    if not hits:
        return 0.0
    total = 0.0
    for score in dict.fromkeys(scores):
        places = [rank for rank, other in enumerate(scores, start=1) if other == score]
        share = sum(rank in hits for rank in places) / len(places)
        total += share * gain(within(tuple(places), k))
    return ratio(total, ideal(most(g, k)))


def _broken(name: str, formula: Formula, bench: Bench) -> Ledger:
    return bench.ranked(name, formula)


INJECT: dict[str, Callable[[Bench], Ledger]] = {
    fault: partial(_broken, name, formula) for fault, (name, formula) in FORMULAS.items()
} | {"tie-bound-is-average": tie_bound_is_average, "ndcg-averages-ties": ndcg_averages_ties}
