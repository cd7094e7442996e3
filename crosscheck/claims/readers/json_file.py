"""JSON: nested objects down to numbers that keep the digits they were written with."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from crosscheck.claims.cells import Leaf
from crosscheck.claims.readers import Reader
from crosscheck.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Iterator

_NAME_COLUMNS = ("system", "model", "method", "ranking", "run", "name", "metric", "key", "fold")
_MAX_DEPTH = 60


class Digits(str):
    """A JSON number as written; NaN and Infinity too, which programs write though JSON has none."""

    __slots__ = ()


def leaves(text: str, name: str) -> list[Leaf]:
    """List every value with its path; pairs of numbers and records are kept together."""
    try:
        content = json.loads(
            text,
            parse_float=Digits,
            parse_int=Digits,
            parse_constant=Digits,
            object_pairs_hook=_each_name_once,
        )
    except (ValueError, RecursionError) as error:
        raise UserError(f"{name}: not valid JSON: {error}; mend the file and run again") from error
    return list(_walk(content, (), 0))


def _each_name_once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Make an object; of two values under one name, one would pass unread."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in found if names.count(name) > 1)
        raise ValueError(f"“{twice[:60]}” stands twice in one object")
    return found


def _walk(node: object, path: tuple[str, ...], depth: int) -> Iterator[Leaf]:
    if depth > _MAX_DEPTH:
        yield Leaf(path, "…", numeric=False)
    elif isinstance(node, dict):
        for key, value in node.items():
            yield from _walk(value, (*path, str(key)), depth + 1)
    elif isinstance(node, list):
        for i, value in enumerate(node):
            yield from _walk(value, (*path, _label(value, i)), depth + 1)
    else:
        yield _leaf(node, path)


def _label(value: object, position: int) -> str:
    """Name a list's entry by what it calls itself, else by its position."""
    if isinstance(value, dict):
        names = [str(value[one]) for one in _NAME_COLUMNS if isinstance(value.get(one), str)]
        if names:
            return names[0]
    return f"[{position}]"


def _leaf(value: object, path: tuple[str, ...]) -> Leaf:
    if isinstance(value, bool):
        return Leaf(path, "true" if value else "false", numeric=False)
    if value is None:
        return Leaf(path, "", numeric=False)
    return Leaf(path, str(value), numeric=isinstance(value, Digits))


def _recognises(text: str) -> bool:
    """Whether a text begins as JSON does, and not as a Markdown link."""
    return bool(re.match(r"\s*[{\[]", text) and not re.match(r"\s*\[[^\]]*\]\(", text))


READER = Reader("JSON", (".json",), leaves, _recognises)
