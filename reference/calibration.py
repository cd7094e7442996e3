"""Calibration of the gate's probability (sections 5 and 16).

Exactness: a probability is the decimal that it shows, so j/M ≤ p is decided on decimals, and sums
of probabilities and of their squares are exact decimals; only then a fraction is made of them. The
log loss is the one logarithm of a product, worked out to 120 digits, of which 50 are kept.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext
from fractions import Fraction
from itertools import accumulate, pairwise
from operator import attrgetter
from typing import TYPE_CHECKING

from reference.values import EXACT, ZERO, Exact, Value, ratio, total

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from reference.study import Query, Study


# The product of many probabilities needs exponents that nothing else does.
PRODUCT = Context(prec=120, Emin=MIN_EMIN, Emax=MAX_EMAX)


@dataclass
class Bin:
    """What fell into one bin."""

    n: int = 0
    labels: int = 0
    probs: Decimal = Decimal(0)

    @property
    def gap(self) -> Fraction:
        """Return n · |mean label − mean prob|."""
        return abs(self.labels - Fraction(self.probs))


def labelled(rows: Sequence[Query]) -> list[tuple[Decimal, int]]:
    """Return probability and label of each row."""
    return [(query.prob or Decimal(0), query.label or 0) for query in rows]


def binned(pairs: Iterable[tuple[Decimal, int]], count: int) -> tuple[list[Bin], Bin]:
    """Put each probability into bin j, j/M ≤ p < (j+1)/M; p = 1 is kept apart."""
    bins, ones = [Bin() for _ in range(count)], Bin()
    with localcontext(EXACT):
        for prob, label in pairs:
            place = ones if prob == 1 else bins[int(prob * count)]
            place.n += 1
            place.labels += label
            place.probs += prob
    return bins, ones


def ece(pairs: Sequence[tuple[Decimal, int]], count: int) -> Value:
    """Return Σ (n_j/N)·|mean label − mean prob|."""
    return ratio(total(each.gap for each in closed(*binned(pairs, count))), len(pairs))


def closed(bins: Sequence[Bin], ones: Bin) -> list[Bin]:
    """Let the last bin also hold p = 1."""
    last = bins[-1]
    with localcontext(EXACT):
        both = Bin(last.n + ones.n, last.labels + ones.labels, last.probs + ones.probs)
    return [*bins[:-1], both]


def cut(rows: Sequence[Query], count: int) -> list[list[Query]]:
    """Cut the rows, by (prob, file order), into bins whose sizes differ by at most one."""
    ordered = sorted(sorted(rows, key=attrgetter("row")), key=attrgetter("prob"))
    small, larger = divmod(len(rows), count)
    ends = list(accumulate([small + 1] * larger + [small] * (count - larger), initial=0))
    return [ordered[start:end] for start, end in pairwise(ends) if end > start]


def equal_mass(rows: Sequence[Query], count: int) -> Value:
    """Return ECE over bins of equal size."""
    return ratio(total(filled(some).gap for some in cut(rows, count)), len(rows))


def filled(rows: Sequence[Query]) -> Bin:
    """Put rows into one bin."""
    with localcontext(EXACT):
        probs = sum((query.prob or Decimal(0) for query in rows), Decimal(0))
    return Bin(len(rows), sum(query.label or 0 for query in rows), probs)


def straddling(rows: Sequence[Query], count: int) -> int:
    """Count the rows whose probability stands on both sides of a cut."""
    bins = cut(rows, count)
    split = {low[-1].prob for low, high in pairwise(bins) if low[-1].prob == high[0].prob}
    return sum(query.prob in split for query in rows)


def log_loss(probs: Iterable[Decimal]) -> Exact:
    """Return −mean ln p of what was told of the true labels; `inf` where one was ruled out."""
    product, n = Decimal(1), 0
    for prob in probs:
        product, n = PRODUCT.multiply(product, prob), n + 1
    if not product:
        return math.inf
    return ratio(-PRODUCT.ln(product), n)


def brier(rows: Sequence[Query]) -> Value:
    """Return the mean of (prob − label)²."""
    with localcontext(EXACT):
        errors = [(query.prob or Decimal(0)) - (query.label or 0) for query in rows]
        squares = sum(error * error for error in errors)
    return ratio(Fraction(squares), len(rows))


def skill(squared: Value, rows: Sequence[Query]) -> Value:
    """Return 1 − brier / (π·(1 − π)); 0 where π is 0 or 1."""
    n, positive = len(rows), sum(query.label or 0 for query in rows)
    by_chance = positive * (n - positive)
    return 1 - squared * n * n / by_chance if by_chance else ZERO


def calibration(rows: Sequence[Query], study: Study) -> Iterator[tuple[str, str, str, Exact]]:
    """Yield ECE for every M and its variants, MCE, the Brier score, its skill, and log loss."""
    pairs = labelled(rows)
    for count in study.settings.bins:
        bins, ones = binned(pairs, count)
        whole, half = (
            ratio(total(each.gap for each in some), len(rows))
            for some in (closed(bins, ones), bins)
        )
        largest = max((each.gap / each.n for each in closed(bins, ones) if each.n), default=ZERO)
        yield f"ece@{count}", "all_queries", "value", whole
        yield f"ece@{count}/half_open", "all_queries", "value", half
        yield f"ece@{count}/equal_mass", "all_queries", "value", equal_mass(rows, count)
        yield f"mce@{count}", "all_queries", "value", largest
    squared = brier(rows)
    yield "brier", "all_queries", "value", squared
    yield "brier/skill", "all_queries", "value", skill(squared, rows)
    yield "log_loss", "all_queries", "value", log_loss(map(told, rows))


def told(query: Query) -> Decimal:
    """Return the probability of the true label; 1 − p has no more digits than p."""
    prob = query.prob or Decimal(0)
    return prob if query.label else EXACT.subtract(Decimal(1), prob)


def reliability(rows: Sequence[Query], study: Study) -> Iterator[tuple[str, str, str, Exact]]:
    """Yield what a reliability diagram shows: n, mean prob and mean label of each bin."""
    for count in study.settings.bins:
        for j, each in enumerate(closed(*binned(labelled(rows), count))):
            name = f"reliability@{count}/bin={j}"
            yield name, "all_queries", "n", each.n
            yield name, "all_queries", "mean_prob", ratio(Fraction(each.probs), each.n)
            yield name, "all_queries", "mean_label", ratio(each.labels, each.n)
