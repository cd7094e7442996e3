"""What a refusal reads like."""

from __future__ import annotations

import pytest

from reference import InputError, Problem


@pytest.mark.parametrize(
    ("problem", "expected"),
    [
        (Problem("it is empty"), "it is empty."),
        (Problem("it is empty", "Fill it"), "it is empty. Fill it."),
        (Problem("it is empty", file="f.csv"), "f.csv: it is empty."),
        (
            Problem("bad", None, "f.csv", 0, "q1", "prob"),
            "f.csv, row 0, query q1, column prob: bad.",
        ),
        (Problem("bad", "Mend it", None, 3), "row 3: bad. Mend it."),
        (Problem("bad", "Mend it", query="q"), "query q: bad. Mend it."),
        (Problem("bad", "Mend it", column="c"), "column c: bad. Mend it."),
    ],
)
def test_a_problem_says_where_what_and_what_to_do(problem: Problem, expected: str) -> None:
    assert str(problem) == expected


@pytest.mark.parametrize(("count", "last"), [(20, "p19."), (21, "… and 1 more problems.")])
def test_twenty_problems_are_told_and_the_rest_counted(count: int, last: str) -> None:
    lines = str(InputError(Problem(f"p{i}") for i in range(count))).splitlines()
    assert lines[:20] == [f"p{i}." for i in range(20)]
    assert lines[-1] == last
