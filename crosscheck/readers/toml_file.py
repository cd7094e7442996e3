"""TOML: nested names down to values, dates and texts included.

The standard library says whether the file is TOML; it keeps no places, so they are found here.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from crosscheck.errors import UserError
from crosscheck.notation.pieces import Passed
from crosscheck.readers import Reader
from crosscheck.readers.nested import DEEPEST, Node, leaves

if TYPE_CHECKING:
    from crosscheck.notation.pieces import Piece
    from crosscheck.notation.written import Written

_TOKEN = re.compile(
    r"(?P<comment>#[^\n]*)"
    r"|(?P<long>\"\"\"(?:[^\"\\]|\\.|\"(?!\"\"))*\"{3,5}|'''(?:[^']|'(?!''))*'{3,5})"
    r"|(?P<string>\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*')"
    r"|(?P<mark>[\[\]{}=,.\n])"
    r"|(?P<bare>[^\s\[\]{}=,.#\"']+)",
    re.DOTALL,
)


def read(page: Written, name: str) -> list[Piece]:
    """List every value with its path."""
    try:
        tomllib.loads(page.text.replace("\r\n", "\n"))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UserError(f"{name}: not valid TOML: {error}; mend the file and run again") from error
    reader = _Reader(page, name)
    reader.run()
    return [*leaves(reader.root.node()), *reader.passed]


@dataclass
class _Table:
    """A table that is still being filled."""

    members: dict[str, tuple[Written, _Table | Node]] = field(default_factory=dict)
    entries: list[_Table] = field(default_factory=list)
    """The tables of an array of tables."""

    def child(self, name: Written) -> _Table:
        """Go to a table below, the last one of an array."""
        found = self.members.setdefault(name.text, (name, _Table()))[1]
        table = found if isinstance(found, _Table) else _Table()
        return table.entries[-1] if table.entries else table

    def node(self) -> Node:
        """Give what it has become."""
        if self.entries:
            return Node(items=tuple(one.node() for one in self.entries))
        return Node(
            members=tuple(
                (name, one.node() if isinstance(one, _Table) else one)
                for name, one in self.members.values()
            )
        )


class _Reader:
    def __init__(self, page: Written, name: str) -> None:
        self.page, self.name = page, name
        self.tokens = list(_TOKEN.finditer(page.text))
        self.at = 0
        self.root = _Table()
        self.passed: list[Piece] = []

    def run(self) -> None:
        """Read line by line: a table's name, or a key and its value."""
        table = self.root
        while self._peek():
            if self._peek() == "\n":
                self.at += 1
            elif self._peek() == "[":
                table = self._header()
            else:
                self._pair(table, 0)

    def _peek(self) -> str:
        """Give the next token's text; comments are passed over on the way."""
        while self.at < len(self.tokens) and self.tokens[self.at]["comment"] is not None:
            found = self.tokens[self.at]
            self.passed.append(Passed.of(self.page[found.start() : found.end()], "comment"))
            self.at += 1
        return self.tokens[self.at][0] if self.at < len(self.tokens) else ""

    def _written(self, first: int, last: int) -> Written:
        return self.page[self.tokens[first].start() : self.tokens[last].end()]

    def _header(self) -> _Table:
        self.at += 1
        several = self._peek() == "["
        self.at += several
        names = self._key("]")
        self.at += 1 + several
        table = self.root
        for name in names[:-1]:
            table = table.child(name)
        if not several:
            return table.child(names[-1])
        found = table.members.setdefault(names[-1].text, (names[-1], _Table()))[1]
        if isinstance(found, _Table):
            found.entries.append(_Table())
            return found.entries[-1]
        return _Table()

    def _key(self, end: str) -> list[Written]:
        names = []
        while self._peek() not in {end, ""}:
            if self._peek() != ".":
                names.append(_text(self._written(self.at, self.at)))
            self.at += 1
        return names

    def _pair(self, table: _Table, depth: int) -> None:
        names = self._key("=")
        self.at += 1
        for name in names[:-1]:
            table = table.child(name)
        table.members[names[-1].text] = (names[-1], self._value(depth))

    def _value(self, depth: int) -> Node:
        if depth > DEEPEST:
            raise UserError(f"{self.name}: deeper than {DEEPEST} levels")
        if self._peek() == "[":
            return self._list(depth)
        if self._peek() == "{":
            return self._inline(depth)
        first = self.at
        while self._peek() not in {",", "]", "}", "\n", ""}:
            self.at += 1
        written = self._written(first, self.at - 1).strip()
        quoted = written.text[:1] in {'"', "'"}
        number = not quoted and re.fullmatch(r"[-+.\w]+", written.text) is not None
        words = written.text in {"true", "false"}
        return Node(value=_text(written) if quoted else written, numeric=number and not words)

    def _list(self, depth: int) -> Node:
        self.at += 1
        items = []
        while self._peek() not in {"]", ""}:
            if self._peek() in {",", "\n"}:
                self.at += 1
            else:
                items.append(self._value(depth + 1))
        self.at += 1
        return Node(items=tuple(items))

    def _inline(self, depth: int) -> Node:
        self.at += 1
        table = _Table()
        while self._peek() not in {"}", ""}:
            if self._peek() in {",", "\n"}:
                self.at += 1
            else:
                self._pair(table, depth + 1)
        self.at += 1
        return table.node()


def _text(written: Written) -> Written:
    """Take the quotes off; a text with escapes is said as a whole."""
    text = written.text
    if text[:1] not in {'"', "'"}:
        return written
    size = 3 if text[:3] in {'"""', "'''"} else 1
    inside = written[size : len(text) - size]
    if text[0] == "'" or "\\" not in inside.text:
        return inside
    return inside.said(str(tomllib.loads(f"a = {text}")["a"]))


READER = Reader("TOML", (".toml",), read)
