"""Claims (contract, section 11.7): a claimed number is one that the recomputed value rounds to.

For the first few wrong claims of a system the finding also says which definition or known mistake
gives the claimed digits, by the search of `crosscheck explain`; for the others, why it does not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from crosscheck.checks import Evidence, Result, result
from crosscheck.claims.judging.remedies import remedy
from crosscheck.model.findings import finding

if TYPE_CHECKING:
    from collections.abc import Iterable

    from crosscheck.claims import ClaimOutcome
    from crosscheck.diagnose.forensics import Diagnosis
    from crosscheck.diagnose.scene import Scene
    from crosscheck.model.findings import Finding

MOST_EXPLAINED = 5
"""Wrong claims of a system that are explained; `crosscheck explain` does any other."""
EXPLAINED = {"value", "std", "ci_low", "ci_high", "count", "improvement", "p_value"}
LARGEST_EXPLAINED = 200_000
"""EVAL rows above which trying every known mistake takes too long for a gate."""


def check(evidence: Evidence) -> Result:
    """Turn what became of each claim into findings."""
    outcomes = evidence.claims
    told = _told(evidence)
    findings = [
        _finding(evidence, one, told.get(place))
        for place, one in enumerate(outcomes)
        if one.status in {"wrong", "unverified"}
    ]
    findings += [_empty(evidence, file) for file in _empty_files(outcomes)]
    advice = dict.fromkeys(one.advice for one in outcomes if one.advice)
    findings += [finding("XC905", text, system=evidence.system) for text in advice]
    return result(len(outcomes), findings, "no claims were given")


def _empty_files(outcomes: Iterable[ClaimOutcome]) -> list[str]:
    """Name the files of which no number of a metric was held against the data."""
    held: dict[str, bool] = {}
    for one in outcomes:
        counts = one.claim.role not in {"count", "setting"} and one.status in {"holds", "wrong"}
        held[one.claim.file] = held.get(one.claim.file, False) or counts
    return [file for file, seen in held.items() if not seen]


def _empty(evidence: Evidence, file: str) -> Finding:
    own = [one for one in evidence.claims if one.claim.file == file]
    message = f"none of the {len(own)} claims names a metric that could be verified"
    return finding("XC903", message, system=evidence.system, place=file)


def _finding(evidence: Evidence, one: ClaimOutcome, told: Diagnosis | str | None) -> Finding:
    why = told if isinstance(told, str) else told and told.sentence
    rule = "XC902"
    if one.status == "wrong":
        rule = "XC904" if one.claim.role == "setting" else "XC901"
    lines = remedy(one, [evidence.system, *evidence.others]) if rule == "XC902" else ""
    return finding(
        rule,
        f"{one.sentence}; {why}" if why else one.sentence,
        system=evidence.system,
        key=one.key,
        values={} if one.computed is None else {"recomputed": one.computed},
        difference=one.distance,
        place=one.claim.where,
        explanations=[] if told is None or isinstance(told, str) else list(told.explanations),
        **({"remedy": lines} if lines else {}),
    )


def _told(evidence: Evidence) -> dict[int, Diagnosis | str]:
    """Give the mistake behind each wrong claim, by its place, or why none was looked for."""
    wrong = [
        (place, one)
        for place, one in enumerate(evidence.claims)
        if one.status == "wrong" and one.claim.role in EXPLAINED
    ]
    if not wrong:
        return {}
    if evidence.facts["rows"]["EVAL"] > LARGEST_EXPLAINED or evidence.case.engine:
        return dict.fromkeys(
            (place for place, _ in wrong), _limited(f"up to {LARGEST_EXPLAINED:,} rows")
        )
    case = forensic_case(evidence)
    told: dict[int, Diagnosis | str] = {}
    for place, one in wrong[:MOST_EXPLAINED]:
        diagnosis = _diagnosis(one, case, evidence)
        if diagnosis is not None:
            told[place] = diagnosis
    left = _limited(f"for {MOST_EXPLAINED} wrong claims")
    return told | dict.fromkeys((place for place, _ in wrong[MOST_EXPLAINED:]), left)


def _diagnosis(one: ClaimOutcome, case: Scene, evidence: Evidence) -> Diagnosis | None:
    """Search for the mistake behind a wrong number, change or p-value."""
    from crosscheck.diagnose import changes  # noqa: PLC0415 - only wrong claims need it
    from crosscheck.diagnose.forensics import explain_claim  # noqa: PLC0415 - the same

    if one.claim.role == "improvement":
        return changes.explain_change(one.claim, one.computed, case, evidence.system)
    if one.claim.role == "p_value":
        return changes.explain_p(one.claim, one.computed, case, evidence.system, evidence.contest)
    return explain_claim(one.claim, case, one.key)


def _limited(how_far: str) -> str:
    return f"its mistake was not searched for: a gate does so {how_far}; ask `crosscheck explain`"


def forensic_case(evidence: Evidence) -> Scene:
    """Give the data behind a claim, with the systems beside it."""
    from crosscheck.diagnose.scene import Scene  # noqa: PLC0415 - only wrong claims need it

    def of(one: Evidence, others: dict[str, Scene]) -> Scene:
        return Scene(one.case.data, one.case.settings, one.ledger, others, one.table)

    return of(evidence, {name: of(other, {}) for name, other in evidence.others.items()})
