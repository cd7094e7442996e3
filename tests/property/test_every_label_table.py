"""All label and prediction tables up to 3 posts × 3 criteria: section 8, by enumeration.

Each table is a fold of one file. Posts and criteria are interchangeable in every metric of the
section, so of tables that differ by their order alone one is asked.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations, product
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MOST = 3
Cell = tuple[int, int]
"""(label, prediction)."""
Table = tuple[tuple[Cell, ...], ...]
"""Posts × criteria."""

CELLS: tuple[Cell, ...] = ((0, 0), (0, 1), (1, 0), (1, 1))


def tables(posts: int, criteria: int) -> Iterator[Table]:
    """Give one table of each kind: rows sorted, and the smallest under a change of columns."""
    for flat in product(range(4), repeat=posts * criteria):
        codes = [flat[i * criteria : (i + 1) * criteria] for i in range(posts)]
        if list(codes) != sorted(codes):
            continue
        turned = (
            sorted(tuple(row[c] for c in order) for row in codes)
            for order in permutations(range(criteria))
        )
        if all(codes <= other for other in turned):
            yield tuple(tuple(CELLS[code] for code in row) for row in codes)


def f1(cells: list[Cell]) -> Fraction:
    both = sum(label and pred for label, pred in cells)
    total = sum(label + pred for label, pred in cells)
    return Fraction(2 * both, total) if total else Fraction(0)


def mean(values: list[Fraction], weights: list[int]) -> Fraction:
    weight = sum(weights)
    total = sum((v * w for v, w in zip(values, weights, strict=True)), Fraction(0))
    return total / weight if weight else Fraction(0)


def naive(table: Table) -> dict[str, Fraction]:
    """Every metric of section 8."""
    cells = [cell for row in table for cell in row]
    columns = [[row[c] for row in table] for c in range(len(table[0]))]
    rows = [list(row) for row in table]
    hamming = Fraction(sum(label == pred for label, pred in cells), len(cells))
    by_criterion, by_post = [f1(column) for column in columns], [f1(row) for row in rows]

    def positives(groups: list[list[Cell]]) -> list[int]:
        return [sum(label for label, _ in group) for group in groups]

    exact = [all(label == pred for label, pred in row) for row in rows]
    return {
        "exact_match": Fraction(sum(exact), len(rows)),
        "hamming_score": hamming,
        "hamming_loss": 1 - hamming,
        "f1_micro": f1(cells),
        "f1_macro/per_criterion": mean(by_criterion, [1] * len(columns)),
        "f1_macro/per_post": mean(by_post, [1] * len(rows)),
        "f1_weighted/per_criterion": mean(by_criterion, positives(columns)),
        "f1_weighted/per_post": mean(by_post, positives(rows)),
    }


@pytest.mark.parametrize("package", ["primary", "reference"])
@pytest.mark.parametrize("criteria", range(1, MOST + 1))
def test_every_table_of_labels_and_predictions(
    criteria: int, package: str, evaluate: Callable[..., Any], wrong: Callable[..., Any]
) -> None:
    asked = [table for posts in range(1, MOST + 1) for table in tables(posts, criteria)]
    rows = [
        {
            "post_id": f"p{post}",
            "criterion_id": "ABC"[place],
            "fold": number,
            "has_evidence": label,
            "pred": pred,
        }
        for number, table in enumerate(asked)
        for post, row in enumerate(table)
        for place, (label, pred) in enumerate(row)
    ]
    expected = {
        f"{metric}|posts|fold={number}|value": value
        for number, table in enumerate(asked)
        for metric, value in naive(table).items()
    }
    assert wrong(expected, evaluate(package, rows, {})) == {}


def test_no_table_is_left_out() -> None:
    """Burnside: the number of tables up to the order of rows and columns."""
    assert sum(1 for _ in tables(2, 2)) == 76
    assert sum(1 for _ in tables(3, 2)) == 430
    assert sum(1 for _ in tables(3, 3)) == 8240
