"""Text that knows where each of its characters stands in the file it was read from.

Readers take markup off, expand macros and fill spans, and still every character of a cell can be
traced to the source. That is what the accounting rests on (`accounting.py`): a claim covers the
digits that it was read from, and no others.
"""

from __future__ import annotations

import re
from array import array
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    Range = tuple[int, int]

BOLD, UNDERLINE, ITALIC, STRUCK, RAISED, LOWERED = 1, 2, 4, 8, 16, 32
"""Marks of a character, added up in `flags`; raised and lowered are scripts."""

_NOWHERE = -1


class Written:
    """A text with, for each character, the range of the source that it was made from.

    A character that a reader put in (a blank for a line break) stands nowhere. `notes` are the
    texts of footnotes, each with the place in the text that its mark stands at.
    """

    __slots__ = ("ends", "flags", "notes", "starts", "text")

    def __init__(
        self,
        text: str,
        starts: array[int],
        ends: array[int],
        flags: array[int] | None = None,
        notes: tuple[tuple[int, str], ...] = (),
    ) -> None:
        self.text = text
        self.starts = starts
        self.ends = ends
        self.flags = array("B", bytes(len(text))) if flags is None else flags
        self.notes = notes

    @classmethod
    def of(cls, text: str, at: int = 0) -> Written:
        """Give a text as it stands in the file from `at` on."""
        size = len(text)
        return cls(text, array("q", range(at, at + size)), array("q", range(at + 1, at + size + 1)))

    @classmethod
    def added(cls, text: str) -> Written:
        """Give a text that stands nowhere."""
        nowhere = array("q", [_NOWHERE]) * len(text)
        return cls(text, nowhere, nowhere[:])

    @classmethod
    def joined(cls, parts: Iterable[Written]) -> Written:
        """Put texts one after the other."""
        texts, starts, ends, flags = [], array("q"), array("q"), array("B")
        notes: list[tuple[int, str]] = []
        for part in parts:
            if part.notes:
                notes += [(at + len(starts), said) for at, said in part.notes]
            texts.append(part.text)
            starts.extend(part.starts)
            ends.extend(part.ends)
            flags.extend(part.flags)
        return cls("".join(texts), starts, ends, flags, tuple(dict.fromkeys(notes)))

    @classmethod
    def note(cls, text: str) -> Written:
        """Give nothing but the mark of a footnote that says `text`."""
        return cls("", array("q"), array("q"), array("B"), ((0, text),))

    def __len__(self) -> int:
        return len(self.text)

    def __bool__(self) -> bool:
        return bool(self.text)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Written({self.text!r})"

    def __getitem__(self, part: slice) -> Written:
        text = self.text[part]
        notes = self.notes and self._notes(part, len(text))
        return Written(text, self.starts[part], self.ends[part], self.flags[part], notes)

    def _notes(self, part: slice, size: int) -> tuple[tuple[int, str], ...]:
        start, end, _ = part.indices(len(self.text))
        return tuple((min(at - start, size), said) for at, said in self.notes if start <= at <= end)

    def __add__(self, other: Written) -> Written:
        return Written.joined((self, other))

    def said(self, text: str) -> Written:
        """Give other characters for the same place: `±` for `+/-`, a letter for `&#48;`."""
        first, last = self.range
        size = len(text)
        flags = array("B", [self.flags[0] if self.flags else 0]) * size
        notes = tuple((size, said) for _, said in self.notes)
        return Written(text, array("q", [first]) * size, array("q", [last]) * size, flags, notes)

    def marked(self, flag: int) -> Written:
        """Give the same text with a mark on all of it."""
        flags = array("B", [one | flag for one in self.flags])
        return Written(self.text, self.starts, self.ends, flags, self.notes)

    def is_marked(self, flag: int, start: int = 0, end: int | None = None) -> bool:
        """Say whether every visible character of a part has a mark."""
        part = slice(start, len(self) if end is None else end)
        shown = [
            one for char, one in zip(self.text[part], self.flags[part], strict=True) if char != " "
        ]
        return bool(shown) and all(one & flag for one in shown)

    def strip(self, chars: str | None = None) -> Written:
        """Take blanks, or the given characters, off both ends."""
        start = len(self.text) - len(self.text.lstrip(chars))
        end = max(start, len(self.text.rstrip(chars)))
        if not self.notes:
            return self[start:end]
        # The mark of a note stays, though blanks part it from the text.
        notes = tuple((min(max(at, start), end) - start, said) for at, said in self.notes)
        part = self[start:end]
        return Written(part.text, part.starts, part.ends, part.flags, notes)

    def tidied(self) -> Written:
        """Make every run of blanks one space, none at the ends."""
        plain = self.strip()
        parts, at = [], 0
        for found in re.finditer(r"[ \t\r\n\f\v]+", plain.text):
            if found[0] != " ":
                parts += [plain[at : found.start()], plain[found.start() : found.end()].said(" ")]
                at = found.end()
        return Written.joined([*parts, plain[at:]]) if parts else plain

    def replaced(self, pattern: re.Pattern[str], by: str = "") -> Written:
        """Put other characters for everything that a pattern finds."""
        parts, at = [], 0
        for found in pattern.finditer(self.text):
            parts += [self[at : found.start()], self[found.start() : found.end()].said(by)]
            at = found.end()
        return Written.joined([*parts, self[at:]]) if parts else self

    def lines(self) -> list[Written]:
        """Split into lines, their ends left out."""
        found, at = [], 0
        for end in re.finditer(r"\r\n|\n|\r", self.text):
            found.append(self[at : end.start()])
            at = end.end()
        return [*found, self[at:]] if at < len(self) else found

    @property
    def range(self) -> Range:
        """The least range of the source that holds all of it; (-1, -1) for what stands nowhere."""
        starts = [one for one in self.starts if one >= 0]
        return (min(starts), max(self.ends)) if starts else (_NOWHERE, _NOWHERE)

    def ranges(self, start: int = 0, end: int | None = None) -> tuple[Range, ...]:
        """List the ranges of the source that a part was made from, in order, none twice."""
        part = slice(start, len(self) if end is None else end)
        starts, ends = self.starts[part], self.ends[part]
        if starts and starts[0] >= 0 and _in_a_row(starts, ends):
            return ((starts[0], ends[-1]),)
        found = sorted({*zip(starts, ends, strict=True)})
        merged: list[Range] = []
        for low, high in found:
            if low < 0:
                continue
            if merged and low <= merged[-1][1]:
                merged[-1] = (merged[-1][0], max(high, merged[-1][1]))
            else:
                merged.append((low, high))
        return tuple(merged)


def _in_a_row(starts: array[int], ends: array[int]) -> bool:
    """Say whether characters stand one after the other, as in most texts."""
    first, size = starts[0], len(starts)
    return ends[-1] == first + size and starts == array("q", range(first, first + size))


NOTHING = Written.of("")
