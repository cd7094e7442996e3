"""The fast ways give what the plain definitions give, on many small random cases."""

from __future__ import annotations

import itertools
import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest

import primary
from primary import classification, gamma, ranking
from primary.decimals import bin_of, shortest
from primary.lists import Lists, order_within, repeated, with_equals

SEEDS = range(40)


def decimal(number: float) -> Fraction:
    return Fraction(Decimal(repr(number)))


@pytest.mark.parametrize("seed", SEEDS)
def test_tie_bounds_are_the_extremes_over_all_orders_of_equals(seed: int) -> None:
    generator = np.random.default_rng(seed)
    size = int(generator.integers(1, 6))
    candidates = [f"s{number}" for number in range(size)]
    scores = generator.integers(0, 3, size).astype(float)
    gold = [one for one in candidates if generator.random() < 0.5] or ["s0"]
    rows = {"query_id": ["q"], "gold": [gold]}
    settings = {"k": [1, 2, 3]}
    bounds = primary.evaluate(
        pl.DataFrame({**rows, "candidates": [candidates], "scores": [scores.tolist()]}), settings
    )
    ledgers = [
        primary.evaluate(
            pl.DataFrame({**rows, "candidates": [[candidates[place] for place in order]]}), settings
        )
        for order in itertools.permutations(range(size))
        if all(scores[a] >= scores[b] for a, b in itertools.pairwise(order))
    ]
    for key in ledgers[0]:
        if key.endswith("|positives_only|all|mean"):
            metric = key.partition("|")[0]
            values = [ledger[key] for ledger in ledgers]
            low, high = (
                bounds[f"{metric}/{end}|positives_only|all|mean"] for end in ("tie_low", "tie_high")
            )
            assert (low, high) == (
                pytest.approx(min(values), abs=1e-12),
                pytest.approx(max(values), abs=1e-12),
            ), metric


def test_hits_are_ranked_alike_by_counting_and_by_sorting(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(1)
    lengths = generator.integers(0, 70, 200)
    rows = pl.DataFrame(
        {
            "query_id": [f"q{number}" for number in range(200)],
            "candidates": [[f"s{i}" for i in range(length)] for length in lengths],
            "scores": [
                generator.integers(0, 9, length).astype(float).tolist() for length in lengths
            ],
            "gold": [[f"s{i}" for i in range(0, 70, 7)] for _ in lengths],
        }
    )
    counted = primary.evaluate(rows)
    monkeypatch.setattr(ranking, "SORT_ABOVE", 0)
    assert primary.evaluate(rows) == counted
    monkeypatch.setattr(ranking, "SORT_ABOVE", 10**9)
    monkeypatch.setattr(ranking, "CELLS", 50)
    assert primary.evaluate(rows) == counted


@pytest.mark.parametrize("bins", [1, 2, 3, 7, 10, 15, 20, 49, 100])
def test_bins_are_decided_on_decimals(bins: int) -> None:
    edges = [j / bins for j in range(bins + 1)]
    near = [math.nextafter(edge, side) for edge in edges for side in (0.0, 1.0)]
    probs = np.array(sorted({*edges, *near, 0.3, 0.6, 0.7, 1.0}))
    expected = [min(int(decimal(float(prob)) * bins), bins - 1) for prob in probs]
    assert bin_of(probs, bins).tolist() == expected


def needed_by_definition(probs: list[float], share: Fraction) -> int:
    exact = [decimal(prob) for prob in probs]
    for count in range(1, len(exact) + 1):
        if sum(exact) and sum(exact[:count]) >= share * sum(exact):
            return count
    return 0


@pytest.mark.parametrize("digits", [1, 2, 12, 17])
def test_shares_are_decided_on_decimals(digits: int) -> None:
    generator = np.random.default_rng(digits)
    shares = (Fraction(7, 10), Fraction(9, 10), Fraction(19, 20), Fraction(1))
    lengths = generator.integers(0, 12, 120)
    lists = [np.sort(np.round(generator.random(length), digits))[::-1] for length in lengths]
    lists += [np.full(10, 0.1), np.zeros(4), np.array([0.7, 0.2, 0.1]), np.full(3, 1e-17)]
    offsets = np.concatenate([[0], np.cumsum([len(one) for one in lists])])
    found = gamma._reached(np.concatenate(lists), offsets, shares)  # noqa: SLF001 - the decision itself
    for share, needed in zip(shares, found, strict=True):
        assert needed.tolist() == [needed_by_definition(one.tolist(), share) for one in lists]


def curve_by_definition(label: list[int], score: list[float], percent: int) -> dict[str, float]:
    pos = [s for s, y in zip(score, label, strict=True) if y]
    neg = [s for s, y in zip(score, label, strict=True) if not y]
    won = sum(p > n for p in pos for n in neg)
    tied = sum(p == n for p in pos for n in neg)
    points = [(math.inf, 0, 0)] + [
        (t, sum(p >= t for p in pos), sum(n >= t for n in neg))
        for t in sorted({*score}, reverse=True)
    ]
    within = [point for point in points if 100 * point[2] <= percent * len(neg)]
    best = max(point[1] for point in within)
    chosen = next(point for point in within if point[1] == best)
    precision = [1.0] + [tp / (tp + fp) for _, tp, fp in points[1:]]
    steps = list(zip(itertools.pairwise(points), itertools.pairwise(precision), strict=True))
    return {
        "auroc": (won + tied / 2) / (len(pos) * len(neg)),
        "auroc/strict": won / (len(pos) * len(neg)),
        "auprc": sum((b[1] - a[1]) / len(pos) * q for (a, b), (_, q) in steps),
        "auprc/trapezoid": sum((b[1] - a[1]) / len(pos) * (p + q) / 2 for (a, b), (p, q) in steps),
        "tpr": best / len(pos),
        "threshold": chosen[0],
        "fpr": chosen[2] / len(neg),
        "threshold/last_index": within[-1][0],
        "fpr/last_index": within[-1][2] / len(neg),
    }


@pytest.mark.parametrize("seed", SEEDS)
def test_curves_are_those_of_the_definition(seed: int) -> None:
    generator = np.random.default_rng(seed)
    size = int(generator.integers(2, 40))
    label = [0, 1, *generator.integers(0, 2, size - 2).tolist()]
    score = np.round(generator.random(size), 1).tolist()
    positive, negative = (
        np.sort([s for s, y in zip(score, label, strict=True) if y == wanted]) for wanted in (1, 0)
    )
    for percent in (1, 5, 10, 40, 100):
        expected = curve_by_definition(label, score, percent)
        found: dict[str, Any] = classification.areas(positive, negative)
        points = classification.operating_points(positive, negative, [Fraction(percent)])
        found |= {name.replace(f"@fpr={percent}%", ""): value for name, value in points.items()}
        assert found == pytest.approx(expected, abs=1e-12)


def test_mcc_of_huge_counts_does_not_overflow() -> None:
    rates = classification.confusion_rates(10**9, 10**9, 10**9, 10**9)
    assert rates["mcc"] == 0.0
    assert classification.confusion_rates(10**10, 0, 10**10, 0)["mcc"] == 1.0


def test_sorting_within_lists_is_stable_and_by_several_keys() -> None:
    generator = np.random.default_rng(2)
    lengths = generator.integers(0, 40, 50)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    first, second = (generator.integers(0, 4, offsets[-1]).astype(float) for _ in range(2))
    expected = [
        place
        for begin, end in itertools.pairwise(offsets.tolist())
        for place in sorted(range(begin, end), key=lambda one: (-first[one], -second[one]))
    ]
    assert order_within(offsets, first, second).tolist() == expected


def test_repeated_ids_are_named_with_their_list() -> None:
    lists = Lists.of(pl.Series([["a", "b"], [], ["c", "a", "c", "b", "b"], ["d"]]))
    assert sorted(repeated(lists)) == [(2, "b"), (2, "c")]
    assert with_equals(np.array([0.0, -0.0, 1.0]), np.array([0, 2, 3])).tolist() == [True, False]


def test_numbers_in_keys_are_shortest_decimals() -> None:
    texts = [shortest(decimal(number)) for number in (5.0, 0.95, 1e-05, 0.1, 12.5)]
    assert texts == ["5", "0.95", "0.00001", "0.1", "12.5"]
