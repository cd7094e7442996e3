"""The data behind a claim, with every ledger that a mistake would give, each computed once."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from crosscheck.claims.moves import Index

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt
    import polars as pl

    Ledger = Mapping[str, int | float]
    Floats = npt.NDArray[np.float64]
    Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Case:
    """One system's data; `others` are the systems beside it, `known` its ledger if there is one.

    Of another system the ledger is enough: `Case(None, known=ledger)`.
    """

    data: Any
    settings: Mapping[str, Any] = field(default_factory=dict)
    known: Ledger | None = None
    others: Mapping[str, Case] = field(default_factory=dict)
    _worlds: dict[str, Ledger] = field(default_factory=dict, repr=False)

    @cached_property
    def table(self) -> pl.DataFrame:
        """The rows as the contract sees them."""
        import primary  # noqa: PLC0415 - polars is heavy

        return primary.table(self.data, dict(self.settings))

    @cached_property
    def ledger(self) -> Ledger:
        """What is true."""
        import primary  # noqa: PLC0415 - polars is heavy

        return self.known or primary.evaluate(self.data, dict(self.settings))

    @cached_property
    def index(self) -> Index:
        """The true ledger's keys, ready to be searched."""
        return Index.of(self.ledger)

    def world(self, name: str) -> Ledger:
        """Give the ledger of changed data or settings (`worlds`); empty where none can be."""
        from crosscheck.claims import worlds  # noqa: PLC0415 - only wrong claims need it

        if name not in self._worlds:
            self._worlds[name] = worlds.ledger(name, self.table, dict(self.settings))
        return self._worlds[name]

    @cached_property
    def rows(self) -> Rows:
        """The EVAL rows as arrays."""
        return Rows.of(self.table, self.settings)

    @cached_property
    def per_query(self) -> Mapping[str, Floats]:
        """The contract's own per-query values by metric."""
        import primary  # noqa: PLC0415 - polars is heavy

        frame = primary.per_query(self.data, dict(self.settings))
        return {
            str(name): frame[name].to_numpy(dtype=float)
            for name in frame.columns
            if frame[name].dtype.kind in "fiu"
        }


@dataclass(frozen=True)
class Rows:
    """EVAL rows: which ranks hit, how much gold there is, and what the gate says."""

    hits: Bools
    """[query, rank]; False beyond the ranking's end."""
    length: Floats
    gold: Floats
    fold: npt.NDArray[np.int64] | None
    post: npt.NDArray[np.object_] | None
    criterion: npt.NDArray[np.object_] | None
    state: npt.NDArray[np.object_] | None
    label: Floats | None
    prob: Floats | None
    decided: Bools | None
    views: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, table: pl.DataFrame, settings: Mapping[str, Any]) -> Rows:
        """Read the arrays off the table."""
        rows = table.filter(table["split"] == "EVAL") if "split" in table.columns else table
        hits, length, gold = _rankings(rows)
        label = _column(rows, "has_evidence")
        if label is None and "gold" in rows.columns:
            label = (gold > 0).astype(float)
        pred = _column(rows, "pred")
        fold = _column(rows, "fold")
        return cls(
            hits=hits,
            length=length,
            gold=gold,
            fold=None if fold is None else fold.astype(np.int64),
            post=_texts(rows, "post_id"),
            criterion=_texts(rows, "criterion_id"),
            state=_texts(rows, "state"),
            label=label,
            prob=_column(rows, "prob"),
            decided=None if pred is None else pred > 0,
            views={name: tuple(some) for name, some in settings.get("views", {}).items()},
        )

    def mask(self, population: str, where: str) -> Bools | None:
        """Select the rows of a population and slice; None where the data have no such part."""
        chosen: Bools = np.ones(len(self.gold), dtype=bool)
        if population == "positives_only":
            chosen &= self.gold > 0
        elif population != "all_queries":
            return None
        kind, _, value = where.partition("=")
        if kind == "all":
            return chosen
        part = {"fold": self.fold, "criterion": self.criterion, "state": self.state}.get(kind)
        if kind == "view" and self.criterion is not None and value in self.views:
            return chosen & np.isin(self.criterion.astype(str), self.views[value])
        if part is None or not value:
            return None
        wanted: object = int(value) if kind == "fold" else value
        same: Bools = np.asarray(part == wanted, dtype=bool)
        return chosen & same

    @property
    def folds(self) -> list[int]:
        """The folds in order."""
        return [] if self.fold is None else sorted({int(one) for one in self.fold})


def _rankings(rows: pl.DataFrame) -> tuple[Bools, Floats, Floats]:
    count = rows.height
    if not {"candidates", "gold"} <= set(rows.columns):
        empty = np.zeros((count, 0), dtype=bool)
        gold = _column(rows, "has_evidence")
        return empty, np.zeros(count), gold if gold is not None else np.zeros(count)
    candidates, golds = rows["candidates"].to_list(), rows["gold"].to_list()
    length = np.array([len(one or ()) for one in candidates], dtype=float)
    hits = np.zeros((count, int(length.max(initial=0))), dtype=bool)
    for i, (ranking, gold) in enumerate(zip(candidates, golds, strict=True)):
        if gold:
            wanted = set(gold)
            hits[i, : len(ranking or ())] = [uid in wanted for uid in ranking or ()]
    return hits, length, np.array([len(one or ()) for one in golds], dtype=float)


def _column(rows: pl.DataFrame, name: str) -> Floats | None:
    if name not in rows.columns or rows[name].null_count() == rows.height:
        return None
    return rows[name].cast(float).to_numpy().astype(float)


def _texts(rows: pl.DataFrame, name: str) -> npt.NDArray[np.object_] | None:
    if name not in rows.columns:
        return None
    return np.array(rows[name].to_list(), dtype=object)
