"""Bad input, told in full: every problem of a file in one message, with its place and remedy."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

SHOWN = 20
"""How many problems the message spells out; the rest are counted."""

KEPT = 1000
"""How many problems of one kind are kept as objects; a file of a million bad rows needs no more."""


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong with the input, where it is, and what to do about it."""

    file: str | None
    row: int | None
    query: str | None
    column: str | None
    what: str
    remedy: str

    def sentence(self) -> str:
        """Place, finding and remedy in one line."""
        place = ", ".join(
            part
            for part in (
                f"row {self.row}" if self.row is not None else "",
                f"query {self.query}" if self.query is not None else "",
                f"column {self.column}" if self.column is not None else "",
            )
            if part
        )
        return f"{place}: {self.what}. {self.remedy}" if place else f"{self.what}. {self.remedy}"


class InputError(ValueError):
    """The input cannot be used. `problems` holds what is wrong, the text tells it to a person."""

    def __init__(self, problems: Iterable[Problem], count: int | None = None) -> None:
        self.problems = sorted(problems, key=lambda problem: (problem.file or "", problem.row or 0))
        self.count = len(self.problems) if count is None else count
        super().__init__(self._message())

    def _message(self) -> str:
        lines: list[str] = []
        file: str | None = None
        for problem in self.problems[:SHOWN]:
            if problem.file != file:
                file = problem.file
                lines.append(f"{file}:")
            lines.append(f"  {problem.sentence()}" if file else problem.sentence())
        if self.count > SHOWN:
            lines.append(f"… and {self.count - SHOWN} more problems")
        return "\n".join(lines)


@dataclass
class Problems:
    """Collects the problems of one input, so that all of them are reported together."""

    file: str | None = None
    found: list[Problem] = field(default_factory=list)
    count: int = 0

    def add(
        self,
        what: str,
        remedy: str,
        *,
        file: str | None = None,
        row: int | None = None,
        query: str | None = None,
        column: str | None = None,
    ) -> None:
        """Note one problem; `row` counts from 1, the first data row of its file."""
        self.count += 1
        self.found.append(Problem(file or self.file, row, query, column, what, remedy))

    def more(self, count: int) -> None:
        """Count further problems of a kind that has been spelled out often enough."""
        self.count += count

    def stop_if_any(self) -> None:
        """Raise all that was found, together."""
        if self.found:
            raise InputError(self.found, self.count)


def refuse(what: str, remedy: str, *, file: str | None = None) -> InputError:
    """One problem that makes looking for others pointless."""
    return InputError([Problem(file, None, None, None, what, remedy)])
