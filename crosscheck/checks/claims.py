"""Claims (contract, section 11.7): a claimed number is one that the recomputed value rounds to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crosscheck.checks import Evidence, Result, result
from crosscheck.findings import finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crosscheck.claims import Outcome
    from crosscheck.report.model import Finding


def check(evidence: Evidence) -> Result:
    """Turn what became of each claim into findings."""
    outcomes = evidence.claims
    findings = [found for one in outcomes for found in _outcome(evidence, one)]
    if outcomes and all(one.status == "unverified" for one in outcomes):
        findings.append(
            finding(
                "XC903",
                f"none of the {len(outcomes)} claims could be verified",
                system=evidence.system,
                place=outcomes[0].claim.file,
            )
        )
    return result(len(outcomes), findings, "no claims were given")


def _outcome(evidence: Evidence, one: Outcome) -> Iterator[Finding]:
    if one.status == "holds":
        return
    if one.status == "unverified":
        rule = "XC902"
    else:
        rule = "XC904" if one.claim.role == "setting" else "XC901"
    values = {} if one.computed is None else {"recomputed": one.computed}
    yield finding(
        rule,
        one.sentence,
        system=evidence.system,
        key=one.key,
        values=values,
        difference=one.distance,
        place=one.claim.where,
    )
