"""A table as cells, before it is written out: on a terminal, in LaTeX, in Markdown.

A number knows the ledger keys that it shows, so that what is printed can be held against what was
verified.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from crosscheck.report import printing

if TYPE_CHECKING:
    from collections.abc import Iterator


class Stated(NamedTuple):
    """A value of a system's ledger."""

    system: str
    key: str
    value: float


@dataclass(frozen=True, slots=True)
class Number:
    """A number with what is known about its uncertainty."""

    value: float
    std: float | None = None
    signed: bool = False
    states: tuple[Stated, ...] = ()

    def digits(self, fixed: int | None, spread: float | None = None) -> int:
        """Decimals to print."""
        if isinstance(self.value, int):
            return 0
        if fixed is not None:
            return fixed
        known = self.std if self.std is not None else spread
        return printing.DIGITS if known is None else printing.places(known)


@dataclass(frozen=True, slots=True)
class Bracket:
    """A 95 % interval, printed to the place of the number it belongs to."""

    low: float
    high: float
    states: tuple[Stated, ...] = ()


Cell = str | Number | Bracket | None


@dataclass(frozen=True, slots=True)
class Paper:
    """A table ready to be written out."""

    name: str
    caption: str
    header: list[str]
    rows: list[list[Cell]]
    notes: list[str]
    """What each metric means, below the table (S4 10.2)."""

    def states(self) -> Iterator[Stated]:
        """Give every ledger value that the table shows."""
        for row in self.rows:
            for cell in row:
                if isinstance(cell, Number | Bracket):
                    yield from cell.states
