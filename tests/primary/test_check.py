"""What must hold between cells, check by check."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from primary.data.lists import Lists
from primary.data.rows import Data
from primary.errors import Problems
from primary.reading.check import check_keys, check_lists, check_posts
from primary.reading.typed import Reporter


def reporter(rows: int) -> Reporter:
    names = ("candidates", "gold", "selected", "criterion_id")
    return Reporter(
        Problems("data.csv"),
        {name: f"my_{name}" for name in names},
        pl.DataFrame({"query_id": list("abcdefgh")[:rows]}),
        np.arange(rows),
    )


def told(found: Reporter) -> list[str]:
    return [problem.sentence() for problem in found.problems.found]


def lists(*ids: str) -> Lists:
    return Lists.of(pl.Series([list(one) for one in ids], dtype=pl.List(pl.String)))


def test_a_key_that_is_there_again_is_told_with_its_first_row() -> None:
    found, split = reporter(5), pl.Series(["EVAL"] * 5)
    check_keys([pl.Series(list("xyxyx"))], None, split, found)
    assert told(found) == [
        f"row {row}, query {query}: the key is already in row {first}. "
        "A query stands once in each fold and split."
        for row, query, first in ((3, "c", 1), (4, "d", 2), (5, "e", 1))
    ]


def test_a_key_may_stand_in_every_fold_and_split() -> None:
    found, split = reporter(4), pl.Series(["EVAL", "TUNE", "EVAL", "TUNE"])
    check_keys([pl.Series(["p"] * 4), pl.Series(["A"] * 4)], np.array([0, 0, 1, 1]), split, found)
    assert told(found) == []


@pytest.mark.parametrize("name", ["candidates", "gold", "selected"])
def test_a_uid_that_is_in_a_list_twice_is_told(name: str) -> None:
    found = reporter(3)
    check_lists(Data({"EVAL": 3}, {}, **{name: lists("xx", "xy", "zyxy")}), found)
    assert told(found) == [
        f"row {row}, query {query}, column my_{name}: the uid {uid!r} is in the list twice. Each "
        "uid may stand in a list once."
        for row, query, uid in ((1, "a", "x"), (3, "c", "y"))
    ]


def test_the_first_uid_that_is_selected_but_no_candidate_is_told() -> None:
    found = reporter(4)
    data = Data(
        {"EVAL": 4},
        {},
        candidates=lists("xyz", "x", "xy", ""),
        selected=lists("vxw", "x", "yu", "x"),
    )
    check_lists(data, found)
    assert told(found) == [
        f"row {row}, query {query}, column my_selected: the uid {uid!r} is no candidate of its "
        "query. What is selected must be among the candidates."
        for row, query, uid in ((1, "a", "v"), (3, "c", "u"), (4, "d", "x"))
    ]


def test_what_is_wrong_with_several_lists_is_told_of_each() -> None:
    found = reporter(2)
    check_lists(
        Data({"EVAL": 2}, {}, candidates=lists("xx", "y"), selected=lists("x", "zz")), found
    )
    check_lists(Data({"EVAL": 2}, {}, gold=lists("v", "ww")), found)
    twice = "is in the list twice. Each uid may stand in a list once."
    stranger = "is no candidate of its query. What is selected must be among the candidates."
    assert told(found) == [
        f"row 1, query a, column my_candidates: the uid 'x' {twice}",
        f"row 2, query b, column my_selected: the uid 'z' {twice}",
        f"row 2, query b, column my_selected: the uid 'z' {stranger}",
        f"row 2, query b, column my_gold: the uid 'w' {twice}",
    ]


def judged(**columns: Any) -> Data:
    """Post p has criteria A and B, post q only A; labels and decisions are known."""
    given: dict[str, Any] = {
        "post": pl.Series(["p", "p", "q"]),
        "criterion": pl.Series(["B", "A", "A"]),
        "has_evidence": np.array([1, 0, 1]),
        "pred": np.array([1, 0, 1]),
    }
    return Data({"EVAL": 3}, {}, **given | columns)


@pytest.mark.parametrize("decision", [{}, {"pred": None, "prob": np.array([0.5, 0.5, 0.5])}])
def test_a_post_that_lacks_a_criterion_is_told_at_its_first_row(decision: dict[str, Any]) -> None:
    found = reporter(3)
    check_posts(judged(**decision), found)
    (line,) = told(found)
    assert line == (
        "row 3, query c, column my_criterion_id: the post lacks the criterion B. "
        "Per-post metrics need every criterion of every post; add the rows."
    )


@pytest.mark.parametrize("lacking", ["post", "criterion", "has_evidence", "pred"])
def test_criteria_may_be_missing_where_no_per_post_metric_is_owed(lacking: str) -> None:
    fold, owed, found = np.array([0, 0, 1]), reporter(3), reporter(3)
    check_posts(judged(fold=fold), owed)
    assert len(told(owed)) == 1
    check_posts(judged(fold=fold, **{lacking: None}), found)
    assert told(found) == []
