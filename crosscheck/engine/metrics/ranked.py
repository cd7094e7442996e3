"""The ranking families: count signatures, value each once, and make the statistics of slices."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING

from crosscheck.contract import parameter_values
from crosscheck.engine.exact import BITS, exponential, logarithm, ratio
from crosscheck.engine.metrics import graded, signatures
from crosscheck.engine.metrics.ranking import metrics
from crosscheck.engine.tally import Statistics, tally

if TYPE_CHECKING:
    from collections.abc import Iterable

    from crosscheck.engine.metrics.ranking import Metric
    from crosscheck.engine.metrics.signatures import Signature
    from crosscheck.engine.slices import Book, Slices
    from crosscheck.engine.table import Table

FLOOR = Fraction(1, 100_000)
"""What gmap takes for a smaller average precision."""
BY_HITS = "/by_hits"
POPULATIONS = ("all_queries", "positives_only")

Values = dict[str, int]
"""Signature → a metric's value."""
Counts = dict[str, Counter[str]]
"""Slice → signature → number of queries."""


def counts(table: Table, slices: Slices) -> Counts:
    """Count the signatures in every slice."""
    dims = [*table.dims, *(["in_state"] if table.stateful else [])]
    listed = "".join(f"{one}, " for one in dims)
    query = (
        f"SELECT {listed}signature, count(*) FROM (SELECT {listed}{signatures.text(table)} AS "
        f"signature FROM eval_rows) counted GROUP BY {listed}signature"
    )
    rows = table.engine.rows(query)
    more = ["state"] if table.stateful else []
    found = tally(slices, dims, rows, more)
    return {
        part: Counter({payload[0]: count for payload, count in counter.items()})
        for part, counter in found.items()
    }


def enter(table: Table, book: Book, found: Counts) -> None:
    """Enter every ranking metric."""
    parsed = {written: signatures.parse(written) for written in found["all"]}
    values = parameter_values(table.settings)
    ties = table.has("scores")
    pooled = {
        part: some for part, some in found.items() if part == "all" or part.startswith("seed=")
    }
    for name, (function, bits) in metrics(values).items():
        own = {
            written: plain(function, one) if one.gold and one.size else 0
            for written, one in parsed.items()
        }
        _statistics(book, name, own, bits, found)
        if ties:
            for bound, pick in (("tie_low", min), ("tie_high", max)):
                extreme = {
                    written: pick(arrangements(name, function, one)) if one.tied else own[written]
                    for written, one in parsed.items()
                }
                _means(book, f"{name}/{bound}", extreme, bits, pooled)
    _geometric(book, parsed, found)
    if table.has("grades"):
        for name, gains in graded.metrics(table, values).items():
            own = {written: gains(one, ranked(one)) for written, one in parsed.items()}
            _statistics(book, name, own, BITS, found)
            if ties:
                for bound, first in (("tie_low", False), ("tie_high", True)):
                    extreme = {
                        written: gains(one, one.arranged(first=first))
                        for written, one in parsed.items()
                    }
                    _means(book, f"{name}/{bound}", extreme, BITS, pooled)


def plain(function: Metric, one: Signature) -> int:
    """Value a signature as it is ranked."""
    return function(one.gold, one.size, one.ranks)


def ranked(one: Signature) -> tuple[tuple[int, int], ...]:
    """Give ranks and grades of the gold, upwards."""
    return tuple(sorted((hit.rank, hit.grade) for hit in one.hits))


def arrangements(name: str, function: Metric, one: Signature) -> Iterable[int]:
    """Value the orders of equal scores among which are the extremes (section 3, tie bounds)."""
    ends = [tuple(rank for rank, _ in one.arranged(first=first)) for first in (True, False)]
    if name.endswith(BY_HITS) and not name.startswith("map@all"):
        ends += _straddling(one, int(name.partition("@")[2].partition("/")[0]))
    return [function(one.gold, one.size, ranks) for ranks in ends]


def _straddling(one: Signature, cut: int) -> list[tuple[int, ...]]:
    """Put every possible number of gold of the group that the cut-off divides inside it."""
    found: list[tuple[int, ...]] = []
    for first in (True, False):
        fixed: list[int] = []
        choices: list[list[int]] = [[]]
        for above, (size, grades) in one.groups.items():
            gold = len(grades)
            if above < cut < above + size:
                inside = range(max(0, gold - (above + size - cut)), min(gold, cut - above) + 1)
                choices = [
                    [
                        *((above if first else cut - some) + place for place in range(1, some + 1)),
                        *(cut + place for place in range(1, gold - some + 1)),
                    ]
                    for some in inside
                ]
            else:
                start = above if first else above + size - gold
                fixed += [start + place for place in range(1, gold + 1)]
        found += [tuple(sorted([*fixed, *chosen])) for chosen in choices]
    return found


def _statistics(book: Book, name: str, values: Values, bits: int, found: Counts) -> None:
    for part, counter in found.items():
        for population in POPULATIONS:
            often = _often(values, counter, population)
            Statistics(often, 1 << bits).enter(book, name, population, part)


def _means(book: Book, name: str, values: Values, bits: int, found: Counts) -> None:
    for part, counter in found.items():
        for population in POPULATIONS:
            often = _often(values, counter, population)
            book.put(name, population, part, Statistics(often, 1 << bits).mean(), "mean")


def _often(values: Values, counter: Counter[str], population: str) -> Counter[int]:
    """Count how often each value stands; an empty signature has no gold."""
    often: Counter[int] = Counter()
    for written, count in counter.items():
        if written or population == "all_queries":
            often[values[written]] += count
    return often


def _geometric(book: Book, parsed: dict[str, Signature], found: Counts) -> None:
    """Enter gmap: the geometric mean of map@all/by_gold, with a floor."""
    function = metrics({"K": ["all"], "r": [], "ρ": []})["map@all/by_gold"][0]
    logs: dict[int, Fraction] = {}
    own: dict[str, int] = {}
    for written, one in parsed.items():
        own[written] = plain(function, one) if one.gold and one.size else 0
        value = max(Fraction(own[written], 1 << BITS), FLOOR)
        if own[written] not in logs:
            logs[own[written]] = logarithm(value)
    for part, counter in found.items():
        for population in POPULATIONS:
            often = _often(own, counter, population)
            count = sum(often.values())
            total = sum((logs[value] * some for value, some in often.items()), Fraction(0))
            mean = ratio(total, count)
            value = exponential(Fraction(mean)) if count else Fraction(0)
            book.put("gmap", population, part, value)


def gold_not_found(found: Counts) -> int:
    """Count the gold that its query's candidates lack."""
    parsed = ((signatures.parse(written), count) for written, count in found["all"].items())
    return sum((one.gold - len(one.hits)) * count for one, count in parsed)


__all__ = ["counts", "enter", "gold_not_found"]
