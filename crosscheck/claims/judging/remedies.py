"""What to write where a claim could not be verified: the very lines for the config."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crosscheck.claims.judging.outcome import ClaimOutcome

OTHERWISE = "or waive this rule with a reason"


def remedy(one: ClaimOutcome, systems: Sequence[str]) -> str:
    """Name the lines that would let a claim be verified, or be let pass with a reason."""
    claim = one.claim
    if claim.role == "setting":
        return ""
    if "no ranking of this run" in one.sentence and claim.system:
        system = systems[0] if systems else "NAME"
        return _lines(
            f"[claims.systems]\n{_text(claim.system)} = {_text(system)}",
            f"if it repeats what others published: [claims] quoted = [{_text(claim.system)}]",
        )
    if "one of several" in one.sentence and claim.dataset:
        system = systems[0] if systems else "NAME"
        return _lines(f"[claims.systems]\n{_text(claim.subject)} = {_text(system)}")
    if claim.key and claim.suggestions:
        metric, meant = claim.metric, claim.suggestions[0]
        meant = meant.removeprefix(f"{metric}/")
        return _lines(f"[definitions]\n{metric} = {_text(meant)}")
    if claim.name and (claim.key is None or claim.condition):
        meant = claim.suggestions[0] if claim.suggestions else claim.metric or "METRIC"
        return _lines(
            f"[claims.names]\n{_text(claim.name)} = {_text(meant)}",
            f'if it is no claim: [[claims.ignore]]\npattern = {_text(claim.name)}\nreason = "…"',
        )
    return ""


def _lines(first: str, other: str = "") -> str:
    """Put what to paste into a sentence."""
    more = f"; {other}" if other else ""
    return f"Paste into crosscheck.toml: {first}{more}; {OTHERWISE}."


def _text(value: str) -> str:
    """Write a text as TOML does."""
    return json.dumps(value, ensure_ascii=False)
