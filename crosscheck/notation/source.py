"""A claims file as text, and every token of it that has a digit.

The tokens are found in the text itself, before any reader has seen it, so no reader can lose one.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property

UNSEEN = "\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff"
"""Characters that take no room on a page, as a range of a pattern: they do not end a token."""

_RUN = re.compile(rf"(?:[\w{UNSEEN}]|[.,·٫](?=[\d{UNSEEN}]))+")
_NUMERALS = frozenset({"Nd", "No", "Nl"})


@dataclass(frozen=True, slots=True)
class Token:
    """A maximal run of letters, digits and the points between digits that has a digit in it."""

    start: int
    end: int
    text: str
    line: int
    column: int


def is_digit(char: str) -> bool:
    """Say whether a character is a digit of any script, raised ones and fractions included."""
    return "0" <= char <= "9" or (char > "\x7f" and unicodedata.category(char) in _NUMERALS)


@dataclass(frozen=True)
class Source:
    """The text of a file: its own, or what was taken out of a document."""

    file: str
    text: str
    landmarks: tuple[tuple[int, str], ...] = ()
    """Where a sheet, a page or a cell of a notebook begins, and what it is called."""

    @cached_property
    def _lines(self) -> list[int]:
        return [0, *(found.end() for found in re.finditer(r"\r\n|\n|\r", self.text))]

    @cached_property
    def tokens(self) -> tuple[Token, ...]:
        """Every token with a digit, in the order of the text."""
        return tuple(
            Token(found.start(), found.end(), found[0], *self.place(found.start()))
            for found in _RUN.finditer(self.text)
            if any(map(is_digit, found[0]))
        )

    def place(self, offset: int) -> tuple[int, int]:
        """Give line and column of a character, both from 1, the lines from its landmark on."""
        line = bisect_right(self._lines, offset)
        at = bisect_right(self.landmarks, (offset, "\U0010ffff"))
        above = bisect_right(self._lines, self.landmarks[at - 1][0]) - 1 if at else 0
        return line - above, offset - self._lines[line - 1] + 1

    def landmark(self, offset: int) -> str:
        """Name the sheet, page or cell that a character stands in; empty for a plain file."""
        at = bisect_right(self.landmarks, (offset, "\U0010ffff"))
        return self.landmarks[at - 1][1] if at else ""
