"""What an audit of a table says: findings with their proof, and what could not be checked."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable

    from crosscheck.notation.claim import Claim

Severity = Literal["error", "advice"]
RULES_FILE = Path(__file__).parent / "rules.toml"


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule: what holds of every truthful table, and what to do where it does not."""

    id: str
    title: str
    law: str
    remedy: str
    happened: tuple[str, ...] = ()
    """Ids of public cases (`model/cases.toml`)."""


@cache
def rules() -> dict[str, Rule]:
    """Give the rules of an audit without data by their ids."""
    found = tomllib.loads(RULES_FILE.read_text(encoding="utf-8"))
    return {
        name: Rule(name, **(facts | {"happened": tuple(facts.get("happened", ()))}))
        for name, facts in found.items()
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
    worked: str = ""
    """The proof as one line of arithmetic on ends of what the cells can have been: `a < b`."""
    only_if: str = ""
    """What would have to be true for this to be a contradiction; empty where the table says it."""
    suspect: Claim | None = None
    """The one of the cells that does not fit, where that can be told."""
    also: tuple[Claim, ...] = ()
    """Cells of other tables that say the same once more."""

    @property
    def title(self) -> str:
        """The rule's title."""
        return rules()[self.rule].title

    @property
    def remedy(self) -> str:
        """What the authors can do."""
        return rules()[self.rule].remedy


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
        severity: Severity | None = None,
        worked: str = "",
        only_if: str = "",
    ) -> None:
        """Add a finding; one that holds only under a condition is advice."""
        weight = severity or ("advice" if only_if else "error")
        self.findings.append(
            TableFinding(rule, cells, sentence, possible, explanations, weight, worked, only_if)
        )

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


def exact(value: Fraction | int) -> str:
    """Write a fraction without loss: as a decimal where that ends, else as a/b."""
    fraction = Fraction(value)
    rest = fraction.denominator
    tens = 0
    while rest % 2 == 0 or rest % 5 == 0:
        rest //= 2 if rest % 2 == 0 else 5
        tens += 1
    if rest != 1:
        return f"({fraction.numerator}/{fraction.denominator})"
    text = f"{fraction.numerator * 10**tens // fraction.denominator:+0{tens + 2}d}"
    whole, after = text[1 : len(text) - tens], text[len(text) - tens :].rstrip("0")
    return ("−" if text[0] == "-" else "") + whole + (f".{after}" if after else "")
