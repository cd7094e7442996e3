"""The hearing itself: who fell silent, who is missing, whether anything was compared at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crosscheck.checks import Evidence, Result, result
from crosscheck.model.findings import finding
from crosscheck.witnesses import Silence

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crosscheck.model.findings import Finding

REQUIRED = ("primary", "reference")


def check(evidence: Evidence) -> Result:
    """Make sure that silence, absence and emptiness never pass."""
    findings = [
        *_silent(evidence),
        *_missing(evidence),
        *_alone(evidence),
        *_nothing_compared(evidence),
    ]
    return result(len(evidence.statements), findings)


def _silent(evidence: Evidence) -> Iterator[Finding]:
    for one in evidence.statements:
        if isinstance(one.answer, Silence) and not one.answer.refused:
            yield finding(
                "XC991", f"{one.name} gave no answer: {one.answer.reason}", system=evidence.system
            )


def _missing(evidence: Evidence) -> Iterator[Finding]:
    present = {one.witness.name for one in evidence.statements}
    for name in REQUIRED:
        if name not in present:
            yield finding("XC995", f"{name} was not asked", system=evidence.system)


def _alone(evidence: Evidence) -> Iterator[Finding]:
    """Find who answered and shares no key with anybody: it was compared with nothing."""
    for one in evidence.statements:
        if isinstance(one.answer, Silence) or (not one.ledger and one.witness.kind == "library"):
            continue  # a library with nothing to say about these data declines, with reasons
        pairs = [pair for pair in evidence.comparisons if one.name in {pair.first, pair.second}]
        # On a sample, the primary's word on all rows stands beside the one on the sample.
        sampled = any(other.case.scope for other in evidence.statements)
        full_primary = one.witness.name == "primary" and not one.case.scope
        if not any(pair.shared for pair in pairs) and not (sampled and full_primary):
            yield finding(
                "XC993",
                f"{one.name} answered {len(one.ledger):,} keys, none of which anybody else answers",
                system=evidence.system,
            )


def _nothing_compared(evidence: Evidence) -> Iterator[Finding]:
    if not sum(pair.shared for pair in evidence.comparisons):
        yield finding("XC992", "no key was answered by two witnesses", system=evidence.system)
