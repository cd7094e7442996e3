"""The hearing itself: who fell silent, who is missing, whether anything was compared at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crosscheck.checks import Evidence, Result, Statement, result
from crosscheck.config.places import members
from crosscheck.data.looks import looks_like
from crosscheck.model.findings import finding
from crosscheck.model.key import Key
from crosscheck.witnesses import Silence

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crosscheck.model.findings import Finding

COUNTS = "queries"
"""The metric that any file at all suffices for."""
REQUIRED = ("primary", "reference")


def check(evidence: Evidence) -> Result:
    """Make sure that silence, absence and emptiness never pass."""
    findings = [
        *_silent(evidence),
        *_missing(evidence),
        *_alone(evidence),
        *_nothing_compared(evidence),
        *_counts_alone(evidence),
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
        if _for_nobody(one, evidence):
            continue
        if not any(pair.shared for pair in pairs) and not (sampled and full_primary):
            yield finding(
                "XC993",
                f"{one.name} answered {len(one.ledger):,} keys, none of which anybody else answers",
                system=evidence.system,
            )


def _for_nobody(one: Statement, evidence: Evidence) -> bool:
    """Whether the primary spoke on a sample of which no library has anything to say."""
    return (
        one.witness.name == "primary"
        and bool(one.case.scope)
        and not any(
            other.ledger
            for other in evidence.statements
            if other is not one and other.case.scope == one.case.scope
        )
    )


def _nothing_compared(evidence: Evidence) -> Iterator[Finding]:
    if not sum(pair.shared for pair in evidence.comparisons):
        yield finding("XC992", "no key was answered by two witnesses", system=evidence.system)


def _counts_alone(evidence: Evidence) -> Iterator[Finding]:
    """Find data of which nothing was recognised: to count the same rows verifies nothing."""
    case = evidence.case
    if not case.owed or any(Key.parse(key).metric != COUNTS for key in case.owed):
        return
    places = [one for file in _files(case.data) for one in members(file)]
    looks = filter(None, (looks_like(one, alone=True) for one in places[:1]))
    read = ", ".join(case.facts["columns"].values()) or "none"
    yield finding(
        "XC996",
        f"no column was recognised that a metric needs (read: {read}), so nothing was compared but "
        f"how many queries there are. {' '.join(looks)}".strip(),
        system=evidence.system,
    )


def _files(data: str | dict[str, str]) -> tuple[str, ...]:
    """Name the files that data lie in."""
    return (data,) if isinstance(data, str) else tuple(data.values())
