"""Coverage (contract, section 13): every owed key answered, none invented, each of its type."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from crosscheck.checks import Evidence, Result, Statement, result
from crosscheck.contract import load
from crosscheck.errors import UserError
from crosscheck.model.findings import finding
from crosscheck.model.ledgers import compare_structure, structure

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crosscheck.data.case import Case
    from crosscheck.model.findings import Finding


def check(evidence: Evidence) -> Result:
    """Compare each implementation's keys and types with those owed."""
    findings: list[Finding] = []
    examined = 0
    expected: dict[str, dict[str, str]] = {}
    for one in evidence.implementations:
        if one.case.scope not in expected:
            expected[one.case.scope] = expected_types(one.case)
        examined += len(expected[one.case.scope])
        findings += _structure(one, expected[one.case.scope])
        findings += _numbers(one)
    for one in evidence.statements:
        if one.witness.kind == "user":
            examined += len(one.ledger)
            findings += _unknown(one)
            findings += _numbers(one)
    findings += _uncovered(evidence)
    return result(examined, findings)


def expected_types(case: Case) -> dict[str, str]:
    """Give each owed key the type its value must have."""
    kind_of = load().kind_of
    owed = {key: "int" if kind_of(key) == "integer" else "float" for key in case.owed}
    return owed | {key: "float" for key in case.intervals if key not in owed}


def _structure(one: Statement, expected: dict[str, str]) -> Iterator[Finding]:
    departs = compare_structure(expected, structure(one.ledger))
    system = one.case.system
    for key in departs.missing:
        yield finding("XC301", f"{one.name} does not answer {key}", system=system, key=key)
    for key in departs.extra:
        yield finding(
            "XC302", f"{one.name} answers {key}, which is not owed", system=system, key=key
        )
    for key, wanted, found in departs.retyped:
        yield finding(
            "XC303",
            f"{one.name} answers {key} with {found} {one.ledger[key]!r}: expected {wanted}",
            system=system,
            key=key,
        )


def _numbers(one: Statement) -> Iterator[Finding]:
    for key, value in one.ledger.items():
        if not (math.isfinite(value) or (value == math.inf and _may_be_infinite(key))):
            yield finding(
                "XC304",
                f"{one.name} answers {key} with {value}",
                system=one.case.system,
                key=key,
            )


def _may_be_infinite(key: str) -> bool:
    """Whether a number may be `inf`: a threshold that never fires, a log loss and its spread."""
    contract = load()
    try:
        return contract.range_of(key).or_inf
    except UserError:
        return False


def _unknown(one: Statement) -> Iterator[Finding]:
    known = set(one.case.owed)
    unknown = [key for key in one.ledger if key not in known]
    if unknown:
        yield finding(
            "XC306",
            f"{one.name} answers {len(unknown):,} keys that are not owed, such as {unknown[0]}",
            system=one.case.system,
            key=unknown[0],
        )


def _uncovered(evidence: Evidence) -> Iterator[Finding]:
    """Headline keys that no library was heard about, though one that was not asked defines them."""
    if evidence.case.engine:
        return  # libraries are heard about the sample
    asked = {one.name for one in evidence.statements if not one.absent}
    left = [key for key in uncovered_headline(evidence) if not asked.issuperset(libraries(key))]
    if left:
        yield finding(
            "XC305",
            f"{len(left)} headline numbers were verified by the two implementations alone although "
            f"a library defines them, such as {left[0]} ({', '.join(libraries(left[0]))})",
            system=evidence.system,
            key=left[0],
        )


def uncovered_headline(evidence: Evidence) -> list[str]:
    """Headline keys about which no outside witness was heard."""
    from crosscheck.contract.keys import headline_keys  # noqa: PLC0415 - named where it is used

    heard: set[str] = set()
    for one in evidence.statements:
        if one.witness.kind != "implementation":
            heard.update(one.ledger)
    asked = headline_keys(evidence.facts, evidence.case.settings)
    return [key for key in asked if key not in heard]


def libraries(key: str) -> list[str]:
    """Libraries among our witnesses that share a key's definition."""
    from crosscheck.witnesses.registry import BY_NAME  # noqa: PLC0415 - named where it is used

    contract = load()
    sharing = contract.libraries.sharing(contract.metric(key.partition("|")[0]))
    return [library for library in sharing if library in BY_NAME]
