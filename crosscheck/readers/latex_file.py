"""LaTeX: every tabular with its caption, macros expanded; the text around it as sentences."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import accumulate
from typing import TYPE_CHECKING

from crosscheck.errors import UserError
from crosscheck.latex.environments import Environment, environments
from crosscheck.latex.footnotes import footnote_texts, raised
from crosscheck.latex.grid import TABULARS, grid
from crosscheck.latex.macros import Expander
from crosscheck.latex.numbers import stated
from crosscheck.latex.render import Hidden, closing, option_end, render
from crosscheck.notation.pieces import Sentence, Table, Unread
from crosscheck.notation.written import NOTHING, Written
from crosscheck.readers import Reader
from crosscheck.readers.header import header, sections
from crosscheck.readers.headings import Headings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from crosscheck.latex.tokens import Token
    from crosscheck.notation.pieces import Piece

_FLOATS = ("table", "wraptable", "sidewaystable", "longtable", "subtable", "margintable", "figure")
_SECTIONS = ("part", "chapter", "section", "subsection", "subsubsection", "paragraph")
_NOTES = frozenset(("tablenotes", "TableNotes", "tabnote"))
_DEEPEST = 8
_LEFT_OUT = {
    "thebibliography": "reference list",
    "tikzpicture": "figure",
}


def read(
    page: Written, name: str, load: Callable[[str], Written | None] = lambda _: None
) -> list[Piece]:
    """Read the tables and the text of a LaTeX source."""
    expander = Expander(page, name, load)
    tokens = expander.run()
    document = _Document(tokens, name)
    pieces = document.pieces()
    missing = [
        Unread(
            ((one.start, one.end),), f"the file of \\{what} is not read with this one", f"\\{what}"
        )
        for what, one in expander.missing
    ]
    return [*pieces, *stated(page), *expander.passed, *missing]


@dataclass
class _Document:
    tokens: Sequence[Token]
    name: str
    hidden: Hidden = field(default_factory=Hidden)
    found: list[Piece] = field(default_factory=list)
    headings: Headings = field(default_factory=Headings)
    tables: int = 0

    def pieces(self) -> list[Piece]:
        """Walk through the document once."""
        self.environments = environments(self.tokens)
        self.begins = {one.begin: one for one in self.environments}
        self.within = self._nested()
        self.hidden.texts = footnote_texts(self.tokens)
        begin, end = self._body()
        self.hidden.leave(self.tokens[:begin], "preamble")
        self.hidden.leave(self.tokens[end:], "preamble")
        self._walk(begin, end)
        self.found += [self._sentence(note) for note in self.hidden.notes]
        return [*self.found, *self.hidden.passed]

    def _body(self) -> tuple[int, int]:
        body = next((one for one in self.environments if one.name == "document"), None)
        return (body.start, body.stop) if body else (0, len(self.tokens))

    def _walk(self, at: int, end: int) -> None:
        """Read text up to `end`: paragraphs become sentences, environments what they are."""
        paragraph: list[Token] = []
        while at < end:
            token = self.tokens[at]
            inner = self.begins.get(at)
            if token.kind == "command" and token.text in _SECTIONS:
                self._flush(paragraph)
                at = self._heading(at)
            elif token.kind == "command" and token.text.startswith("caption"):
                self._flush(paragraph)
                at = self._argument(at)[1]  # read with its table, and as a sentence there
            elif inner is not None and self._is_table(inner):
                self._flush(paragraph)
                self._table(inner)
                at = inner.end
            elif inner is not None and inner.name.rstrip("*") in _LEFT_OUT:
                self._flush(paragraph)
                self._left_out(inner)
                at = inner.end
            elif token.kind == "par" or (token.kind == "command" and token.text in {"par", "item"}):
                self._flush(paragraph)
                at = self._item(at, paragraph) if token.text == "item" else at + 1
            else:
                paragraph.append(token)
                at += 1
        self._flush(paragraph)
        self._captions(end)

    def _left_out(self, outer: Environment) -> None:
        """Pass over a picture or the references, but read the tables in them."""
        self.hidden.leave(self.tokens[outer.begin : outer.end], _LEFT_OUT[outer.name.rstrip("*")])
        inside = {id(one) for parts in self.within.values() for one in parts}
        for one in self.environments:
            if (
                outer.begin < one.begin < outer.end
                and self._is_table(one)
                and id(one) not in inside
            ):
                self._table(one)

    def _captions(self, _end: int) -> None:
        """Give every caption as a sentence too: it may hold claims of its own."""
        for at, token in enumerate(self.tokens):
            if token.kind == "command" and token.text in {"caption", "captionof", "caption*"}:
                text = render(self._argument(at)[0], self.hidden)
                if text:
                    self.found.append(self._sentence(text))

    def _sentence(self, text: Written) -> Sentence:
        return Sentence(text, self.headings.title, self.headings.above)

    def _flush(self, paragraph: list[Token]) -> None:
        if paragraph:
            text = render(paragraph, self.hidden)
            if text:
                self.found.append(self._sentence(text))
            paragraph.clear()

    def _item(self, at: int, paragraph: list[Token]) -> int:
        r"""Step past `\item`; the sign of a note below a table, in brackets, is raised."""
        begin = at + 1
        while begin < len(self.tokens) and self.tokens[begin].kind == "space":
            begin += 1
        end = option_end(self.tokens, begin)
        if end == begin or not self._in_notes(at):
            return at + 1
        paragraph += raised(self.tokens[begin:end])
        return end

    def _in_notes(self, at: int) -> bool:
        return any(one.begin < at < one.end and one.name in _NOTES for one in self.environments)

    def _heading(self, at: int) -> int:
        tokens, end = self._argument(at)
        text = render(tokens, self.hidden)
        self.headings.put(_SECTIONS.index(self.tokens[at].text), text.text)
        self.found.append(self._sentence(text))
        return end

    def _argument(self, at: int) -> tuple[Sequence[Token], int]:
        """Give the braced argument of the command at `at`, and where it ends."""
        begin = at + 1
        while begin < len(self.tokens) and self.tokens[begin].text in {"*", " "}:
            begin += 1
        if self.tokens[at].text == "captionof" and begin < len(self.tokens):
            begin = closing(self.tokens, begin) + 1 if self.tokens[begin].kind == "{" else begin
        after = option_end(self.tokens, begin)
        self.hidden.leave(self.tokens[begin:after], "layout")
        if after >= len(self.tokens) or self.tokens[after].kind != "{":
            return [], min(after, len(self.tokens))
        end = closing(self.tokens, after)
        return self.tokens[after + 1 : end], min(end + 1, len(self.tokens))

    def _is_table(self, one: Environment) -> bool:
        return one.name in TABULARS and not (one.name == "array" and one.parent is None)

    def _table(self, one: Environment, depth: int = 0) -> None:
        """Read a tabular; tabulars of several columns inside it are tables of their own."""
        if depth > _DEEPEST:
            raise UserError(f"{self.name}: tabulars within tabulars, more than {_DEEPEST} deep")
        inside = list(self.tokens[one.start : one.stop])
        for inner in self.within.get(one.begin, ()):
            self._table(inner, depth + 1)
            low, high = inner.begin - one.start, inner.end - one.start
            inside[low:high] = [_blank(token) for token in inside[low:high]]
        read = grid(inside, one.name, self.hidden)
        if read.rows:
            self._keep(read.rows, header(read.rows, read.ruled or 1), one)

    def _nested(self) -> dict[int, list[Environment]]:
        """Say for every tabular which others of several columns stand right in it."""
        ands = [0, *accumulate(token.kind == "&" for token in self.tokens)]
        nearest: dict[int, Environment | None] = {}
        within: dict[int, list[Environment]] = {}
        for one in self.environments:
            above = nearest.get(one.parent.begin) if one.parent else None
            wide = one.name in TABULARS and ands[one.stop] > ands[one.start]
            nearest[one.begin] = one if one.name in TABULARS and (wide or above is None) else above
            if wide and above is not None:
                within.setdefault(above.begin, []).append(one)
        return within

    def _keep(self, rows: list[list[Written]], count: int, one: Environment) -> None:
        caption, label = self._around(one)
        for low, high in sections(rows, count):
            self.tables += 1
            name = f"table {self.tables}"
            top, title, above = 1 if low else count, self.headings.title, self.headings.above
            around = {"label": label, "above": above}
            self.found.append(Table.of(name, rows[low:high], top, caption, title, **around))

    def _around(self, one: Environment) -> tuple[Written, str]:
        """Find caption and label in the nearest float around a tabular."""
        around: Environment | None = one
        caption, label = NOTHING, ""
        while around is not None and not caption:
            if around is one or around.name.rstrip("*").startswith(_FLOATS):
                caption, label = self._caption(around.start, around.stop)
            around = around.parent
        return caption, label

    def _caption(self, start: int, stop: int) -> tuple[Written, str]:
        caption, label = NOTHING, ""
        for at in range(start, stop):
            token = self.tokens[at]
            if token.kind != "command":
                continue
            if token.text in {"caption", "captionof"} and not caption:
                caption = render(self._argument(at)[0], self.hidden)
            elif token.text == "label" and not label:
                label = "".join(part.text for part in self._argument(at)[0])
        return caption, label


def _blank(token: Token) -> Token:
    return token._replace(kind="space", text=" ")


READER = Reader(
    "LaTeX",
    (".tex", ".latex"),
    read,
    lambda text: any(f"\\{begin}" in text for begin in ("begin{", "documentclass", "newcommand{")),
    read_with=read,
)
