"""JSON: nested objects down to numbers that keep the digits they were written with."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from crosscheck.errors import UserError
from crosscheck.notation.written import NOTHING, Written
from crosscheck.readers import Reader
from crosscheck.readers.nested import Node, leaves

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crosscheck.notation.pieces import Leaf

_MAX_DEPTH = 60
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s"{}\[\],:]+', re.DOTALL)
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[0-9a-fA-F]{4}|u[0-9a-fA-F]{4}|.)", re.DOTALL
)

_PRINTED = re.compile(r"\s*[\[{]\s*'")
PRINTED = (
    "it looks like a dictionary that Python printed: write it by json.dump(result, file, "
    "default=float) and run again"
)


def read(page: Written, name: str) -> list[Leaf]:
    """List every value with its path."""
    return leaves(tree(page, name))


def tree(page: Written, name: str) -> Node:
    """Read a JSON text; what Python's own reader refuses is refused with its words."""
    try:
        json.loads(page.text, object_pairs_hook=_each_name_once, parse_int=str, parse_float=str)
    except (ValueError, RecursionError) as error:
        said = "it is nested too deeply" if isinstance(error, RecursionError) else error
        mend = PRINTED if _PRINTED.match(page.text) else "mend the file and run again"
        raise UserError(f"{name}: not valid JSON: {said}; {mend}") from error
    tokens = (page[found.start() : found.end()] for found in _TOKEN.finditer(page.text))
    return _node(next(tokens), tokens, name, 0)


def _each_name_once(pairs: list[tuple[str, object]]) -> None:
    """Refuse an object in which a name stands twice: one of the values would pass unread."""
    names = [name for name, _ in pairs]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"“{twice[:60]}” stands twice in one object")


def _node(first: Written, tokens: Iterator[Written], name: str, depth: int) -> Node:
    """Build what begins with a token; the text is known to be valid."""
    if depth > _MAX_DEPTH:
        line = "deeper than"
        raise UserError(f"{name}: {line} {_MAX_DEPTH} levels; claims are read from shallower files")
    if first.text == "{":
        return Node(members=tuple(_members(tokens, name, depth)))
    if first.text == "[":
        return Node(items=tuple(_items(tokens, name, depth)))
    if first.text.startswith('"'):
        return Node(value=string(first))
    if first.text == "null":
        return Node(value=NOTHING)
    return Node(value=first, numeric=first.text not in {"true", "false"})


def _members(tokens: Iterator[Written], name: str, depth: int) -> Iterator[tuple[Written, Node]]:
    for token in tokens:
        if token.text == "}":
            return
        if token.text == ",":
            continue
        next(tokens)  # the colon
        yield string(token), _node(next(tokens), tokens, name, depth + 1)


def _items(tokens: Iterator[Written], name: str, depth: int) -> Iterator[Node]:
    for token in tokens:
        if token.text == "]":
            return
        if token.text != ",":
            yield _node(token, tokens, name, depth + 1)


def string(token: Written) -> Written:
    """Take the quotes off a string, each escape said as the character that it stands for."""
    inside = token[1 : len(token) - 1]
    if "\\" not in inside.text:
        return inside
    parts, at = [], 0
    for found in _ESCAPE.finditer(inside.text):
        parts.append(inside[at : found.start()])
        parts.append(inside[found.start() : found.end()].said(json.loads(f'"{found[0]}"')))
        at = found.end()
    return Written.joined([*parts, inside[at:]])


def _recognises(text: str) -> bool:
    """Whether a text begins as JSON does, and not as a Markdown link."""
    return bool(re.match(r"\s*[{\[]", text) and not re.match(r"\s*\[[^\]]*\]\(", text))


READER = Reader("JSON", (".json",), read, _recognises)
