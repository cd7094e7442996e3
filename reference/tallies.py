"""The values of ranking metrics, counted slice by slice (sections 2 and 3).

Exactness: the values of a metric that are fractions go over one common denominator, once for all
slices; a slice is a number of queries for each value, and its sums are sums of integers.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

from reference.aggregate import STATISTICS, geometric_mean, moments, scaled_moments, statistics
from reference.ranking import GMAP, GMAP_OF, shape, values
from reference.values import ZERO, Value

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from reference.aggregate import Sums, Tally
    from reference.ranking import Named, Shape
    from reference.study import Query

POPULATIONS = ("positives_only", "all_queries")


class Column(NamedTuple):
    """The distinct values of a metric, ascending, and where in them each shape stands.

    Where all are fractions, `scaled` are their numerators over the denominator `common`.
    """

    values: list[Value]
    places: list[int]
    scaled: list[int]
    common: int = 0

    def tally(self, shapes: Iterable[tuple[int, int]]) -> tuple[Tally, Sums]:
        """Return the values, each with a number of queries, and their sums.

        Shapes are given by their numbers, each with a number of queries.
        """
        counts, places = [0] * len(self.values), self.places
        for number, count in shapes:
            counts[places[number]] += count
        tallied = [(value, n) for value, n in zip(self.values, counts, strict=True) if n]
        if self.common:
            sums = scaled_moments(zip(self.scaled, counts, strict=True), self.common)
        else:
            sums = moments(tallied)
        return tallied, sums


def column(values: Sequence[Value]) -> Column:
    """Sort out the values of a metric, shape by shape."""
    keys: Sequence[Any] = values
    common = 0
    if Decimal not in set(map(type, values)):
        ratios = [value.as_integer_ratio() for value in values]
        common = math.lcm(*(below for _, below in ratios))
        keys = [above * (common // below) for above, below in ratios]
    by_key: dict[Any, Value] = {}
    for key, value in zip(keys, values, strict=True):
        by_key.setdefault(key, value)
    ascending = sorted(by_key)
    place = {key: i for i, key in enumerate(ascending)}
    return Column([by_key[k] for k in ascending], [place[k] for k in keys], ascending, common)


@dataclass(frozen=True)
class Table:
    """The values of each shape, the number that stands for it, and the columns of the metrics.

    Variants often coincide: `alike` names for each metric the first that has the same values for
    every shape, whose column is kept.
    """

    worked: dict[Shape, dict[str, Value]]
    numbers: dict[Shape, int]
    columns: dict[str, Column]
    alike: dict[str, str]


def table(queries: Iterable[Query], metrics: Named) -> Table:
    """Work out every shape that occurs once, for the metrics asked for; blanks are all 0."""
    shapes = dict.fromkeys([shape(query) for query in queries if not query.blank])
    worked = {seen: values(seen, metrics) for seen in shapes}
    numbers = {seen: number for number, seen in enumerate(worked)}
    columns = {name: column([value[name] for value in worked.values()]) for name in metrics}
    firsts: dict[object, str] = {}
    alike = {
        name: firsts.setdefault((each.common, *each.scaled, *each.places), name)
        for name, each in columns.items()
    }
    return Table(worked, numbers, {name: columns[name] for name in firsts.values()}, alike)


def measure(
    rows: Sequence[Query],
    worked: Table,
    wanted: Sequence[str] = STATISTICS,
    populations: Sequence[str] = POPULATIONS,
) -> Iterator[tuple[str, str, str, Value]]:
    """Yield (metric, population, statistic, value)."""
    known: dict[str, list[tuple[str, dict[str, Value]]]] = {}
    for metric, population, tallied, sums in tallies(rows, worked, worked.columns, populations):
        found = statistics(tallied, wanted, sums)
        known.setdefault(metric, []).append((population, found))
    for metric, first_alike in worked.alike.items():
        for population, found in known[first_alike]:
            for name, value in found.items():
                yield metric, population, name, value


def tallies(
    rows: Sequence[Query],
    worked: Table,
    metrics: Iterable[str],
    populations: Sequence[str] = POPULATIONS,
) -> Iterator[tuple[str, str, Tally, Sums]]:
    """Yield the values of metrics in each population, counted, and their sums.

    Queries of which every metric is 0 are counted apart: zeros add nothing to sums.
    """
    counted = Counter([shape(query) for query in rows if not query.blank])
    blanks = len(rows) - counted.total()
    numbered = [(worked.numbers[seen], count) for seen, count in counted.items()]
    golden = [(worked.numbers[seen], count) for seen, count in counted.items() if seen.gold]
    for metric in metrics:
        column = worked.columns[metric]
        found = column.tally(golden)
        for population in populations:
            if population == "positives_only":
                yield metric, population, *found
                continue
            tallied, sums = found if len(golden) == len(numbered) else column.tally(numbered)
            yield metric, population, [(ZERO, blanks), *tallied] if blanks else tallied, sums


def measure_gmap(rows: Sequence[Query], worked: Table) -> Iterator[tuple[str, str, str, Value]]:
    """Yield the geometric mean of map@all/by_gold, of which nothing is below 0.00001."""
    for _, population, tallied, _ in tallies(rows, worked, [worked.alike[GMAP_OF]]):
        yield GMAP, population, "value", geometric_mean(tallied)
