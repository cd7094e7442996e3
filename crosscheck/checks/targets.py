"""Targets (contract, section 11.8): what the documents hoped for. Shown, never failing."""

from __future__ import annotations

from crosscheck.checks import Evidence, Result, result
from crosscheck.contract import headline_keys, load
from crosscheck.model.findings import finding
from crosscheck.model.key import Key

STUDY = "evidence"
"""The kind of study that the targets are of."""


def check(evidence: Evidence) -> Result:
    """Compare headline numbers on all rows with their targets, where the data are such a study."""
    if load().words(evidence.facts).id != STUDY:
        return result(0, [], "the targets are of the study that the contract was written for")
    targets = load().targets
    findings = []
    examined = 0
    for text in headline_keys(evidence.facts):
        key = Key.parse(text)
        target = targets.get(key.metric)
        if target is None or key.slice != "all" or text not in evidence.ledger:
            continue
        examined += 1
        value = evidence.ledger[text]
        if not target.met(value):
            findings.append(
                finding(
                    "XC951",
                    f"{key.metric} is {value:.4f}; {target.source} hopes for {target}",
                    system=evidence.system,
                    key=text,
                )
            )
    return result(examined, findings)
