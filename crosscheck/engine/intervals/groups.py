"""Which group a row belongs to: that of the hash of its post, or query, the same everywhere."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from crosscheck.engine.table import Table

GROUPS = 4096
"""Groups that posts are put into where there are more posts than that."""
ROWS = "grouped_rows"


def group_of(written: str, groups: int = GROUPS) -> int:
    """Give the group of an id: the first 8 bytes of its SHA-256, big-endian, by a modulus."""
    return int.from_bytes(hashlib.sha256(written.encode()).digest()[:8], "big") % groups


@dataclass(frozen=True, slots=True)
class Grouping:
    """How the rows of the view `grouped_rows` are grouped."""

    unit: str
    """`post` or `query`."""
    columns: tuple[str, ...]
    """Columns of that view: equal in all of them, one group."""
    count: int
    """Posts or queries."""
    units: dict[tuple[Any, ...], int]
    """What those columns hold → the number of the unit: the group, or the place of the id."""
    hashed: bool
    """False: each post, or query, is a group of its own."""

    def text(self) -> str:
        """Say what is resampled, in words."""
        plural = {"post": "posts", "query": "queries"}[self.unit]
        if self.hashed:
            return f"{len(self.units):,} groups of {plural}"
        return f"each of the {self.count:,} {plural}"


def group(table: Table, unit: str, groups: int = GROUPS) -> Grouping:
    """Define the view of grouped EVAL rows."""
    ids = _ids(table, unit)
    listed = ", ".join(ids)
    [(count,)] = table.engine.rows(
        f"SELECT count(*) FROM (SELECT DISTINCT {listed} FROM eval_rows) units"
    )
    hashed = int(count) > groups
    if hashed:
        made = [table.engine.words.residue(_hashed(table, unit), groups)]
        units: dict[tuple[Any, ...], int] = {(number,): number for number in range(groups)}
    else:
        made = ids
        rows = table.engine.rows(f"SELECT DISTINCT {listed} FROM eval_rows")
        units = {one: number for number, one in enumerate(sorted(map(tuple, rows)))}
    columns = tuple(f"unit_{number}" for number in range(len(made)))
    named = ", ".join(f"{one} AS {name}" for one, name in zip(made, columns, strict=True))
    table.engine.define(ROWS, f"SELECT *, {named} FROM eval_rows")
    return Grouping(unit, columns, int(count), units, hashed)


def _ids(table: Table, unit: str) -> list[str]:
    """Name what tells units apart: a post is one of its fold, unless there are seeds."""
    if unit == "query":
        return list(table.key)
    by_fold = table.has("fold") and not table.has("seed")
    return ["fold", "post_id"] if by_fold else ["post_id"]


def _hashed(table: Table, unit: str) -> str:
    """Write the text that is hashed: the post's id, as for the sample, or the query's."""
    if unit == "post" or len(table.key) == 1:
        return table.key[0]
    return f"concat({', '.join(table.key)})"
