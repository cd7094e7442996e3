"""HTML: every table with its spans, the text around it as sentences.

lxml keeps no offsets, and without them no number could be accounted for; so tags are found here.
What they mean is little: a table is rows of cells, and broken markup leaves text, which is read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from crosscheck.notation.pieces import Passed, Sentence, Table
from crosscheck.notation.written import NOTHING, Written
from crosscheck.readers import Reader
from crosscheck.readers.header import header, holds_results, sections
from crosscheck.readers.headings import Headings
from crosscheck.readers.markup import COMMENT, TAG, entities, inline_html, targets

if TYPE_CHECKING:
    from crosscheck.notation.pieces import Piece

_BLOCKS = frozenset(
    [
        "p", "div", "section", "article", "li", "ul", "ol", "dl", "dt", "dd", "table", "thead",
        "tbody", "tfoot", "tr", "td", "th", "caption", "body", "html", "head", "header", "footer",
        "main", "figure", "figcaption", "blockquote", "pre", "h1", "h2", "h3", "h4", "h5", "h6",
        "title", "nav", "hr", "aside", "svg", "text", "tspan", "desc", "g",
    ]
)  # fmt: skip
_SILENT = frozenset(("script", "style", "noscript", "template"))
_SPAN = re.compile(r"\b(colspan|rowspan)\s{0,3}=\s{0,3}[\"']?(\d{1,4})", re.IGNORECASE)
_SPAN_LIMIT = 60
_CELL_LIMIT = 200_000
_DEEPEST = 20


@dataclass
class _Open:
    """A table that is being read."""

    rows: list[list[Written]] = field(default_factory=list)
    hanging: dict[int, tuple[int, Written]] = field(default_factory=dict)
    headings: int = 0
    """Rows of `thead`, or of `th` alone."""
    caption: Written = NOTHING
    in_head: bool = False
    only_heads: bool = True
    started: bool = False
    size: int = 0


def read(page: Written, _name: str) -> list[Piece]:
    """Read the tables and the text of an HTML page."""
    return _Page(page).pieces()


class _Page:
    def __init__(self, page: Written) -> None:
        self.page = page
        self.found: list[Piece] = []
        self.passed: list[Piece] = []
        self.tables: list[_Open] = []
        self.headings = Headings()
        self.notes = targets(page.text)
        self.count = 0
        self.drawn: list[Written] | None = None
        """The texts of a picture, while it is being read: together they say what it shows."""
        self.terms: list[list[Written]] = []
        """The names of a list of terms, each with its values."""
        self.block = ""
        self.cell: re.Match[str] | None = None
        self.at = self.width = 0
        self.endless: set[str] = set()
        """Tags whose end is nowhere after here: not looked for again."""

    def pieces(self) -> list[Piece]:
        """Walk from tag to tag; what stands between block tags is a text."""
        text, start, at = self.page.text, 0, 0
        while True:
            found = TAG.search(text, at)
            comment = COMMENT.search(text, at, found.start() if found else len(text))
            if comment:
                self._text(start, comment.start())
                at = start = self._comment(comment.start())
                continue
            if found is None:
                break
            name = found["name"].lower()
            at = found.end()
            if name in _SILENT and not found["close"]:
                self._text(start, found.start())
                at = start = self._silent(found, name)
            elif name in _BLOCKS:
                self._text(start, found.start())
                self._pass(found.start(), at, "markup")
                self._tag(found, name)
                start = at
        self._text(start, len(text))
        self._end_terms()
        self._picture(closing=True)
        while self.tables:
            self._close_table()
        return [*self.found, *self.passed]

    def _pass(self, low: int, high: int, rule: str) -> int:
        self.passed.append(Passed.of(self.page[low:high], rule))
        return high

    def _comment(self, at: int) -> int:
        close = self.page.text.find("-->", at)
        return self._pass(at, len(self.page) if close < 0 else close + 3, "comment")

    def _silent(self, found: re.Match[str], name: str) -> int:
        if name in self.endless:
            return self._pass(found.start(), found.end(), "markup")
        close = re.compile(rf"</{name}\b[^>]{{0,100}}>", re.IGNORECASE).search(
            self.page.text, found.end()
        )
        if close is None:
            self.endless.add(name)
            return self._pass(found.start(), found.end(), "markup")
        return self._pass(found.start(), close.end(), "code")

    def _text(self, low: int, high: int) -> None:
        """Keep the text between two block tags: of a cell, a caption, or a sentence."""
        hidden: list[Passed] = []
        text = entities(inline_html(self.page[low:high], hidden, self.notes)).tidied()
        self.passed += hidden
        if not text and not text.notes:
            return
        table = self.tables[-1] if self.tables else None
        if self.drawn is not None:
            self.drawn += [Written.added(" "), text]
        elif self.block == "dt" or (self.block == "dd" and self.terms):
            self._term(text)
        elif table is not None and self.cell is not None:
            self._put(table, text)
        elif table is not None and self.block == "caption":
            table.caption = Written.joined([table.caption, text])
            self.found.append(self._sentence(text))
        else:
            if re.fullmatch(r"h[1-6]|title", self.block):
                level = int(self.block[1]) if self.block != "title" else 0
                self.headings.put(level, text.text)
            self.found.append(self._sentence(text))

    def _sentence(self, text: Written) -> Sentence:
        return Sentence(text, self.headings.title, self.headings.above)

    def _term(self, text: Written) -> None:
        """Keep a name of a list of terms, or a value of the name before it."""
        if self.block == "dt":
            self.terms.append([text])
        else:
            self.terms[-1].append(text)

    def _end_terms(self) -> None:
        """Keep a list of terms as a table of names and values."""
        if self.terms:
            self._keep(self.terms, 0, NOTHING)
            self.terms = []

    def _picture(self, *, closing: bool) -> None:
        """Begin or end a picture: its texts are one sentence, the closest to what it shows."""
        if self.drawn:
            self.found.append(self._sentence(Written.joined(self.drawn).tidied()))
        self.drawn = None if closing else []

    def _tag(self, found: re.Match[str], name: str) -> None:
        closing = bool(found["close"])
        self.block = "" if closing else name
        if name in {"dl", "table"} or (name != "dd" and not closing and name != "dt"):
            self._end_terms()
        if name == "svg":
            self._picture(closing=closing or found["attributes"].endswith("/"))
        elif name == "table":
            self._table(closing=closing)
        elif not self.tables:
            return
        elif name in {"td", "th"}:
            self._cell(found, closing=closing)
        elif name in {"tr", "thead", "tbody", "tfoot"}:
            self._line(name, closing=closing)

    def _table(self, *, closing: bool) -> None:
        if not closing and len(self.tables) < _DEEPEST:
            self.tables.append(_Open())
            self.cell = None
        elif closing and self.tables:
            self._close_table()

    def _line(self, name: str, *, closing: bool) -> None:
        """Begin or end a row, or a group of rows."""
        table = self.tables[-1]
        self._end_row(table)
        self.cell = None
        if name == "thead":
            table.in_head = not closing
        elif name == "tr" and not closing:
            table.rows.append([])
            table.only_heads = True

    def _end_row(self, table: _Open) -> None:
        """Count a row of headings as header while no other row has been."""
        if table.rows:
            self._fill(table, table.rows[-1])
        if table.rows and table.rows[-1] and table.headings == len(table.rows) - 1:
            heads = table.in_head or table.only_heads
            table.headings += heads and not holds_results(table.rows[-1])

    def _cell(self, found: re.Match[str], *, closing: bool) -> None:
        table = self.tables[-1]
        if closing:
            self.cell = None
            return
        if not table.rows:
            table.rows.append([])
        self.cell = found
        spans = {one[1].lower(): int(one[2]) for one in _SPAN.finditer(found["attributes"])}
        down = min(max(spans.get("rowspan", 1), 1), _SPAN_LIMIT)
        table.only_heads = table.only_heads and found["name"].lower() == "th"
        row = table.rows[-1]
        self._fill(table, row)
        self.at = len(row)
        self.width = min(max(spans.get("colspan", 1), 1), _SPAN_LIMIT)
        table.size += self.width
        if table.size > _CELL_LIMIT:
            self.cell = None
            return
        row.extend([NOTHING] * self.width)
        for column in range(self.at, len(row)):
            if down > 1:
                table.hanging[column] = (down, NOTHING)

    @staticmethod
    def _fill(table: _Open, row: list[Written]) -> None:
        """Put the cells that hang down from the rows above."""
        while len(row) in table.hanging:
            left, text = table.hanging.pop(len(row))
            if left > 2:  # noqa: PLR2004 - this row and one more at least
                table.hanging[len(row)] = (left - 1, text)
            row.append(text)

    def _put(self, table: _Open, text: Written) -> None:
        row = table.rows[-1]
        for column in range(self.at, min(self.at + self.width, len(row))):
            known = row[column]
            row[column] = Written.joined([known, Written.added(" "), text]) if known else text
            if column in table.hanging:
                table.hanging[column] = (table.hanging[column][0], row[column])

    def _close_table(self) -> None:
        """Keep a table that is at its end; several parts where its header stands again."""
        table = self.tables.pop()
        self._end_row(table)
        self.cell = None
        rows = [row for row in table.rows if any(row)]
        if not rows:
            return
        count = header(rows, max(table.headings, 1))
        for low, high in sections(rows, count):
            self._keep(rows[low:high], 1 if low else count, table.caption)

    def _keep(self, rows: list[list[Written]], top: int, caption: Written) -> None:
        self.count += 1
        name, above = f"table {self.count}", self.headings.above
        self.found.append(Table.of(name, rows, top, caption, self.headings.title, above=above))


READER = Reader("HTML", (".html", ".htm"), read, lambda text: "<html" in text[:2000].lower())
