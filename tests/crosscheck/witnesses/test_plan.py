"""The resampling plan: the same from the same seed, fair, and never out of its type's range."""

from __future__ import annotations

import numpy as np
import polars as pl

from crosscheck.witnesses import plan


def test_the_same_seed_draws_the_same_plan() -> None:
    first = plan.draw({"post": 5, "query": 20}, seed=3, resamples=50)
    second = plan.draw({"post": 5, "query": 20}, seed=3, resamples=50)
    for unit in ("post", "query"):
        assert np.array_equal(first.counts[unit], second.counts[unit])
    assert first.sample == second.sample


def test_another_seed_draws_another_plan() -> None:
    first = plan.resample(20, 50, 3, "post")
    assert not np.array_equal(first, plan.resample(20, 50, 4, "post"))
    assert not np.array_equal(first, plan.resample(20, 50, 3, "query"))


def test_the_plan_by_query_does_not_depend_on_there_being_posts() -> None:
    with_posts = plan.draw({"post": 5, "query": 20}, 3, 50).counts["query"]
    assert np.array_equal(with_posts, plan.draw({"query": 20}, 3, 50).counts["query"])


def test_every_resample_draws_as_many_units_as_there_are() -> None:
    counts = plan.resample(30, 100, 1, "query")
    assert counts.shape == (100, 30)
    assert set(counts.sum(axis=1).tolist()) == {30}


def test_a_unit_is_drawn_once_on_average() -> None:
    counts = plan.resample(10, 4000, 1, "post")
    assert np.allclose(counts.mean(axis=0), 1, atol=0.1)


def test_a_single_unit_is_drawn_always() -> None:
    assert plan.resample(1, 3, 1, "post").tolist() == [[1], [1], [1]]


def test_the_sample_is_small_and_within_bounds() -> None:
    drawn = plan.draw({"post": 4, "query": 100}, 1, 1000)
    assert drawn.sample["post"]["jackknife"] == [0, 1, 2, 3]
    assert len(drawn.sample["query"]["replicates"]) == plan.SAMPLED
    assert drawn.sampled_counts()["post"].keys() == set(drawn.sample["post"]["replicates"])


def test_swaps_are_fair_coins() -> None:
    drawn = plan.swaps(50, 400, 1)
    assert drawn.shape == (400, 50)
    assert set(np.unique(drawn).tolist()) == {0, 1}
    assert abs(float(drawn.mean()) - 0.5) < 0.02


def test_with_seeds_a_unit_is_the_same_query_in_every_seed() -> None:
    table = pl.DataFrame(
        {
            "post_id": ["p", "p", "r", "p"],
            "criterion_id": ["A", "A", "A", "B"],
            "fold": [0, 1, 0, 0],
            "seed": ["1", "2", "1", "1"],
            "split": ["EVAL", "EVAL", "EVAL", "TUNE"],
        }
    )
    facts = {"posts": 3, "queries": {"all_queries": 3}, "seeds": ["1", "2"]}
    assert plan.units(facts, table) == {"post": 2, "query": 2, "seed": 2}
    assert plan.units(facts | {"seeds": ["1"]}, table) == {"post": 2, "query": 2}


def test_unit_seed_takes_the_posts_draws_and_draws_seeds_beside_them() -> None:
    drawn = plan.draw({"post": 5, "query": 20, "seed": 3}, seed=3, resamples=50)
    both = drawn.counts["seed"]
    assert both["units"] is drawn.counts["post"]
    assert set(both["seeds"].sum(axis=1).tolist()) == {3}
    without = plan.draw({"post": 5, "query": 20}, seed=3, resamples=50)
    assert {unit: drawn.sample[unit] for unit in ("post", "query")} == without.sample
    assert drawn.sample["seed"]["jackknife"] == []
    numbers = set(drawn.sample["seed"]["replicates"])
    assert all(part.keys() == numbers for part in drawn.sampled_counts()["seed"].values())


def test_units_are_posts_and_queries_or_queries_alone() -> None:
    assert plan.units({"posts": 3, "queries": {"all_queries": 9}}) == {"post": 3, "query": 9}
    assert plan.units({"posts": None, "queries": {"all_queries": 9}}) == {"query": 9}
