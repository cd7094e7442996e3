"""What an audit of a table says: findings with their proof, and what could not be checked."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable

    from crosscheck.notation.claim import Claim

Severity = Literal["error", "advice"]
RULES = {
    "XC911": "A printed value lies outside its range",
    "XC912": "Ranking numbers that cannot stand together",
    "XC913": "Ranking numbers that are not of one run or one definition",
    "XC914": "No definition of MAP fits the table",
    "XC915": "A printed change does not follow from its two cells",
    "XC916": "Rates or counts that contradict each other",
    "XC917": "A mean that this number of queries cannot give",
    "XC918": "A standard deviation that this mean does not allow",
    "XC919": "One quantity printed twice with two values",
    "XC920": "F1 is not the harmonic mean of the precision and recall beside it",
}


@dataclass(frozen=True, slots=True)
class TableFinding:
    """Something that the printed digits rule out, or allow only in a special way."""

    rule: str
    cells: tuple[Claim, ...]
    sentence: str
    possible: str = ""
    explanations: tuple[str, ...] = ()
    severity: Severity = "error"

    @property
    def title(self) -> str:
        """The rule's title."""
        return RULES[self.rule]


@dataclass(slots=True)
class Tally:
    """What one check looked at: found, checked, and why the rest could not be."""

    findings: list[TableFinding] = field(default_factory=list)
    checked: set[Claim] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)
    reasons: dict[Claim, str] = field(default_factory=dict)

    def looked_at(self, claims: Iterable[Claim]) -> None:
        """Count cells as checked."""
        self.checked.update(claims)

    def found(
        self,
        rule: str,
        cells: tuple[Claim, ...],
        sentence: str,
        possible: str = "",
        explanations: tuple[str, ...] = (),
        *,
        severity: Severity = "error",
    ) -> None:
        """Add a finding."""
        finding = TableFinding(rule, cells, sentence, possible, explanations, severity)
        self.findings.append(finding)

    def add(self, other: Tally) -> None:
        """Take over what another check found."""
        self.findings += other.findings
        self.checked |= other.checked
        self.notes += [note for note in other.notes if note not in self.notes]
        self.reasons |= other.reasons


def named(claim: Claim) -> str:
    """Write a cell as it is read: its label and what it prints."""
    return f"{claim.label} = {claim.printed}"


def listed(claims: Iterable[Claim]) -> str:
    """Write several cells in one line."""
    texts = [named(claim) for claim in claims]
    return ", ".join(texts[:-1]) + (" and " if len(texts) > 1 else "") + texts[-1]
