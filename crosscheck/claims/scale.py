"""Percent or fraction: what a number without a sign means, from the numbers beside it.

A metric whose range ends at 1 and that prints 73.3 is in percent. Its neighbours of the same name
then are too. A number of at most 1 in a table that is otherwise in percent can be either, and the
audit says so instead of choosing.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from crosscheck.contract import load

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crosscheck.claims.claim import Claim


def settle(claims: Sequence[Claim]) -> list[Claim]:
    """Decide `percent` for every claim with a key."""
    large = {_group(claim) for claim in claims if _is_large(claim)}
    # Where percent signs are printed, a number without one is a fraction.
    tables = {_group(claim)[:2] for claim in claims if _is_large(claim) and not claim.percent}
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


def _is_large(claim: Claim) -> bool:
    if not _is_share(claim) or claim.number is None or claim.role not in {"value", "ci_high"}:
        return False
    if claim.percent:
        return True
    return abs(claim.number.value) - claim.number.step / 2 > 1
