"""Counted groups of rows: how often each payload stands in each slice, and statistics of it."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from crosscheck.engine.exact import Exact, ratio, root

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from crosscheck.engine.slices import Book, Slices

QUARTILES = (("median", Fraction(1, 2)), ("p25", Fraction(1, 4)), ("p75", Fraction(3, 4)))
P90 = (("p90", Fraction(9, 10)),)

Tally = dict[str, Counter[Any]]
"""Slice → payload → number of rows."""


def tally(
    slices: Slices,
    dims: Sequence[str],
    rows: Iterable[tuple[Any, ...]],
    more: Sequence[str] = (),
) -> Tally:
    """Spread counted groups over the slices: a row is the dims, the payload and the count."""
    found: Tally = {label: Counter() for label in slices.labels(*more)}
    places: dict[tuple[Any, ...], list[Counter[Any]]] = {}
    width = len(dims)
    for row in rows:
        values = row[:width]
        if values not in places:
            places[values] = [found[one] for one in slices.of(dims, values) if one in found]
        payload, count = row[width:-1], int(row[-1])
        for counter in places[values]:
            counter[payload] += count
    return found


def counted(table_rows: Iterable[tuple[Any, ...]]) -> Counter[Any]:
    """Count payloads without slices."""
    found: Counter[Any] = Counter()
    for row in table_rows:
        found[row[:-1]] += int(row[-1])
    return found


def select(counter: Mapping[Any, int], where: Callable[[Any], bool]) -> int:
    """Count the rows whose payload fits."""
    return sum(count for payload, count in counter.items() if where(payload))


def total(counter: Mapping[Any, int], value: Callable[[Any], int]) -> int:
    """Add up a whole number of every row."""
    return sum(value(payload) * count for payload, count in counter.items())


class Statistics:
    """Mean, standard deviation and quantiles of whole numbers at a scale, each so often."""

    def __init__(self, values: Mapping[int, int], scale: int = 1) -> None:
        self.values = sorted((value, count) for value, count in values.items() if count)
        self.scale = scale
        self.count = sum(count for _, count in self.values)

    def mean(self) -> Exact:
        """Average; of nothing 0."""
        return ratio(sum(value * count for value, count in self.values), self.count * self.scale)

    def std(self) -> Exact:
        """Deviate, with n − 1; of fewer than two values 0."""
        if self.count < 2:  # noqa: PLR2004 - of one value nothing deviates
            return Fraction(0)
        plain = sum(value * count for value, count in self.values)
        squares = sum(value * value * count for value, count in self.values)
        above = self.count * squares - plain * plain
        return root(Fraction(above, self.count * (self.count - 1) * self.scale**2))

    def quantile(self, share: Fraction) -> Exact:
        """Interpolate linearly between the two values beside (n − 1)·share."""
        if not self.count:
            return Fraction(0)
        at = (self.count - 1) * share
        place = at.numerator // at.denominator
        low, high = self._at(place), self._at(min(place + 1, self.count - 1))
        return (low + (high - low) * (at - place)) / Fraction(self.scale)

    def _at(self, place: int) -> int:
        for value, count in self.values:
            if place < count:
                return value
            place -= count
        raise IndexError(place)

    def enter(
        self, book: Book, metric: str, population: str, part: str, *, p90: bool = False
    ) -> None:
        """Enter the mean, the deviation and the quantiles."""
        book.put(metric, population, part, self.mean(), "mean")
        book.put(metric, population, part, self.std(), "std")
        for name, share in (*QUARTILES, *(P90 if p90 else ())):
            book.put(metric, population, part, self.quantile(share), name)
