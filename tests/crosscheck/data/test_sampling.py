from __future__ import annotations

from typing import Any

import pytest

from crosscheck.data.case import Case
from crosscheck.data.sampling import sampled


def case(rows: int, posts: int | None) -> Case:
    facts: dict[str, Any] = {"rows": {"EVAL": rows}, "posts": posts}
    return Case("s", "data.csv", {"k": [3]}, facts, ())


@pytest.mark.parametrize(
    ("rows", "posts", "one_in"),
    [
        (100_001, None, 2),
        (1_000_000, None, 20),
        (1_000_000, 400, 20),
        # 399 posts, 1 in 20: fewer than 20 would be expected.
        (1_000_000, 399, None),
        (1_000_000, 1, None),
    ],
)
def test_large_data_are_sampled_unless_too_few_posts_would_be_left(
    rows: int, posts: int | None, one_in: int | None
) -> None:
    settings = sampled(case(rows, posts), [100_000, None])
    assert settings == (None if one_in is None else {"k": [3], "sample": one_in})


def test_everybody_sees_all_rows_up_to_the_lowest_limit() -> None:
    assert sampled(case(100_000, None), [200_000, 100_000]) is None
    assert sampled(case(10**9, None), [None]) is None
