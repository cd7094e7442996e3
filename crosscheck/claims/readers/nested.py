"""Nested files, whatever their notation: from a tree with places to values with their paths."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from crosscheck.claims.pieces import Leaf
from crosscheck.claims.written import NOTHING, Written

if TYPE_CHECKING:
    from collections.abc import Iterator

_NAME_COLUMNS = ("system", "model", "method", "ranking", "run", "name", "metric", "key", "fold")


@dataclass(frozen=True, slots=True)
class Node:
    """An object with `members`, a list with `items`, or one `value`."""

    members: tuple[tuple[Written, Node], ...] | None = None
    items: tuple[Node, ...] | None = None
    value: Written = NOTHING
    numeric: bool = False

    def get(self, name: str) -> Node | None:
        """Give the member of that name."""
        return next((node for key, node in self.members or () if key.text == name), None)


def leaves(node: Node) -> list[Leaf]:
    """List every value with its path."""
    return list(_walk(node, ()))


def _walk(node: Node, path: tuple[Written, ...]) -> Iterator[Leaf]:
    if node.members is not None:
        for name, value in node.members:
            yield from _walk(value, (*path, name))
    elif node.items is not None:
        for i, value in enumerate(node.items):
            yield from _walk(value, (*path, _label(value, i)))
    else:
        yield Leaf(path, node.value, node.numeric)


def _label(node: Node, position: int) -> Written:
    """Name a list's entry by what it calls itself, else by its position."""
    for one in _NAME_COLUMNS:
        found = node.get(one)
        if found is not None and found.value and not found.numeric:
            return found.value
    return Written.added(f"[{position}]")
