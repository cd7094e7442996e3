"""The data behind a claim: what is true of them, and the bench on which mistakes are made."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from crosscheck.data import door
from crosscheck.diagnose.moves import Index

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl

    from crosscheck.mistakes.bench import Bench

    Ledger = Mapping[str, int | float]


@dataclass(frozen=True)
class Scene:
    """One system's data; `others` are the systems beside it, `known` its ledger if there is one.

    Of another system the ledger is enough: `Case(None, known=ledger)`.
    """

    data: Any
    settings: Mapping[str, Any] = field(default_factory=dict)
    known: Ledger | None = None
    others: Mapping[str, Scene] = field(default_factory=dict)
    rows: pl.DataFrame | None = None
    """The rows as the contract sees them, where they have been read already."""
    untried: dict[str, str] = field(default_factory=dict, repr=False, compare=False)
    """Mistake → why it could not be tried on these data."""

    @cached_property
    def table(self) -> pl.DataFrame:
        """The rows as the contract sees them."""
        given = self.rows
        return door.primary.table(self.data, dict(self.settings)) if given is None else given

    @cached_property
    def ledger(self) -> Ledger:
        """What is true."""
        return self.known or door.primary.evaluate(self.data, dict(self.settings))

    @cached_property
    def index(self) -> Index:
        """The true ledger's keys, ready to be searched."""
        return Index.of(self.ledger)

    @cached_property
    def bench(self) -> Bench:
        """Where mistakes are made on these data."""
        from crosscheck.mistakes.bench import Bench  # noqa: PLC0415 - numpy is heavy

        return Bench(self.table, self.settings, self.ledger, data=self.data)

    def elsewhere(self, key: str) -> list[tuple[str, str, float]]:
        """Give the key's metric at parameters that nobody asked for, as mistakes."""
        from crosscheck.diagnose.parameters import elsewhere  # noqa: PLC0415 - polars is heavy

        return elsewhere(key, self.bench, self.untried)
