"""Write a config as TOML: the file that a visitor takes along."""

from __future__ import annotations

import json
import re
from datetime import date
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def written(table: Mapping[str, Any]) -> str:
    """Write a table of plain values; tables within it get headings of their own."""
    return "\n".join(_lines(table, ())).strip() + "\n" if table else ""


def _lines(table: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[str]:
    plain = {name: one for name, one in table.items() if not isinstance(one, dict)}
    if path and (plain or not table):
        yield f"[{'.'.join(map(_key, path))}]"
    for name, one in plain.items():
        yield f"{_key(name)} = {_value(one)}"
    if plain:
        yield ""
    for name, one in table.items():
        if isinstance(one, dict):
            yield from _lines(one, (*path, name))


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _text(name)


def _value(one: Any) -> str:  # noqa: ANN401 - whatever TOML holds
    if isinstance(one, str):
        return _text(one)
    if isinstance(one, bool):
        return "true" if one else "false"
    if isinstance(one, date):
        return one.isoformat()
    if isinstance(one, dict):
        return "{ " + ", ".join(f"{_key(k)} = {_value(v)}" for k, v in one.items()) + " }"
    if isinstance(one, list | tuple):
        return "[" + ", ".join(map(_value, one)) + "]"
    return repr(one)


def _text(one: str) -> str:
    """Write a text as JSON does, which TOML reads; DEL alone has to be escaped besides."""
    return json.dumps(one, ensure_ascii=False).replace("\x7f", "\\u007f")
