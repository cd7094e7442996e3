"""Per post, several labels (section 8): posts counted by their own confusion."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING

from crosscheck.engine.exact import Exact, ratio
from crosscheck.engine.metrics.decisions import Confusion

if TYPE_CHECKING:
    from crosscheck.engine.slices import Book, Slices
    from crosscheck.engine.table import Table


def enter(table: Table, slices: Slices, book: Book) -> None:
    """Enter the metrics of posts × criteria matrices."""
    dims = [one for one in ("seed", "fold") if table.has(one)]
    by = "".join(f"{one}, " for one in dims)
    cells = ", ".join(
        f"sum(CASE WHEN y = {y} AND passed = {passed} THEN 1 ELSE 0 END) AS {name}"
        for name, y, passed in (("tp", 1, 1), ("fp", 0, 1), ("tn", 0, 0), ("fn", 1, 0))
    )
    rows = table.engine.rows(
        f"SELECT {by}tp, fp, tn, fn, count(*) FROM (SELECT {by}post_id, {cells} FROM eval_rows "
        f"GROUP BY {by}post_id) posts GROUP BY {by}tp, fp, tn, fn"
    )
    found: dict[str, Counter[Confusion]] = {"all": Counter()}
    for *unit, tp, fp, tn, fn, count in rows:
        for label in slices.of(dims, unit):
            found.setdefault(label, Counter())[Confusion(*map(int, (tp, fp, tn, fn)))] += int(count)
    per_criterion = _per_criterion(table, slices)
    for label, counter in found.items():
        for name, value in _values(counter, per_criterion.get(label, {})).items():
            book.put(name, "posts", label, value)


def _per_criterion(table: Table, slices: Slices) -> dict[str, dict[str, Confusion]]:
    """Count every criterion's confusion within each slice of posts."""
    dims = [one for one in ("seed", "fold") if table.has(one)]
    by = "".join(f"{one}, " for one in dims)
    rows = table.engine.rows(
        f"SELECT {by}criterion_id, y, passed, count(*) FROM eval_rows "
        f"GROUP BY {by}criterion_id, y, passed"
    )
    cells: dict[str, dict[str, Counter[tuple[int, int]]]] = {}
    for *unit, criterion, y, passed, count in rows:
        for label in slices.of(dims, unit):
            held = cells.setdefault(label, {}).setdefault(criterion, Counter())
            held[int(y), int(passed)] += int(count)
    return {
        label: {
            criterion: Confusion(one[1, 1], one[0, 1], one[0, 0], one[1, 0])
            for criterion, one in some.items()
        }
        for label, some in cells.items()
    }


def _f1(cells: Confusion) -> Fraction:
    return Fraction(ratio(2 * cells.tp, 2 * cells.tp + cells.fp + cells.fn))


def _values(posts: Counter[Confusion], criteria: dict[str, Confusion]) -> dict[str, Exact]:
    count = sum(posts.values())
    pooled = Confusion(
        *(
            sum(getattr(one, name) * some for one, some in posts.items())
            for name in Confusion._fields
        )
    )
    exact = sum(some for one, some in posts.items() if not (one.fp or one.fn))
    score = Fraction(ratio(pooled.tp + pooled.tn, sum(pooled)))
    by_post = [(_f1(one), one.tp + one.fn, some) for one, some in posts.items()]
    by_criterion = [(_f1(one), one.tp + one.fn, 1) for one in criteria.values()]
    return {
        "exact_match": ratio(exact, count),
        "hamming_score": score,
        "hamming_loss": 1 - score,
        "f1_micro": _f1(pooled),
        "f1_macro/per_criterion": _mean(by_criterion),
        "f1_macro/per_post": _mean(by_post),
        "f1_weighted/per_criterion": _weighted(by_criterion),
        "f1_weighted/per_post": _weighted(by_post),
    }


def _mean(values: list[tuple[Fraction, int, int]]) -> Exact:
    total = sum((value * count for value, _, count in values), Fraction(0))
    return ratio(total, sum(count for _, _, count in values))


def _weighted(values: list[tuple[Fraction, int, int]]) -> Exact:
    total = sum((value * weight * count for value, weight, count in values), Fraction(0))
    return ratio(total, sum(weight * count for _, weight, count in values))
