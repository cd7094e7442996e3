"""Slices as masks over the rows, and rows laid out as posts × criteria."""

from __future__ import annotations

import polars as pl
import pytest

from crosscheck.data.rows import Rows

FRAME = pl.DataFrame(
    {
        "post_id": ["p", "p", "q", "p"],
        "criterion_id": ["a|b", "100%", "a|b", "a|b"],
        "fold": [0, 0, 0, 1],
        "has_evidence": [1, 0, 0, 1],
        "pred": [1, 1, 0, 0],
    }
)
ROWS = Rows(FRAME, {"views": {"x|y": ["100%", "nobody"]}})


@pytest.mark.parametrize(
    ("part", "kept"),
    [
        ("all", [True, True, True, True]),
        ("fold=1", [False, False, False, True]),
        ("criterion=a%7Cb", [True, False, True, True]),
        ("criterion=100%25", [False, True, False, False]),
        ("view=x%7Cy", [False, True, False, False]),
        ("has_evidence=0", [False, True, True, False]),
    ],
)
def test_a_slice_is_named_as_keys_name_it(part: str, kept: list[bool]) -> None:
    assert ROWS.within(part).tolist() == kept


def test_a_post_is_another_one_in_another_fold() -> None:
    """Criteria in order: 100%, a|b; an absent query is no evidence and no decision."""
    truth, decision = ROWS.matrices(ROWS.within("all"))
    assert truth.tolist() == [[0, 1], [0, 0], [0, 1]]
    assert decision.tolist() == [[1, 1], [0, 0], [0, 0]]
    merged, _ = ROWS.matrices(ROWS.within("all"), by_fold=False)
    assert merged.tolist() == [[0, 1], [0, 0]]
