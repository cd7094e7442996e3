"""Markdown: every pipe table outside code blocks, with the heading it stands under."""

from __future__ import annotations

import re

from crosscheck.claims.markup import markdown
from crosscheck.claims.pieces import Sentence, Table
from crosscheck.claims.readers import Reader
from crosscheck.claims.written import Written

_RULE = re.compile(r"^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$")
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s+(.*?)\s*#*\s*$")
_FENCE = re.compile(r"^\s{0,3}(```+|~~~+)")
_BREAK = re.compile(r"(?<!\\)\|")


def grids(page: Written, _name: str) -> list[Table | Sentence]:
    """Read the tables of a Markdown text."""
    written = page.lines()
    lines = [line.text for line in written]
    found: list[Table] = []
    title = before = ""
    i = 0
    while i < len(lines):
        line = lines[i]
        fence = _FENCE.match(line)
        if fence:
            i = _after_fence(lines, i, fence[1])
            continue
        heading = _HEADING.match(line)
        if heading:
            title, before = markdown(heading[1]), ""
        elif "|" in line and i + 1 < len(lines) and _is_rule(lines[i + 1]):
            end = _end(lines, i + 2)
            rows = [_cells(row) for row in [written[i], *written[i + 2 : end]]]
            caption = " ".join(one for one in (before, _after(lines, end)) if one)
            said = Written.added(caption)
            found.append(Table.of(f"table {len(found) + 1}", rows, 1, said, title))
            i, before = end, ""
            continue
        elif line.strip():
            before = markdown(line) if _is_caption(line) else ""
        i += 1
    return [*found, Sentence(page)]


def _is_rule(line: str) -> bool:
    return "-" in line and "|" in line and _RULE.match(line) is not None


def _end(lines: list[str], i: int) -> int:
    while i < len(lines) and "|" in lines[i] and not _FENCE.match(lines[i]):
        i += 1
    return i


def _after_fence(lines: list[str], i: int, fence: str) -> int:
    for j in range(i + 1, len(lines)):
        if lines[j].strip().startswith(fence[:3]) and not lines[j].strip(" `~"):
            return j + 1
    return len(lines)


def _after(lines: list[str], end: int) -> str:
    """Give the line after a table if it is its caption."""
    following = next((line for line in lines[end : end + 2] if line.strip()), "")
    return markdown(following) if _is_caption(following) else ""


def _is_caption(line: str) -> bool:
    return re.match(r"^[\s*_]*(table|caption|note)s?\b", line, re.IGNORECASE) is not None


def _cells(line: Written) -> list[Written]:
    row = line.text.strip()
    row = row.removeprefix("|")
    if row.endswith("|") and not row.endswith("\\|"):
        row = row[:-1]
    return [line.said(markdown(cell.replace("\\|", "|"))) for cell in _BREAK.split(row)]


READER = Reader("Markdown", (".md", ".markdown"), grids)
