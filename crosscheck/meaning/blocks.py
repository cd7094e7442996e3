"""A table as blocks: rows of numbers under one header, and which columns name the rows.

Real tables have header rows below the first (`| | R@10 | nDCG@10 |`), headers that repeat in the
middle, and rows that only say what the rows below them are. A row or column that may hold values is
never taken for a label.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from crosscheck.notation import labels
from crosscheck.notation import word_lists as lists
from crosscheck.notation.metric_names import folded
from crosscheck.notation.number import parse
from crosscheck.notation.source import is_digit
from crosscheck.notation.written import LOWERED

if TYPE_CHECKING:
    from collections.abc import Iterable

    from crosscheck.notation.pieces import Table
    from crosscheck.notation.written import Written

ANYWHERE = frozenset(
    ("metric", "system", "dataset", "parameter", "fold", "seed", "criterion", "class", "split")
) | {"population", "slice"}
"""Roles by heading that make a column one of labels wherever it stands."""
_TEXT = re.compile(r"[^\W\d_]{2,}")
_WORDS = 3
"""Words above which a cell over a whole row is a remark."""
_DECIMAL = re.compile(r"\d[.,·٫]\d|(?<!\w)[.·]\d")


@dataclass(frozen=True, slots=True)
class Block:
    """Rows under one header; all indices are those of the table's cells."""

    table: Table
    headers: tuple[int, ...]
    rows: tuple[int, ...]
    sections: tuple[tuple[int, ...], ...]
    """For each row, the rows above it that say what it is."""
    named: tuple[int, ...]
    """The columns that name the rows."""

    @property
    def values(self) -> tuple[int, ...]:
        """The columns that hold numbers."""
        return tuple(c for c in range(self.table.width) if c not in self.named)

    def column(self, c: int) -> tuple[str, ...]:
        """Give a column's header from top to bottom, each text once."""
        texts = (shown(self.table.cells[r][c]) for r in self.headers)
        return tuple(dict.fromkeys(text for text in texts if text))

    def role(self, c: int) -> str:
        """Say what a column names by its heading."""
        heads = [folded(text) for text in self.column(c)]
        whole = lists.role_of("".join(heads))
        return whole or next((role for role in map(lists.role_of, reversed(heads)) if role), "")


@lru_cache(maxsize=8192)
def looks_like_value(text: str) -> bool:
    """Whether a cell may hold a number: it has a decimal, or begins with a digit."""
    if not any(map(is_digit, text)):
        return False
    return _begins(text) or _DECIMAL.search(text) is not None


def _begins(text: str) -> bool:
    """Whether a text begins with a digit, marks aside."""
    return is_digit(next((char for char in text if char.isalnum()), " "))


def shown(written: Written) -> str:
    """Give a label's text; letters set lower stand in brackets: `F1 (hate)`."""
    text, flags = written.text, written.flags
    if not any(flag & LOWERED for flag in flags):
        return " ".join(text.split())
    parts: list[str] = []
    for at, char in enumerate(text):
        low = bool(flags[at] & LOWERED)
        before = bool(at and flags[at - 1] & LOWERED)
        if low and not before:
            end = next((i for i in range(at, len(text)) if not flags[i] & LOWERED), len(text))
            parts.append(" (" if text[at:end].strip().isalpha() else "")
        if before and not low and text[_run(flags, at) : at].strip().isalpha():
            parts.append(")")
        parts.append(char)
    if flags[-1] & LOWERED and text[_run(flags, len(text)) :].strip().isalpha():
        parts.append(")")
    return " ".join("".join(parts).split())


def _run(flags: Iterable[int], end: int) -> int:
    """Say where the run of lowered letters begins that ends before `end`."""
    marked = list(flags)
    at = end
    while at and marked[at - 1] & LOWERED:
        at -= 1
    return at


def blocks(table: Table) -> list[Block]:
    """Split a table wherever its header changes."""
    found: list[Block] = []
    headers = list(range(table.header))
    named = _named(table, headers, range(table.header, len(table.rows)))
    rows: list[int] = []
    sections: list[tuple[int, ...]] = []
    above: tuple[int, ...] = ()
    for r in range(table.header, len(table.rows)):
        kind = _kind(table, r, named, rows)
        if kind == "header":
            if rows:
                found.append(Block(table, tuple(headers), tuple(rows), tuple(sections), named))
                headers, rows, sections = headers[:-1], [], []
            headers.append(r)
        elif kind == "section":
            above = (r,)
        else:
            rows.append(r)
            sections.append(above)
    last = Block(table, tuple(headers), tuple(rows), tuple(sections), named)
    whole = [*found, last]
    return [_renamed(block) for block in whole]


def _renamed(block: Block) -> Block:
    """Settle which columns name the rows, now that the header is whole."""
    named = _named(block.table, block.headers, block.rows)
    return Block(block.table, block.headers, block.rows, block.sections, named)


def _kind(table: Table, r: int, named: tuple[int, ...], rows: list[int]) -> str:
    """Say what a row is: `header`, `section` or `body`."""
    row = table.rows[r]
    values = [text for c, text in enumerate(row) if c not in named]
    texts = {text.strip() for text in row if text.strip()}
    if is_remark(row):
        return "section"
    if any(looks_like_value(text) for text in values) or not texts:
        return "body"
    filled = [text for text in values if text.strip() and not parse(text).blank]
    if len(texts) == 1 and table.width > 1:
        lone = not any(text.strip() for text in row[1:]) or len(set(row)) == 1
        return "section" if lone and not parse(next(iter(texts))).blank else "body"
    if 2 * len(filled) < len(values) or not filled:
        return "body"
    return "header" if not rows or _repeats(table, row) else "body"


def is_remark(row: tuple[str, ...]) -> bool:
    """Whether a row is one text over all columns: a remark in words, whatever numbers it has."""
    text = row[0].strip() if row else ""
    return len(row) > 1 and len(set(row)) == 1 and len(_TEXT.findall(text)) > _WORDS


def _repeats(table: Table, row: tuple[str, ...]) -> bool:
    """Whether a row in the middle is a header: it names metrics, or what the first header does."""
    known = {text for head in table.rows[: table.header] for text in head if text.strip()}
    filled = [text for text in row if text.strip()]
    metrics = any(labels.read(text).pure for text in filled)
    return metrics or 2 * sum(text in known for text in filled) > len(filled)


def _named(table: Table, headers: Iterable[int], rows: Iterable[int]) -> tuple[int, ...]:
    """Find the columns that name the rows: by their heading, or because they lead with text."""
    heads, body = list(headers), list(rows)
    found: list[int] = []
    leading = True
    for c in range(table.width):
        texts = dict.fromkeys(table.rows[r][c] for r in heads)
        role = lists.role_of(folded("".join(texts))) or lists.role_of(
            folded(next(reversed(texts), ""))
        )
        cells = [table.rows[r][c] for r in body if table.rows[r][c].strip()]
        decimals = sum(_DECIMAL.search(text) is not None and _begins(text) for text in cells)
        if role != "condition" and 2 * decimals > len(cells):
            role = "value"
        leading = leading and _leads(c, role, cells, "".join(texts))
        if leading or role in ANYWHERE:
            found.append(c)
    return tuple(found) if len(found) < table.width else tuple(found[:-1])


def _leads(c: int, role: str, cells: list[str], head: str) -> bool:
    """Whether a column at the left still names the rows."""
    if role == "value":
        return False
    if role:
        return True
    # A remark after the label is no label: what leads says something about every row.
    numbers = sum(looks_like_value(text) for text in cells)
    if c == 0:
        return not (numbers == len(cells) and labels.read(head).names_metric)
    return bool(cells) and not numbers and not labels.read(head).names_metric
