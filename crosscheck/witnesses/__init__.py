"""Witnesses: whatever can state metric values about a data set, behind one small interface.

A witness is asked about a `Case` and answers with a `Testimony`. It says which of the owed keys it
answers, and for every other key why not. The harness knows nothing else about it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from crosscheck import extras

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from crosscheck.data.case import Case
    from crosscheck.model.ledgers import Ledger, Number

Columns = dict[str, list[Any]]
"""Per-query values: one list per column, one entry per EVAL query in file order."""


@dataclass(frozen=True, slots=True)
class Testimony:
    """What a witness said."""

    # Test runners take every class whose name begins with Test for one of theirs.
    __test__: ClassVar[bool] = False

    ledger: Ledger
    facts: dict[str, Any] | None = None
    declined: dict[str, str] = field(default_factory=dict)
    """Owed key → why it is not answered."""
    note: str | None = None
    drawn: dict[str, tuple[float, int]] = field(default_factory=dict)
    """Interval end → value, number of resamples: drawn by itself, so equal only within chance."""
    absent: bool = False
    """Nobody was asked: the witness is not installed, which every reason says."""


@dataclass(frozen=True, slots=True)
class Silence:
    """A witness that gave no answer, and why: never a silent absence."""

    reason: str
    refused: bool = False
    """It read the data and refused them, where others did not."""


Answer = Testimony | Silence


@dataclass(frozen=True, slots=True)
class Witness:
    """Who testifies; a function of a module, so that it can be run in a process of its own."""

    name: str
    kind: Literal["implementation", "library", "user"]
    testify: Callable[[Case], Testimony]
    packages: tuple[str, ...] = ()
    """Distributions whose versions say what was really asked."""
    per_query: Callable[[Case], Columns] | None = None
    waiting: str = ""
    """What one is waiting for, when it takes long."""
    apart: bool = False
    """Its code is not ours: run in a process of its own, always, and heard as data alone."""
    rows_limit: int | None = None
    """The most EVAL rows it is asked about in full; above, it testifies on a sample."""
    pairs_limit: int | None = None
    """The same where every candidate has a score: each is a row of its own to it."""
    extra: str = ""
    """The extra of the package that it comes with; none: the core has it."""
    after: str = ""
    """The witness after which it is best asked, in the same process, since both load the same."""
    hidden: bool = False
    """Taken for not installed, though it may be: as where a report was made."""

    @property
    def absent(self) -> str:
        """Say that it is not installed, and how to get it; nothing where it is here."""
        return extras.told(self.extra) if self.hidden else extras.lacking(self.extra)

    def limit(self, facts: Mapping[str, Any]) -> int | None:
        """Give the most EVAL rows of such data that it is asked about in full."""
        of_pairs = self.pairs_limit if "pairs" in facts["families"] else None
        return self.rows_limit if of_pairs is None else of_pairs


def decline(case: Case, ledger: Mapping[str, Number], why: Callable[[str], str]) -> dict[str, str]:
    """Give the reason for every owed key that the ledger does not answer."""
    return {key: why(key) for key in case.owed if key not in ledger}
