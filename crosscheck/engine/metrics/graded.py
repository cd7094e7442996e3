"""Metrics of graded relevance (section 15), of a signature with grades."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from crosscheck.engine.exact import BITS, discount

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from crosscheck.engine.metrics.signatures import Signature
    from crosscheck.engine.table import Table

    Ranked = tuple[tuple[int, int], ...]
    """Rank and grade of every gold that was retrieved, upwards."""
    Gains = Callable[[Signature, Ranked], int]

STEEPEST = 30
"""The largest grade of which gains 2^g − 1 are taken."""


def metrics(table: Table, values: Mapping[str, Sequence[str]]) -> dict[str, Gains]:
    """Give every metric of the graded families by its id."""
    found: dict[str, Gains] = {}
    for cut in values["K"]:
        number = None if cut == "all" else int(cut)
        for kind, gain in (("graded", _linear), ("exponential", _steep)):
            found[f"dcg@{cut}/{kind}"] = _dcg(number, gain)
            found[f"ndcg@{cut}/{kind}"] = _ndcg(number, gain)
        highest = table.settings["grade_max"]
        if highest <= STEEPEST:
            found[f"err@{cut}"] = _err(number, highest)
    return found


def _linear(grade: int) -> int:
    return grade


def _steep(grade: int) -> int:
    return (1 << min(grade, 2 * STEEPEST)) - 1


def _sum(ranked: Ranked, cut: int | None, gain: Callable[[int], int]) -> int:
    return sum(gain(grade) * discount(rank) for rank, grade in ranked if cut is None or rank <= cut)


def _dcg(cut: int | None, gain: Callable[[int], int]) -> Gains:
    return lambda _, ranked: _sum(ranked, cut, gain)


def _ndcg(cut: int | None, gain: Callable[[int], int]) -> Gains:
    @cache
    def ideal(grades: tuple[int, ...]) -> int:
        return _sum(tuple(enumerate(grades, 1)), cut, gain)

    def value(one: Signature, ranked: Ranked) -> int:
        grades = (*(hit.grade for hit in one.hits), *one.missed)
        best = ideal(tuple(sorted(grades, reverse=True)))
        return (_sum(ranked, cut, gain) << BITS) // best if best else 0

    return value


def _err(cut: int | None, highest: int) -> Gains:
    def value(_: Signature, ranked: Ranked) -> int:
        found, left = 0, 1 << BITS
        for rank, grade in ranked:
            if cut is not None and rank > cut:
                break
            found += (left * _steep(grade) >> highest) // rank
            left -= left * _steep(grade) >> highest
        return found

    return value
