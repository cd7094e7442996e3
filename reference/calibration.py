"""Calibration of the gate's probability (sections 5 and 16).

Exactness: a probability is the decimal that it shows, so j/M ≤ p is decided on decimals, and sums
of probabilities and of their squares are exact decimals; only then a fraction is made of them. The
log loss is the one logarithm of a product, worked out to 120 digits, of which 50 are kept.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext
from fractions import Fraction
from functools import reduce
from itertools import accumulate, pairwise
from operator import attrgetter, mul
from typing import TYPE_CHECKING

from reference.values import EXACT, ZERO, Exact, Value, ratio, total

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from reference.study import Query, Study

    # A probability, and a label.
    Pair = tuple[Decimal, int]
    Entries = Iterator[tuple[str, str, str, Exact]]

# The product of many probabilities needs exponents that nothing else does.
PRODUCT = Context(prec=120, Emin=MIN_EMIN, Emax=MAX_EMAX)
NOTHING = Decimal(0)
# The bins of the headline metrics.
HEADLINE_BINS = 10


@dataclass
class Bin:
    """What fell into one bin."""

    n: int = 0
    labels: int = 0
    probs: Decimal = NOTHING

    @property
    def gap(self) -> Fraction:
        """Return n · |mean label − mean prob|."""
        return abs(self.labels - Fraction(self.probs))


def labelled(rows: Sequence[Query]) -> Ascending:
    """Return probability and label of each row, by (prob, file order).

    Rows with one probability are given in file order.
    """
    ordered = sorted(rows, key=attrgetter("prob"))
    return Ascending([q.prob or NOTHING for q in ordered], [q.label or 0 for q in ordered])


class Ascending:
    """Ascending probabilities with their labels, and what the first few add up to, however many."""

    def __init__(self, probs: Sequence[Decimal], labels: Sequence[int]) -> None:
        self.probs, self.labels = probs, labels
        self.positives = list(accumulate(labels, initial=0))
        with localcontext(EXACT):
            self.added = list(accumulate(probs, initial=NOTHING))

    def __len__(self) -> int:
        return len(self.probs)

    def __iter__(self) -> Iterator[Pair]:
        return zip(self.probs, self.labels, strict=True)

    def filled(self, cuts: Sequence[int]) -> list[Bin]:
        """Put the pairs into the bins between these places."""
        with localcontext(EXACT):
            return [
                Bin(
                    end - start,
                    self.positives[end] - self.positives[start],
                    self.added[end] - self.added[start],
                )
                for start, end in pairwise(cuts)
            ]

    def of_width(self, count: int) -> tuple[list[Bin], list[Bin]]:
        """Cut into bins j, j/M ≤ p < (j+1)/M; then with p = 1 in the last one too."""

        def times(prob: Decimal) -> Decimal:
            return EXACT.multiply(prob, Decimal(count))

        cuts = [bisect_left(self.probs, Decimal(j), key=times) for j in range(count + 1)]
        return self.filled(cuts), self.filled([*cuts[:-1], len(self)])

    def of_mass(self, count: int) -> list[Bin]:
        """Cut into bins whose sizes differ by at most one."""
        return self.filled(even_cuts(len(self), count))


def even_cuts(n: int, count: int) -> list[int]:
    """Return where such bins begin, and where the last one ends."""
    small, larger = divmod(n, count)
    return list(accumulate([small + 1] * larger + [small] * (count - larger), initial=0))


def mean_gap(bins: Iterable[Bin], n: int) -> Value:
    """Return Σ (n_j/N)·|mean label − mean prob|."""
    return ratio(total(each.gap for each in bins), n)


def ece(pairs: Iterable[Pair], count: int) -> Value:
    """Return ECE over bins of equal width."""
    ordered = sorted(pairs)
    ascending = Ascending([prob for prob, _ in ordered], [label for _, label in ordered])
    return mean_gap(ascending.of_width(count)[1], len(ascending))


def straddling(rows: Sequence[Query], count: int) -> int:
    """Count the rows whose probability stands on both sides of a cut of equal mass."""
    probs = labelled(rows).probs
    inner = [at for at in even_cuts(len(probs), count) if 0 < at < len(probs)]
    split = {probs[at] for at in inner if probs[at - 1] == probs[at]}
    return sum(prob in split for prob in probs)


def log_loss(probs: Iterable[Decimal]) -> Exact:
    """Return −mean ln p of what was told of the true labels; `inf` where one was ruled out."""
    told = list(probs)
    product = reduce(PRODUCT.multiply, told, Decimal(1))
    return ratio(-PRODUCT.ln(product), len(told)) if product else math.inf


def brier(pairs: Ascending) -> Value:
    """Return the mean of (prob − label)²."""
    with localcontext(EXACT):
        errors = [prob - label if label else prob for prob, label in pairs]
        squares = sum(map(mul, errors, errors), NOTHING)
    return ratio(Fraction(squares), len(errors))


def skill(squared: Value, pairs: Ascending) -> Value:
    """Return 1 − brier / (π·(1 − π)); 0 where π is 0 or 1."""
    n, positive = len(pairs), pairs.positives[-1]
    by_chance = positive * (n - positive)
    return 1 - squared * n * n / by_chance if by_chance else ZERO


def calibration(rows: Sequence[Query], study: Study) -> Entries:
    """Yield ECE for every M and its variants, MCE, the Brier score, its skill, and log loss."""
    pairs = labelled(rows)
    for count in study.settings.bins:
        half_open, bins = pairs.of_width(count)
        largest = max((each.gap / each.n for each in bins if each.n), default=ZERO)
        for variant, some in (
            ("", bins),
            ("/half_open", half_open),
            ("/equal_mass", pairs.of_mass(count)),
        ):
            yield f"ece@{count}{variant}", "all_queries", "value", mean_gap(some, len(pairs))
        yield f"mce@{count}", "all_queries", "value", largest
    squared = brier(pairs)
    yield "brier", "all_queries", "value", squared
    yield "brier/skill", "all_queries", "value", skill(squared, pairs)
    yield "log_loss", "all_queries", "value", log_loss(told(pairs))


def brief(rows: Sequence[Query], study: Study) -> Entries:
    """Yield of them what is a headline metric (section 10)."""
    pairs = labelled(rows)
    if HEADLINE_BINS in study.settings.bins:
        for variant, bins in (
            ("", pairs.of_width(HEADLINE_BINS)[1]),
            ("/equal_mass", pairs.of_mass(HEADLINE_BINS)),
        ):
            value = mean_gap(bins, len(pairs))
            yield f"ece@{HEADLINE_BINS}{variant}", "all_queries", "value", value
    yield "brier", "all_queries", "value", brier(pairs)
    yield "log_loss", "all_queries", "value", log_loss(told(pairs))


def told(pairs: Ascending) -> list[Decimal]:
    """Return the probabilities of the true labels; 1 − p has no more digits than p."""
    with localcontext(EXACT):
        return [prob if label else 1 - prob for prob, label in pairs]


def reliability(rows: Sequence[Query], study: Study) -> Entries:
    """Yield what a reliability diagram shows: n, mean prob and mean label of each bin."""
    pairs = labelled(rows)
    for count in study.settings.bins:
        for j, each in enumerate(pairs.of_width(count)[1]):
            name = f"reliability@{count}/bin={j}"
            yield name, "all_queries", "n", each.n
            yield name, "all_queries", "mean_prob", ratio(Fraction(each.probs), each.n)
            yield name, "all_queries", "mean_label", ratio(each.labels, each.n)
