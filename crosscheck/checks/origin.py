"""Where a difference starts: the queries whose per-query values differ, the worst first."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from crosscheck.model.findings import QueryDifference
from crosscheck.model.key import Key
from crosscheck.model.ledgers import differing_rows

if TYPE_CHECKING:
    from crosscheck.checks import Evidence, Statement
    from crosscheck.model.ledgers import LedgerComparison
    from crosscheck.witnesses import Columns

MOST_QUERIES = 5


@dataclass
class Origin:
    """Looks per-query values up, once per witness, and only when something differs."""

    evidence: Evidence
    columns: dict[str, Columns | str] = field(default_factory=dict)

    def of(self, key: str, pair: LedgerComparison) -> tuple[list[QueryDifference], str]:
        """Give the queries on which the pair differs, and a remark where there are none to give."""
        metric = Key.parse(key).metric
        sides = [self.evidence.statement(name) for name in (pair.first, pair.second)]
        values = [self._column(side, metric) for side in sides]
        missing = [value for value in values if isinstance(value, str)]
        if missing:
            return [], missing[0]
        first, second = (value for value in values if not isinstance(value, str))
        rows = self._within(key, differing_rows(first, second))
        if not rows:
            return [], "; no query's own value differs, so the difference lies in the averaging"
        return [
            self._query(row, {pair.first: first[row], pair.second: second[row]}, shown=place == 0)
            for place, row in enumerate(rows[:MOST_QUERIES])
        ], f"; {len(rows):,} queries differ, first {self._name(rows[0])}"

    def _column(self, side: Statement, metric: str) -> list[float] | str:
        """Give the metric's per-query values, or a remark: why there are none."""
        if side.witness.per_query is None or side.case.scope:
            return ""
        if side.name not in self.columns:
            try:
                self.columns[side.name] = side.witness.per_query(side.case)
            except Exception as error:  # noqa: BLE001 - a witness may fail in any way it likes
                self.columns[side.name] = f"; {side.name} gave no per-query values ({error})"
        known = self.columns[side.name]
        return known if isinstance(known, str) else known.get(metric, "")

    def _within(self, key: str, rows: list[int]) -> list[int]:
        """Keep the rows that the key is about."""
        parsed = Key.parse(key)
        if parsed.slice in {"folds", "criteria"}:
            return rows
        mask = self.evidence.rows.mask(parsed.population, parsed.slice)
        return [row for row in rows if mask[row]]

    def _query(self, row: int, values: dict[str, float], *, shown: bool) -> QueryDifference:
        rows = self.evidence.rows
        seen = {
            name: rows.lists(column)[row]
            for name, column in (("ranking", "candidates"), ("gold", "gold"))
            if shown and rows.has(column)
        }
        return QueryDifference(query=self._name(row), values=values, **seen)

    def _name(self, row: int) -> str:
        return query_name(self.evidence, row)


def query_name(evidence: Evidence, row: int) -> str:
    """Name an EVAL row by its key, as a person would look for it."""
    frame = evidence.rows.frame
    if "query_id" in frame.columns:
        return f"query {frame['query_id'][row]}"
    name = f"post {frame['post_id'][row]}, criterion {frame['criterion_id'][row]}"
    return f"{name}, fold {frame['fold'][row]}" if "fold" in frame.columns else name
