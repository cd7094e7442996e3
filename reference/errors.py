"""What the reference says when it cannot go on: one message that lists every problem.

Each problem names the file, the row (1 = first data row), the query and the column as far as they
are known, what was found there, and what to do about it. A problem that a column has in several
rows is told once, with a count and the first places.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

SHOWN = 20
# Of a problem that is there again and again, so many further places are named.
PLACES = 3


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
        return self.told()

    @property
    def place(self) -> str:
        """The row and the query, as far as they are known."""
        return _listed(
            None if self.row is None else f"row {self.row}",
            None if self.query is None else f"query {self.query}",
        )

    def told(self, further: Sequence[Problem] = ()) -> str:
        """Say what is wrong, and how often and where else."""
        column = None if self.column is None else f"column {self.column}"
        where = _listed(self.file, self.place or None, column)
        sentence = f"{where}: {self.what}" if where else self.what
        if further:
            places = "; ".join(each.place for each in further[:PLACES])
            first = "first " if len(further) > PLACES else ""
            sentence += f"; {len(further)} more of this kind, {first}in {places}"
        return f"{sentence}. {self.remedy}." if self.remedy else f"{sentence}."


def _listed(*places: str | None) -> str:
    return ", ".join(place for place in places if place is not None)


def _kinds(problems: Iterable[Problem]) -> list[list[Problem]]:
    """Put together what is wrong with one column in several rows; the first of a kind leads."""
    kinds: dict[object, list[Problem]] = {}
    for number, each in enumerate(problems):
        kind = (each.file, each.column, each.remedy) if each.place else number
        kinds.setdefault(kind, []).append(each)
    return list(kinds.values())


class InputError(ValueError):
    """The input is refused; `problems` holds every reason."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = list(problems)
        kinds = _kinds(self.problems)
        lines = [first.told(further) for first, *further in kinds[:SHOWN]]
        if len(kinds) > SHOWN:
            lines.append(f"… and {sum(map(len, kinds[SHOWN:]))} more problems.")
        super().__init__("\n".join(lines))


class SettingsError(InputError):
    """A setting is unknown, out of range, or does not fit the data."""


class UnreadableError(InputError):
    """A file is missing, truncated, empty, or not what its name says."""


class DataError(InputError):
    """Rows that the contract refuses (section 1)."""


class MismatchError(InputError):
    """Two things that must belong together do not: two runs, a plan and its data."""
