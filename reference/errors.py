"""What the reference says when it cannot go on: one message that lists every problem.

Each problem names the file, the row (1 = first data row), the query and the column as far as they
are known, what was found there, and what to do about it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

SHOWN = 20


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong, and its remedy."""

    what: str
    remedy: str | None = None
    file: str | None = None
    row: int | None = None
    query: str | None = None
    column: str | None = None

    def __str__(self) -> str:
        places = (
            self.file,
            None if self.row is None else f"row {self.row}",
            None if self.query is None else f"query {self.query}",
            None if self.column is None else f"column {self.column}",
        )
        where = ", ".join(place for place in places if place is not None)
        sentence = f"{where}: {self.what}" if where else self.what
        return f"{sentence}. {self.remedy}." if self.remedy else f"{sentence}."


class InputError(ValueError):
    """The input is refused; `problems` holds every reason."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = list(problems)
        lines = [str(problem) for problem in self.problems[:SHOWN]]
        if len(self.problems) > SHOWN:
            lines.append(f"… and {len(self.problems) - SHOWN} more problems.")
        super().__init__("\n".join(lines))


class SettingsError(InputError):
    """A setting is unknown, out of range, or does not fit the data."""


class UnreadableError(InputError):
    """A file is missing, truncated, empty, or not what its name says."""


class DataError(InputError):
    """Rows that the contract refuses (section 1)."""


class MismatchError(InputError):
    """Two things that must belong together do not: two runs, a plan and its data."""
