"""Agreement of every pair of witnesses on every shared key (contract, section 11.3).

Two groups from one material: the two implementations between themselves, and everybody else. A
key appears once in each, with what every witness says and the query where the difference starts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from crosscheck.checks import MOST_SHOWN, Evidence, Result, result
from crosscheck.checks.origin import Origin
from crosscheck.model.findings import finding

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from crosscheck.model.findings import Finding, QueryDifference
    from crosscheck.model.ledgers import Difference, LedgerComparison


@dataclass(frozen=True, slots=True)
class _Rules:
    wrong: str
    drift: str


INSIDE = _Rules(wrong="XC401", drift="XC402")
OUTSIDE = _Rules(wrong="XC501", drift="XC502")


def check(evidence: Evidence) -> Result:
    """Judge the two implementations against each other."""
    chosen = [pair for pair in evidence.comparisons if _inside(evidence, pair)]
    findings = _findings(evidence, chosen, INSIDE)
    return result(sum(pair.shared for pair in chosen), findings)


def check_outside(evidence: Evidence) -> Result:
    """Judge the outside witnesses against everybody."""
    chosen = [pair for pair in evidence.comparisons if not _inside(evidence, pair)]
    examined = sum(pair.shared for pair in chosen)
    findings = _findings(evidence, chosen, OUTSIDE)
    return result(examined, findings, "no outside witness was heard")


def _inside(evidence: Evidence, pair: LedgerComparison) -> bool:
    names = (pair.first, pair.second)
    return all(name in {one.name for one in evidence.implementations} for name in names)


def _findings(
    evidence: Evidence, pairs: Iterable[LedgerComparison], rules: _Rules
) -> list[Finding]:
    worst: dict[str, tuple[LedgerComparison, Difference]] = {}
    for pair in pairs:
        for difference in pair.differences:
            known = worst.get(difference.key)
            if known is None or _rank(difference) > _rank(known[1]):
                worst[difference.key] = (pair, difference)
    ordered = sorted(worst.values(), key=lambda one: _rank(one[1]), reverse=True)
    origin = Origin(evidence)
    return [
        _finding(evidence, pair, difference, rules, origin.of if place < MOST_SHOWN else None)
        for place, (pair, difference) in enumerate(ordered)
    ]


def _rank(difference: Difference) -> tuple[bool, float]:
    return difference.verdict == "wrong", difference.relative


def _finding(
    evidence: Evidence,
    pair: LedgerComparison,
    difference: Difference,
    rules: _Rules,
    trace: Callable[[str, LedgerComparison], tuple[list[QueryDifference], str]] | None,
) -> Finding:
    key = difference.key
    rule = rules.wrong if difference.verdict == "wrong" else rules.drift
    starts, remark = trace(key, pair) if trace else ([], "")
    return finding(
        rule,
        f"{key}: {pair.first} {difference.first:.10g}, {pair.second} {difference.second:.10g}, "
        f"{_apart(difference)}{remark}",
        system=evidence.system,
        key=key,
        values=_values(evidence, key, pair),
        difference=difference.relative,
        limit=evidence.tolerance if rule == rules.wrong else None,
        starts_at=starts,
    )


def _apart(difference: Difference) -> str:
    if isinstance(difference.first, int) or isinstance(difference.second, int):
        return "and counts are equal or wrong"
    return f"{100 * difference.relative:.3g} % apart"


def _values(evidence: Evidence, key: str, pair: LedgerComparison) -> dict[str, float]:
    """Give what everybody who saw the same rows says about the key."""
    scope = evidence.statement(pair.first).case.scope
    return {
        one.name: one.ledger[key]
        for one in evidence.statements
        if one.case.scope == scope and key in one.ledger
    }
