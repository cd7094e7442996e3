"""What readers yield: tables, named values, sentences, and text that a stated rule passes over.

All of it is `Written`, so that each character leads back to the file. What no piece holds is not
read, and the accounting says so; a reader cannot make a number vanish by not yielding it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from crosscheck.notation.written import NOTHING, Written

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crosscheck.notation.written import Range


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells, all of the same length, with what stands around them.

    The first `header` rows are column labels; 0 where the table has none.
    """

    name: str
    cells: tuple[tuple[Written, ...], ...]
    header: int = 1
    caption: Written = NOTHING
    title: str = ""
    """The heading that it stands under."""
    label: str = ""
    """What the document refers to it by, such as `tab:main`."""
    notes: tuple[Written, ...] = ()
    sentence: Written = NOTHING
    """The sentence that leads to it."""
    above: tuple[str, ...] = ()
    """The headings above its own, from the outside in."""
    rows: tuple[tuple[str, ...], ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "rows", tuple(tuple(c.text for c in row) for row in self.cells))

    @classmethod
    def of(
        cls,
        name: str,
        rows: Sequence[Sequence[Written]],
        header: int = 1,
        caption: Written = NOTHING,
        title: str = "",
        **around: object,
    ) -> Table:
        """Make a table from ragged rows: short ones are filled with blanks."""
        width = max((len(row) for row in rows), default=0)
        even = tuple(tuple(row) + (NOTHING,) * (width - len(row)) for row in rows)
        return cls(name, even, min(header, len(even)), caption, title, **around)  # type: ignore[arg-type] # as declared

    @property
    def width(self) -> int:
        """Number of columns."""
        return len(self.rows[0]) if self.rows else 0

    @property
    def body(self) -> tuple[tuple[str, ...], ...]:
        """The rows below the header, as plain text."""
        return self.rows[self.header :]

    @property
    def inside(self) -> tuple[tuple[Written, ...], ...]:
        """The rows below the header, as they are written."""
        return self.cells[self.header :]

    def column_label(self, column: int) -> tuple[str, ...]:
        """Give a column's header cells from top to bottom, each text once."""
        texts = (row[column] for row in self.rows[: self.header])
        return tuple(dict.fromkeys(text for text in texts if text.strip()))


@dataclass(frozen=True, slots=True)
class Leaf:
    """One value of a nested file with the names that lead to it."""

    names: tuple[Written, ...]
    value: Written
    numeric: bool
    """Whether the format itself calls it a number."""

    @property
    def path(self) -> tuple[str, ...]:
        """The names as plain text."""
        return tuple(one.text for one in self.names)

    @property
    def text(self) -> str:
        """The value as plain text."""
        return self.value.text


@dataclass(frozen=True, slots=True)
class Printed:
    """A number of a program whose names and definitions the reader knows.

    It is the value of `key`, or, where `counted` names one, a count of documents; `query` is the
    topic that it is of, empty for all of them; `system` is the one that it names, if any.
    """

    name: Written
    value: Written
    key: str = ""
    counted: str = ""
    query: str = ""
    system: str = ""


@dataclass(frozen=True, slots=True)
class Sentence:
    """Running text: a paragraph, an item of a list, a caption, a note."""

    written: Written
    title: str = ""
    """The heading that it stands under."""
    above: tuple[str, ...] = ()
    """The headings above that one, from the outside in."""


@dataclass(frozen=True, slots=True)
class Passed:
    """Text in which no number is a claim, by a rule of `ignored.toml`."""

    ranges: tuple[Range, ...]
    rule: str

    @classmethod
    def of(cls, written: Written, rule: str) -> Passed:
        """Pass a text over."""
        return cls(written.ranges(), rule)


@dataclass(frozen=True, slots=True)
class Unread:
    """A place at which more stands than could be read, and why: a file that is not there."""

    ranges: tuple[Range, ...]
    problem: str
    name: str = ""
    """What stands there, as it is written."""


Piece = Table | Leaf | Printed | Sentence | Passed | Unread
