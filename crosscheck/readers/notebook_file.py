"""Jupyter notebooks: the text of Markdown cells, and what code cells have printed."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING

from crosscheck.errors import UserError
from crosscheck.notation.pieces import Passed
from crosscheck.notation.written import Written
from crosscheck.readers import Reader, readers
from crosscheck.readers.json_file import tree
from crosscheck.readers.nested import Node, leaves
from crosscheck.readers.printed import printed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crosscheck.notation.pieces import Piece

_NUMBER = re.compile(r"(?<![\w.])(?:\d{0,9}\.\d{1,60}|\d{2,9})(?![\w]|\.\d)")
_RICH = {"text/html": "html", "text/markdown": "markdown", "text/latex": "latex"}


def read(page: Written, name: str) -> list[Piece]:
    """Read the cells of a notebook."""
    node = tree(page, name)
    cells = node.get("cells")
    if cells is None or cells.items is None:
        raise UserError(f"{name}: a notebook without a list of cells; save it as version 4")
    found: list[Piece] = []
    for key, value in node.members or ():
        if value is not cells:
            found += _rest(key, value)
    for cell in cells.items:
        found += _cell(cell, name)
    return found


def _cell(cell: Node, name: str) -> Iterator[Piece]:
    kind = cell.get("cell_type")
    code = kind is not None and kind.value.text == "code"
    for key, value in cell.members or ():
        if key.text == "source" and code:
            yield from _passed(value, "code")
        elif key.text == "source":
            yield from readers()["markdown"].read(_text(value), name)
        elif key.text == "outputs":
            for output in value.items or ():
                yield from _output(output, name)
        else:
            yield from _rest(key, value)


def _output(output: Node, name: str) -> Iterator[Piece]:
    for key, value in output.members or ():
        if key.text == "text":
            yield from printed(_text(value))
        elif key.text == "data":
            yield from _data(value, name)
        elif key.text in {"traceback", "evalue"}:
            yield from _passed(value, "code")
        else:
            yield from _rest(key, value)


def _data(data: Node, name: str) -> Iterator[Piece]:
    """Read an output in the richest format that it has; the others are to repeat it."""
    said = [key.text for key, _ in data.members or ()]
    best = next((one for one in _RICH if one in said), "text/plain")
    shown = {one for key, value in data.members or () if key.text == best
             for one, _ in _numbers(_text(value))}  # fmt: skip
    for key, value in data.members or ():
        yield Passed.of(key, "notebook")
        if key.text == best and best in _RICH:
            yield from readers()[_RICH[best]].read(_text(value), name)
        elif key.text == best:
            yield from printed(_text(value))
        elif key.text == "application/json":
            yield from leaves(value)
        elif key.text == "image/svg+xml":
            yield from readers()["html"].read(_text(value), name)
        elif key.text.startswith(("image/", "application/")):
            yield from _passed(value, "figure")
        else:
            yield from _repeated(_text(value), shown)


def _repeated(text: Written, shown: set[Decimal]) -> Iterator[Passed]:
    """Pass over an output in another format, but for the numbers that only this one has."""
    at = 0
    for number, (low, high) in _numbers(text):
        if number not in shown:
            yield Passed.of(text[at:low], "repeated")
            at = high
    yield Passed.of(text[at:], "repeated")


def _numbers(text: Written) -> Iterator[tuple[Decimal, tuple[int, int]]]:
    """Give the numbers that may be results, each with its place: those of two digits or more."""
    for found in _NUMBER.finditer(text.text):
        yield Decimal(found[0]).normalize(), found.span()


def _text(node: Node) -> Written:
    """Join the lines of a text, which may be one string or a list of them."""
    if node.items is None:
        return node.value
    return Written.joined([one.value for one in node.items])


def _passed(node: Node, rule: str) -> Iterator[Passed]:
    for leaf in leaves(node):
        yield Passed.of(leaf.value, rule)
        yield from (Passed.of(one, "notebook") for one in leaf.names)


def _rest(key: Written, value: Node) -> Iterator[Passed]:
    yield Passed.of(key, "notebook")
    yield from _passed(value, "notebook")


READER = Reader("Jupyter", (".ipynb",), read)
