"""What is asked of an engine: name the files, define views, run texts, give rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from crosscheck.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crosscheck.engine.words import Words

ROUND_ROWS = 6_000_000
"""Rows that are put in order at once, where an engine takes one range of scores after the other."""
KEY_ROWS = 1_000_000
"""Keys that are looked through for doubles at once."""


class EngineError(UserError):
    """An engine that cannot be had, broke off, or lacks something: one sentence for the user."""


@dataclass(frozen=True, slots=True)
class Ordering:
    """How rows are put in order by score: in ranges one after the other, in cells side by side.

    Neither changes a bit of any result; tests force both on.
    """

    round_rows: int = ROUND_ROWS
    cells: int = 1
    key_rows: int = KEY_ROWS
    cell_rows: int = 1
    """Rows for each of which a cell is made, up to as many as `cells`."""


class Engine(Protocol):
    """An engine that reads Parquet and runs SQL."""

    name: str
    """The address that it was asked for by."""
    version: str
    words: Words
    ordering: Ordering
    file: str | None
    """The expression that names a row's file, where the engine knows it."""
    place: str | None
    """The expression that orders rows as they stand in their file."""

    def read(self, files: Sequence[str]) -> None:
        """Make the view `source` of these Parquet files."""

    def schema(self) -> Any:  # noqa: ANN401 - a pyarrow schema, heavy to import
        """Give the columns of the view `source` and their types."""

    def define(self, name: str, query: str) -> None:
        """Make a view."""

    def keep(self, name: str, query: str) -> None:
        """Make a table that holds what a query gives, for as long as the session lasts."""

    def drop(self, name: str) -> None:
        """Let a table go."""

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Run a query; whole numbers arrive as such."""

    def arrow(self, query: str) -> Any:  # noqa: ANN401 - a pyarrow table
        """Run a query whose answer is a table of rows as they stand in the files."""

    def close(self) -> None:
        """End the session, and remove what it wrote."""
