"""Claims (contract, section 11.7): a claimed number is one that the recomputed value rounds to.

For the first few wrong claims of a system the finding also says which definition or known mistake
gives the claimed digits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from crosscheck.checks import Evidence, Result, result
from crosscheck.findings import finding

if TYPE_CHECKING:
    from crosscheck.claims import Outcome
    from crosscheck.claims.case import Case
    from crosscheck.claims.forensics import Diagnosis
    from crosscheck.report.model import Finding

MOST_EXPLAINED = 5
"""Wrong claims of a system that are explained; `crosscheck explain` does any other."""
LARGEST_EXPLAINED = 200_000
"""EVAL rows above which trying every known mistake takes too long for a gate."""


def check(evidence: Evidence) -> Result:
    """Turn what became of each claim into findings."""
    outcomes = evidence.claims
    explained = _explained(evidence)
    findings = [
        _finding(evidence, one, explained.get(place))
        for place, one in enumerate(outcomes)
        if one.status != "holds"
    ]
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


def _finding(evidence: Evidence, one: Outcome, diagnosis: Diagnosis | None) -> Finding:
    rule = "XC902"
    if one.status == "wrong":
        rule = "XC904" if one.claim.role == "setting" else "XC901"
    return finding(
        rule,
        f"{one.sentence}; {diagnosis.sentence}" if diagnosis else one.sentence,
        system=evidence.system,
        key=one.key,
        values={} if one.computed is None else {"recomputed": one.computed},
        difference=one.distance,
        place=one.claim.where,
        explanations=list(diagnosis.explanations) if diagnosis else [],
    )


def _explained(evidence: Evidence) -> dict[int, Diagnosis]:
    """Search for the mistakes behind the first wrong claims, by their place in the list."""
    wrong = [
        (place, one)
        for place, one in enumerate(evidence.claims)
        if one.status == "wrong" and one.claim.role != "setting"
    ]
    if not wrong or evidence.facts["rows"]["EVAL"] > LARGEST_EXPLAINED:
        return {}
    from crosscheck.claims.forensics import explain_claim  # noqa: PLC0415 - only wrong claims need it

    case = forensic_case(evidence)
    found = {
        place: explain_claim(one.claim, case, one.key) for place, one in wrong[:MOST_EXPLAINED]
    }
    return {place: diagnosis for place, diagnosis in found.items() if diagnosis is not None}


def forensic_case(evidence: Evidence) -> Case:
    """Give the data behind a claim, with the systems beside it."""
    from crosscheck.claims.case import Case  # noqa: PLC0415 - only wrong claims need it

    def of(one: Evidence, others: dict[str, Case]) -> Case:
        # The table goes by the contract's own column names, so no mapping of names belongs to it.
        plain = {name: held for name, held in one.case.settings.items() if name != "columns"}
        return Case(one.table, plain, one.ledger, others)

    return of(evidence, {name: of(other, {}) for name, other in evidence.others.items()})
