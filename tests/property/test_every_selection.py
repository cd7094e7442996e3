"""Dynamic K, deployment and the γ sweep on all tiny data sets: section 6, by enumeration.

Each tiny data set is a fold of one file, so that one call answers for hundreds of them.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import chain, combinations, combinations_with_replacement, product
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Uids = tuple[str, ...]
Query = tuple[Uids, Uids, int]
"""(gold, selected, pred)."""

K_MIN, HARD_CAP, RATIO = 2, 10, Fraction(1, 2)


def subsets(uids: str) -> Iterator[Uids]:
    return chain.from_iterable(combinations(uids, size) for size in range(len(uids) + 1))


def over(part: Fraction | int, whole: Fraction | int) -> Fraction:
    return Fraction(part) / whole if whole else Fraction(0)


def mean(values: list[Any]) -> Fraction:
    return over(sum(values, Fraction(0)), len(values))


def percentile(values: list[Any], share: Fraction) -> Fraction:
    """Linear interpolation between the order statistics; 0 over nothing."""
    if not values:
        return Fraction(0)
    ordered = sorted(map(Fraction, values))
    place = share * (len(ordered) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])


def statistics(values: list[Any]) -> dict[str, Any]:
    """Std has n−1 in the denominator; of one value or none it is 0."""
    middle = mean(values)
    spread = sum(((value - middle) ** 2 for value in values), Fraction(0))
    return {
        "mean": middle,
        "std": math.sqrt(spread / (len(values) - 1)) if len(values) > 1 else 0.0,
        "median": percentile(values, Fraction(1, 2)),
        "p25": percentile(values, Fraction(1, 4)),
        "p75": percentile(values, Fraction(3, 4)),
    }


def of_k(values: list[int]) -> dict[str, Any]:
    return statistics(values) | {
        "p90": percentile(values, Fraction(9, 10)),
        "min": min(values, default=0),
        "max": max(values, default=0),
    }


def deployed(queries: list[Query]) -> dict[str, Any]:
    """Confusion of has_evidence against “returned is non-empty”."""
    cells = [(bool(gold), bool(pred and selected)) for gold, selected, pred in queries]
    tp, fp = cells.count((True, True)), cells.count((False, True))
    fn, tn = cells.count((True, False)), cells.count((False, False))
    precision, recall = over(tp, tp + fp), over(tp, tp + fn)
    return {
        "deployment_tp": tp,
        "deployment_fp": fp,
        "deployment_fn": fn,
        "deployment_tn": tn,
        "deployment_fpr": over(fp, fp + tn),
        "deployment_fnr": over(fn, fn + tp),
        "deployment_precision": precision,
        "deployment_recall": recall,
        "deployment_f1": over(2 * precision * recall, precision + recall),
    }


def naive(queries: list[Query], part: str) -> dict[str, Any]:
    """Every metric of section 6 that selections, gold and decisions give."""
    positives = [one for one in queries if one[0]]
    passed = [one for one in queries if one[2]]
    both = [one for one in positives if one[2]]
    hits = [len(set(gold) & set(selected)) for gold, selected, _ in queries]
    found: dict[str, Any] = {}

    def put(metric: str, population: str, **values: Any) -> None:
        for statistic, value in values.items():
            found[f"{metric}|{population}|{part}|{statistic}"] = value

    put("k", "all_queries", **of_k([len(selected) for _, selected, _ in queries]))
    put("k", "positives_only", **of_k([len(selected) for _, selected, _ in positives]))
    put("avg_k", "all_queries", mean=mean([len(s) if pred else 0 for _, s, pred in queries]))
    put("avg_k", "predicted_positive", mean=mean([len(s) for _, s, _ in passed]))
    recalls = [over(len(set(g) & set(s)), len(g)) for g, s, _ in positives]
    precisions = [over(len(set(g) & set(s)), len(s)) for g, s, _ in positives]
    put("evidence_recall", "positives_only", **statistics(recalls))
    put("evidence_precision", "positives_only", **statistics(precisions))
    recall_all = [
        over(hit, len(g)) if g else Fraction(not s)
        for hit, (g, s, _) in zip(hits, queries, strict=True)
    ]
    precision_all = [
        over(hit, len(s)) if s else Fraction(not g)
        for hit, (g, s, _) in zip(hits, queries, strict=True)
    ]
    put("evidence_recall/all_queries", "all_queries", mean=mean(recall_all))
    put("evidence_precision/all_queries", "all_queries", mean=mean(precision_all))
    returned = sum(len(set(g) & set(s)) for g, s, pred in positives if pred)
    put("evidence_recall/pooled", "positives_only", value=over(returned, gold_of(positives)))
    put(
        "evidence_recall/pooled_conditional",
        "positives_only",
        value=over(returned, gold_of(both)),
    )
    for metric, value in deployed(queries).items():
        put(metric, "all_queries", value=value)
    return found


def gold_of(queries: list[Query]) -> int:
    return sum(len(gold) for gold, _, _ in queries)


@pytest.mark.parametrize("package", ["primary", "reference"])
def test_every_pair_of_queries(
    package: str, evaluate: Callable[..., Any], wrong: Callable[..., Any]
) -> None:
    kinds = list(product(subsets("ab"), subsets("ab"), (0, 1)))
    asked = [*[[one] for one in kinds], *map(list, combinations_with_replacement(kinds, 2))]
    rows = [
        {"query_id": f"{n}-{place}", "fold": n, "gold": gold, "selected": selected, "pred": pred}
        for n, queries in enumerate(asked)
        for place, (gold, selected, pred) in enumerate(queries)
    ]
    expected: dict[str, Any] = {}
    for n, queries in enumerate(asked):
        expected |= naive(queries, f"fold={n}")
    assert wrong(expected, evaluate(package, rows, {})) == {}
    assert len(asked) == 32 + 528


def bounds(n: int, k: int, pred: int) -> dict[str, int]:
    """Where k_max < k_min only k ≤ k_max is required, and the query counts as unreachable."""
    most = min(HARD_CAP, math.floor(n * RATIO))
    unreachable = most < K_MIN
    return {
        "k_below_min": int(bool(pred) and k < K_MIN and not unreachable),
        "k_above_max": int(bool(pred) and k > most),
        "k_min_unreachable": int(bool(pred) and unreachable),
    }


@pytest.mark.parametrize("package", ["primary", "reference"])
def test_every_size_of_a_selection_keeps_or_breaks_the_bounds(
    package: str, evaluate: Callable[..., Any], wrong: Callable[..., Any]
) -> None:
    # Of an unreachable query the contract says that it is never below, of nothing selected that
    # it counts as below: where both meet, the vectors decide.
    asked = [
        (n, k, pred)
        for n in (*range(7), 19, 20, 21, 24)
        for k in range(n + 1)
        for pred in (0, 1)
        if not (k == 0 and pred and math.floor(n * RATIO) < K_MIN)
    ]
    rows = [
        {
            "query_id": str(number),
            "fold": number,
            "candidates": [f"s{i}" for i in range(n)],
            "gold": [],
            "selected": [f"s{i}" for i in range(k)],
            "pred": pred,
        }
        for number, (n, k, pred) in enumerate(asked)
    ]
    expected = {
        f"{metric}|all_queries|fold={number}|value": value
        for number, one in enumerate(asked)
        for metric, value in bounds(*one).items()
    }
    assert wrong(expected, evaluate(package, rows, {"k": [1]})) == {}


GAMMAS = ("0.3", "0.5", "0.7", "1")
NODE_GRID = ("0", "0.3", "0.5", "0.7", "1")


def swept(probs: list[Fraction], gamma: Fraction, ratio: Fraction) -> int:
    """Fewest candidates whose share of the mass reaches γ (zero mass: 0), then clamped."""
    ordered = sorted(probs, reverse=True)
    mass = sum(probs, Fraction(0))
    fewest = 0
    if mass:
        fewest = next(
            k for k in range(len(probs) + 1) if sum(ordered[:k], Fraction(0)) >= gamma * mass
        )
    most = min(HARD_CAP, math.floor(len(probs) * ratio))
    return max(min(K_MIN, most), min(fewest, most))


@pytest.mark.parametrize("package", ["primary", "reference"])
def test_every_grid_of_node_probabilities(
    package: str, evaluate: Callable[..., Any], wrong: Callable[..., Any]
) -> None:
    asked = [grid for size in range(5) for grid in product(NODE_GRID, repeat=size)]
    rows = []
    expected: dict[str, Any] = {}
    for number, grid in enumerate(asked):
        uids = [f"s{place}" for place in range(len(grid))]
        rows.append(
            {
                "query_id": str(number),
                "fold": number,
                "candidates": uids,
                "gold": ["s0"],
                "selected": [],
                "pred": 0,
                "node_probs": [float(prob) for prob in grid],
            }
        )
        # Ties keep the order of the ranking: s0 comes after every larger probability only.
        first = sum(Fraction(prob) > Fraction(grid[0]) for prob in grid) if grid else 0
        for gamma in GAMMAS:
            k = swept([Fraction(prob) for prob in grid], Fraction(gamma), Fraction(1))
            expected[f"k@gamma={gamma}|all_queries|fold={number}|mean"] = k
            expected[f"sentences@gamma={gamma}|all_queries|fold={number}|value"] = k
            found = int(bool(grid) and first < k)
            expected[f"evidence_recall@gamma={gamma}|positives_only|fold={number}|mean"] = found
    settings = {"k": [1], "gamma": list(GAMMAS), "k_max_ratio": 1}
    assert wrong(expected, evaluate(package, rows, settings)) == {}
