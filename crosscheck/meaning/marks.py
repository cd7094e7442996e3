"""Bold numbers that say “the best”: read where bold means nothing else in the table.

Bold is the best where, in most columns in which something is bold, it is the best of what is
printed. Elsewhere it may mark one's own row, or a sum, and claims nothing.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from crosscheck.contract import load

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crosscheck.notation.claim import Claim

MOST = 2 / 3
"""The share of columns in which bold has to be the best that is printed."""


def best(claims: Sequence[Claim]) -> list[Claim]:
    """Give a claim for every bold number that says “the best”, table by table."""
    tables: defaultdict[str, list[Claim]] = defaultdict(list)
    for one in claims:
        if one.table:
            tables[one.table].append(one)
    return [each for some in tables.values() for each in _best(some)]


def _best(claims: Sequence[Claim]) -> list[Claim]:
    groups: defaultdict[tuple[object, ...], list[Claim]] = defaultdict(list)
    for one in claims:
        if one.role == "value" and one.key and one.number is not None and one.system:
            groups[one.key, one.dataset, one.split, one.condition].append(one)
    marked = [some for some in groups.values() if _is_marked(some)]
    right = sum(_printed_best(some) for some in marked)
    if not marked or right < MOST * len(marked):
        return []
    return [_claimed(one, some) for some in marked for one in some if "bold" in one.marks]


def _is_marked(some: Sequence[Claim]) -> bool:
    bold = sum("bold" in one.marks for one in some)
    return len({one.system for one in some}) > 1 and 0 < bold < len(some)


def _printed_best(some: Sequence[Claim]) -> bool:
    found = load().find(some[0].metric)
    sign = {"higher": 1, "lower": -1}.get(found.metric.direction if found else "", 0)
    if not sign:
        return False
    values = [sign * one.number.value for one in some if one.number is not None]
    bold = {sign * one.number.value for one in some if one.number and "bold" in one.marks}
    return bold == {max(values)}


def _claimed(one: Claim, beside: Sequence[Claim]) -> Claim:
    rivals = tuple(dict.fromkeys(other.system for other in beside if other.system))
    return replace(one, role="best", printed="bold", covers=(), rivals=rivals)
