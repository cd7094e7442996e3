"""Columns of every type, one by one: what they mean, and which cells are told."""

from __future__ import annotations

import datetime as dt
import math
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest

from primary.data.lists import Lists
from primary.errors import Problems
from primary.reading import typed

if TYPE_CHECKING:
    from collections.abc import Sequence

LABEL = "A label is 0, 1, true or false."
EACH = "Give one for each candidate, in the same order."
STATE = "A state is one of NEG, UNCERTAIN, POS."


def reporter(rows: int) -> typed.Reporter:
    """Rows 11, 12, … of a file, whose queries are a, b, …; its columns have names of their own."""
    names = ("query_id", "fold", "split", "state", "prob", "pred", "gold", "scores", "node_probs")
    return typed.Reporter(
        Problems("data.csv"),
        {name: f"my_{name}" for name in names},
        pl.DataFrame({"query_id": list("abcdefgh")[:rows]}),
        np.arange(10, 10 + rows),
    )


def told(found: typed.Reporter) -> list[str]:
    return [problem.sentence() for problem in found.problems.found]


def test_a_problem_is_told_with_its_row_query_and_column() -> None:
    found = reporter(3)
    found.report(np.array([1]), "prob", lambda row: f"found {row}", "Mend it.")
    found.report(np.array([2]), None, lambda row: f"found {row}", "Mend it.")
    assert told(found) == [
        "row 12, query b, column my_prob: found 1. Mend it.",
        "row 13, query c: found 2. Mend it.",
    ]


@pytest.mark.parametrize(
    "ids",
    [
        pl.Series(["7", "x"]),
        pl.Series(["7", "x"], dtype=pl.Categorical),
        pl.Series(["7", "x"], dtype=pl.Enum(["x", "7"])),
    ],
)
def test_ids_are_text_however_it_is_stored(ids: pl.Series) -> None:
    found = reporter(2)
    assert typed.text(ids, "query_id", found).to_list() == ["7", "x"]
    assert told(found) == []


def test_whole_numbers_are_ids_by_their_decimal_text() -> None:
    assert typed.text(pl.Series([7, -1]), "query_id", reporter(2)).to_list() == ["7", "-1"]


@pytest.mark.parametrize("ids", [pl.Series([None, ""]), pl.Series([None, None])])
def test_every_empty_id_is_told(ids: pl.Series) -> None:
    found = reporter(2)
    assert len(typed.text(ids, "query_id", found)) == 2
    assert told(found) == [
        f"row {row}, query {query}, column my_query_id: the id is empty. Every row needs its key."
        for row, query in ((11, "a"), (12, "b"))
    ]


@pytest.mark.parametrize(
    ("cells", "numbers", "told_cells"),
    [
        (["0", "+7", "-3"], [0, 7, -3], []),
        (["9" * 18, "1.0", "2.", " 1\t"], [10**18 - 1, 1, 2, 1], []),
        (["0", "+-7", "1e0", "0.5", "", None], [0], ["'+-7'", "'1e0'", "'0.5'", "''", "None"]),
        (["1", "9" * 19], [1], ["'9999999999999999999'"]),
        (pl.Series([5, None], dtype=pl.UInt8), [5], ["None"]),
        (pl.Series([5, 2**63], dtype=pl.UInt64), [5], ["9223372036854775808"]),
        ([-0.0, 1.0], [0, 1], []),
        ([3.0, 0.5, 1e19, None], [3], ["0.5", "1e+19", "None"]),
        ([True], [], ["True"]),
        ([[1, 2], None], [], ["[1, 2]", "None"]),
    ],
)
def test_a_fold_is_a_whole_number(
    cells: Sequence[Any], numbers: list[int], told_cells: list[str]
) -> None:
    found = reporter(len(cells))
    folds = typed.folds(pl.Series(cells), found)
    assert (folds.dtype, len(folds)) == (np.int64, len(cells))
    assert folds[: len(numbers)].tolist() == numbers
    assert [line.partition(": ")[2].partition(" as")[0] for line in told(found)] == [
        f"found {cell}" for cell in told_cells
    ]


@pytest.mark.parametrize(
    "cells",
    [
        pl.Series(["EVAL", "TEST", "", None, "TUNE", "DEV", "VAL", "TRAIN"]),
        pl.Series(["EVAL", "TEST", "", None, "TUNE", "DEV", "VAL", "TRAIN"], dtype=pl.Categorical),
    ],
)
def test_a_split_has_several_names_and_an_empty_cell_is_eval(cells: pl.Series) -> None:
    found = reporter(8)
    assert typed.splits(cells, found).to_list() == ["EVAL"] * 4 + ["TUNE"] * 3 + ["TRAIN"]
    assert told(found) == []


@pytest.mark.parametrize("dtype", [pl.Null, pl.String, pl.List(pl.String)])
def test_a_column_without_any_split_is_eval(dtype: Any) -> None:
    found = reporter(2)
    cells = pl.Series([None, None], dtype=dtype)
    assert typed.splits(cells, found).to_list() == ["EVAL", "EVAL"]
    assert told(found) == []


@pytest.mark.parametrize(
    ("cells", "shown"),
    [
        (["eval", "TUNE"], "'eval'"),
        ([1, None], "'1'"),
        ([["EVAL"], None], "\"['EVAL']\""),
        ([dt.timedelta(days=1), None], "'1 day, 0:00:00'"),
    ],
)
def test_of_a_row_with_a_bad_split_the_rest_is_checked_as_of_an_eval_row(
    cells: list[Any], shown: str
) -> None:
    found = reporter(2)
    assert typed.splits(pl.Series(cells), found)[0] == "EVAL"
    (line,) = told(found)
    assert line == (
        f"row 11, query a, column my_split: found {shown} as a split. "
        "A split is one of EVAL, TEST, TUNE, VAL, DEV, TRAIN."
    )


@pytest.mark.parametrize(
    ("cells", "labels", "told_cells"),
    [
        (["0", "1", "TRUE", "False"], [0, 1, 1, 0], []),
        (["1", "yes", "", None], [1], ["'yes'", "''", "None"]),
        ([True, False, None], [1, 0], ["None"]),
        ([1, 0, 2, -1, None], [1, 0], ["2", "-1", "None"]),
        ([1.0, None], [], ["1.0", "None"]),
        ([None, None], [], ["None", "None"]),
        ([["1"]], [], ["['1']"]),
    ],
)
def test_a_label_is_0_or_1_in_one_byte(
    cells: list[Any], labels: list[int], told_cells: list[str]
) -> None:
    found = reporter(len(cells))
    given = typed.labels(pl.Series(cells), "pred", found)
    assert (given.dtype, len(given)) == (np.int8, len(cells))
    assert given[: len(labels)].tolist() == labels
    first = len(cells) - len(told_cells)
    assert told(found) == [
        f"row {row + 11}, query {'abcdefgh'[row]}, column my_pred: found {cell} as a label. {LABEL}"
        for row, cell in enumerate(told_cells, start=first)
    ]


@pytest.mark.parametrize(
    "dtype", [pl.String, pl.Categorical, pl.Enum(["POS", "NEG", "UNCERTAIN"]), pl.Binary]
)
def test_a_state_is_its_number_in_one_byte(dtype: Any) -> None:
    found = reporter(4)
    given = typed.states(pl.Series(["UNCERTAIN", "POS", "NEG", "POS"]).cast(dtype), found)
    assert (given.tolist(), given.dtype) == ([1, 2, 0, 2], np.int8)
    assert told(found) == []


@pytest.mark.parametrize(
    ("cell", "shown"),
    [
        (pl.Series(["neg"]), "'neg'"),
        (pl.Series([None]), "None"),
        (pl.Series([2]), "'2'"),
        (pl.Series([["POS"]]), "\"['POS']\""),
        (pl.Series([None], dtype=pl.List(pl.String)), "None"),
        (pl.Series([b"\xff"]), "\"b'\\\\xff'\""),
    ],
)
def test_what_is_no_state_is_told(cell: pl.Series, shown: str) -> None:
    found = reporter(1)
    assert (len(typed.states(cell, found)), found.problems.count) == (1, 1)
    assert told(found) == [f"row 11, query a, column my_state: found {shown} as a state. {STATE}"]


def test_a_number_may_stand_between_blanks_and_tabs_and_between_nothing_else() -> None:
    cells = {"0.5": 0.5, " \t0.5\t ": 0.5, "X0.5": None, "\u00a00.5": None, "\n0.5": None, "": None}
    found = typed.floats(pl.Series(list(cells)))
    assert dict(zip(cells, found.to_list(), strict=True)) == cells


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        (pl.Series([0.1], dtype=pl.Float32), [0.1]),
        (pl.Series([0.1]), [0.1]),
        (pl.Series(["0.1"]).cast(pl.Decimal(10, 3)), [0.1]),
        (pl.Series([1]), [1.0]),
        (pl.Series([True]), [None]),
        (pl.Series([], dtype=pl.Null), []),
    ],
)
def test_a_number_is_the_decimal_that_its_type_shows(
    cells: pl.Series, numbers: list[float | None]
) -> None:
    found = typed.floats(cells)
    assert (found.to_list(), found.dtype) == (numbers, pl.Float64)


def test_minus_zero_is_the_probability_zero() -> None:
    found = typed.probabilities(
        pl.Series(["-0.0", "0", "0.5"]), np.ones(3, dtype=bool), reporter(3)
    )
    assert np.signbit(found).tolist() == [False, False, False]


@pytest.mark.parametrize(
    ("cells", "told_rows"),
    [
        (["0.5", "", None, "2", "x"], [14, 15]),
        ([0.5, None, None, 2.0, math.nan], [14, 15]),
        ([0.5, None, None, -0.1, math.inf], [14, 15]),
        ([True, None, None, True, False], [11, 14, 15]),
        ([[0.5], None, None, [], [1.0]], [11, 14, 15]),
    ],
)
def test_only_a_row_that_needs_none_may_lack_a_probability(
    cells: list[Any], told_rows: list[int]
) -> None:
    series, spared, needed = pl.Series(cells), reporter(5), reporter(5)
    typed.probabilities(series, np.zeros(5, dtype=bool), spared)
    assert [problem.row for problem in spared.problems.found] == told_rows
    typed.probabilities(series, np.ones(5, dtype=bool), needed)
    assert [problem.row for problem in needed.problems.found] == sorted({*told_rows, 12, 13})


@pytest.mark.parametrize(
    "lists",
    [
        pl.Series(["1|2", None], dtype=pl.String),
        pl.Series([["1", "2"], None]),
        pl.Series([[1, 2], []]),
        pl.Series([["1", "2"], []], dtype=pl.List(pl.Categorical)),
        pl.Series([["1", "2"], []], dtype=pl.List(pl.Enum(["2", "1"]))),
    ],
)
def test_ids_are_in_lists_however_they_are_stored(lists: pl.Series) -> None:
    found = reporter(2)
    read = typed.id_lists(lists, "gold", found)
    assert read is not None
    assert (read.offsets.tolist(), read.values.to_list()) == ([0, 2, 2], ["1", "2"])
    assert told(found) == []


@pytest.mark.parametrize(
    "lists", [pl.Series([None, None]), pl.Series([[], []], dtype=pl.List(pl.Null))]
)
def test_a_column_without_any_id_is_one_of_empty_lists(lists: pl.Series) -> None:
    read = typed.id_lists(lists, "gold", reporter(2))
    assert read is not None
    assert (read.offsets.tolist(), read.values.dtype) == ([0, 0, 0], pl.String)


def test_every_list_with_a_gap_is_told_once_and_goes_on_without() -> None:
    found = reporter(3)
    read = typed.id_lists(pl.Series([["x", None, None], ["y"], [None]]), "gold", found)
    assert read is not None
    assert read.series().to_list() == [["x"], ["y"], []]
    assert told(found) == [
        f"row {row}, query {query}, column my_gold: the list holds a null. "
        "Every item of a list needs a value."
        for row, query in ((11, "a"), (13, "c"))
    ]


def test_a_column_of_no_lists_is_told_and_not_read() -> None:
    found = reporter(1)
    assert typed.id_lists(pl.Series([1.5]), "gold", found) is None
    assert typed.aligned_numbers(pl.Series([1.5]), "scores", None, found) is None
    assert told(found) == [
        "column my_gold: the column is of type Float64. Store lists of text.",
        "column my_scores: the column is of type Float64. Store lists of numbers.",
    ]


CANDIDATES = Lists(np.array([0, 2, 3, 5]), pl.Series(list("stuvw")))


@pytest.mark.parametrize("name", ["scores", "node_probs"])
@pytest.mark.parametrize(
    "lists",
    [
        pl.Series(["[1, 0.5]", "0", "0.25|1"]),
        pl.Series([[1.0, 0.5], [0.0], [0.25, 1.0]]),
        pl.Series([[1.0, 0.5], [0.0], [0.25, 1.0]], dtype=pl.List(pl.Float32)),
    ],
)
def test_there_is_a_number_for_each_candidate(lists: pl.Series, name: str) -> None:
    found = reporter(3)
    numbers = typed.aligned_numbers(lists, name, CANDIDATES, found)
    assert numbers is not None
    assert numbers.tolist() == [1.0, 0.5, 0.0, 0.25, 1.0]
    assert told(found) == []


@pytest.mark.parametrize("name", ["scores", "node_probs"])
def test_without_candidates_there_may_be_lists_of_no_numbers(name: str) -> None:
    lists = pl.Series([[], []], dtype=pl.List(pl.Null))
    numbers = typed.aligned_numbers(lists, name, None, reporter(2))
    assert numbers is not None
    assert (numbers.tolist(), numbers.dtype) == ([], np.float64)


def test_the_first_wrong_number_of_a_list_is_told() -> None:
    found = reporter(3)
    scores = pl.Series([[math.inf, math.nan], [2.0], [-math.inf, 1.0]])
    probs = pl.Series([[math.nan, 2.0], [1.0, 1.0], [0.0, -0.5]])
    typed.aligned_numbers(scores, "scores", CANDIDATES, found)
    typed.aligned_numbers(probs, "node_probs", CANDIDATES, found)
    score, prob = "a finite score", "a probability from 0 to 1"
    assert told(found) == [
        f"row 11, query a, column my_scores: found inf in the list. Each item is {score}.",
        f"row 13, query c, column my_scores: found -inf in the list. Each item is {score}.",
        f"row 11, query a, column my_node_probs: found nan in the list. Each item is {prob}.",
        f"row 13, query c, column my_node_probs: found -0.5 in the list. Each item is {prob}.",
        f"row 12, query b, column my_node_probs: found 2 numbers for 1 candidates. {EACH}",
    ]


def test_lists_of_unequal_length_are_told_where_nothing_else_is() -> None:
    found = reporter(3)
    found.report(np.array([0]), "gold", lambda _: "the candidates are no list", "Mend it.")
    found.problems.add("there is something about the file", "Mend it.")
    lists = pl.Series(["[1]", "[1, 2]", "0.5"])
    typed.aligned_numbers(lists, "scores", CANDIDATES, found)
    assert told(found)[2:] == [
        f"row {row}, query {query}, column my_scores: found {numbers} numbers for {candidates} "
        f"candidates. {EACH}"
        for row, query, numbers, candidates in ((12, "b", 2, 1), (13, "c", 1, 2))
    ]
