"""Markdown: tables of every kind, wherever they stand; the text around them as sentences.

markdown-it-py says what is a table, a quote, a list, a fence or HTML; it keeps lines but no
columns, so the text of each is looked up in the source here.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from crosscheck.errors import UserError
from crosscheck.notation import word_lists as lists
from crosscheck.notation.pieces import Passed, Sentence, Table
from crosscheck.notation.written import NOTHING, Written
from crosscheck.readers import Reader, readers
from crosscheck.readers.header import header, sections
from crosscheck.readers.headings import Headings
from crosscheck.readers.markup import markdown, targets
from crosscheck.readers.plain_tables import bars, columns, is_barred, is_rule
from crosscheck.readers.printed import drawn, parted, printed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from markdown_it.token import Token

    from crosscheck.notation.pieces import Piece

_FORMATS = {"tex": "latex", "tsv": "csv", "jsonc": "json", "yml": "yaml", "md": "markdown"}
_LINK = re.compile(r"\s{0,3}\[(?!\^)[^\]]{1,200}\]:\s")
_NOTE = re.compile(
    r"^[ ]{0,3}\[(?P<sign>\^[^\]\s]{1,40})\]:[ \t]*"
    r"(?P<text>[^\r\n]*(?:\r?\n[ \t]{2,}\S[^\r\n]*){0,20})",
    re.MULTILINE,
)
"""A footnote, with its lines that are indented."""
_PREFIX = re.compile(r"[ \t]{0,80}(?:(?:>|[-*+]|\d{1,9}[.)])[ \t]{0,8}){0,20}")
_NUMBERED = re.compile(r"[ \t>*+-]{0,80}?(\d{1,9})[.)](?=\s)")
_CAPTION = re.compile(r"[\s*_]*(?:tab(?:le|\.)|caption|note)s?\b", re.IGNORECASE)
_FOREIGN = re.compile(
    r"<table\b|\\begin\s?\{(?P<tex>table\*?|tabular[xy*]?|longtable|tabu|tblr|array)\}",
    re.IGNORECASE,
)
"""Where a table in HTML or LaTeX begins."""
_COLUMNS = re.compile(r"\s{0,9}(?:-{2,200}|={2,200})(?:\s{1,9}(?:-{2,200}|={2,200})){1,60}\s{0,9}")
_HTML_TABLE = re.compile(r"<table\b", re.IGNORECASE)
_HTML_END = re.compile(r"</table\s{0,9}>", re.IGNORECASE)
_FRONT = re.compile(r"---[ \t]*\r?\n")
_LINE_END = re.compile(r"\r\n|\n|\r")
_QUOTED = re.compile(
    r"[ \t]{0,80}(?:>[ \t]{0,4}|[-*+][ \t]{1,4}(?=\|)|\d{1,9}[.)][ \t]{1,4}(?=\|)){0,20}"
)
_QUOTE = re.compile(r"[ \t]{0,3}(?:>[ \t]?){0,20}")
_FENCE = re.compile(r"[>\s]{0,80}[`~]{3,}\s*")
_ESCAPED = re.compile(r"\\\|")
_DEEPEST = 4


def read(page: Written, name: str, depth: int = 0) -> list[Piece]:
    """Read the tables and the text of a Markdown file."""
    return _Page(page, name, depth).pieces()


class _Page:
    def __init__(self, page: Written, name: str, depth: int) -> None:
        self.page, self.name, self.depth = page, name, depth
        self.found: list[Piece] = []
        self.passed: list[Passed] = []
        self.headings = Headings()
        self.notes = {one["sign"]: one["text"] for one in _NOTE.finditer(page.text)}
        self.notes |= targets(page.text)
        self.foreign: list[tuple[int, str, Written]] = []
        """Tables in HTML and LaTeX that are still to be read: line, format, text."""
        self.before = NOTHING
        """The paragraph right above, which may lead to a table."""
        self.count = 0
        self.done: set[int] = set()
        """Lines that are in a piece."""

    def pieces(self) -> list[Piece]:
        """Read block by block, and at the end the lines that no block had."""
        self._cut(self._front(self.page))
        for token in _parsed(self.shown.text):
            self._read_foreign(token.map[0] if token.map else 0)
            self._block(token)
        self._read_foreign(len(self.lines))
        for at, line in enumerate(self.lines):
            if at not in self.done and line.text.strip():
                self._leftover(line)
        return [*self.found, *self.passed]

    def _front(self, page: Written) -> Written:
        """Read what stands between two lines of `---` at the very top as YAML."""
        begin = _FRONT.match(page.text)
        close = page.text.find("\n---", begin.end()) if begin else -1
        if begin is None or close < 0:
            return page
        self._read("yaml", page[begin.end() : close + 1])
        return _hidden(page, [(0, close + 4)])

    def _cut(self, page: Written) -> None:
        """Take tables in HTML out before blank lines in them can end a block of Markdown."""
        fences = self._fences(page)
        taken: list[tuple[int, int]] = []
        at = 0
        while begin := _FOREIGN.search(page.text, at):
            form = "latex" if begin["tex"] else "html"
            at = _tex_end(page.text, begin) if begin["tex"] else _html_end(page.text, begin.start())
            if not any(low <= begin.start() < high for low, high in fences):
                line = len(_LINE_END.findall(page.text, 0, begin.start()))
                self.foreign.append((line, form, page[begin.start() : at]))
                taken.append((begin.start(), at))
        self.shown = _hidden(page, taken)
        self.lines = _lines(self.shown)
        self._simple_tables()

    def _simple_tables(self) -> None:
        """Read tables whose header is underlined column by column, and take their lines out."""
        taken: list[tuple[int, int]] = []
        at = 0
        while at < len(self.lines):
            if _COLUMNS.fullmatch(self.lines[at].text) and at not in self.done:
                first = at - 1 if at and self.lines[at - 1].text.strip() else at
                last = at + 1
                while last < len(self.lines) and self.lines[last].text.strip():
                    last += 1
                found = columns(self.lines[first:last])
                if found is not None:
                    self._keep(found[0], found[1] or 1, None)
                    self.done |= set(range(first, last))
                    taken.append((first, last))
                at = last
            at += 1
        for first, last in taken:
            for line in range(first, last):
                self.lines[line] = self.lines[line][:0]
        if taken:
            text = "\n".join(line.text for line in self.lines)
            self.shown = Written.added(text)

    @staticmethod
    def _fences(page: Written) -> list[tuple[int, int]]:
        """Give the ranges of blocks of code: what stands there is no HTML."""
        if not _FOREIGN.search(page.text):
            return []
        starts = [0, *(end.end() for end in _LINE_END.finditer(page.text)), len(page)]
        tokens = [one for one in _parsed(page.text) if one.type in {"fence", "code_block"}]
        return [
            (starts[one.map[0]], starts[min(one.map[1], len(starts) - 1)])
            for one in tokens
            if one.map
        ]

    def _block(self, token: Token) -> None:
        if token.map is None:
            return
        first, last = token.map[0], min(token.map[1], len(self.lines))
        if token.type == "table_open":
            self._table(first, last)
        elif token.type in {"fence", "code_block"}:
            self._code(token, first, last)
        elif token.type == "html_block":
            self._html(first, last)
        elif token.type == "list_item_open" and _NUMBERED.match(self.lines[first].text):
            number = _NUMBERED.match(self.lines[first].text)
            if number:
                self.passed.append(
                    Passed.of(self.lines[first][number.start(1) : number.end(1)], "list")
                )
        elif token.type == "inline" and not self.done & set(range(first, last)):
            self._inline(token, first, last)

    def _inline(self, token: Token, first: int, last: int) -> None:
        """Read a paragraph or a heading: a table that is drawn, else a sentence."""
        lines = self._content(token, first, last)
        heading = token.level and self.lines[first].text.lstrip(" >").startswith("#")
        self.done |= set(range(first, last))
        if self._drawn(lines):
            return
        apart = columns(lines) if len(lines) > 1 else None
        if apart is not None and all(len(row) > 1 for row in apart[0]):
            self._keep(apart[0], apart[1] or 1, None)
            return
        text = self._plain(_joined(lines))
        if not text:
            return
        underlined = self._underlined(first, last)
        if heading:
            marks = self.lines[first].text.lstrip(" >")
            self.headings.put(len(marks) - len(marks.lstrip("#")), text.text)
        elif underlined:
            self.headings.put(1 if "=" in self.lines[last - 1].text else 2, text.text)
        self.found.append(self._sentence(text))
        self.before = NOTHING if heading or underlined else text

    def _sentence(self, text: Written) -> Sentence:
        return Sentence(text, self.headings.title, self.headings.above)

    def _read_foreign(self, line: int) -> None:
        """Read the tables in other formats that stand above a line, under their headings."""
        while self.foreign and self.foreign[0][0] <= line:
            _, form, part = self.foreign.pop(0)
            self._read(form, part)

    def _underlined(self, first: int, last: int) -> bool:
        return (
            last > first
            and last - first > 1
            and re.fullmatch(r"\s*(=+|-+)\s*", self.lines[last - 1].text) is not None
        )

    def _content(self, token: Token, first: int, last: int) -> list[Written]:
        """Find the lines of a text in the source: what stands before them is a quote or a list."""
        said = token.content.split("\n")
        lines = []
        for at in range(first, last):
            raw = self.lines[at]
            text = said[at - first].strip() if at - first < len(said) else ""
            place = raw.text.rfind(text) if text else -1
            if place >= 0:
                lines.append(raw[place : place + len(text)])
            elif text or at - first >= len(said):
                prefix = _PREFIX.match(raw.text)
                lines.append(raw[prefix.end() if prefix else 0 :])
        return lines

    def _plain(self, text: Written) -> Written:
        return markdown(text, self.passed, self.notes)

    def _table(self, first: int, last: int) -> None:
        lines = [self._stripped(at) for at in range(first, last)]
        self.done |= set(range(first, last))
        self._keep([bars(line) for line in lines if not is_rule(line)], 1, last)

    def _stripped(self, at: int) -> Written:
        line = self.lines[at]
        prefix = _QUOTED.match(line.text)
        return line[prefix.end() if prefix else 0 :]

    def _drawn(self, lines: list[Written]) -> bool:
        """Read lines that are a table though Markdown has none: no header, or borders."""
        found = drawn(lines)
        if found is not None:
            self._keep(found[0], found[1] or 1, None)
        return found is not None

    def _keep(self, raw: list[list[Written]], ruled: int, after: int | None) -> None:
        """Keep a table, its cells as they are seen; several where its header stands again."""
        rows = [[self._plain(cell.replaced(_ESCAPED, "|")) for cell in row] for row in raw]
        rows = [row for row in rows if any(row)]
        if not rows:
            return
        count = header(rows, ruled)
        caption = self._caption(after)
        for low, high in sections(rows, count):
            self.count += 1
            name, top = f"table {self.count}", 1 if low else count
            title = self.headings.title
            around = {"sentence": self.before, "above": self.headings.above}
            self.found.append(Table.of(name, rows[low:high], top, caption, title, **around))

    def _caption(self, after: int | None) -> Written:
        """Give the line above or below a table if it is its caption."""
        above = self.before if _CAPTION.match(self.before.text) else NOTHING
        for line in self.lines[after : after + 2] if after is not None else ():
            if _CAPTION.match(line.text):
                below = markdown(line, [], self.notes)
                return Written.joined([above, Written.added(" "), below]) if above else below
        return above

    def _code(self, token: Token, first: int, last: int) -> None:
        """Read a block of code: data in a known format, tables, or lines of output."""
        self.done |= set(range(first, last))
        fenced = token.type == "fence"
        inside = [self._stripped_code(at) for at in range(first + fenced, last)]
        if fenced and inside and _FENCE.fullmatch(inside[-1].text):
            inside.pop()
        info = (token.info or "").strip().split(" ")[0].strip("{}.").lower()
        form = _FORMATS.get(info, info)
        if fenced:
            self.passed.append(Passed.of(self.lines[first], "code"))
        if info in lists.words()["language"]["code"]:
            self.passed += [Passed.of(line, "code") for line in inside]
        elif inside and not (form in readers() and self._read(form, _joined(inside))):
            self._output(inside)

    def _stripped_code(self, at: int) -> Written:
        line = self.lines[at]
        quote = _QUOTE.match(line.text)
        return line[quote.end() if quote and ">" in quote[0] else 0 :]

    def _output(self, lines: list[Written]) -> None:
        """Read what a program printed: tables of any drawing, else each line by itself."""
        for block in parted(lines):
            if not self._drawn(block):
                self._adopt(printed(_joined(block)))

    def _html(self, first: int, last: int) -> None:
        """Read a block of HTML; bars in it are drawn tables, though no blank line sets them off."""
        self.done |= set(range(first, last))
        block: list[Written] = []
        for line in self.lines[first:last]:
            if block and is_barred([line]) != is_barred(block[-1:]):
                self._html_part(block)
                block = []
            block.append(line)
        self._html_part(block)

    def _html_part(self, block: list[Written]) -> None:
        if block and not self._drawn(block):
            self._read("html", _joined(block))

    def _read(self, form: str, part: Written) -> bool:
        """Read a part that is in another format; False if it is not what it says."""
        reader = readers().get(form)
        if reader is None or self.depth >= _DEEPEST:
            return False
        try:
            found = list(reader.read(part, self.name))
        except UserError:
            return False
        self._adopt(found)
        return True

    def _adopt(self, found: Iterable[Piece]) -> None:
        """Take over what another reader found: tables counted on, headings put above."""
        title, above = self.headings.title, self.headings.above
        for one in found:
            if isinstance(one, Table):
                self.count += 1
                one = replace(one, name=f"table {self.count}")  # noqa: PLW2901 - the same one
            if isinstance(one, Table | Sentence) and one.title:
                outer = (*above, title) if title else above
                one = replace(one, above=(*outer, *one.above))  # noqa: PLW2901 - the same
            elif isinstance(one, Table | Sentence):
                one = replace(one, title=title, above=above)  # noqa: PLW2901 - the same
            self.found.append(one)

    def _leftover(self, line: Written) -> None:
        """Keep a line that is in no block: where a link leads, or text."""
        if _LINK.match(line.text):
            self.passed.append(Passed.of(line, "url"))
        else:
            self.found.append(self._sentence(self._plain(line)))


def _parsed(text: str) -> Sequence[Token]:
    from markdown_it import MarkdownIt  # noqa: PLC0415 - only where Markdown is read

    return MarkdownIt("commonmark").enable("table").disable("inline").parse(text)


def _tex_end(text: str, begin: re.Match[str]) -> int:
    """Find the end of a table in LaTeX; that of the text where none follows."""
    ending = "\\end{" + begin["tex"] + "}"
    close = text.find(ending, begin.end())
    return len(text) if close < 0 else close + len(ending)


def _html_end(text: str, at: int) -> int:
    """Find the end of a table in HTML, tables in its cells included."""
    depth, place = 0, at
    while True:
        close = _HTML_END.search(text, place)
        if close is None:
            return len(text)
        depth += len(_HTML_TABLE.findall(text, place, close.start())) - 1
        place = close.end()
        if depth <= 0:
            return place


def _hidden(page: Written, ranges: list[tuple[int, int]]) -> Written:
    """Blank parts out, their lines kept."""
    parts, at = [], 0
    for low, high in ranges:
        parts += [page.text[at:low], re.sub(r"[^\r\n]", " ", page.text[low:high])]
        at = high
    return Written("".join([*parts, page.text[at:]]), page.starts, page.ends, page.flags)


def _lines(page: Written) -> list[Written]:
    """Split where markdown-it does."""
    found, at = [], 0
    for end in _LINE_END.finditer(page.text):
        found.append(page[at : end.start()])
        at = end.end()
    return [*found, page[at:]]


def _joined(lines: Sequence[Written]) -> Written:
    parts: list[Written] = []
    for line in lines:
        parts += [Written.added("\n"), line] if parts else [line]
    return Written.joined(parts)


READER = Reader("Markdown", (".md", ".markdown"), read)
