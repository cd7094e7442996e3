"""Means of ranking metrics: a kind of query is its signature, valued once on the driver."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from crosscheck.contract import parameter_values
from crosscheck.engine.exact import BITS as FINE
from crosscheck.engine.intervals.families import BITS, Family, mean, spread
from crosscheck.engine.intervals.groups import ROWS
from crosscheck.engine.metrics import graded, signatures
from crosscheck.engine.metrics.ranked import plain, ranked
from crosscheck.engine.metrics.ranking import metrics

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from crosscheck.engine.intervals.groups import Grouping
    from crosscheck.engine.metrics.signatures import Signature
    from crosscheck.engine.table import Table

MOST = 20_000
"""Kinds of queries that are written into a text for the engine."""
TOO_MANY = f"its queries are of more than {MOST:,} kinds, too many to be sent to an engine"

Kinds = dict[str, tuple[int, ...]]
"""Signature → the value of every metric, in 2^-60."""


class Rankings:
    """The queries with gold, counted by slice and signature; each signature's values."""

    def __init__(self, table: Table, wanted: Sequence[str]) -> None:
        self.table = table
        self.names = [name for name in functions(table) if name in set(wanted)]
        by = ", ".join([*table.dims, "kind"])
        width = len(table.dims)
        rows = table.engine.rows(
            f"SELECT {by}, count(*) FROM ({self._kinds('eval_rows', ())}) r GROUP BY {by}"
        )
        self.cells = sorted((row[:width], str(row[width]), int(row[-1])) for row in rows)
        known = functions(table)
        used = [known[name] for name in self.names]
        parsed = {kind: signatures.parse(kind) for _, kind, _ in self.cells}
        self.kinds: Kinds = {
            kind: tuple(value(one) for value in used) for kind, one in sorted(parsed.items())
        }

    @property
    def too_many(self) -> bool:
        """Whether the kinds do not fit into a text."""
        return len(self.kinds) > MOST

    def _kinds(self, source: str, more: Sequence[str]) -> str:
        """Write the signature of queries with gold, without what no headline metric asks for."""
        words = self.table.engine.words
        listed = "".join(f"{one}, " for one in (*more, *self.table.dims))
        # Neither |R| nor groups of equal scores: far fewer kinds.
        short = words.replaced("signature", ":[0-9]+:[0-9]+", "")
        short = words.replaced(short, ";[0-9]+;", ";1;")
        written = signatures.text(self.table)
        return (
            f"SELECT {listed}{short} AS kind FROM (SELECT {listed}{written} AS signature "
            f"FROM {source} WHERE {words.size('gold')} > 0) s"
        )

    def by_kind(self, queries: int) -> Family:
        """Give the kinds themselves; queries without gold are one more, in no slice."""
        rows = [((at,), dims, (1, *self.kinds[kind])) for at, (dims, kind, _) in _numbered(self)]
        counts = [count for _, _, count in self.cells]
        return self._family(rows, (*counts, queries - sum(counts)))

    def by_group(self, grouping: Grouping) -> Family:
        """Let the engine add up the values within groups."""
        words = self.table.engine.words
        if not self.kinds:
            return self._family([], ())
        columns = tuple(f"v_{number}" for number in range(len(self.names)))
        valued = words.values(
            "valued",
            ("kind", *columns),
            [
                (words.quote(kind), *(f"CAST({one} AS BIGINT)" for one in values))
                for kind, values in self.kinds.items()
            ],
        )
        by = ", ".join(f"r.{one}" for one in (*grouping.columns, *self.table.dims))
        sums = ", ".join(["count(*)", *(words.total(f"v.{one}") for one in columns)])
        rows = self.table.engine.rows(
            f"SELECT {by}, {sums} FROM ({self._kinds(ROWS, grouping.columns)}) r "
            f"JOIN {valued} v ON r.kind = v.kind GROUP BY {by}"
        )
        return self._family(spread(rows, grouping, self.table.dims), ())

    def _family(self, rows: list[Any], counts: tuple[int, ...]) -> Family:
        formulas = {name: mean(name, "with_gold") for name in self.names}
        return Family(("with_gold", *self.names), formulas, self.table.dims, rows, counts)


def _numbered(found: Rankings) -> enumerate[tuple[tuple[Any, ...], str, int]]:
    return enumerate(found.cells)


def functions(table: Table) -> Mapping[str, Callable[[Signature], int]]:
    """Give every ranking metric as a function of a signature, in 2^-60."""
    values = parameter_values(table.settings)
    found: dict[str, Callable[[Signature], int]] = {}
    for name, (function, bits) in metrics(values).items():
        if bits == FINE:
            found[name] = lambda one, use=function: plain(use, one) >> (FINE - BITS)  # type: ignore[misc]
    if table.has("grades"):
        for name, gains in graded.metrics(table, values).items():
            found[name] = lambda one, use=gains: use(one, ranked(one)) >> (FINE - BITS)  # type: ignore[misc]
    return found
