"""What authors put into a cell beside the number is read, or the cell is not understood at all."""

from __future__ import annotations

from typing import Any

import pytest

from crosscheck.notation.number import parse
from crosscheck.notation.quantity import convention

PARTS = (
    "number", "spread", "bracket", "low", "high", "change", "before", "p", "upper", "lower",
)  # fmt: skip
READ: dict[str, dict[str, str]] = {
    "0.999 (p<0.01)": {"number": "0.999", "p": "0.01"},
    "0.999, p = .03": {"number": "0.999", "p": "0.03"},
    "0.999¹": {"number": "0.999"},
    "0.999^{1}": {"number": "0.999"},
    "0.999^{1,2}": {"number": "0.999"},
    "0.999^a": {"number": "0.999"},
    "0.999 🏆": {"number": "0.999"},
    "0.999;": {"number": "0.999"},
    "0.999**": {"number": "0.999"},
    "†0.999": {"number": "0.999"},
    "0·999": {"number": "0.999"},
    "0.9\u200b9\u200d9": {"number": "0.999"},
    "0.82\u00a0±\u00a00.03": {"number": "0.82", "spread": "0.03"},
    "0.82 (±0.03)": {"number": "0.82", "spread": "0.03"},
    "0.82 (SD 0.03)": {"number": "0.82", "spread": "0.03"},
    "0.82^{+.01}_{-.02}": {"number": "0.82", "upper": "0.01", "lower": "-0.02"},
    "0.55 → 0.64": {"before": "0.55", "number": "0.64"},
    "55% -> 64%": {"before": "55", "number": "64"},
    "0.82 (+3.1)": {"number": "0.82", "change": "3.1"},
    "0.82 ↓3.1%": {"number": "0.82", "change": "-3.1"},
    "0.82_{+3.1}": {"number": "0.82", "change": "3.1"},
    "0.695 (90% CI 0.99-0.999)": {"number": "0.695", "low": "0.99", "high": "0.999"},
    "0.8306 (best)": {"number": "0.8306"},
    "83‰": {"number": "8.3"},
    "82.1 ×100": {"number": "82.1"},
    "٠٫٨٢": {"number": "0.82"},
    "1.2×10^{-3}": {"number": "0.0012"},
}
NOT_READ = [
    "0.9–1.0", "1e400", "0.999 or so", "2^10", "0.82 vs 0.79", "0.82 (n=140)", "0.8 2", "½",
    "0.82 (rank 1)", "3.1M", "12:30", "0.82 ms", "9" * 61, "0.8..2", "v0.82", "0.82 (2nd)",
]  # fmt: skip


def said(text: str, **how: Any) -> dict[str, str]:
    cell = parse(text, **how)
    return {name: str(getattr(cell, name).value) for name in PARTS if getattr(cell, name)}


@pytest.mark.parametrize("text", READ)
def test_a_decorated_number_is_read_with_every_digit(text: str) -> None:
    assert said(text) == READ[text]
    assert parse(text).understood


@pytest.mark.parametrize("text", NOT_READ)
def test_a_cell_that_is_not_understood_gives_no_number(text: str) -> None:
    cell = parse(text)
    assert cell.quantities == ()
    assert not cell.understood


@pytest.mark.parametrize(
    ("text", "values"), [("0.82/0.79", ["0.82", "0.79"]), ("1 | 2 | 3", ["1", "2", "3"])]
)
def test_numbers_parted_by_a_slash_are_several_and_none_of_them_the_number(
    text: str, values: list[str]
) -> None:
    cell = parse(text)
    assert cell.number is None
    assert [str(one.value) for one in cell.several] == values


@pytest.mark.parametrize(
    ("text", "relation"), [("≥ 0.8", ">"), (">= 0.8", ">"), ("~0.8", "~"), ("≈0.8", "~")]
)
def test_a_bound_or_an_approximation_is_known_as_one(text: str, relation: str) -> None:
    number = parse(text).number
    assert number is not None
    assert number.relation == relation


@pytest.mark.parametrize(
    ("text", "doubt"),
    [
        ("0.83 (train)", "what “(train)” says"),
        ("0.695 (90% CI 0.6-0.7)", "interval of 90 %"),
        ("0.999 pp", "in points"),
        ("58,333", "can be 58.333 or a whole number"),
    ],
)
def test_what_makes_a_number_doubtful_is_said(text: str, doubt: str) -> None:
    assert doubt in parse(text).doubt


@pytest.mark.parametrize(("comma", "value"), [("decimal", "58.333"), ("group", "58333")])
def test_a_comma_is_what_the_file_says(comma: Any, value: str) -> None:
    assert said("58,333", comma=comma) == {"number": value}
    assert parse("58,333", comma).doubt == ""


def test_the_files_own_numbers_tell_what_a_comma_is() -> None:
    assert convention(["0,82", "20,2", "58,333"]) == "decimal"
    assert convention(["0.82", "1,379"]) == "group"
    assert convention(["58,333", "12"]) is None


def test_every_number_knows_where_it_stands_in_its_cell() -> None:
    text = "  **0.8\u200b2**  ± 0.03 (p < 0.05)¹"
    cell = parse(text)
    assert [text[slice(*one.span)] for one in cell.quantities] == ["0.8\u200b2", "0.03", "< 0.05"]
    assert [text[slice(*one)] for one in cell.marks] == ["¹"]
