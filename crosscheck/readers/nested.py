"""Nested files, whatever their notation: from a tree with places to values with their paths."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from crosscheck.notation.pieces import Leaf
from crosscheck.notation.written import NOTHING, Written

if TYPE_CHECKING:
    from collections.abc import Iterator

DEEPEST = 60
"""Levels of a nested file that are read."""
_SYSTEMS = ("system", "model", "method", "ranking", "run", "name")
_METRICS = ("metric", "measure", "key", "type")
_VALUES = ("value", "score", "claimed", "result")


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

    def called(self, names: tuple[str, ...]) -> Written | None:
        """Give the first of some members that is a text."""
        for name in names:
            found = self.get(name)
            if found is not None and found.value and not found.numeric:
                return found.value.tidied()
        return None


def leaves(node: Node) -> list[Leaf]:
    """List every value with its path."""
    return list(_walk(node, ()))


def _walk(node: Node, path: tuple[Written, ...]) -> Iterator[Leaf]:
    if node.members is not None:
        yield from _members(node, path)
    elif node.items is not None:
        for i, value in enumerate(node.items):
            yield from _walk(value, (*path, *_label(value, i)))
    else:
        yield Leaf(path, node.value, node.numeric)


def _members(node: Node, path: tuple[Written, ...]) -> Iterator[Leaf]:
    """Walk through an object; one that names a metric and its value is a record of both."""
    metric = node.called(_METRICS)
    record = metric is not None and any(node.get(name) for name in _VALUES)
    for name, value in node.members or ():
        if record and metric is not None and name.text in _VALUES:
            yield from _walk(value, (*path, *_system(node, path), metric))
        else:
            yield from _walk(value, (*path, name.tidied()))


def _system(node: Node, path: tuple[Written, ...]) -> tuple[Written, ...]:
    """Give the system of a record, where the list it stands in has not said it already."""
    said = node.called(_SYSTEMS)
    return (said,) if said is not None and said.text not in {one.text for one in path} else ()


def _label(node: Node, position: int) -> tuple[Written, ...]:
    """Name a list's entry by what it calls itself, else by its position."""
    for names in (_SYSTEMS, _METRICS, ("fold",)):
        said = node.called(names)
        if said is not None:
            return (said,)
    return (Written.added(f"[{position}]"),)
