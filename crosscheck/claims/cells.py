"""A table as plain text: spans filled in, markup gone, header rows counted."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Cells:
    """Rows of cells, all of the same length; the first `header` rows are column labels."""

    name: str
    rows: tuple[tuple[str, ...], ...]
    header: int = 1
    caption: str = ""
    title: str = ""

    @classmethod
    def of(
        cls, name: str, rows: list[list[str]], header: int = 1, caption: str = "", title: str = ""
    ) -> Cells:
        """Make a grid from ragged rows: short ones are filled with blanks."""
        width = max((len(row) for row in rows), default=0)
        even = tuple(tuple(row) + ("",) * (width - len(row)) for row in rows)
        return cls(name, even, min(header, len(even)), caption, title)

    @property
    def width(self) -> int:
        """Number of columns."""
        return len(self.rows[0]) if self.rows else 0

    @property
    def body(self) -> tuple[tuple[str, ...], ...]:
        """The rows below the header."""
        return self.rows[self.header :]

    def column_label(self, column: int) -> tuple[str, ...]:
        """Give a column's header cells from top to bottom, each text once."""
        texts = (row[column] for row in self.rows[: self.header])
        return tuple(dict.fromkeys(text for text in texts if text.strip()))


@dataclass(frozen=True, slots=True)
class Leaf:
    """One value of a nested file with the names that lead to it."""

    path: tuple[str, ...]
    text: str
    numeric: bool
