"""Short names of systems: `Baseline` for `Baseline MF`, `RF` for `Random forest`.

A short name is understood only where one name alone can be meant; whoever uses it says so.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from crosscheck.notation.metric_names import folded

if TYPE_CHECKING:
    from collections.abc import Iterable

_WORD = re.compile(r"[^\W_]+")
_INITIALS = 2
"""Letters that initials have at least."""


def stands_for(short: str, name: str) -> bool:
    """Whether a text is the first words of a longer name, or the initials of all of them."""
    given, whole = _WORD.findall(short.lower()), _WORD.findall(name.lower())
    if not given or len(given) > len(whole):
        return False
    if given == whole[: len(given)]:
        return len(given) < len(whole)
    initials = "".join(word[0] for word in whole)
    return short.isupper() and len(whole) >= _INITIALS and short.lower() == initials


def meant(short: str, names: Iterable[str]) -> str | None:
    """Give the one of some names that a text is, or else stands for; None where two can be."""
    every = list(dict.fromkeys(names))
    same = [name for name in every if folded(name) == folded(short)]
    found = same or [name for name in every if stands_for(short, name)]
    return found[0] if len(found) == 1 else None
