"""PDF: the text of each page, lines with columns as tables; needs the extra `documents`.

A PDF keeps where glyphs stand and no tables. Lines whose words stand apart in columns are read as
a table; whatever that makes of a page, each number of it is in a table or a sentence.
"""

from __future__ import annotations

import io
import logging
from typing import TYPE_CHECKING, Any

from crosscheck.errors import UserError
from crosscheck.extras import needed
from crosscheck.notation.pieces import Passed, Sentence, Table
from crosscheck.notation.source import Source
from crosscheck.notation.written import NOTHING, Written
from crosscheck.readers import Reader, unreadable
from crosscheck.readers.plain_tables import columns

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crosscheck.notation.pieces import Piece

_MOST_PAGES = 200
_APART = 2.0
"""How many widths of a character two words of one cell stand apart at most."""


def open_pages(raw: bytes, name: str) -> tuple[Source, Sequence[Piece]]:
    """Read a PDF page by page."""
    pdfplumber = needed("pdfplumber", name)
    logging.getLogger("pdfminer").setLevel(logging.ERROR)
    pages = _Pages()
    try:
        with pdfplumber.open(io.BytesIO(raw)) as document:
            count = len(document.pages)
            for number, page in enumerate(document.pages[:_MOST_PAGES], 1):
                pages.add(number, page)
    except Exception as error:
        raise UserError(f"{name}: cannot be opened as a PDF: {error}") from error
    if count > _MOST_PAGES:
        raise UserError(f"{name}: {count} pages; at most {_MOST_PAGES} are read")
    if not "".join(pages.texts).strip():
        raise UserError(f"{name}: holds no text but pictures of pages; give its text")
    return Source(name, "".join(pages.texts), tuple(pages.landmarks)), pages.pieces


class _Pages:
    def __init__(self) -> None:
        self.texts: list[str] = []
        self.size = 0
        self.landmarks: list[tuple[int, str]] = []
        self.pieces: list[Piece] = []
        self.tables = 0

    def add(self, number: int, page: Any) -> None:  # noqa: ANN401 - pdfplumber has no types
        """Read a page: blocks of lines with columns are tables, other lines sentences."""
        self.landmarks.append((self.size, f"page {number}"))
        lines = [self._put(line) for line in _lines(page)]
        if lines and lines[-1].text.strip() == str(number):
            self.pieces.append(Passed.of(lines.pop(), "page"))
        for block in _blocks(lines):
            found = columns(block) if len(block) > 1 else None
            if found is None:
                self._sentences(block)
            else:
                self._table(*found)

    def _put(self, text: str) -> Written:
        at, self.size = self.size, self.size + len(text) + 1
        self.texts += [text, "\n"]
        return Written.of(text, at)

    def _sentences(self, block: Sequence[Written]) -> None:
        parts: list[Written] = []
        for line in block:
            parts += [Written.added(" "), line] if parts else [line]
        self.pieces.append(Sentence(Written.joined(parts).tidied()))

    def _table(self, rows: list[list[Written]], count: int) -> None:
        self.tables += 1
        cells = [[cell.tidied() for cell in row] for row in rows]
        last = self.pieces[-1] if self.pieces else None
        above = last.written if isinstance(last, Sentence) else NOTHING
        caption = above if above.text.lower().startswith("tab") else NOTHING
        name = f"table {self.tables}"
        self.pieces.append(Table.of(name, cells, count, caption, sentence=above))


def _lines(page: Any) -> Iterator[str]:  # noqa: ANN401 - the same
    """Give the lines of a page, words that stand apart parted by two blanks."""
    for line in page.extract_text_lines(return_chars=True):
        text, last = "", None
        for char in line["chars"]:
            if last is not None:
                gap = char["x0"] - last["x1"]
                width = max(last["width"], 0.1)
                text += "  " if gap > _APART * width else " " if gap > 0.25 * width else ""
            text += char["text"]
            last = char
        yield text


def _blocks(lines: Sequence[Written]) -> Iterator[list[Written]]:
    """Part lines with columns from lines without."""
    block: list[Written] = []
    for line in lines:
        if block and ("  " in block[-1].text.strip()) != ("  " in line.text.strip()):
            yield block
            block = []
        block.append(line)
    if block:
        yield block


READER = Reader("PDF", (".pdf",), unreadable, open=open_pages)
