"""What one cell means, at the edges."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

from reference.reading import cells
from reference.reading.cells import BadCell

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.mark.parametrize(
    ("text", "expected"),
    [("x" * 58, repr("x" * 58)), ("x" * 59, "'" + "x" * 58 + "…")],
)
def test_a_quoted_cell_has_sixty_characters_at_most(text: str, expected: str) -> None:
    assert cells.shown(text) == expected
    assert len(expected) == 60


@pytest.mark.parametrize("cell", [None, "", "EVAL", "TEST"])
def test_a_row_is_evaluated_unless_its_split_says_otherwise(cell: str | None) -> None:
    assert cells.split(cell) == "EVAL"


@pytest.mark.parametrize(
    ("cell", "expected"), [("TRUE", 1), ("False", 0), ("1", 1), (0, 0), (True, 1)]
)
def test_labels_are_read_in_any_case(cell: object, expected: int) -> None:
    assert cells.label(cell) == expected


@pytest.mark.parametrize(
    ("read", "cell", "said"),
    [
        (cells.label, Decimal(1), "found Decimal('1') where a label is expected"),
        (cells.identifier, "a\ud800", "the id 'a\\ud800' holds half of a surrogate pair"),
        (cells.texts, ["a", "\udfff"], "uid '\\udfff' holds half of a surrogate pair"),
        (cells.fold, 2**63, "found 9223372036854775808 where a fold is expected"),
        (cells.fold, -(2**63) - 1, "found -9223372036854775809 where a fold is expected"),
        (cells.fold, "9" * 41, f"found '{'9' * 41}' where a fold is expected"),
        (cells.number, "\n1", "found '\\n1' where a finite number is expected"),
        (cells.numbers, "[1. 2.]", "found '[1. 2.]', which is no list that can be read"),
        (cells.numbers, "[1.,, 2]", "found '[1.,, 2]', which is no list that can be read"),
        (cells.texts, "[1., 2]", "uid 1.0 is not text"),
        (cells.number, "X1", "found 'X1' where a finite number is expected"),
        (cells.numbers, '["1"]', "found '1' where a number is expected"),
        (cells.texts, ["b", "a", "a"], "uid 'a' is in the list twice"),
        (cells.probabilities, [0.0, 1.0, 1.5], "found 1.5, outside [0, 1]"),
        (cells.probabilities, [0.0, 1.0, -0.5], "found -0.5, outside [0, 1]"),
        (cells.texts, "['a' 'b']", "found \"['a' 'b']\", which is no list that can be read"),
        (
            cells.texts,
            '["a",\x1c"b"]',
            'found \'["a",\\x1c"b"]\', which is no list that can be read',
        ),
        (
            cells.texts,
            "['a',\xa0'b']",
            "found \"['a',\\xa0'b']\", which is no list that can be read",
        ),
        (cells.texts, "['a'\f]", "found \"['a'\\x0c]\", which is no list that can be read"),
        (cells.numbers, "[1.,\v2.]", "found '[1.,\\x0b2.]', which is no list that can be read"),
        (cells.numbers, "1|\x1c2", "found '\\x1c2' where a finite number is expected"),
        (cells.texts, r"['\x']", "found \"['\\\\x']\", with a broken string in it"),
    ],
)
def test_a_refusal_quotes_what_was_found(
    read: Callable[[object], object], cell: object, said: str
) -> None:
    with pytest.raises(BadCell) as caught:
        read(cell)
    assert caught.value.what == str(caught.value) == said
    assert caught.value.remedy


@pytest.mark.parametrize("space", [" ", "\t", "\r", "\n", " \t\r\n"])
def test_white_space_between_items_is_that_of_json(space: str) -> None:
    assert cells.texts(f"[{space}'a'{space},{space}'b'{space}]") == ("a", "b")
    assert cells.texts(f'[{space}"a"{space},{space}"b"{space}]') == ("a", "b")
    assert cells.numbers(f"[{space}1.{space},{space}.5{space}]") == (1.0, 0.5)
    assert cells.numbers(f"[{space}1{space},{space}2{space}]") == (1.0, 2.0)


@pytest.mark.parametrize("value", [2**63 - 1, -(2**63)])
def test_a_fold_has_64_bits(value: int) -> None:
    assert cells.fold(value) == cells.fold(str(value)) == value


def test_forty_digits_are_a_number_and_mostly_zeros() -> None:
    assert cells.fold("7".zfill(40)) == 7


def test_blanks_around_a_number_are_nothing() -> None:
    assert cells.number("  0.5 ") == 0.5


def test_zero_and_one_are_probabilities() -> None:
    assert cells.probabilities([0, 1]) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("cell", "expected"),
    [("[1., .5]", (1.0, 0.5)), ("[ -1. ,+2e1 ]", (-1.0, 20.0)), ("1.|\t.5 ", (1.0, 0.5))],
)
def test_numbers_as_python_writes_them(cell: str, expected: tuple[float, ...]) -> None:
    assert cells.numbers(cell) == expected
