"""bpref and judged@K (section 15): what they depend on of a query, counted by the engine.

Of each gold that was retrieved: how many judged and not relevant stand above it as ranked, with
gold last among equals, with gold first. Of each cut-off: how many judged stand within it as ranked,
with the judged last among equals, with the judged first.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from crosscheck.contract import parameter_values
from crosscheck.engine.exact import BITS
from crosscheck.engine.tally import Statistics, tally

if TYPE_CHECKING:
    from collections.abc import Callable

    from crosscheck.engine.slices import Book, Slices
    from crosscheck.engine.table import Table

ORDERS = ("as ranked", "tie_low", "tie_high")
UNIT = 1 << BITS


class Query(NamedTuple):
    """A query as these metrics see it; every count in the three orders."""

    gold: int
    others: int
    """Judged and not relevant, retrieved or not."""
    size: int
    above: list[list[int]]
    """Of each gold: the others above it, at most |G|."""
    within: list[list[int]]
    """Of each cut-off: the judged within it."""


def _score(table: Table, at: str) -> str:
    words = table.engine.words
    return words.entry("scores", at) if table.has("scores") else words.double(0.0)


def _places(table: Table) -> str:
    """Write a record of each candidate: place, score, whether it is judged, and not relevant."""
    words = table.engine.words
    uid = words.entry("candidates", "i")
    judged, gold = words.has("judged", uid), words.has("gold", uid)
    entry = words.record(
        p="CAST(i AS BIGINT)",
        s=_score(table, "i"),
        j=f"CASE WHEN {judged} THEN 1 ELSE 0 END",
        other=f"CASE WHEN {judged} AND NOT {gold} THEN 1 ELSE 0 END",
    )
    return words.transform(words.numbers("1", words.size("candidates")), "i", entry)


def _above(table: Table) -> str:
    """Write the others above each gold."""
    words = table.engine.words
    found = words.transform("gold", "u", words.record(p=words.position("candidates", "u")))
    found = words.keep(found, "x", "x.p > 0")
    hits = words.transform(found, "x", words.record(p="x.p", s=_score(table, "x.p")))
    counts = [
        f"CAST(least({words.size(words.keep('places', 'o', f'o.other = 1 AND {order}'))}, "
        f"{words.size('gold')}) AS {words.text})"
        for order in ("(o.s > x.s OR (o.s = x.s AND o.p < x.p))", "o.s >= x.s", "o.s > x.s")
    ]
    counted = ", ':', ".join(counts)
    return words.joined(words.ordered(words.transform(hits, "x", f"concat({counted})")), ",")


def _within(table: Table, cuts: list[str]) -> str:
    """Write the judged within each cut-off."""
    words = table.engine.words
    lists = []
    for then in ("x.p", "CAST(x.j AS BIGINT)", "CAST(0 - x.j AS BIGINT)"):
        entry = words.record(a=f"{words.double(0.0)} - x.s", b=then, j="x.j")
        lists.append(words.ordered(words.transform("places", "x", entry)))
    shown = []
    for cut in cuts:
        size = words.size("candidates") if cut == "all" else cut
        counts = [
            f"CAST({words.size(words.keep(words.first(one, size), 'x', 'x.j = 1'))} "
            f"AS {words.text})"
            for one in lists
        ]
        shown.append(", ':', ".join(counts))
    counted = ", ',', ".join(shown)
    return f"concat({counted})"


def enter(table: Table, slices: Slices, book: Book) -> None:
    """Enter both metrics, with their bounds where scores may tie."""
    words = table.engine.words
    cuts = [str(one) for one in parameter_values(table.settings)["K"]]
    dims = [*table.dims, *(["in_state"] if table.stateful else [])]
    listed = "".join(f"{one}, " for one in dims)
    columns = {
        "g": words.size("gold"),
        "o": f"{words.size('judged')} - {words.size('gold')}",
        "r": words.size("candidates"),
        "above_each": _above(table),
        "within_each": _within(table, cuts),
    }
    made = ", ".join(f"{one} AS {name}" for name, one in columns.items())
    names = ", ".join(columns)
    rows = table.engine.rows(
        f"SELECT {listed}{names}, count(*) FROM (SELECT {listed}{made} FROM "
        f"(SELECT *, {_places(table)} AS places FROM eval_rows) placed) counted "
        f"GROUP BY {listed}{names}"
    )
    found = tally(slices, dims, rows, ["state"] if table.stateful else [])
    parsed = {payload: _query(*payload) for payload in found["all"]}
    metrics: dict[str, Callable[[Query, int], int]] = {"bpref": _bpref}
    metrics |= {f"judged@{cut}": _judged(at, cut) for at, cut in enumerate(cuts)}
    orders = ORDERS if table.has("scores") else ORDERS[:1]
    for name, metric in metrics.items():
        for at, order in enumerate(orders):
            values = {payload: metric(one, at) for payload, one in parsed.items()}
            for part, counter in found.items():
                if at and part != "all" and not part.startswith("seed="):
                    continue
                for population in ("all_queries", "positives_only"):
                    often: Counter[int] = Counter()
                    for payload, count in counter.items():
                        if population == "all_queries" or parsed[payload].gold:
                            often[values[payload]] += count
                    statistics = Statistics(often, UNIT)
                    if at:
                        mean = statistics.mean()
                        book.put(f"{name}/{order}", population, part, mean, "mean")
                    else:
                        statistics.enter(book, name, population, part)


def _query(gold: int, others: int, size: int, above: str, within: str) -> Query:
    def read(text: str) -> list[list[int]]:
        return [[int(one) for one in each.split(":")] for each in text.split(",") if each]

    return Query(int(gold), int(others), int(size), read(above), read(within))


def _bpref(one: Query, order: int) -> int:
    if not one.gold:
        return 0
    below = min(one.others, one.gold)
    total = sum(UNIT - (above[order] * UNIT // below if above[order] else 0) for above in one.above)
    return total // one.gold


def _judged(at: int, cut: str) -> Callable[[Query, int], int]:
    def value(one: Query, order: int) -> int:
        size = one.size if cut == "all" else min(int(cut), one.size)
        return one.within[at][order] * UNIT // size if size else 0

    return value
