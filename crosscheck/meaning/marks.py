"""Numbers set off to say “the best” and “the second”: read where they mean nothing else.

Bold is the best where, in most columns in which something is bold, it is the best of what is
printed. Elsewhere it may mark one's own row, or a sum, and claims nothing. Underlined is the second
where bold is the best, and where in most columns it is the second of what is printed.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

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
    bold = _meant(list(groups.values()), "bold", 0)
    second = _meant(bold, "underline", 1)
    return [
        *(_claimed(one, some, "best") for some in bold for one in some if "bold" in one.marks),
        *(
            _claimed(one, some, "second")
            for some in second
            for one in some
            if one.marks & {"bold", "underline"} == {"underline"}
        ),
    ]


def _meant(groups: Sequence[list[Claim]], mark: str, place: int) -> list[list[Claim]]:
    """Give the columns in which something has a mark, if most of it is in that place."""
    marked = [some for some in groups if _is_marked(some, mark)]
    right = sum(_printed_as(some, mark, place) for some in marked)
    return marked if right >= MOST * len(marked) else []


def _is_marked(some: Sequence[Claim], mark: str) -> bool:
    count = sum(mark in one.marks for one in some)
    return len({one.system for one in some}) > 1 and 0 < count < len(some)


def _printed_as(some: Sequence[Claim], mark: str, place: int) -> bool:
    found = load().find(some[0].metric)
    sign = {"higher": 1, "lower": -1}.get(found.metric.direction if found else "", 0)
    if not sign:
        return False
    values = sorted({sign * one.number.value for one in some if one.number}, reverse=True)
    marked = {sign * one.number.value for one in some if one.number and mark in one.marks}
    if place:
        marked -= {values[0]}  # the best may be underlined too
    return marked == {*values[place : place + 1]}


def _claimed(one: Claim, beside: Sequence[Claim], role: Literal["best", "second"]) -> Claim:
    rivals = tuple(dict.fromkeys(other.system for other in beside if other.system))
    printed = "bold" if role == "best" else "underlined"
    return replace(one, role=role, printed=printed, covers=(), rivals=rivals)
