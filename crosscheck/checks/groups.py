"""Every group of checks, in the order of section 11."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from crosscheck.checks import (
    agreement,
    claims,
    confusion,
    coverage,
    hearing,
    identities,
    inputs,
    intervals,
    leakage,
    policy,
    profile,
    ranges,
    same_name,
    splits,
    targets,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from crosscheck.checks import Evidence, Result


@dataclass(frozen=True, slots=True)
class Group:
    """A group of checks; its name is the `group` of its rules."""

    name: str
    title: str
    section: str
    check: Callable[[Evidence], Result]
    early: bool = False
    """It looks at the data and the primary's answer alone, and can do so while others speak."""

    def of(self, evidence: Evidence) -> Result:
        """Give its result: the one that was found while others spoke, where it is early."""
        known = evidence.readings.results
        if self.early and self.name in known:
            return known[self.name]
        return self.check(evidence)


def look_early(evidence: Evidence, groups: Iterable[Group]) -> None:
    """Let the groups look that need the data and the primary's answer alone."""
    for group in groups:
        if group.early:
            evidence.readings.results[group.name] = group.check(evidence)


GROUPS = (
    Group("run", "Every witness was heard, and something was compared", "11.3", hearing.check),
    Group("policy", "The run keeps to the policy in force", "11", policy.check),
    Group("inputs", "The data do not contradict themselves", "1", inputs.check),
    Group("profile", "The data are the declared ones", "1", profile.check, early=True),
    Group("coverage", "Every owed key is answered, and no other", "13", coverage.check),
    Group("agreement", "The two implementations agree", "11.3", agreement.check),
    Group("outside agreement", "Outside libraries agree", "11.3", agreement.check_outside),
    Group("intervals", "Intervals rest on resamples that both compute", "10", intervals.check),
    Group("ranges", "Every value is possible", "11.1", ranges.check),
    Group("confusion", "Confusion matrices add up", "11.2", confusion.check),
    Group("identities", "What must hold between numbers holds", "11.4", identities.check),
    Group("same name", "Same name, same value", "11.5", same_name.check),
    Group(
        "splits",
        "Splits share nothing, thresholds come from TUNE",
        "11.6",
        splits.check,
        early=True,
    ),
    Group("leakage", "No column knows the gold", "11.9", leakage.check, early=True),
    Group("claims", "Every claimed number is what the data give", "11.7", claims.check),
    Group("targets", "The documents' targets (advisory)", "11.8", targets.check),
)
