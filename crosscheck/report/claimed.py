"""Claims in the report: what became of each, and the counts that add up."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from crosscheck.report.view import ClaimCounts, ClaimView, IgnoredView

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from crosscheck.checks import Evidence
    from crosscheck.claims import ClaimOutcome, Ignored
    from crosscheck.report.view import SystemView


def claim_view(one: ClaimOutcome) -> ClaimView:
    """Show what became of one claim."""
    return ClaimView(
        place=one.claim.where,
        label=one.claim.label,
        printed=one.claim.printed,
        key=one.key,
        status=one.status,
        computed=one.computed,
        sentence=one.sentence,
        suggestions=list(one.claim.suggestions),
        file=one.claim.file,
        line=one.claim.line,
        column=one.claim.column,
        role=one.claim.role,
        dataset=one.claim.dataset,
    )


def ignored_view(one: Ignored) -> IgnoredView:
    """Show a number that is no claim."""
    return IgnoredView(
        file=one.file, line=one.line, column=one.column, text=one.text, rule=one.rule, why=one.why
    )


def claim_counts(evidence: Evidence) -> ClaimCounts | None:
    """Count what became of the claims, and of the numbers that are none."""
    if not evidence.claims and not evidence.ignored:
        return None
    counted = Counter(one.status for one in evidence.claims)
    return ClaimCounts(
        verified=counted["holds"],
        wrong=counted["wrong"],
        unverified=counted["unverified"],
        ignored=counted["ignored"] + len(evidence.ignored),
    )


def told_claims(systems: Sequence[SystemView]) -> str:
    """Say what became of the claims of all systems; empty without any."""
    counts = [one.claim_counts for one in systems if one.claim_counts]
    if not counts:
        return ""
    words = ("verified", "wrong", "unverified", "ignored")
    return "claims: " + ", ".join(
        f"{sum(getattr(one, word) for one in counts):,} {word}" for word in words
    )


def by_rule(system: SystemView) -> Iterable[tuple[str, str, int]]:
    """Give rule, reason and count of the numbers that are no claims, the most frequent first."""
    counted = Counter((one.rule, one.why) for one in system.ignored)
    return [(rule, why, count) for (rule, why), count in counted.most_common()]
