"""One wrong cell in a truthful document: by how much, and where."""

from __future__ import annotations

import copy
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random

    from documents.sheets import Document

SIZES = ("one in the last digit", "1 %", "10 %", "two digits exchanged")
_NUMBER = re.compile(r"(?P<digits>\d+(?:\.(?P<after>\d+))?)")


def wrong(text: str, size: str, chance: random.Random) -> str:
    """Give a cell with its first number altered; the same text where that cannot be."""
    found = _NUMBER.search(text)
    if found is None:
        return text
    digits, places = found["digits"], len(found["after"] or "")
    value, step = float(digits), 10.0**-places
    sign = chance.choice((-1, 1))
    if size == "two digits exchanged":
        at = [i for i in range(len(digits) - 1) if digits[i : i + 2].isdigit()]
        pairs = [i for i in at if digits[i] != digits[i + 1]]
        if not pairs:
            return text
        i = chance.choice(pairs)
        new = digits[:i] + digits[i + 1] + digits[i] + digits[i + 2 :]
    else:
        share = {"1 %": 0.01, "10 %": 0.1}.get(size, 0.0)
        change = max(round(share * value / step), 1) * step
        new = f"{max(value + sign * change, 0):.{places}f}"
    return text[: found.start()] + new + text[found.end() :]


def planted(made: Document, size: str, chance: random.Random) -> tuple[str, Document] | None:
    """Give the kind of table, and the document with one wrong cell; None where it stays right."""
    other = copy.deepcopy(made)
    number = chance.randrange(len(other.sheets))
    sheet = other.sheets[number]
    row = chance.randrange(len(sheet.rows))
    column = chance.randrange(sheet.labels, len(sheet.header))
    before = sheet.rows[row][column]
    sheet.rows[row][column] = wrong(before, size, chance)
    return None if sheet.rows[row][column] == before else (sheet.kind, other)
