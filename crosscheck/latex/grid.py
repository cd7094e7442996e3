r"""One tabular: rows and cells, spans filled in, rules taken out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from crosscheck.latex.columns import Columns, columns
from crosscheck.latex.render import Hidden, closing, option_end, render

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crosscheck.latex.tokens import Token
    from crosscheck.notation.written import Written

WIDTHS = frozenset(
    ("tabular*", "tabularx", "tabulary", "xltabular", "tabularx*", "NiceTabular*", "NiceTabularX")
)
"""Kinds of tabular that take a width before their columns."""
TABULARS = WIDTHS | frozenset(
    [
        "tabular",
        "array",
        "longtable",
        "longtable*",
        "tblr",
        "longtblr",
        "talltblr",
        "NiceTabular",
        "tabu",
        "longtabu",
        "supertabular",
        "xtabular",
        "mpsupertabular",
        "deluxetable",
        "matrix",
    ]
)
_ENDS = frozenset(("\\", "tabularnewline", "cr", "crcr"))
_RULED = frozenset(
    ("midrule", "hline", "endhead", "endfirsthead", "Xhline", "hdashline", "tabucline", "hhline")
)
_HEADS = ("endfirsthead", "endhead")
_FEET = ("endfoot", "endlastfoot")
_SPAN_LIMIT = 60
_CELL_LIMIT = 200_000


@dataclass
class Grid:
    """The rows of a tabular; `ruled`: how many stand above its first inner rule, 0 without one."""

    rows: list[list[Written]] = field(default_factory=list)
    ruled: int = 0


def grid(tokens: Sequence[Token], kind: str, hidden: Hidden) -> Grid:
    """Read the content of a tabular."""
    at, set_as = _past_columns(tokens, kind, hidden)
    found = Grid()
    hanging: dict[int, tuple[int, Written]] = {}
    size = 0
    for line in _lines(tokens[at:], hidden):
        names = {one.text for one in line if one.kind == "command"}
        if found.rows and not found.ruled and names & _RULED:
            found.ruled = len(found.rows)
        _repeats(found, names, hidden)
        if names & {"caption", "captionof"} and not any(one.kind == "&" for one in line):
            continue  # read as the table's caption
        row = set_as.applied(*_row(line, hanging, hidden))
        size += len(row)
        if any(cell.text for cell in row) and size < _CELL_LIMIT:
            found.rows.append(row)
    return found


def _past_columns(tokens: Sequence[Token], kind: str, hidden: Hidden) -> tuple[int, Columns]:
    """Step past position, width and columns, and read how the columns are set."""
    at, begin = 0, 0
    for _ in range(2 if kind in WIDTHS else 1):
        at = _blank(tokens, option_end(tokens, _blank(tokens, at)))
        if kind.startswith(("tabu", "longtabu")) and kind not in WIDTHS and kind != "tabular":
            while at < len(tokens) and tokens[at].text in {"to", "spread"} | {
                "linewidth",
                "textwidth",
            }:
                at = _blank(tokens, at + 1)
        if at < len(tokens) and tokens[at].kind == "{":
            begin, at = at + 1, min(closing(tokens, at) + 1, len(tokens))
    hidden.leave(tokens[:at], "layout")
    keyed = kind.endswith("tblr")  # its columns are settings by name
    return at, Columns() if keyed else columns(tokens[begin : at - 1])


def _blank(tokens: Sequence[Token], at: int) -> int:
    while at < len(tokens) and tokens[at].kind == "space":
        at += 1
    return at


def _lines(tokens: Sequence[Token], hidden: Hidden) -> list[list[Token]]:
    """Cut at the ends of rows; the rules that follow an end begin the next row."""
    lines: list[list[Token]] = [[]]
    depth = nested = at = 0
    while at < len(tokens):
        token = tokens[at]
        depth = max(0, depth + {"{": 1, "}": -1}.get(token.kind, 0))
        if token.kind == "command":
            nested = max(0, nested + {"begin": 1, "end": -1}.get(token.text, 0))
        at += 1
        if token.kind == "command" and token.text in _ENDS and not depth and not nested:
            if at < len(tokens) and tokens[at].text == "*":
                at += 1
            end = option_end(tokens, _blank(tokens, at))
            if end > _blank(tokens, at):
                hidden.leave(tokens[at:end], "layout")
                at = end
            lines.append([])
        else:
            lines[-1].append(token)
    return lines


def _repeats(found: Grid, names: set[str], hidden: Hidden) -> None:
    """Take out the head and foot that a long table repeats on each page."""
    if "endhead" in names and found.ruled and found.ruled < len(found.rows) and found.rows:
        _leave(found.rows[found.ruled :], hidden)
        del found.rows[found.ruled :]
    if names & set(_HEADS) and found.rows:
        found.ruled = len(found.rows)
    if names & set(_FEET) and found.ruled:
        hidden.notes += [cell for row in found.rows[found.ruled :] for cell in row if cell.text]
        del found.rows[found.ruled :]


def _leave(rows: list[list[Written]], hidden: Hidden) -> None:
    hidden.notes += [cell for row in rows for cell in row if cell.text]


def _row(
    line: Sequence[Token], hanging: dict[int, tuple[int, Written]], hidden: Hidden
) -> tuple[list[Written], list[int]]:
    """Read a row: multicolumn is filled to the right, multirow downwards; and say whence."""
    row: list[Written] = []
    spans: list[int] = []
    for number, cell in enumerate(_cells(line)):
        width, inside = _span(cell, "multicolumn", hidden)
        down, inside = _span(inside, "multirow", hidden)
        text = render(inside, hidden)
        for _ in range(min(width, _SPAN_LIMIT)):
            column = len(row)
            row.append(_hung(column, text, hanging))
            spans.append(number)
            if down > 1:
                hanging[column] = (min(down, _SPAN_LIMIT) - 1, text)
    return row, spans


def _cells(line: Sequence[Token]) -> list[list[Token]]:
    cells: list[list[Token]] = [[]]
    depth = nested = 0
    for token in line:
        depth = max(0, depth + {"{": 1, "}": -1}.get(token.kind, 0))
        if token.kind == "command":
            nested = max(0, nested + {"begin": 1, "end": -1}.get(token.text, 0))
        if token.kind == "&" and not depth and not nested:
            cells.append([])
        else:
            cells[-1].append(token)
    return cells


def _span(cell: Sequence[Token], name: str, hidden: Hidden) -> tuple[int, Sequence[Token]]:
    r"""Give how far a `\multicolumn` or `\multirow` reaches; its count is passed over."""
    at = next((i for i, one in enumerate(cell) if one.kind == "command" and one.text == name), None)
    if at is None:
        return 1, cell
    begin = _blank(cell, option_end(cell, _blank(cell, at + 1)))
    if begin >= len(cell) or cell[begin].kind != "{":
        return 1, cell
    end = closing(cell, begin)
    said = "".join(one.text for one in cell[begin:end] if one.kind == "run").strip("-*= ")
    if not said.isdecimal() or len(said) > 4:  # noqa: PLR2004 - no table has as many columns
        return 1, cell
    if name == "multirow":
        return max(int(said), 1), cell
    hidden.leave(cell[at : end + 1], "layout")
    columns = _blank(cell, end + 1)
    after = (
        closing(cell, columns) + 1 if columns < len(cell) and cell[columns].kind == "{" else columns
    )
    hidden.leave(cell[columns:after], "layout")
    return max(int(said), 1), [*cell[:at], *cell[after:]]


def _hung(column: int, text: Written, hanging: dict[int, tuple[int, Written]]) -> Written:
    """Take the text of a multirow above where the cell itself is empty."""
    if column not in hanging:
        return text
    left, above = hanging.pop(column)
    if left > 1:
        hanging[column] = (left - 1, above)
    return text if text.text else above
