"""LaTeX source as tokens, each with its place; comments and verbatim text are passed over here."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from crosscheck.notation.pieces import Passed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crosscheck.notation.written import Written

_TOKEN = re.compile(
    r"(?P<comment>%[^\r\n]*(?:\r?\n[ \t]*(?!\r?\n))?)"
    r"|\\(?P<word>[a-zA-Z@]+)[ \t]*"
    r"|\\(?P<symbol>.)"
    r"|(?P<par>[ \t]*\r?\n[ \t]*\r?\n\s*)"
    r"|(?P<space>\s+)"
    r"|(?P<special>[{}$&#^_~\\])"
    r"|(?P<run>[^\\%{}$&#^_~\s]+)",
    re.DOTALL,
)
_VERBATIM = re.compile(r"\s*\{(verbatim\*?|Verbatim|lstlisting|minted|comment|filecontents\*?)\}")
_VERB = re.compile(r"\*?([^\s\w])")


class Token(NamedTuple):
    """One token; `text` is a command's name, else the characters themselves."""

    kind: str
    text: str
    start: int
    end: int


def tokenize(page: Written) -> tuple[list[Token], list[Passed]]:
    """Cut a source into tokens, and say what is no part of the text."""
    reader = _Tokenizer(page)
    return list(reader.tokens()), reader.passed


class _Tokenizer:
    def __init__(self, page: Written) -> None:
        self.page = page
        self.passed: list[Passed] = []
        self._endless: set[str] = set()
        """Kinds of verbatim text whose end is nowhere after here: not looked for again."""

    def tokens(self) -> Iterator[Token]:
        text, at = self.page.text, 0
        while at < len(text):
            found = _TOKEN.match(text, at)
            if found is None:
                at += 1
                continue
            kind, at = str(found.lastgroup), found.end()
            if kind == "comment":
                self._pass(found.start(), at, "comment")
                continue
            word = found["word"]
            if word in {"begin", "verb", "lstinline"}:
                skipped = self._verbatim(word, at)
                if skipped:
                    at = skipped
                    continue
            yield from self._made(kind, found)

    def _made(self, kind: str, found: re.Match[str]) -> Iterator[Token]:
        low, high = found.start(), found.end()
        starts, ends = self.page.starts, self.page.ends
        if kind in {"word", "symbol"}:
            yield Token("command", found[kind], starts[low], ends[high - 1])
        elif kind == "run" and starts[high - 1] - starts[low] != high - 1 - low:
            # The text was itself put together (a cell of a notebook): character by character.
            for at in range(low, high):
                yield Token("run", self.page.text[at], starts[at], ends[at])
        else:
            yield Token(
                found[0] if kind == "special" else kind, found[0], starts[low], ends[high - 1]
            )

    def _verbatim(self, word: str, at: int) -> int | None:
        """Pass over text that TeX does not read; where it ends."""
        text = self.page.text
        if word != "begin":
            mark = _VERB.match(text, at)
            close = text.find(mark[1], mark.end(), mark.end() + 300) if mark else -1
            return self._pass(at, close + 1, "code") if close >= 0 else None
        name = _VERBATIM.match(text, at)
        if name is None or name[1] in self._endless:
            return None
        ending = "\\end{" + name[1] + "}"
        close = text.find(ending, name.end())
        if close < 0:
            self._endless.add(name[1])
            return None
        rule = "comment" if name[1] == "comment" else "code"
        return self._pass(name.end(), close, rule) + len(ending)

    def _pass(self, low: int, high: int, rule: str) -> int:
        self.passed.append(Passed.of(self.page[low:high], rule))
        return high
