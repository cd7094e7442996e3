"""The workbench on which metric code is broken: honest answers, and tools to replace some of them.

A fault says how one formula goes wrong; the bench works out every key that follows from it, over
all populations, slices and statistics, and lays it over the honest ledger.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from crosscheck.key import Key
from crosscheck.witnesses.fill import fill, statistics
from crosscheck.witnesses.rows import Rows, of_split

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import polars as pl

    from crosscheck.witnesses import Case, Ledger, Number
    from crosscheck.witnesses.rows import Floats, Mask

    Hits = tuple[int, ...]
    Formula = Callable[[Hits, int, int, int | None], float]
    """(ranks of the gold, length of the ranking, |G|, K or None for `all`) → the query's value."""
    OfRows = Callable[["Rows", "Mask"], "Number | None"]
    """(EVAL rows, those of the slice) → the slice's value, None to leave it as it is."""

RANKED = re.compile(r"(?P<name>[a-z]+)@(?P<k>all|\d+)(?P<variant>/[a-z_]+)?")
OVER = ("folds", "criteria")


@dataclass(frozen=True)
class Bench:
    """One data set, and what the primary truly says about it."""

    case: Case
    ledger: Ledger
    facts: dict[str, Any]

    @cached_property
    def keys(self) -> dict[str, Key]:
        """Every key of the ledger, taken apart once."""
        return {text: Key.parse(text) for text in self.ledger}

    @cached_property
    def table(self) -> pl.DataFrame:
        """All rows, rankings in ranked order."""
        import primary  # noqa: PLC0415 - polars is heavy

        return primary.table(self.case.data, self.case.settings)

    @cached_property
    def source(self) -> pl.DataFrame:
        """Give the same rows with the columns that the file has, and none that follow from them."""
        return self.table.select(
            name for name in self.table.columns if name in self.facts["columns"]
        )

    @cached_property
    def rows(self) -> Rows:
        """EVAL rows."""
        return of_split(self.table, self.case.settings, "EVAL")

    @cached_property
    def tune(self) -> Rows:
        """TUNE rows."""
        return of_split(self.table, self.case.settings, "TUNE")

    @cached_property
    def queries(self) -> list[tuple[Hits, int, int]]:
        """Give each EVAL query's ranks of gold, length of ranking, and |G|."""
        return [
            (
                tuple(rank for rank, uid in enumerate(uids, start=1) if uid in gold),
                len(uids),
                len(gold),
            )
            for uids, gold in zip(
                self.rows.lists("candidates"), map(set, self.rows.gold), strict=True
            )
        ]

    @cached_property
    def columns(self) -> dict[str, Floats]:
        """The primary's per-query values."""
        import primary  # noqa: PLC0415 - polars is heavy

        frame = primary.per_query(self.case.data, self.case.settings)
        numeric = frame.select_dtypes("number")
        return {str(name): numeric[name].to_numpy(np.float64) for name in numeric.columns}

    def overlaid(self, patch: Ledger) -> Ledger:
        """Lay wrong answers over the honest ledger, and carry them to folds and criteria."""
        changed = {key: value for key, value in patch.items() if key in self.ledger}
        return self.ledger | changed | self._carried(changed)

    def ranked(self, name: str, formula: Formula, variant: str = "") -> Ledger:
        """Break a ranking metric: its value for each query, at every K."""

        def values(metric: str) -> Floats | None:
            found = RANKED.fullmatch(metric)
            if not found or found["name"] != name or (found["variant"] or "") != variant:
                return None
            cut = None if found["k"] == "all" else int(found["k"])
            known: dict[tuple[Hits, int, int], float] = {}
            for query in self.queries:
                if query not in known:
                    known[query] = formula(*query, cut)
            return np.array([known[query] for query in self.queries], dtype=np.float64)

        return self.per_query(values)

    def per_query(self, values: Callable[[str], Floats | None]) -> Ledger:
        """Break per-query values of the metrics for which there are any."""
        known: dict[str, Floats | None] = {}

        def of_slice(metric: str, population: str, part: str) -> dict[str, Number] | None:
            if metric not in known:
                known[metric] = values(metric)
            column = known[metric]
            if column is None or population not in {"positives_only", "all_queries"}:
                return None
            return statistics(column[self.rows.mask(population, part)])

        return self.overlaid(fill(self.case.owed, of_slice))

    def aggregated(
        self, statistic: str, wrong: Callable[[Floats], float], population: str = ""
    ) -> Ledger:
        """Break a statistic over queries, of every metric that has per-query values."""
        patch: Ledger = {}
        for text in self.case.owed:
            key = self.keys[text]
            column = self.columns.get(key.metric)
            if column is None or key.statistic != statistic or key.slice in OVER:
                continue
            if population in {"", key.population}:
                chosen = column[self.rows.mask(key.population, key.slice)]
                patch[text] = float(wrong(chosen)) if len(chosen) else 0.0
        return self.overlaid(patch)

    def valued(self, values: Mapping[str, OfRows], population: str = "all_queries") -> Ledger:
        """Break metrics that have one value per slice: metric → how it goes wrong."""
        patch: Ledger = {}
        for text in self.case.owed:
            key = self.keys[text]
            if key.metric not in values or key.population != population or key.slice in OVER:
                continue
            if key.statistic not in {"value", "mean"}:
                continue
            found = values[key.metric](self.rows, self.rows.mask("all_queries", key.slice))
            if found is not None:
                patch[text] = found
        return self.overlaid(patch)

    def metrics(self, pattern: str) -> list[re.Match[str]]:
        """Find the owed metrics that match a pattern, each once."""
        compiled = re.compile(pattern)
        names = dict.fromkeys(key.partition("|")[0] for key in self.case.owed)
        return [found for found in map(compiled.fullmatch, names) if found]

    def matching(self, pattern: str, change: Callable[[Key, Number], Number]) -> Ledger:
        """Break every answer whose metric matches, from the answer itself; folds follow."""
        found = re.compile(pattern)
        return self.overlaid(
            {
                text: change(self.keys[text], value)
                for text, value in self.ledger.items()
                if found.fullmatch(self.keys[text].metric) and self.keys[text].slice not in OVER
            }
        )

    def _carried(self, changed: Ledger) -> Ledger:
        """Work out what folds and criteria become when their parts change."""
        touched = {(key.metric, key.population) for key in map(self.keys.__getitem__, changed)}
        parts: dict[tuple[str, str, str], list[float]] = {}
        for text, value in (self.ledger | changed).items():
            key = self.keys[text]
            kind = key.slice.partition("=")[0]
            if (key.metric, key.population) in touched and key.statistic in {"mean", "value"}:
                parts.setdefault((key.metric, key.population, kind), []).append(float(value))
        carried: Ledger = {}
        for text in self.case.owed:
            key = self.keys[text]
            if key.slice not in OVER or (key.metric, key.population) not in touched:
                continue
            kind = {"folds": "fold", "criteria": "criterion"}[key.slice]
            kind = "all" if key.statistic == "micro" else kind
            found = over(key.statistic, parts.get((key.metric, key.population, kind), []))
            if found is not None:
                carried[text] = found
        return carried


def over(statistic: str, values: list[float]) -> float | None:
    """Give a statistic over folds or criteria."""
    if not values:
        return None
    middle = math.fsum(values) / len(values)
    if statistic in {"mean", "macro", "micro"}:
        return middle
    less = {"std": 1, "std/population": 0}[statistic]
    if len(values) <= less:
        return 0.0
    return math.sqrt(math.fsum((one - middle) ** 2 for one in values) / (len(values) - less))
