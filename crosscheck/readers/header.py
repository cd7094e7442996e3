"""Which rows of a table are its header, and where a table begins anew within itself."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from crosscheck.notation.number import parse
from crosscheck.notation.source import is_digit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crosscheck.notation.written import Written

    Row = Sequence[Written]


def header(rows: Sequence[Row], ruled: int = 1) -> int:
    """Count the header's rows: those above the first rule, and those below it that go on.

    A row with a decimal in it holds results, and so no row from there on is a heading; a whole
    number can be one (a cut-off, a year, a fold).
    """
    if len(rows) == 1 and any(parse(cell.text).quantities for cell in rows[0][1:]):
        return 0
    above = next((i for i in range(min(ruled, len(rows))) if _is_body(rows[i])), ruled)
    count = min(above, len(rows))
    while count and count < len(rows) - 1 and _goes_on(rows[count], rows[count - 1]):
        count += 1
    return count


def _is_body(row: Row) -> bool:
    """Say whether a row is no heading: it has results, or a name and whole numbers alone.

    Whole numbers that rise are cut-offs, years or folds, and so a heading.
    """
    if holds_results(row):
        return True
    numbers = [parse(cell.text).number for cell in row[1:] if cell.text]
    values = [one.value for one in numbers if one is not None]
    rising = len(values) > 1 and all(a < b for a, b in pairwise(values))
    named = bool(row) and any(map(str.isalpha, row[0].text))
    return named and bool(values) and len(values) == len(numbers) and not rising


def holds_results(row: Row) -> bool:
    """Say whether a row has a number with a decimal, or a percentage."""
    said = [parse(cell.text) for cell in row]
    numbers = [one for cell in said for one in cell.quantities]
    return any(one.step < 1 or one.percent for one in numbers)


def _goes_on(row: Row, above: Row) -> bool:
    """Say whether a row continues the header: one of the two is blank in the first column.

    The other columns hold names: `| | MRR | R@5 |` below `| Model | Dev | |`, or the reverse.
    """
    named = [cell for cell in row[1:] if cell.text]
    filled = len(named) == len(row) - 1
    return (
        (not row[0].text or (not above[0].text and filled))
        and bool(named)
        and all(any(map(str.isalpha, cell.text)) for cell in named)
        and not holds_results(row)
    )


def sections(rows: Sequence[Row], count: int) -> list[tuple[int, int]]:
    """Cut a table where its header stands again: from which row to which each part goes."""
    if not count:
        return [(0, len(rows))]
    titles = [cell.text for cell in rows[count - 1][1:]]
    again = [
        i
        for i in range(count, len(rows))
        if any(titles) and [cell.text for cell in rows[i][1:]] == titles and _is_text(rows[i])
    ]
    starts = [0, *again]
    return list(zip(starts, [*again, len(rows)], strict=True))


def _is_text(row: Row) -> bool:
    return any(cell.text and not any(map(is_digit, cell.text[:1])) for cell in row)
