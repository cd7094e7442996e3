"""The space of possible queries: its best query is the best of all, listed one by one."""

from __future__ import annotations

import math
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from crosscheck.audit.linear import Program
from crosscheck.audit.space import Space
from crosscheck.notation.interval import Interval
from crosscheck.notation.measure import Measure

if TYPE_CHECKING:
    from collections.abc import Callable

RANKS = 5
GOLD = 8


def value(measure: Measure, hits: tuple[int, ...], gold: int) -> float:
    """Section 3 by its definition."""
    top = hits[: int(min(measure.k, len(hits)))]
    found = sum(top)
    if measure.kind == "recall":
        return found / gold
    if measure.kind == "precision":
        return found / measure.k
    if measure.kind == "hit":
        return float(found > 0)
    if measure.kind == "mrr":
        return max((1 / i for i, hit in enumerate(top, 1) if hit), default=0.0)
    if measure.kind == "ndcg":
        gain = sum(hit / math.log2(i + 1) for i, hit in enumerate(top, 1))
        return gain / sum(1 / math.log2(i + 1) for i in range(1, int(min(gold, measure.k)) + 1))
    total = sum(hit * sum(top[:i]) / i for i, hit in enumerate(top, 1))
    below = {"": min(gold, measure.k), "by_gold": gold, "by_hits": found or 1}[measure.variant]
    return total / below


def every_query(measures: list[Measure]) -> np.ndarray[Any, np.dtype[np.float64]]:
    rows = [
        [value(measure, hits, gold) for measure in measures]
        for hits in product((0, 1), repeat=RANKS)
        for gold in range(max(sum(hits), 1), GOLD + 1)
    ]
    return np.array(rows)


@pytest.mark.parametrize(
    "names",
    [
        ["recall@3", "precision@3", "ndcg@3", "hit@5", "ndcg@5"],
        ["map@1", "map@5", "mrr@3", "hit@1", "recall@5", "ndcg@2"],
        ["map@5/by_gold", "precision@5", "hit@2", "mrr@5"],
        ["map@5/by_hits", "ndcg@5", "precision@2", "recall@2"],
        ["precision@1", "precision@5", "hit@1", "hit@3", "hit@5", "mrr@4", "recall@5"],
    ],
)
def test_the_best_query_is_at_least_as_good_as_every_listed_one(names: list[str]) -> None:
    measures = [measure for name in names if (measure := Measure.parse(name))]
    space, listed = Space(measures), every_query(measures)
    chance = np.random.default_rng(1)
    for weights in chance.normal(size=(40, len(measures))):
        best, _ = space.best(weights)
        assert best >= (listed @ weights).max() - 1e-12


@pytest.mark.parametrize("names", [["ndcg@5", "map@5", "hit@3"], ["map@5/by_hits", "recall@5"]])
def test_a_best_query_has_the_value_that_it_was_promised(names: list[str]) -> None:
    measures = [measure for name in names if (measure := Measure.parse(name))]
    space = Space(measures)
    for weights in np.random.default_rng(2).normal(size=(20, len(measures))):
        best, queries = space.best(weights)
        assert weights @ space.values(queries[0]) == pytest.approx(best, abs=1e-12)


def test_without_recall_the_best_query_is_no_better_than_the_listed_ones() -> None:
    """With at most GOLD gold nothing is lost: hits, not gold, decide these metrics."""
    measures = [Measure("ndcg", 5), Measure("hit", 3), Measure("mrr", 5), Measure("precision", 5)]
    space, listed = Space(measures), every_query(measures)
    for weights in np.random.default_rng(3).normal(size=(40, len(measures))):
        assert space.best(weights)[0] == pytest.approx((listed @ weights).max(), abs=1e-12)


def test_averages_of_queries_are_possible(study_of: Callable[[int], Any]) -> None:
    for seed in range(12):
        study = study_of(seed)
        for system in study.systems:
            means = study.means(system)
            names = {"Recall": "recall", "P": "precision", "Hit": "hit", "nDCG": "ndcg"}
            cells = {}
            for name, mean in means.items():
                stem, _, k = name.partition("@")
                if stem in names:
                    point = Interval.of(mean).wider(Interval.of(1e-9).low)
                    cells[Measure(names[stem], int(k))] = point  # type: ignore[arg-type]
            assert Program(list(cells)).check(cells).possible is not False


def test_a_certificate_proves_what_it_says() -> None:
    cells = {
        Measure("ndcg", 5): Interval.of(0.78315, 0.78325),
        Measure("ndcg", 10): Interval.of(0.82055, 0.82065),
        Measure("precision", 5): Interval.of(0.20015, 0.20025),
        Measure("precision", 10): Interval.of(0.10785, 0.10795),
    }
    program = Program(list(cells))
    proof = program.check(cells).certificate
    assert proof is not None
    weights = np.array([proof.weights.get(m, 0.0) for m in program.space.measures])
    assert program.space.best(weights)[0] <= proof.possible + 1e-12
    ends = [i.low if proof.weights[m] > 0 else i.high for m, i in cells.items()]
    printed = sum(proof.weights[m] * float(e) for m, e in zip(cells, ends, strict=True))
    assert printed > proof.possible + 1e-6


def test_the_reach_of_a_cell_is_what_the_others_leave_it() -> None:
    cells = {
        Measure("hit", 5): Interval.of(0.5),
        Measure("precision", 5): Interval.of(0.1),
        Measure("mrr", 5): Interval.of(0.3),
    }
    low, high = Program(list(cells)).reach(Measure("mrr", 5), cells)
    assert low == pytest.approx(0.1)  # each hit query hits at rank 5
    assert high == pytest.approx(0.5)  # each at rank 1


def test_cut_offs_beyond_every_ranked_metric_count_hits_only() -> None:
    cells = {
        Measure("ndcg", 10): Interval.of(0.4),
        Measure("recall", 100): Interval.of(0.7),
        Measure("recall", 1000): Interval.of(0.6),
    }
    assert Program(list(cells)).check(cells).possible is False
    cells[Measure("recall", 1000)] = Interval.of(0.8)
    assert Program(list(cells)).check(cells).possible is True


def test_plain_mrr_may_gain_from_ranks_beyond_the_table() -> None:
    cells = {Measure("mrr", 10): Interval.of(0.5), Measure("hit", 10): Interval.of(0.5)}
    for mean, expected in ((0.5, True), (0.5 + 0.5 / 11, True), (0.55, False), (0.49, False)):
        cells[Measure("mrr", math.inf)] = Interval.of(mean - 1e-6, mean + 1e-6)
        assert Program(list(cells)).check(cells).possible is expected
