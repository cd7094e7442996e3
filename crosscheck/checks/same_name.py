"""Same name, same value (contract, section 11.5; S4 9.3).

Keys that describe the same rows must hold the same number; systems over the same queries must
agree on what no ranking can change; claims that state one quantity twice must agree.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from crosscheck.checks import Evidence, Result, result
from crosscheck.model.findings import finding
from crosscheck.model.key import Key, escape, parts
from crosscheck.model.ledgers import judge

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crosscheck.model.findings import Finding
    from crosscheck.model.ledgers import Ledger

COUNTS = {"positives_only", "all_queries"}
"""Populations whose size is a matter of the data, not of a system."""


def check(evidence: Evidence) -> Result:
    """Compare what must be one number wherever it shows up."""
    examined = 0
    findings: list[Finding] = []
    for one in evidence.implementations:
        for first, second in twins(evidence, one.ledger):
            examined += 1
            values = (one.ledger[first], one.ledger[second])
            if judge(*values) != "exact":
                findings.append(
                    finding(
                        "XC701",
                        f"{one.name}: {first} is {values[0]:.10g}, {second} is {values[1]:.10g}, "
                        "over the same rows",
                        system=evidence.system,
                        key=first,
                    )
                )
    counted, across = _across_systems(evidence)
    claimed, twice = _claimed_twice(evidence)
    return result(examined + counted + claimed, [*findings, *across, *twice])


def twins(evidence: Evidence, ledger: Ledger) -> Iterator[tuple[str, str]]:
    """Pairs of keys over the same rows."""
    same = dict(_same_slices(evidence))
    for text in ledger:
        metric, population, part, statistic = parts(text)
        others = []
        if part in same:
            others.append(f"{metric}|{population}|{same[part]}|{statistic}")
        if metric == "n_queries":
            others.append(f"queries|all_queries|{part}|n")
        yield from ((text, other) for other in others if other in ledger)


def _same_slices(evidence: Evidence) -> Iterator[tuple[str, str]]:
    """Slices that hold the same rows as another: a view of one criterion, or of all of them."""
    criteria = set(evidence.facts["criteria"])
    for name, members in evidence.case.settings.get("views", {}).items():
        present = criteria & set(members)
        if present == criteria:
            yield f"view={escape(name)}", "all"
        elif len(present) == 1:
            yield f"view={escape(name)}", f"criterion={escape(present.pop())}"
    if len(evidence.facts["folds"]) == 1:
        yield f"fold={evidence.facts['folds'][0]}", "all"
    if len(criteria) == 1:
        yield f"criterion={escape(criteria.pop())}", "all"


def _across_systems(evidence: Evidence) -> tuple[int, list[Finding]]:
    findings: list[Finding] = []
    examined = 0
    for other, theirs in evidence.others.items():
        ledger = theirs.ledger
        for text, value in evidence.ledger.items():
            if not _matter_of_data(text) or text not in ledger:
                continue
            examined += 1
            if ledger[text] != value:
                findings.append(
                    finding(
                        "XC702",
                        f"{text} is {value} for {evidence.system} and {ledger[text]} for {other}",
                        system=evidence.system,
                        key=text,
                    )
                )
    return examined, findings


def _matter_of_data(text: str) -> bool:
    key = Key.parse(text)
    # By state is a matter of the system, and so are the queries that a gate passes.
    by_state = key.slice.startswith("state=")
    return key.metric == "queries" and key.population in COUNTS and not by_state


def _claimed_twice(evidence: Evidence) -> tuple[int, list[Finding]]:
    first: dict[str, tuple[str, str, str]] = {}
    findings: list[Finding] = []
    examined = 0
    for outcome in evidence.claims:
        if outcome.key is None:
            continue
        examined += 1
        said = (outcome.status, outcome.claim.printed, outcome.claim.where)
        known = first.setdefault(outcome.key, said)
        # Two roundings of one value both hold; a contradiction needs one that does not.
        if {known[0], said[0]} == {"holds", "wrong"}:
            findings.append(
                finding(
                    "XC703",
                    f"{outcome.key} is claimed as {known[1]} ({known[2]}) and as {said[1]} "
                    f"({said[2]})",
                    system=evidence.system,
                    key=outcome.key,
                    place=said[2],
                )
            )
    return examined, findings
