r"""What the columns of a tabular put around their cells: `r@{.}l` is one number, `>{9}c` another.

Text of `@{…}` between two columns is part of what the reader sees in every row, and so are `>{…}`
and `<{…}`. Columns that such a text joins are one column here.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from crosscheck.latex.render import Hidden, closing, render
from crosscheck.notation.written import NOTHING, Written

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crosscheck.latex.tokens import Token

_MOST = 200
_DEEPEST = 2
"""Repetitions within repetitions of columns that are followed."""
_PUT = "@!><"
_FOREIGN = frozenset(("vrule", "hspace", "extracolsep", "hskip", "rule", "hss", "hfil"))


@dataclass
class Columns:
    """For each column, what stands before and after its cells, and what joins it to the next."""

    before: list[Written] = field(default_factory=list)
    after: list[Written] = field(default_factory=list)
    joints: dict[int, Written] = field(default_factory=dict)
    """By the column on the left."""

    def applied(self, row: list[Written], spans: list[int]) -> list[Written]:
        """Give a row as it is seen; `spans`: which cell of the source each one is of."""
        if not any(self.before) and not any(self.after) and not self.joints:
            return row
        wide = {one for one, count in Counter(spans).items() if count > 1}
        seen = [cell if spans[c] in wide else self._wrapped(c, cell) for c, cell in enumerate(row)]
        return list(self._joined(seen, spans))

    def _wrapped(self, c: int, cell: Written) -> Written:
        if not cell or c >= len(self.before):
            return cell
        return Written.joined([self.before[c], cell, self.after[c]])

    def _joined(self, row: list[Written], spans: list[int]) -> Iterator[Written]:
        c = 0
        while c < len(row):
            cell = row[c]
            while c in self.joints and c + 1 < len(row):
                c += 1
                if spans[c] == spans[c - 1]:
                    continue  # one cell over both columns
                filled = cell and row[c]
                cell = (
                    Written.joined([cell, self.joints[c - 1], row[c]]) if filled else cell or row[c]
                )
            yield cell
            c += 1


def columns(tokens: Sequence[Token]) -> Columns:
    """Read the argument that says how the columns are set."""
    found = Columns()
    held = NOTHING
    for kind, inner in _parts(tokens):
        text = _shown(inner) if kind in _PUT else NOTHING
        if kind == ">":
            held = Written.joined([held, text])
        elif kind == "<" and found.after:
            found.after[-1] = Written.joined([found.after[-1], text])
        elif kind in "@!" and found.before and text.text.strip():
            known = found.joints.get(len(found.before) - 1, NOTHING)
            found.joints[len(found.before) - 1] = Written.joined([known, text])
        elif kind == "c" and len(found.before) < _MOST:
            found.before.append(held)
            found.after.append(NOTHING)
            held = NOTHING
    last = len(found.before) - 1
    if last in found.joints:  # what stands after the last column joins it to nothing
        found.after[last] = Written.joined([found.after[last], found.joints.pop(last)])
    return found


def _parts(tokens: Sequence[Token], depth: int = 0) -> Iterator[tuple[str, Sequence[Token]]]:
    """Give what puts text (`@`, `!`, `>`, `<`) with its text, and `c` for every column."""
    at, kind, option = 0, "", False
    while at < len(tokens):
        token = tokens[at]
        at += 1
        if token.kind == "{" and not option:
            end = closing(tokens, at - 1)
            inner = tokens[at:end]
            at = end + 1
            if kind == "*" and depth < _DEEPEST:
                body = _group(tokens, at)
                at += len(body) + 2
                for _ in range(_count(inner)):
                    yield from _parts(body, depth + 1)
            elif kind in {*_PUT}:
                yield kind, inner
            kind = ""
        elif token.kind == "run":
            for kind in token.text:
                option = kind == "[" or (option and kind != "]")
                if kind.isalpha() and not option:
                    yield "c", ()


def _count(tokens: Sequence[Token]) -> int:
    said = "".join(one.text for one in tokens if one.kind == "run")
    return min(int(said), _MOST) if said.isdecimal() and len(said) <= len(str(_MOST)) else 0


def _group(tokens: Sequence[Token], at: int) -> Sequence[Token]:
    if at < len(tokens) and tokens[at].kind == "{":
        return tokens[at + 1 : closing(tokens, at)]
    return ()


def _shown(tokens: Sequence[Token]) -> Written:
    """Give what is seen of a text between columns; lengths and rules are no text."""
    if any(one.kind == "command" and one.text in _FOREIGN for one in tokens):
        return NOTHING
    text = render(tokens, Hidden())
    return text if text.text.strip() else NOTHING
