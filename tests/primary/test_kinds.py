"""Queries of one kind are worked out once, and nothing shows it."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import primary
from primary.arithmetic import exact
from primary.arithmetic.aggregate import summaries
from primary.ranking import hits, kinds

SHARES = st.floats(0, 1, allow_subnormal=False)
COUNTED = st.integers(0, 12).flatmap(
    lambda size: st.tuples(
        arrays(np.float64, (2, size), elements=SHARES),
        arrays(np.int64, size, elements=st.integers(1, 9)),
    )
)


@given(COUNTED, st.integers(0, 20))
def test_counted_values_have_the_statistics_of_values_that_stand_so_often(
    counted: tuple[np.ndarray, np.ndarray], zeros: int
) -> None:
    values, counts = counted
    written_out = np.repeat(values, counts, axis=1)
    assert exact.total(values, counts).tolist() == exact.total(written_out).tolist()
    assert summaries(values, 0, zeros, counts=counts) == summaries(written_out, 0, zeros)


def many_alike(*, scores: bool) -> pl.DataFrame:
    """Give 400 queries of one to six candidates and up to three gold, with ties."""
    generator = np.random.default_rng(7)
    rows: list[dict[str, Any]] = []
    for number in range(400):
        size = int(generator.integers(1, 7))
        ids = [f"{number}_{place}" for place in range(size)]
        gold = generator.permutation([*ids, "lost"])[: generator.integers(0, 4)]
        row = {
            "post_id": f"p{number // 2}",
            "criterion_id": f"A.{number % 2}",
            "fold": number // 2 % 3,
            "candidates": ids,
            "gold": [str(uid) for uid in gold],
        }
        if scores:
            row["scores"] = generator.integers(0, 2, size).astype(float).tolist()
        rows.append(row)
    return pl.DataFrame(rows, schema_overrides={"gold": pl.List(pl.String)})


def everything(table: pl.DataFrame) -> tuple[dict[str, Any], dict[str, Any]]:
    columns = primary.per_query_columns(table)
    return primary.evaluate(table), {name: list(values) for name, values in columns.items()}


@pytest.mark.parametrize("scores", [False, True])
def test_no_number_changes_where_every_query_is_its_own_kind(
    monkeypatch: pytest.MonkeyPatch, *, scores: bool
) -> None:
    table = many_alike(scores=scores)
    monkeypatch.setattr(kinds, "FEW", 1)
    told = hits.find_hits(primary.read(table).data).kinds
    assert told is not None
    assert len(told.example) < len(told.of)
    by_kind = everything(table)
    monkeypatch.setattr(hits, "kinds_of", lambda *_: None)
    assert everything(table) == by_kind


def told(gold: list[int], candidates: list[int], ranks: list[list[int]]) -> list[int] | None:
    sizes = (np.array(gold), np.array(candidates))
    stands = np.array([rank for query in ranks for rank in query], dtype=np.int64)
    found = kinds.kinds_of(sizes, np.array([len(query) for query in ranks]), stands)
    return None if found is None else found.of.tolist()


def test_queries_are_alike_in_sizes_and_in_the_ranks_of_all_hits() -> None:
    alike = [1, 1, 1, 1, 1, 1, 1, 1]
    assert told(alike, alike, [[1]] * 8) == [0] * 8
    two = told(alike, alike, [[1], [1, 2]] * 4)
    assert two is not None
    assert two[0] != two[1]
    assert two == two[:2] * 4
    two = told(alike, [1, 2] * 4, [[1]] * 8)
    assert two is not None
    assert two == two[:2] * 4
    assert two[0] != two[1]


def test_hits_of_equal_rank_are_unlike_where_their_equals_are() -> None:
    """Rank 1 of two equals and rank 1 alone have different bounds."""
    rows = {
        "query_id": [str(number) for number in range(16)],
        "candidates": [["a", "b"]] * 16,
        "scores": [[1.0, 1.0], [1.0, 0.5]] * 8,
        "gold": [["a"]] * 16,
    }
    found = hits.find_hits(primary.read(pl.DataFrame(rows)).data).kinds
    assert found is not None
    assert found.of.tolist() == [found.of[0], found.of[1]] * 8
    assert found.of[0] != found.of[1]


def test_too_many_kinds_are_none() -> None:
    assert told([1] * 8, [9] * 8, [[rank] for rank in (1, 2, 3, 1, 2, 3, 1, 2)]) is None
    assert told([1] * 8, list(range(1, 9)), [[1]] * 8) is None


def test_a_query_with_very_many_hits_is_not_compared() -> None:
    deep = list(range(1, kinds.DEEPEST + 2))
    assert told([300] * 8, [300] * 8, [deep] * 8) is None
    assert told([300] * 8, [300] * 8, [deep[:-1]] * 8) == [0] * 8


def test_keys_far_apart_are_numbered_as_those_close_together() -> None:
    close, few = kinds.numbered(np.array([5, 3, 5, 9]))
    far, many = kinds.numbered(np.array([5, 3, 5, 9]) * 10**12)
    assert (close.tolist(), few) == (far.tolist(), many) == ([1, 0, 1, 2], 3)
