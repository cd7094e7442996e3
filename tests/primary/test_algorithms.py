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
from primary.arithmetic import aggregate
from primary.arithmetic.decimals import bin_of, shortest
from primary.classification import binary
from primary.data import lists as lists_module
from primary.data.lists import (
    Lists,
    blocks,
    even,
    match,
    offsets_of,
    order_within,
    portions,
    repeated,
    with_equals,
)
from primary.data.rows import Data
from primary.data.study import Study
from primary.ranking import hits as hits_module
from primary.ranking import metrics, ties
from primary.ranking.hits import find_hits
from primary.selection import gamma

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


@pytest.mark.parametrize("shortest_list", [0, 69])
def test_hits_are_ranked_alike_by_counting_and_by_sorting(
    shortest_list: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    generator = np.random.default_rng(1)
    lengths = generator.integers(shortest_list, 70, 200)
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
    monkeypatch.setattr(hits_module, "SORT_ABOVE", 0)
    assert primary.evaluate(rows) == counted
    monkeypatch.setattr(hits_module, "SORT_ABOVE", 10**9)
    monkeypatch.setattr(lists_module, "CELLS", 50)
    assert primary.evaluate(rows) == counted


def test_no_number_depends_on_how_many_queries_are_taken_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = pl.DataFrame(
        {
            "query_id": [f"q{number}" for number in range(40)],
            "candidates": [[f"s{i}" for i in range(number % 13)] for number in range(40)],
            "gold": [[f"s{i}" for i in range(number % 3, 9, 4)] for number in range(40)],
        }
    )
    together = primary.evaluate(rows)
    monkeypatch.setattr(metrics, "QUERIES", 7)
    monkeypatch.setattr(aggregate, "CELLS", 100)
    assert primary.evaluate(rows) == together


def matched_by_definition(left: list[list[str]], right: list[list[str]]) -> list[tuple[int, int]]:
    ours = [(row, uid) for row, ids in enumerate(left) for uid in ids]
    theirs = [(row, uid) for row, ids in enumerate(right) for uid in ids]
    return [(place, theirs.index(one)) for place, one in enumerate(ours) if one in theirs]


@pytest.mark.parametrize("join_above", [-1, lists_module.JOIN_ABOVE])
@pytest.mark.parametrize("shortest_list", [0, 8])
@pytest.mark.parametrize("cells", [5, lists_module.CELLS])
def test_ids_match_within_their_own_query(
    cells: int, shortest_list: int, join_above: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lists_module, "CELLS", cells)
    monkeypatch.setattr(lists_module, "JOIN_ABOVE", join_above)
    generator = np.random.default_rng(3)
    # Every query draws from the same ids, so that most equal ids are of different queries.
    names = np.array([f"s{number}" for number in range(12)])
    many = [
        generator.permutation(names)[: generator.integers(shortest_list, 9)].tolist()
        for _ in range(30)
    ]
    few = [generator.permutation(names)[: generator.integers(0, 4)].tolist() for _ in many]
    for left, right in ((many, few), (few, many)):
        ours, theirs = match(Lists.of(pl.Series(left)), Lists.of(pl.Series(right)))
        expected = matched_by_definition(left, right)
        assert list(zip(ours.tolist(), theirs.tolist(), strict=True)) == expected


def test_nothing_matches_in_empty_lists() -> None:
    nothing = Lists.of(pl.Series([[], []], dtype=pl.List(pl.String)))
    assert [one.tolist() for one in match(nothing, nothing)] == [[], []]


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
        found: dict[str, Any] = binary.areas(positive, negative)
        points = binary.operating_points(positive, negative, [Fraction(percent)])
        found |= {name.replace(f"@fpr={percent}%", ""): value for name, value in points.items()}
        assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("positive", "negative", "expected"),
    [
        # From the top: precision 1 at .8, 2/3 at .6, 1/2 at .4, 3/5 at .2; before the top it is 1.
        ([0.2, 0.6, 0.8], [0.4, 0.6], [7 / 12, 1 / 2, 34 / 45, 143 / 180]),
        # A negative on top: precision is 0 there, then 1/2.
        ([0.5], [0.9], [0.0, 0.0, 1 / 2, 1 / 4]),
        ([0.5, 0.5], [], [0.5, 0.5, 1.0, 1.0]),
        ([], [0.5], [0.5, 0.5, 0.0, 0.0]),
    ],
)
def test_areas_by_hand(positive: list[float], negative: list[float], expected: list[float]) -> None:
    found = binary.areas(np.array(positive), np.array(negative))
    names = ["auroc", "auroc/strict", "auprc", "auprc/trapezoid"]
    assert found == dict(zip(names, map(pytest.approx, expected), strict=True))


def test_mcc_of_huge_counts_does_not_overflow() -> None:
    rates = binary.confusion_rates(10**9, 10**9, 10**9, 10**9)
    assert rates["mcc"] == 0.0
    assert binary.confusion_rates(10**10, 0, 10**10, 0)["mcc"] == 1.0


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


@pytest.mark.parametrize(
    ("lengths", "keys", "expected"),
    [
        ([0, 2, 0, 3, 0], [2, 1, 9, 9, 5], [0, 1, 2, 3, 4]),
        ([0, 2, 0, 3, 0], [1, 2, 9, 9, 5], [1, 0, 2, 3, 4]),
        ([2, 3], [2, 1, 9, 9, 10], [0, 1, 4, 2, 3]),
        ([0, 0], [], []),
    ],
)
def test_lists_in_order_are_told_from_lists_that_are_not(
    lengths: list[int], keys: list[float], expected: list[int]
) -> None:
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    assert order_within(offsets, np.array(keys, dtype=float)).tolist() == expected


def test_repeated_ids_are_named_with_their_list() -> None:
    lists = Lists.of(pl.Series([["a", "b"], [], ["c", "a", "c", "b", "b"], ["d"]]))
    assert sorted(repeated(lists)) == [(2, "b"), (2, "c")]
    assert with_equals(np.array([0.0, -0.0, 1.0]), np.array([0, 2, 3])).tolist() == [True, False]


def test_repeated_ids_come_in_the_order_of_their_list() -> None:
    ids = [f"s{number * 7 % 40}" for number in range(40)]
    assert list(repeated(Lists.of(pl.Series([["a"], ids + ids])))) == [(1, uid) for uid in ids]


def test_numbers_in_keys_are_shortest_decimals() -> None:
    texts = [shortest(decimal(number)) for number in (5.0, 0.95, 1e-07, 0.1, 12.5)]
    assert texts == ["5", "0.95", "0.0000001", "0.1", "12.5"]


@pytest.mark.parametrize(
    ("widths", "parts"),
    [
        ([4, 4, 4, 20, 1], [(0, 2), (2, 3), (3, 4), (4, 5)]),
        ([5, 5, 5], [(0, 2), (2, 3)]),
        ([10, 1, 9, 1], [(0, 1), (1, 3), (3, 4)]),
        ([11, 11], [(0, 1), (1, 2)]),
        ([], []),
    ],
)
def test_items_are_cut_into_portions_of_at_most_ten_cells(
    widths: list[int], parts: list[tuple[int, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lists_module, "CELLS", 10)
    found = portions(np.array(widths, dtype=np.int64))
    assert [(part.start, part.stop) for part in found] == parts


@pytest.mark.parametrize("sort_above", [0, 100], ids=["sorted", "counted"])
@pytest.mark.parametrize(
    ("scores", "offsets", "places", "standing"),
    [
        (
            [0.5, 0.9, 0.5, 0.1, 0.1],
            [0, 3, 5],
            [2, 3, 4],
            ([1, 0, 0], [1, 0, 1], [2, 2, 2]),
        ),
        (
            [0.5, 0.9, 0.5, 0.1, 0.1, 0.7],
            [0, 3, 6],
            [0, 2, 4, 5],
            ([1, 1, 1, 0], [0, 1, 1, 0], [2, 2, 2, 1]),
        ),
        ([3.0, 1.0, 3.0, 3.0], [0, 0, 4, 4], [0, 3], ([0, 0], [0, 2], [3, 3])),
        ([1.0, 2.0, 9.0], [0, 1, 2, 3], [1], ([0], [0], [1])),
        ([2.0, 1.0, 1.0, 0.5], [0, 2, 4], [1, 2], ([1, 0], [0, 0], [1, 1])),
    ],
)
def test_a_hit_stands_behind_higher_scores_and_earlier_equals(
    scores: list[float],
    offsets: list[int],
    places: list[int],
    standing: tuple[list[int], ...],
    *,
    sort_above: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(hits_module, "SORT_ABOVE", sort_above)
    owner = np.searchsorted(offsets, places, side="right") - 1
    found = hits_module._standing(  # noqa: SLF001 - the rule itself
        np.array(scores), np.array(offsets), np.array(places), owner
    )
    assert tuple(one.tolist() for one in found) == standing


BLOCKS = [
    ([3, 0, 1, 4], [([2], 1), ([0, 3], 4)]),
    ([2, 2, 5], [([0, 1], 2), ([2], 5)]),
    ([0, 0], []),
    ([], []),
]


@pytest.mark.parametrize(("lengths", "shapes"), BLOCKS)
def test_lists_of_similar_length_share_a_matrix(
    lengths: list[int], shapes: list[tuple[list[int], int]]
) -> None:
    offsets = offsets_of(np.array(lengths, dtype=np.int64))
    found = list(blocks(offsets))
    assert [(chosen.tolist(), places.shape[1]) for chosen, places, _ in found] == shapes
    for chosen, places, inside in found:
        for one, row, real in zip(chosen, places, inside, strict=True):
            assert row[real].tolist() == list(range(offsets[one], offsets[one + 1]))
            assert set(row[~real].tolist()) <= {int(offsets[one])}


def test_matrices_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lists_module, "CELLS", 4)
    offsets = offsets_of(np.array([2, 2, 2, 2, 2]))
    assert [chosen.tolist() for chosen, _, _ in blocks(offsets)] == [[0, 1], [2, 3], [4]]
    even = with_equals(np.array([1, 2, 3, 3, 4, 5, 6, 6, 7, 8]), offsets)
    assert even.tolist() == [False, True, False, True, False]
    assert with_equals(np.array([1, 1, 2, 2]), np.array([0, 2, 4])).tolist() == [True, True]
    longer = offsets_of(np.array([5, 5]))
    assert [chosen.tolist() for chosen, _, _ in blocks(longer)] == [[0], [1]]


def test_equal_values_are_found_in_lists_of_equal_and_of_unequal_length() -> None:
    values = np.array([1, 2, 2, 3, 1, 2, 5, 5, 5])
    equal = with_equals(values, np.array([0, 3, 6, 9]))
    unequal = with_equals(values, np.array([0, 3, 7, 9]))
    assert (equal.tolist(), equal.dtype) == ([True, False, True], bool)
    assert (unequal.tolist(), unequal.dtype) == ([True, False, True], bool)
    nothing = np.zeros(0)
    assert with_equals(nothing, np.array([0, 0, 0])).tolist() == [False, False]
    assert with_equals(nothing, np.array([0])).tolist() == []


@pytest.mark.parametrize(
    ("offsets", "alike"),
    [([0], False), ([0, 3], True), ([0, 0, 0], True), ([0, 2, 4], True), ([0, 2, 3], False)],
)
def test_lists_of_one_length_are_even(offsets: list[int], *, alike: bool) -> None:
    assert even(np.array(offsets)) is alike


@pytest.mark.parametrize("look", [lists_module._look_even, lists_module._look_ragged])  # noqa: SLF001 - each way itself
def test_a_portion_of_ids_is_found_at_the_places_of_the_whole(look: Any) -> None:
    few = Lists.of(pl.Series([["a"], ["b"], ["c"]]))
    many = Lists.of(pl.Series([["a", "x"], ["y", "b"], ["c", "a"]]))
    items, places = look(few, many, few.owner, slice(1, 3))
    assert (items.tolist(), places.tolist()) == ([1, 2], [3, 4])


@pytest.mark.parametrize("kind", [np.float64, np.uint32, np.int64])
def test_lists_with_two_equal_values_are_found_among_lists_of_any_length(kind: Any) -> None:
    values = np.array([1, 2, 1, 5, 7, 8, 9, 9, 0, 0], dtype=kind)
    offsets = np.array([0, 3, 4, 4, 6, 8, 10])
    expected = [True, False, False, False, True, True]
    assert with_equals(values, offsets).tolist() == expected


def test_the_largest_values_are_no_fillers() -> None:
    top = np.iinfo(np.uint32).max
    values = np.array([top, 1, 2, top, top], dtype=np.uint32)
    assert with_equals(values, np.array([0, 1, 3, 5])).tolist() == [False, False, True]
    assert with_equals(values[:3], np.array([0, 1, 3])).tolist() == [False, False]


def test_ids_match_within_their_own_query_alone() -> None:
    left = Lists.of(pl.Series([["a", "b"], ["c"], [], ["b", "a", "d"], ["x"]]))
    right = Lists.of(pl.Series([["b"], ["a"], ["c"], ["a", "b", "c"], None]))
    ours, theirs = match(left, right)
    assert (ours.tolist(), theirs.tolist()) == ([1, 3, 4], [0, 4, 3])
    whole = match(left.take(np.array([3, 0])), right.take(np.array([3, 0])))
    assert [one.tolist() for one in whole] == [[0, 1, 4], [1, 0, 3]]


def test_lists_are_taken_and_given_back_in_any_order() -> None:
    lists = Lists.of(pl.Series([["a", "b"], [], ["c"]]))
    assert lists.series().to_list() == [["a", "b"], [], ["c"]]
    assert lists.take(np.array([2, 1, 0])).series().to_list() == [["c"], [], ["a", "b"]]
    assert lists.lengths.tolist() == [2, 0, 1]
    assert lists.owner.tolist() == [0, 0, 2]
    assert lists.owner_of(np.array([0, 1, 2])).tolist() == [0, 0, 2]


def test_tie_bounds_of_several_queries_are_means_of_their_own() -> None:
    rows = pl.DataFrame(
        {
            "query_id": ["q", "r", "s"],
            "candidates": [["a", "b"], ["a", "b"], ["a", "b", "c"]],
            "scores": [[2.0, 1.0], [2.0, 1.0], [1.0, 1.0, 1.0]],
            "gold": [["a", "b"], ["a", "b"], ["c"]],
        }
    )
    ledger = primary.evaluate(rows, {"k": [2]})
    bounds = [
        ledger[f"map@2/by_hits/{end}|positives_only|all|mean"] for end in ("tie_low", "tie_high")
    ]
    # The first two are settled at 1; the third finds its gold at rank 1, 2 or not at all.
    assert bounds == [pytest.approx(2 / 3), 1.0]


def test_a_share_too_close_for_floats_is_decided_exactly() -> None:
    # The first list has too many decimals for whole numbers; so all, in one matrix, go by floats.
    lists = [[1e-10] * 5, [0.01] * 5, [0.0] * 5, [0.9, *[0.025] * 4], [0.01] * 5, [0.5, *[0.1] * 5]]
    offsets = offsets_of(np.array([len(one) for one in lists]))
    found = gamma._reached(np.concatenate(lists), offsets, (Fraction(4, 5),))  # noqa: SLF001 - the decision itself
    # Of five equal ones four hold 4/5; a sum of floats says five.
    assert found[0].tolist() == [4, 4, 0, 1, 4, 4]


def test_tie_bounds_try_every_number_of_gold_inside_for_each_query() -> None:
    rows = pl.DataFrame(
        {
            "query_id": ["q", "r", "s"],
            "candidates": [["a", "b", "c"]] * 3,
            "scores": [[1.0, 1.0, 1.0]] * 3,
            "gold": [["c"], ["a", "b"], ["b", "c"]],
        }
    )
    ledger = primary.evaluate(rows, {"k": [2]})
    bounds = [
        ledger[f"map@2/by_hits/{end}|positives_only|all|mean"] for end in ("tie_low", "tie_high")
    ]
    # Of two gold at least one is inside, at worst alone at rank 2: 1/2; of one gold none may be.
    assert bounds == [pytest.approx(1 / 3), 1.0]


def three_queries(scores: list[float] | None = None) -> Data:
    return Data(
        rows={"EVAL": 3, "TUNE": 0, "TRAIN": 0},
        columns={},
        criterion=pl.Series(["A", "A", "B"]),
        candidates=Lists.of(pl.Series([["a", "b"], ["c"], ["d", "e", "f"]])),
        scores=None if scores is None else np.array(scores),
        gold=Lists.of(pl.Series([["b"], [], ["f", "d"]])),
    )


def test_hits_are_numbered_among_the_queries_with_gold() -> None:
    hits = find_hits(three_queries([1.0, 2.0, 1.0, 1.0, 2.0, 3.0]))
    assert (hits.gold.tolist(), hits.candidates.tolist()) == ([1, 2], [2, 3])
    assert (hits.query.tolist(), hits.rank.tolist()) == ([0, 1, 1], [1, 1, 3])
    assert hits.place.tolist() == [1, 5, 3]


def test_values_are_those_of_each_query_however_few_are_taken_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(metrics, "QUERIES", 1)
    hits = find_hits(three_queries())
    point = metrics.Point("k", "2", 2)
    found = dict(zip(point.names, metrics.values_at(hits, hits.rank, point).tolist(), strict=True))
    assert found["mrr@2"] == [1 / 2, 1.0]
    assert found["recall@2"] == [1.0, 1 / 2]
    assert found["map@2"] == [1 / 2, 1 / 2]


def test_a_metric_is_one_row_with_a_parameter_or_without(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = (
        metrics.Metric("rprecision", "", lambda cut: (_in_front(cut), cut.gold), headline=("",)),
        metrics.Metric("within@gamma={}", "gamma", lambda cut: (cut.found * float(cut.value), 1.0)),
    )
    monkeypatch.setattr(metrics, "METRICS", (*metrics.METRICS, *rows))
    monkeypatch.setattr(metrics, "HEADLINE", {*metrics.HEADLINE, "rprecision"})
    table = pl.DataFrame({"query_id": ["a"], "candidates": [["x", "y", "z"]], "gold": [["x", "z"]]})
    given = {"gamma": ["0.5", "0.25"]}
    ledger = primary.evaluate(table, given)
    assert ledger["rprecision|positives_only|all|mean"] == 0.5
    assert ledger["within@gamma=0.25|all_queries|all|mean"] == 0.5
    assert ledger["within@gamma=0.5|all_queries|all|mean"] == 1.0
    assert primary.per_query(table, given)["rprecision"].tolist() == [0.5]
    found = primary.intervals(table, given, {"query": [[1]]})
    assert found.estimates["rprecision|positives_only|all|mean"] == 0.5
    scored = table.with_columns(scores=pl.Series([[2.0, 1.0, 1.0]]))
    tied = primary.evaluate(scored, given)
    assert tied["rprecision/tie_low|positives_only|all|mean"] == 0.5
    assert tied["rprecision/tie_high|positives_only|all|mean"] == 1.0


def _in_front(cut: metrics.Cut) -> Any:
    return cut.summed((cut.rank <= cut.gold[cut.query]).astype(np.float64))


def test_every_slice_has_the_values_of_its_own_queries() -> None:
    data = three_queries()
    ledger = metrics.ledger(Study(data, primary.settings()), find_hits(data))
    # Reciprocal ranks: 1/2, then 0 without gold; and 1 for the query of criterion B.
    means = {
        (population, part): ledger[f"mrr@all|{population}|{part}|mean"]
        for population in ("positives_only", "all_queries")
        for part in ("all", "criterion=A", "criterion=B")
    }
    assert means == {
        ("positives_only", "all"): 3 / 4,
        ("positives_only", "criterion=A"): 1 / 2,
        ("positives_only", "criterion=B"): 1.0,
        ("all_queries", "all"): 1 / 2,
        ("all_queries", "criterion=A"): 1 / 4,
        ("all_queries", "criterion=B"): 1.0,
    }


def test_map_by_hits_takes_the_extreme_number_of_gold_inside() -> None:
    # Of three equals one or two are gold; or behind a first one, gold or not, two or one.
    data = Data(
        rows={"EVAL": 4, "TUNE": 0, "TRAIN": 0},
        columns={},
        candidates=Lists.of(pl.Series([list("abc"), list("abc"), list("abcd"), list("abcd")])),
        scores=np.array([1.0, 1, 1, 1, 1, 1, 5, 1, 1, 1, 5, 1, 1, 1]),
        gold=Lists.of(pl.Series([["c"], ["a", "b"], ["a", "b", "c"], ["d"]])),
    )
    hits = find_hits(data)
    groups = ties._groups(hits)  # noqa: SLF001 - the rule itself
    last, first = np.array([3, 2, 3, 1, 3, 4, 4]), np.array([1, 1, 2, 1, 2, 3, 2])

    def bounds(cutoff: int) -> list[list[float]]:
        low = ties._by_hits(hits, groups, last, cutoff, best=False)  # noqa: SLF001 - the rule itself
        high = ties._by_hits(hits, groups, first, cutoff, best=True)  # noqa: SLF001 - the rule itself
        return [low.tolist(), high.tolist()]

    assert bounds(2) == [[0, 1 / 2, 1, 0], [1, 1, 1, 1 / 2]]
    inside = [1 / 3, (1 / 2 + 2 / 3) / 2, (1 + 2 / 3 + 3 / 4) / 3, 1 / 4]
    assert bounds(4) == [pytest.approx(inside), [1, 1, 1, 1 / 2]]


def test_ranks_beyond_16_bits_are_counted() -> None:
    scores, offsets = np.arange(70_000.0), np.array([0, 70_000])
    one = np.array([0])
    found = hits_module._standing(scores, offsets, one, one)  # noqa: SLF001 - the rule itself
    assert [count.tolist() for count in found] == [[69_999], [0], [1]]
