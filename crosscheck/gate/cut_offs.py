"""Cut-offs that the claims name are computed without being asked for: P_15, Recall@1000."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from crosscheck.contract import load

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from crosscheck.claims import Claim
    from crosscheck.config.systems import Source
    from crosscheck.model.ledgers import Ledger

MOST = 50
"""Cut-offs that claims can add: a file with more of them is no table of results."""
GRADED = "/graded"
EXPONENTIAL = "/exponential"


def with_cut_offs(source: Source, claims: Iterable[Claim]) -> Source:
    """Give the source with the cut-offs of its claims among its own, of rankings and classes."""
    stated = list(claims)
    for symbol in ("K", "k"):
        source = _with(source, stated, symbol)
    return source


def _with(source: Source, claims: Iterable[Claim], symbol: str) -> Source:
    parameter = next(one for one in load().parameters if one.symbol == symbol)
    stated = source.settings.get(parameter.setting)
    known = [int(k) for k in (stated if stated is not None else parameter.default) if k != "all"]
    named = {int(k) for one in claims if (k := _cut_off(one, symbol)).isdecimal()} - set(known)
    if not named or len(named) > MOST:
        return source
    return replace(
        source, settings={**source.settings, parameter.setting: sorted({*known, *named})}
    )


def _cut_off(claim: Claim, symbol: str) -> str:
    found = load().find(claim.metric) if claim.metric else None
    return found.parameters.get(symbol, "") if found else ""


def ungraded_key(claim: Claim, owed: Collection[str]) -> str:
    """Give the key of a claim about grades without them, where every grade is 1: it is the same."""
    key = claim.key or ""
    metric = key.partition("|")[0]
    plain = metric.removesuffix(GRADED).removesuffix(EXPONENTIAL)
    # Very high grades have no exponential gains, and are grades all the same.
    if plain == metric or f"{plain}{GRADED}|all_queries|all|mean" in owed:
        return key
    return key.replace(metric, plain, 1) if f"{plain}|all_queries|all|mean" in owed else key


def ungraded(claim: Claim, ledger: Ledger) -> Claim:
    """Read a claim about grades as one without, where every grade is 1."""
    key = ungraded_key(claim, ledger)
    return replace(claim, key=key) if key != (claim.key or "") else claim
