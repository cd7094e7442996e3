"""Waivers: findings that the config lets pass, each with its reason, shown in the report.

Only those count that the policy in force grants (`Terms.waivers`); what it refuses is a finding.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from crosscheck.model.findings import finding

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crosscheck.config import Waiver
    from crosscheck.model.findings import Finding

NEVER = ("run", "policy")
"""Groups that no waiver reaches: silence and emptiness are never a pass, nor is a breach."""


def waive(findings: list[Finding], waivers: Sequence[Waiver]) -> list[Finding]:
    """Mark the waived findings; a waiver that waives nothing is itself worth a word."""
    used: set[Waiver] = set()
    marked = []
    for one in findings:
        waiver = next((each for each in waivers if _covers(each, one)), None)
        if waiver is None:
            marked.append(one)
        else:
            used.add(waiver)
            marked.append(one.model_copy(update={"waived": waiver.reason}))
    idle = [
        finding("XC994", f"{each.what} ({each.reason})") for each in waivers if each not in used
    ]
    return [*marked, *idle]


def _covers(waiver: Waiver, one: Finding) -> bool:
    return one.group not in NEVER and waiver.covers(one.rule, one.key)
