"""Ranking metrics of a signature (sections 3 and 15), each a whole number at a scale."""

from __future__ import annotations

from bisect import bisect_right
from functools import cache
from typing import TYPE_CHECKING

from crosscheck.engine.exact import BITS, FINE, discount, fraction

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from fractions import Fraction

    Ranks = tuple[int, ...]
    Metric = Callable[[int, int, Ranks], int]
    """|G|, |R|, the ranks of the gold → the value."""

UNIT = 1 << BITS


def _share(above: int, below: int) -> int:
    return (above << BITS) // below if below else 0


def _inside(ranks: Ranks, cut: int | None) -> int:
    return len(ranks) if cut is None else bisect_right(ranks, cut)


@cache
def _precision(hits: int, rank: int) -> int:
    return (hits << BITS) // rank


def _precisions(ranks: Ranks, cut: int | None) -> int:
    """Add up the precision at every gold within the cut-off."""
    return sum(_precision(at, ranks[at - 1]) for at in range(1, _inside(ranks, cut) + 1))


@cache
def ideal(count: int) -> int:
    """Give the DCG of so many gold in the first places."""
    return sum(discount(rank) for rank in range(1, count + 1))


def _dcg(ranks: Ranks, cut: int | None) -> int:
    return sum(discount(rank) for rank in ranks[: _inside(ranks, cut)])


def _least(*counts: int | None) -> int:
    return min(count for count in counts if count is not None)


def at_cut(cut: int | None) -> dict[str, Metric]:
    """Give the metrics at one cut-off; None: `all`. Names have `@K` for the cut-off."""

    def inside(ranks: Ranks) -> int:
        return _inside(ranks, cut)

    return {
        "recall@K": lambda g, _, r: _share(inside(r), g),
        "recall@K/retrieved": lambda _, __, r: _share(inside(r), len(r)),
        "precision@K": lambda _, n, r: _share(inside(r), n if cut is None else cut),
        "precision@K/k_eff": lambda _, n, r: _share(inside(r), _least(cut, n)),
        "hit@K": lambda _, __, r: UNIT if inside(r) else 0,
        "mrr@K": lambda _, __, r: _share(1, r[0]) if inside(r) else 0,
        "map@K": lambda g, _, r: _precisions(r, cut) // _least(g, cut),
        "map@K/by_gold": lambda g, _, r: _precisions(r, cut) // g,
        "map@K/by_hits": lambda _, __, r: _precisions(r, cut) // max(1, inside(r)),
        "map@K/k_eff": lambda g, n, r: _precisions(r, cut) // _least(g, cut, n),
        "ndcg@K": lambda g, _, r: _share(_dcg(r, cut), ideal(_least(g, cut))),
        "ndcg@K/k_eff": lambda g, n, r: _share(_dcg(r, cut), ideal(_least(g, cut, n))),
        "f1@K": lambda g, n, r: _share(2 * inside(r), g + (n if cut is None else cut)),
    }


def without_cut(levels: Sequence[str]) -> dict[str, Metric]:
    """Give the metrics of the whole ranking."""
    found: dict[str, Metric] = {"rprecision": lambda g, _, r: _share(_inside(r, g), g)}
    for level in levels:
        found[f"iprec@recall={level}"] = _interpolated(fraction(level))
    return found


def _interpolated(level: Fraction) -> Metric:
    def value(gold: int, _: int, ranks: Ranks) -> int:
        least = -(-level.numerator * gold // level.denominator)
        reached = range(max(1, least), len(ranks) + 1)
        return max((_precision(at, ranks[at - 1]) for at in reached), default=0)

    return value


def patience(share: Fraction) -> Metric:
    """Give rank-biased precision, at the fine scale."""

    @cache
    def weight(rank: int) -> int:
        above, below = share.numerator ** (rank - 1), share.denominator ** (rank - 1)
        return int((below_one * above << FINE) // (share.denominator * below))

    below_one = share.denominator - share.numerator

    def value(_: int, __: int, ranks: Ranks) -> int:
        return sum(map(weight, ranks))

    return value


def metrics(values: Mapping[str, Sequence[str]]) -> dict[str, tuple[Metric, int]]:
    """Give every metric id with its function and the bits of its scale."""
    found: dict[str, tuple[Metric, int]] = {}
    for cut in values["K"]:
        number = None if cut == "all" else int(cut)
        for name, function in at_cut(number).items():
            found[name.replace("@K", f"@{cut}")] = function, BITS
    for name, function in without_cut(values["r"]).items():
        found[name] = function, BITS
    for share in values["ρ"]:
        found[f"rbp@p={share}"] = patience(fraction(share)), FINE
    return found
