"""DOCX documents: paragraphs, tables and notes in their order; needs the extra `documents`.

python-docx opens the document; its texts leave out formulas, insertions and boxes, so the elements
are walked through here, and every text of theirs is read.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from crosscheck.errors import UserError
from crosscheck.extras import needed
from crosscheck.latex.render import script
from crosscheck.notation.pieces import Sentence, Table
from crosscheck.notation.source import Source
from crosscheck.notation.written import BOLD, NOTHING, UNDERLINE, Written
from crosscheck.readers import Reader, unreadable
from crosscheck.readers.archives import refuse_bombs
from crosscheck.readers.header import header

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crosscheck.notation.pieces import Piece

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_NOTES = ("/footnotes", "/endnotes")
_BREAKS = {f"{_W}tab": "\t", f"{_W}br": " ", f"{_W}cr": " ", f"{_W}noBreakHyphen": "-"}
_SPAN_LIMIT = 60


def open_document(raw: bytes, name: str) -> tuple[Source, Sequence[Piece]]:
    """Read a document: its text is a line per paragraph and per row of a table."""
    docx = needed("docx", name)
    refuse_bombs(raw, name)
    try:
        document = docx.Document(io.BytesIO(raw))
        roots = [document.element.body, *_notes(document)]
    except Exception as error:
        raise UserError(f"{name}: cannot be opened as a document: {error}") from error
    pages = _Document()
    for root in roots:
        pages.blocks(root)
    return Source(name, "".join(pages.texts)), pages.pieces


def _notes(document: Any) -> Iterator[Any]:  # noqa: ANN401 - python-docx has no types
    """Give the roots of footnotes and endnotes."""
    etree = needed("lxml.etree", "document")
    parser = etree.XMLParser(resolve_entities=False, no_network=True)
    for part in document.part.package.iter_parts():
        if any(one in str(part.partname) for one in _NOTES):
            yield etree.fromstring(part.blob, parser)


class _Document:
    def __init__(self) -> None:
        self.texts: list[str] = []
        self.size = 0
        self.pieces: list[Piece] = []
        self.title = ""
        self.before = NOTHING
        self.tables = 0

    def blocks(self, root: Any) -> None:  # noqa: ANN401 - an element
        """Read the paragraphs and tables below an element, whatever they are wrapped in."""
        for element in root:
            if element.tag == f"{_W}p":
                self._sentence(element)
            elif element.tag == f"{_W}tbl":
                self._table(element)
            elif element.tag != _FALLBACK and isinstance(element.tag, str):
                self.blocks(element)

    def _put(self, text: str) -> Written:
        at, self.size = self.size, self.size + len(text)
        self.texts.append(text)
        return Written.of(text, at)

    def _sentence(self, element: Any) -> None:  # noqa: ANN401 - the same
        text = self._text(element).tidied()
        self._put("\n")
        style = element.find(f"{_W}pPr/{_W}pStyle")
        headed = style is not None and str(style.get(f"{_W}val")).lower().startswith("head")
        if text:
            self.title = text.text if headed else self.title
            self.pieces.append(Sentence(text, self.title))
            self.before = NOTHING if headed else text

    def _text(self, paragraph: Any) -> Written:  # noqa: ANN401 - the same
        """Read every text below a paragraph, with what sets its runs off."""
        parts: list[Written] = []
        skipped = {below for one in paragraph.iter(_FALLBACK) for below in one.iter()}
        for element in paragraph.iter():
            if element in skipped:
                continue
            if element.tag in {f"{_W}t", f"{_MATH}t"} and element.text:
                parts.append(self._run(element, parts))
            elif element.tag in _BREAKS:
                parts.append(self._put(_BREAKS[element.tag]))
        return Written.joined(parts)

    def _run(self, element: Any, before: list[Written]) -> Written:  # noqa: ANN401 - the same
        text = self._put(element.text)
        marks = element.getparent().find(f"{_W}rPr")
        if marks is None:
            return text
        text = text.marked(BOLD * _is_on(marks, "b") | UNDERLINE * _is_on(marks, "u"))
        raised = marks.find(f"{_W}vertAlign")
        kind = "" if raised is None else str(raised.get(f"{_W}val"))
        if kind not in {"superscript", "subscript"}:
            return text
        shown = "".join(one.text for one in before[-4:])
        return script("^" if kind == "superscript" else "_", text, shown)

    def _table(self, element: Any) -> None:  # noqa: ANN401 - the same
        rows: list[list[Written]] = []
        for line in element.iter(f"{_W}tr"):
            if _owner(line) is element:
                rows.append(self._row(line, rows[-1] if rows else []))
        rows = [row for row in rows if any(row)]
        if rows:
            self.tables += 1
            caption = self.before if self.before.text.lower().startswith("tab") else NOTHING
            name = f"table {self.tables}"
            self.pieces.append(
                Table.of(name, rows, header(rows), caption, self.title, sentence=self.before)
            )

    def _row(self, line: Any, above: list[Written]) -> list[Written]:  # noqa: ANN401 - the same
        """Read a row; a cell that goes on from the row above has its text."""
        row: list[Written] = []
        for cell in line.iter(f"{_W}tc"):
            if _owner(cell, f"{_W}tr") is not line:
                continue
            inner = [one for one in cell.iter(f"{_W}tbl") if _owner(one, f"{_W}tc") is cell]
            texts = [
                self._text(one) for one in cell.iter(f"{_W}p") if _owner(one, f"{_W}tc") is cell
            ]
            text = _joined(texts)
            merged = cell.find(f"{_W}tcPr/{_W}vMerge")
            goes_on = merged is not None and merged.get(f"{_W}val") != "restart"
            for _ in range(_width(cell)):
                hung = goes_on and not text and len(row) < len(above)
                row.append(above[len(row)] if hung else text)
            self._put("\t")
            for one in inner:
                self._table(one)
        self._put("\n")
        return row


def _is_on(marks: Any, name: str) -> bool:  # noqa: ANN401 - an element
    found = marks.find(f"{_W}{name}")
    return found is not None and found.get(f"{_W}val") not in {"0", "false", "none"}


def _owner(element: Any, tag: str = f"{_W}tbl") -> Any:  # noqa: ANN401 - the same
    """Give the nearest element of a kind above another."""
    return next(element.iterancestors(tag), None)


def _width(cell: Any) -> int:  # noqa: ANN401 - the same
    span = cell.find(f"{_W}tcPr/{_W}gridSpan")
    said = "" if span is None else str(span.get(f"{_W}val"))
    return min(max(int(said), 1), _SPAN_LIMIT) if said.isdecimal() and len(said) < 5 else 1  # noqa: PLR2004 - digits


def _joined(texts: Sequence[Written]) -> Written:
    parts: list[Written] = []
    for text in texts:
        parts += [Written.added(" "), text] if parts else [text]
    return Written.joined(parts).tidied()


READER = Reader("DOCX", (".docx",), unreadable, open=open_document)
