"""Percent or fraction: what a number without a sign means, from the numbers beside it.

A metric whose range ends at 1 and that prints 73.3 is in percent. Its neighbours of the same name
then are too. A number of at most 1 in a table that is otherwise in percent can be either, and the
audit says so instead of choosing.
"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING

from crosscheck.contract import load

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crosscheck.claims.claim import Claim

LARGE = 2
"""What is above this is in percent; between 1 and this it is so only beside such numbers, else it
is a fraction that is out of range, as when an item is counted twice."""


def settle(claims: Sequence[Claim]) -> list[Claim]:
    """Decide `percent` for every claim with a key."""
    shares = [claim for claim in claims if _is_share(claim) and claim.role in {"value", "ci_high"}]
    # Where percent signs are printed, a number without one is a fraction.
    tables = {_group(claim)[:2] for claim in shares if not claim.percent and _size(claim) > LARGE}
    large = {_group(c) for c in shares if c.percent or (_size(c) > 1 and _group(c)[:2] in tables)}
    return [_settled(claim, large, tables) for claim in claims]


def _settled(claim: Claim, large: set[tuple[str, str, str]], tables: set[tuple[str, str]]) -> Claim:
    if not _is_share(claim) or claim.percent or claim.role == "improvement":
        return claim
    group = _group(claim)
    if group in large:
        return replace(claim, percent=True)
    return replace(claim, percent=None) if group[:2] in tables else claim


def _group(claim: Claim) -> tuple[str, str, str]:
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
