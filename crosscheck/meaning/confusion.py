"""Confusion matrices as tables: actual classes along one side, predicted ones along the other."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from crosscheck.contract import load
from crosscheck.meaning.blocks import shown
from crosscheck.notation.labels import Label

if TYPE_CHECKING:
    from crosscheck.meaning.blocks import Block

_PREDICTED = re.compile(r"^pred(?:icted|\.)?(?: as)?[ :_-]+(?P<name>.+)$", re.IGNORECASE)
_ACTUAL = re.compile(r"^(?:actual|true|gold|real)[ :_-]+(?P<name>.+)$", re.IGNORECASE)
POSITIVE = frozenset(("positive", "pos", "1", "yes", "true", "+"))
NEGATIVE = frozenset(("negative", "neg", "0", "no", "false", "-"))


def labels_of(block: Block) -> tuple[tuple[Label, ...], dict[int, Label]] | None:
    """Give the labels of a confusion matrix's rows and columns; None for any other table."""
    if len(block.named) != 1 or not block.rows:
        return None
    rows = [shown(block.table.cells[r][block.named[0]]) for r in block.rows]
    columns = {c: " ".join(block.column(c)) for c in block.values}
    for first, second in ((_ACTUAL, _PREDICTED), (_PREDICTED, _ACTUAL)):
        down = [first.match(text) for text in rows]
        across = {c: second.match(text) for c, text in columns.items()}
        if all(down) and all(across.values()):
            actual_rows = first is _ACTUAL
            names = [found["name"].strip() for found in down if found]
            heads = {c: found["name"].strip() for c, found in across.items() if found}
            return _crossed(names, heads, actual_rows=actual_rows)
    return None


def _crossed(
    rows: list[str], columns: dict[int, str], *, actual_rows: bool
) -> tuple[tuple[Label, ...], dict[int, Label]]:
    """Keep both names on the labels; `metric_of` puts them together."""
    side = "actual" if actual_rows else "predicted"
    other = "predicted" if actual_rows else "actual"
    return (
        tuple(Label(grid=(side, name)) for name in rows),
        {c: Label(grid=(other, name)) for c, name in columns.items()},
    )


def metric_of(first: tuple[str, str], second: tuple[str, str]) -> str | None:
    """Name the count of a cell: tp, fp, tn, fn where the classes say it, else by both classes."""
    named = dict((first, second))
    actual, predicted = named.get("actual", ""), named.get("predicted", "")
    short = {
        (True, True): "tp",
        (False, True): "fp",
        (True, False): "fn",
        (False, False): "tn",
    }
    sides = [_is_positive(one) for one in (actual, predicted)]
    if None not in sides:
        return short[bool(sides[0]), bool(sides[1])]
    key = f"count@true={_escaped(actual)},predicted={_escaped(predicted)}"
    return key if load().find(key) else None


def _is_positive(name: str) -> bool | None:
    plain = name.strip().lower()
    return True if plain in POSITIVE else False if plain in NEGATIVE else None


def _escaped(name: str) -> str:
    return name.replace("%", "%25").replace("|", "%7C").replace(",", "%2C")
