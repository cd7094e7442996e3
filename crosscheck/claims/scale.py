"""Percent or fraction: what a number without a sign means, from the numbers beside it.

A metric whose range ends at 1 and that prints 73.3 is in percent. So are its neighbours of the same
name, where most of them, or of the table, print such numbers. Where most are at most 1, a single
one above is out of range, as when an item is counted twice or a point was lost: no column is read
anew for it. A number of at most 1 in a table that is otherwise in percent can be either, and the
audit says so instead of choosing.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING

from crosscheck.contract import load

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crosscheck.notation.claim import Claim

    Group = tuple[str, str, str]

LARGE = 2
"""What is above this is in percent; between 1 and this it is so only beside such numbers, else it
is a fraction that is out of range, as when an item is counted twice."""


def settle(claims: Sequence[Claim]) -> list[Claim]:
    """Decide `percent` for every claim with a key."""
    sizes: defaultdict[Group, list[Decimal]] = defaultdict(list)
    signed: set[Group] = set()
    for claim in claims:
        if _is_share(claim) and claim.role in {"value", "ci_high"}:
            if claim.percent:
                signed.add(_group(claim))
            else:
                sizes[_group(claim)].append(_size(claim))
    # Where percent signs are printed, a number without one is a fraction.
    beside: defaultdict[tuple[str, str], list[Decimal]] = defaultdict(list)
    for group, some in sizes.items():
        beside[group[:2]] += some
    percent = {
        group
        for group, some in sizes.items()
        if _mostly_large(some) or (max(some) > LARGE and _mostly_large(beside[group[:2]]))
    }
    tables = {group[:2] for group in percent}
    return [_settled(claim, percent, tables, signed) for claim in claims]


def _mostly_large(sizes: Sequence[Decimal]) -> bool:
    """Whether more of the numbers are too large for fractions than are not."""
    large = sum(size > LARGE for size in sizes)
    small = sum(0 < size <= 1 for size in sizes)  # a zero is the same on both scales
    return large > small


def _settled(
    claim: Claim, percent: set[Group], tables: set[tuple[str, str]], signed: set[Group]
) -> Claim:
    if not _is_share(claim) or claim.percent or claim.role in {"improvement", "p_value"}:
        return claim
    group = _group(claim)
    if group in percent:
        # A few small ones among percentages: 0.9 may be 0.9 % or 0.9.
        small = claim.role in {"value", "ci_high"} and _size(claim) <= 1 and group not in signed
        return replace(claim, percent=None if small else True)
    return replace(claim, percent=None) if group[:2] in tables else claim


def _group(claim: Claim) -> Group:
    return claim.file, claim.table, claim.metric.partition("@")[0].partition("/")[0]


def _is_share(claim: Claim) -> bool:
    """Whether the quantity is a fraction of one."""
    found = load().find(claim.metric) if claim.metric else None
    return (
        found is not None and found.metric.range in {"unit", "mcc"} and found.metric.kind == "float"
    )


def _size(claim: Claim) -> Decimal:
    """Give the least that a printed number can be in absolute value."""
    if claim.number is None:
        return Decimal(0)
    return abs(claim.number.value) - claim.number.step / 2
