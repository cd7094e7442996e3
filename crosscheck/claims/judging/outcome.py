"""What became of a claim."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from crosscheck.notation.claim import Claim

Status = Literal["holds", "wrong", "unverified", "ignored"]


@dataclass(frozen=True, slots=True)
class ClaimOutcome:
    """What became of a claim."""

    claim: Claim
    status: Status
    sentence: str
    key: str | None = None
    claimed: str = ""
    computed: float | None = None
    distance: float | None = None
    """Relative difference, as in section 11.3."""
    tolerated: bool = False
    """Wrong, but inside the contract's tolerance, which would have let it through."""
    advice: str = ""
    """What is worth knowing about a claim that holds."""


@dataclass(frozen=True, slots=True)
class Ignored:
    """A number that is no claim, by a stated rule."""

    file: str
    line: int
    column: int
    text: str
    rule: str
    why: str

    @property
    def where(self) -> str:
        """File, line and column."""
        return f"{self.file}:{self.line}:{self.column}"


def unverified(claim: Claim, why: str, key: str | None = None) -> ClaimOutcome:
    """Say why a claim could not be verified."""
    sentence = f"{claim.label} = {claim.printed}: {why}"
    return ClaimOutcome(claim, "unverified", sentence, key or claim.key, claim.printed)


def holds(claim: Claim, key: str | None, computed: float, how: str) -> ClaimOutcome:
    """Say that a claim holds."""
    sentence = f"{claim.label}{how}"
    return ClaimOutcome(claim, "holds", sentence, key, claim.printed, computed, 0.0)


def shown(value: float) -> str:
    """Show a recomputed value."""
    return f"{value}" if isinstance(value, int) else f"{value:.6f}"
