"""All rankings of up to five candidates, with every gold set: section 3, by enumeration.

The naive check follows the sentences of the contract, one query at a time, and knows neither
implementation.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import chain, combinations, permutations, product
from math import log2
from typing import TYPE_CHECKING, Any

import pytest

from crosscheck.faults.guard import is_enumerated, kind_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Uids = tuple[str, ...]
CUTS = (1, 3, 10)
MOST = 5
NEVER_FOUND = "z"


def subsets(uids: Uids) -> Iterator[Uids]:
    return chain.from_iterable(combinations(uids, size) for size in range(len(uids) + 1))


def share(part: float, whole: float) -> Any:
    """Any zero denominator: 0."""
    if isinstance(part, int) and isinstance(whole, int):
        return Fraction(part, whole) if whole else Fraction(0)
    return part / whole if whole else 0.0


def naive(ranking: Uids, gold: Uids, cut: int | None) -> dict[str, Any]:
    """Every metric of section 3 for one query at one K; None is `all`."""
    top = ranking if cut is None else ranking[:cut]
    hits = [rank for rank, uid in enumerate(top, start=1) if uid in gold]
    found = len(hits)
    k = len(ranking) if cut is None else cut
    most = len(gold) if cut is None else min(len(gold), cut)
    precisions = sum(
        (Fraction(sum(1 for other in hits if other <= rank), rank) for rank in hits), Fraction(0)
    )
    gain = sum(1 / log2(rank + 1) for rank in hits)

    def ideal(size: int) -> float:
        return sum(1 / log2(rank + 1) for rank in range(1, size + 1))

    further = {} if cut else without_cut(hits, gold)
    return further | {
        "f1": share(2 * found, k + len(gold)),
        "recall": share(found, len(gold)),
        "recall/retrieved": share(found, sum(uid in gold for uid in ranking)),
        "precision": share(found, k),
        "precision/k_eff": share(found, min(k, len(ranking))),
        "hit": int(found > 0),
        "mrr": Fraction(1, hits[0]) if hits else 0,
        "map": share(precisions, most),
        "map/by_gold": share(precisions, len(gold)),
        "map/by_hits": share(precisions, found),
        "map/k_eff": share(precisions, min(most, len(ranking))),
        "ndcg": share(gain, ideal(most)),
        "ndcg/k_eff": share(gain, ideal(min(most, len(ranking)))),
    }


def without_cut(hits: list[int], gold: Uids) -> dict[str, Any]:
    """The metrics of section 15 that have no K, from the ranks of the gold uids."""
    tenths = [Fraction(tenth, 10) for tenth in range(11)]
    shares = [Fraction(text) for text in ("0.5", "0.8", "0.95")]
    reached = [Fraction(count, rank) for count, rank in enumerate(hits, start=1)]
    return {
        "rprecision": share(sum(rank <= len(gold) for rank in hits), len(gold)),
        **{f"rbp@p={float(p):g}": (1 - p) * sum(p ** (rank - 1) for rank in hits) for p in shares},
        **{
            f"iprec@recall={float(level):g}": max(
                (one for n, one in enumerate(reached, start=1) if n >= level * len(gold)),
                default=Fraction(0),
            )
            for level in tenths
        },
    }


def column(metric: str, cut: int | None) -> str:
    if "=" in metric or metric == "rprecision":
        return metric
    base, _, variant = metric.partition("/")
    return f"{base}@{cut or 'all'}{f'/{variant}' if variant else ''}"


def queries() -> list[tuple[Uids, Uids]]:
    """Every ranking with every gold set, with and without a gold uid that it lacks."""
    return [
        (ranking, (*gold, *missing))
        for size in range(MOST + 1)
        for ranking in permutations("abcde"[:size])
        for gold in subsets(tuple("abcde"[:size]))
        for missing in ((), (NEVER_FOUND,))
    ]


@pytest.mark.parametrize("package", ["primary", "reference"])
def test_every_metric_of_every_ranking(package: str, per_query: Callable[..., Any]) -> None:
    asked = queries()
    rows = [
        {"query_id": str(n), "candidates": ranking, "gold": gold}
        for n, (ranking, gold) in enumerate(asked)
    ]
    found = per_query(package, rows, {"k": list(CUTS)})
    wrong = []
    for place, (ranking, gold) in enumerate(asked):
        for cut in (*CUTS, None):
            for metric, value in naive(ranking, gold, cut).items():
                got = found[column(metric, cut)][place]
                if abs(got - value) > 1e-12:
                    wrong.append((ranking, gold, column(metric, cut), got, value))
    assert wrong == []
    assert len(asked) == 2 * (1 + 2 + 2 * 4 + 6 * 8 + 24 * 16 + 120 * 32)


def orders(groups: tuple[int, ...]) -> list[Uids]:
    """Every order of four candidates whose scores tie in groups of these sizes."""
    uids = iter("abcd")
    tied = [[next(uids) for _ in range(size)] for size in groups]
    return [tuple(chain(*parts)) for parts in product(*(permutations(part) for part in tied))]


COMPOSITIONS = ((1, 1, 1, 1), (2, 1, 1), (1, 2, 1), (1, 1, 2), (2, 2), (3, 1), (1, 3), (4,))


@pytest.mark.parametrize("package", ["primary", "reference"])
def test_tie_bounds_are_the_extremes_over_all_orders(
    package: str, evaluate: Callable[..., Any], wrong: Callable[..., Any]
) -> None:
    golds = list(subsets(("a", "b", "c", "d", NEVER_FOUND)))
    asked = [(groups, gold) for groups in COMPOSITIONS for gold in golds]
    sizes = {"all_queries": len(asked), "positives_only": sum(bool(gold) for _, gold in asked)}
    rows = []
    totals: dict[str, float] = {}
    for number, (groups, gold) in enumerate(asked):
        scores = [-float(place) for place, size in enumerate(groups) for _ in range(size)]
        rows.append(
            {"query_id": str(number), "candidates": list("abcd"), "scores": scores, "gold": gold}
        )
        for cut in (*CUTS, None):
            values = [naive(order, gold, cut) for order in orders(groups)]
            for metric in values[0]:
                name = column(metric, cut)
                for bound, pick in (("tie_low", min), ("tie_high", max)):
                    # A query without gold has 0 in every order, so it counts in one mean only.
                    extreme = pick(float(one[metric]) for one in values)
                    for population, size in sizes.items():
                        key = f"{name}/{bound}|{population}|all|mean"
                        totals[key] = totals.get(key, 0.0) + extreme / size
    found = evaluate(package, rows, {"k": list(CUTS)})
    assert wrong(totals, found) == {}
    assert {kind_of(key) for key in found if is_enumerated(kind_of(key))} == set(
        map(kind_of, totals)
    )
