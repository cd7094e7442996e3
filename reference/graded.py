"""Graded relevance and judgements, per query (section 15).

Exactness: gains are integers and discounts those of `values`; the chance that a reader stops is a
fraction, and so are ERR and bpref.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

from reference.values import ZERO, Value, discount, total

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from reference.ranking import Shape

FAMILIES = ("graded", "exponential", "judged")
# Above this largest grade, gains of 2^g − 1 are not owed.
EXPONENTIAL_MAX = 30


def within(seen: Shape, k: int | None) -> tuple[tuple[int, int], ...]:
    """Return rank and grade of R_K ∩ G*; None is `all`."""
    if k is None:
        return seen.grades
    return seen.grades[: bisect_right(seen.grades, k, key=lambda pair: pair[0])]


def gain(seen: Shape, k: int | None) -> Value:
    """Σ_{i≤K} g(d_i) / log2(i + 1)."""
    return _discounted(within(seen, k))


def ideal(seen: Shape, k: int | None) -> Value:
    """Return the same of the grades of G* in descending order, the first K."""
    return _discounted(tuple(enumerate(seen.ideal[:k], 1)))


def exponential_gain(seen: Shape, k: int | None) -> Value:
    """Σ_{i≤K} (2^g(d_i) − 1) / log2(i + 1)."""
    return _discounted(_doubled(within(seen, k)))


def exponential_ideal(seen: Shape, k: int | None) -> Value:
    """Return the same of the grades of G* in descending order, the first K."""
    return _discounted(_doubled(enumerate(seen.ideal[:k], 1)))


def _doubled(grades: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    return tuple((rank, (1 << grade) - 1) for rank, grade in grades)


@lru_cache(maxsize=4096)
def _discounted(gains: tuple[tuple[int, int], ...]) -> Value:
    return total(worth * discount(rank) for rank, worth in gains)


def cascade(grade_max: int) -> Callable[[Shape, int | None], Value]:
    """Return ERR for this gmax: Σ_{i≤K} (1/i)·r_i·Π_{j<i} (1 − r_j), r = (2^g − 1) / 2^gmax.

    From the last rank to the first: what is gained at i or later, once i is reached, is r_i/i and,
    with chance 1 − r_i, what is gained later.
    """

    def expected(seen: Shape, k: int | None) -> Value:
        found = ZERO
        for rank, grade in reversed(within(seen, k)):
            stop = Fraction((1 << grade) - 1, 1 << grade_max)
            found = stop / rank + (1 - stop) * found
        return found

    return expected


def preferred(seen: Shape, _none: None) -> Value:
    """Σ over gold in R of 1 − min(n, |G|) / min(N, |G|); a term with n = 0 is 1.

    n is the number of judged non-relevant above it, N of all that the query has.
    """
    gold = set(seen.hits)
    above = [rank for rank in seen.judged if rank not in gold]
    worst = min(seen.nonrelevant, seen.gold)
    passed = [min(bisect_left(above, rank), seen.gold) for rank in seen.hits]
    return total(1 - Fraction(n, worst) if n else Fraction(1) for n in passed)


def judged(seen: Shape, k: int | None) -> int:
    """Return how much of R_K was judged."""
    return len(seen.judged) if k is None else bisect_right(seen.judged, k)
