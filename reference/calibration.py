"""Calibration of the gate's probability (section 5).

Exactness: a probability is the decimal that it shows, so j/M ≤ p is decided on decimals, and sums
of probabilities and of their squares are exact decimals; only then a fraction is made of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import TYPE_CHECKING

from reference.values import EXACT, Exact, Value, ratio, total

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reference.study import Query, Study


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


def binned(rows: Sequence[Query], count: int) -> tuple[list[Bin], Bin]:
    """Put each query into bin j, j/M ≤ p < (j+1)/M; p = 1 is kept apart."""
    bins, ones = [Bin() for _ in range(count)], Bin()
    with localcontext(EXACT):
        for query in rows:
            prob = query.prob or Decimal(0)
            place = ones if prob == 1 else bins[int(prob * count)]
            place.n += 1
            place.labels += query.label or 0
            place.probs += prob
    return bins, ones


def closed(bins: Sequence[Bin], ones: Bin) -> list[Bin]:
    """Let the last bin also hold p = 1."""
    last = bins[-1]
    with localcontext(EXACT):
        both = Bin(last.n + ones.n, last.labels + ones.labels, last.probs + ones.probs)
    return [*bins[:-1], both]


def brier(rows: Sequence[Query]) -> Value:
    """Return the mean of (prob − label)²."""
    with localcontext(EXACT):
        errors = [(query.prob or Decimal(0)) - (query.label or 0) for query in rows]
        squares = sum(error * error for error in errors)
    return ratio(Fraction(squares), len(rows))


def calibration(rows: Sequence[Query], study: Study) -> Iterator[tuple[str, str, str, Exact]]:
    """Yield ECE for every M, its half-open variant, and the Brier score."""
    for count in study.settings.bins:
        bins, ones = binned(rows, count)
        whole, half = (
            ratio(total(each.gap for each in some), len(rows))
            for some in (closed(bins, ones), bins)
        )
        yield f"ece@{count}", "all_queries", "value", whole
        yield f"ece@{count}/half_open", "all_queries", "value", half
    yield "brier", "all_queries", "value", brier(rows)


def reliability(rows: Sequence[Query], study: Study) -> Iterator[tuple[str, str, str, Exact]]:
    """Yield what a reliability diagram shows: n, mean prob and mean label of each bin."""
    for count in study.settings.bins:
        for j, each in enumerate(closed(*binned(rows, count))):
            name = f"reliability@{count}/bin={j}"
            yield name, "all_queries", "n", each.n
            yield name, "all_queries", "mean_prob", ratio(Fraction(each.probs), each.n)
            yield name, "all_queries", "mean_label", ratio(each.labels, each.n)
