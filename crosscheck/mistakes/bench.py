"""The workbench on which metric code goes wrong: one data set, and what is truly said about it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from crosscheck.data import door
from crosscheck.data.rows import Rows, of_split
from crosscheck.model.key import Key

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    import polars as pl

    from crosscheck.data.rows import Floats
    from crosscheck.model.ledgers import Number

    Hits = tuple[int, ...]
    Query = tuple[Hits, int, int]
    """Ranks of the gold, length of the ranking, |G|."""

_OF_FILES = {"columns", "ties", "relevance_level", "dedupe", "run_path", "positive"}
"""Settings of how a file is read: the table goes by the contract's own names and order."""
_OF_JUDGEMENTS = {"query_id", "split", "candidates", "scores", "gold", "graded", "grades", "judged"}
"""Columns that judgements and a run make."""
SLICE = "slices."
"""What the table's column of a declared slice begins with."""


@dataclass(frozen=True)
class Bench:
    """One data set, and what the primary truly says about it."""

    table: pl.DataFrame
    """All rows, rankings in ranked order (`primary.table`)."""
    given: Mapping[str, Any]
    """The settings."""
    ledger: Mapping[str, Number]
    columns_read: Collection[str] = ()
    """The columns that the file has; empty: those of the table."""
    data: Any = None
    """Where the data lie, for what the table does not hold (grades)."""
    known: dict[Any, dict[Any, Any]] = field(default_factory=dict, repr=False)
    """What each formula has worked out so far."""
    refused: dict[Any, str] = field(default_factory=dict, repr=False)
    """Formula → why the implementation refuses the rows that it makes."""

    @cached_property
    def settings(self) -> dict[str, Any]:
        """The settings that go with the table."""
        kept = {name: value for name, value in self.given.items() if name not in _OF_FILES}
        if "slices" in kept:
            kept["slices"] = {name: f"{SLICE}{name}" for name in kept["slices"]}
        return kept

    @cached_property
    def keys(self) -> dict[str, Key]:
        """Every key of the ledger, taken apart once."""
        return {text: Key.parse(text) for text in self.ledger}

    @cached_property
    def parts(self) -> dict[tuple[str, str, str], list[str]]:
        """(metric, population, kind of slice) → the keys that averages over slices are made of."""
        found: dict[tuple[str, str, str], list[str]] = {}
        for text, key in self.keys.items():
            if key.statistic in {"mean", "value"}:
                kind = key.slice.partition("=")[0]
                found.setdefault((key.metric, key.population, kind), []).append(text)
        return found

    @cached_property
    def source(self) -> pl.DataFrame:
        """Give the same rows with the columns that a file has, and none that follow from them."""
        kept = self._told_alike
        if not self.columns_read:
            return kept
        return kept.select(
            name
            for name in kept.columns
            if name in self.columns_read or name.startswith(SLICE) or name in _OF_JUDGEMENTS
        )

    @cached_property
    def _told_alike(self) -> pl.DataFrame:
        """Give the rows as a table of which the same follows as of the files."""
        import polars as pl  # noqa: PLC0415 - heavy, and only asked where a mistake is made

        table = self.table
        if self.given.get("ties") == "trec_eval" and "scores" in table.columns:
            # Scores that tie in 32 bits are in their order already, and would be sorted anew.
            scores = pl.col("scores").cast(pl.List(pl.Float32)).cast(table["scores"].dtype)
            table = table.with_columns(scores)
        if "graded" in table.columns and not table["graded"].equals(table["gold"]):
            # A table has one grade for each gold id; these have grades besides.
            table = table.drop("graded", "grades")
        return table

    @cached_property
    def rows(self) -> Rows:
        """EVAL rows."""
        return of_split(self.table, self.settings, "EVAL")

    def has(self, *columns: str) -> bool:
        """Tell whether the EVAL rows have something in each of these columns."""
        frame = self.rows.frame
        return frame.height > 0 and all(
            name in frame.columns and frame[name].null_count() < frame.height for name in columns
        )

    @cached_property
    def queries(self) -> list[Query]:
        """Give each EVAL query's ranks of gold, length of ranking, and |G|; none without either."""
        if not self.has("candidates", "gold"):
            return []
        return [
            (tuple(rank for rank, uid in enumerate(uids, 1) if uid in gold), len(uids), len(gold))
            for uids, gold in zip(
                self.rows.lists("candidates"), map(set, self.rows.gold), strict=True
            )
        ]

    @cached_property
    def columns(self) -> dict[str, Floats]:
        """The primary's per-query values."""
        columns = door.primary.per_query_columns(self.source, self.settings)
        arrays = {name: np.asarray(column) for name, column in columns.items()}
        return {
            name: one.astype(np.float64) for name, one in arrays.items() if one.dtype.kind in "iuf"
        }
