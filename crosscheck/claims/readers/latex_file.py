"""LaTeX: every tabular of the ordinary kind (booktabs, multirow, multicolumn) with its caption."""

from __future__ import annotations

import re

from crosscheck.claims.markup import argument, group, latex
from crosscheck.claims.pieces import Sentence, Table
from crosscheck.claims.readers import Reader
from crosscheck.claims.written import Written

_BEGIN = re.compile(
    r"\\begin\s*\{(tabular\*?|tabularx|tabulary|longtable|array|tblr|NiceTabular)\}"
)
_RULES = re.compile(
    r"\\(?:toprule|bottomrule|hline|midrule|addlinespace|specialrule|noalign|endhead|endfirsthead"
    r"|endfoot|endlastfoot|cmidrule|cline|hhline|rowcolor|Xhline|morecmidrules|belowrulesep)"
    r"\*?(?:\s*\([^)]*\))?(?:\s*\[[^\]]*\])?(?:\s*\{[^{}]*\})*"
)
_MIDRULE = re.compile(r"\\(midrule|hline|endhead|endfirsthead)\b")
_SPAN_LIMIT = 50


def grids(page: Written, _name: str) -> list[Table | Sentence]:
    """Read the tables of a LaTeX source."""
    source = re.sub(r"(?<!\\)((?:\\\\)*)%[^\n]*", r"\1", page.text)
    found: list[Table] = []
    for begin in _BEGIN.finditer(source):
        name = begin[1]
        close = source.find("\\end{" + name + "}", begin.end())
        inside = source[_after_preamble(source, name, begin.end()) : close if close >= 0 else None]
        if _BEGIN.search(inside):
            continue  # an outer layout table: the inner one is the table of numbers
        rows, header = _rows(inside)
        if rows:
            caption = _caption(source, begin.start(), close)
            cells = [[page.said(cell) for cell in row] for row in rows]
            said = Written.added(caption)
            found.append(Table.of(f"table {len(found) + 1}", cells, header, said))
    return [*found, Sentence(page)]


def _after_preamble(source: str, name: str, i: int) -> int:
    """Skip `[t]`, the width of starred kinds and the column specification."""
    for _ in range(2 if name in {"tabular*", "tabularx", "tabulary"} else 1):
        while source[i : i + 1] == "[":
            i = max(source.find("]", i) + 1, i + 1)
        if source[i : i + 1] == "{":
            i = group(source, i)[1]
    return i


def _caption(source: str, start: int, close: int) -> str:
    """Give the caption of the surrounding float: between its begin and end only."""
    opening = max(
        source.rfind("\\begin{table", 0, start), source.rfind("\\begin{longtable", 0, start + 1)
    )
    if opening < 0 or "\\end{table" in source[opening:start]:
        return ""
    ending = source.find("\\end{", max(close, start) + 5)
    region = source[opening : ending if ending >= 0 else len(source)]
    found = re.search(r"\\caption\s*(?:\[[^\]]*\])?\s*\{", region)
    return latex(group(region, found.end() - 1)[0]) if found else ""


def _rows(inside: str) -> tuple[list[list[str]], int]:
    """Split into rows; the header ends at the first inner rule, else after one row."""
    rows: list[list[str]] = []
    header = 0
    hanging: dict[int, tuple[int, str]] = {}
    for raw in _split(inside, "\\\\"):
        body = re.sub(r"^\s*\[[^\]]*\]", "", raw) if rows else raw
        if rows and not header and _MIDRULE.search(body):
            header = len(rows)
        body = _RULES.sub(" ", body).strip()
        if not body:
            continue
        row = _spread(_split(body, "&"), hanging)
        if any(cell.strip() for cell in row):
            rows.append(row)
    return rows, header or 1


def _spread(cells: list[str], hanging: dict[int, tuple[int, str]]) -> list[str]:
    """Fill multicolumn to the right and multirow downwards."""
    row: list[str] = []
    for raw in cells:
        cell, width = raw.strip(), 1
        found = re.match(r"\\multicolumn\s*(?=\{)", cell)
        if found:
            count, end = argument(cell, found.end())
            _, end = argument(cell, end)
            cell, _ = argument(cell, end)
            width = min(max(_count(count), 1), _SPAN_LIMIT)
        cell, down = _multirow(cell.strip())
        text = latex(cell)
        for _ in range(width):
            row.append(_hung(len(row), text, hanging))
            if down > 1:
                hanging[len(row) - 1] = (down - 1, text)
    return row


def _multirow(cell: str) -> tuple[str, int]:
    found = re.match(r"\\multirow\s*(?:\[[^\]]*\])?\s*(?=\{)", cell)
    if not found:
        return cell, 1
    count, end = argument(cell, found.end())
    end = _past_options(cell, end)
    _, end = argument(cell, end)
    end = _past_options(cell, end)
    body, _ = argument(cell, end)
    return body, min(abs(_count(count)), _SPAN_LIMIT)


def _past_options(cell: str, i: int) -> int:
    while cell[i : i + 1] == "[":
        i = max(cell.find("]", i) + 1, i + 1)
    return i


def _hung(column: int, text: str, hanging: dict[int, tuple[int, str]]) -> str:
    """Take the text of a multirow above where the cell itself is empty."""
    if column not in hanging:
        return text
    left, above = hanging.pop(column)
    if left > 1:
        hanging[column] = (left - 1, above)
    return text or above


def _count(text: str) -> int:
    found = re.search(r"-?\d{1,4}", text)
    return int(found[0]) if found else 1


def _split(text: str, mark: str) -> list[str]:
    """Split at a mark that stands outside braces."""
    parts, depth, start, i = [], 0, 0, 0
    while i < len(text):
        if depth <= 0 and text.startswith(mark, i):
            parts.append(text[start:i])
            i += len(mark)
            start = i
            continue
        if text[i] == "\\":
            i += 2
            continue
        depth += {"{": 1, "}": -1}.get(text[i], 0)
        i += 1
    parts.append(text[start:])
    return parts


READER = Reader("LaTeX", (".tex", ".latex"), grids, lambda text: "\\begin{" in text)
