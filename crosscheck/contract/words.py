"""What the data are called: the contract's sentences in the words of each kind of study."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

QUOTED = r"“[^”]*”|‘[^’]*’|`[^`]*`|\S*[|/\\=]\S*"
"""What is quoted, a key, a path, a formula: it is somebody's own, and stays as it is."""


@dataclass(frozen=True, slots=True)
class Words:
    """How one kind of study calls its data."""

    id: str
    name: str
    when: tuple[str, ...]
    """Columns, facts or families, any of which tells that data are of this kind."""
    queries: str
    item: str
    items: str
    positive: str
    """What is said of queries that have gold, after their number."""
    positives: str
    silent: tuple[str, ...]
    """Families that are not even missed where data of this kind lack them."""
    phrases: tuple[tuple[str, str], ...]
    """What stands in a sentence of the contract, and what is said in its place."""

    def fit(self, text: str) -> str:
        """Say a sentence of ours in these words."""
        if not self.phrases or not text:
            return text
        said = dict(self.phrases)
        return _pattern(self.phrases).sub(lambda found: _said(said, found[0]), text)

    def about(self, facts: Mapping[str, Any]) -> bool:
        """Tell whether data are of this kind: whether they have anything that it is known by."""
        there = {*facts.get("columns", ()), *facts.get("families", ())}
        return not self.when or any(one in there or facts.get(one) for one in self.when)


def _said(said: Mapping[str, str], phrase: str) -> str:
    if phrase in said:
        return said[phrase]
    small = phrase[:1].lower() + phrase[1:]
    return said[small][:1].upper() + said[small][1:] if small in said else phrase


@cache
def _pattern(phrases: tuple[tuple[str, str], ...]) -> re.Pattern[str]:
    """Find a quotation first, then the phrases; one may begin a sentence with a capital."""
    words = (
        f"[{one[0]}{one[0].upper()}]{re.escape(one[1:])}" for one, _ in phrases if one[0].isalpha()
    )
    return re.compile(rf"{QUOTED}|\b(?:{'|'.join(words)})\b(?![-_.]\w)")
