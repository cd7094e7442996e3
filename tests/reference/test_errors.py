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


def bad(row: int, what: str = "bad", column: str = "x") -> Problem:
    return Problem(what, "Mend it", "f.csv", row, f"q{row}", column)


def test_what_a_column_has_in_several_rows_is_told_once() -> None:
    lines = str(InputError([bad(1), bad(2, column="y"), bad(3, "worse")])).splitlines()
    assert lines == [
        "f.csv, row 1, query q1, column x: bad; 1 more of this kind, in row 3, query q3. Mend it.",
        "f.csv, row 2, query q2, column y: bad. Mend it.",
    ]


def test_of_many_rows_the_first_are_named() -> None:
    error = InputError(map(bad, range(1, 100)))
    assert len(error.problems) == 99
    assert str(error) == (
        "f.csv, row 1, query q1, column x: bad; 98 more of this kind, first in row 2, query q2; "
        "row 3, query q3; row 4, query q4. Mend it."
    )


def test_the_rest_counts_every_row() -> None:
    kinds = [bad(row, column=f"c{column}") for column in range(22) for row in (1, 2)]
    assert str(InputError(kinds)).splitlines()[-1] == "… and 4 more problems."
