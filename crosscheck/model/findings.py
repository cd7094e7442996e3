"""Findings and the rules they cite: the verdict comes from here and from nothing else.

Rules are data (`rules.toml`): permanent id, group, title, severity, section of the contract,
remedy, why it is a rule, an example; `cases.toml` has what really happened. A check makes a
`Finding` by naming its rule and what it saw.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from crosscheck.model.frozen import Model, Shown

if TYPE_CHECKING:
    from collections.abc import Iterable


class QueryDifference(Model):
    """One query on which two witnesses differ, with what there is to see."""

    query: str
    values: dict[str, Shown]
    ranking: list[str] = Field(default=[])
    gold: list[str] = Field(default=[])


class Explanation(Model):
    """What would reproduce a wrong claim's digits."""

    title: str
    value: Shown
    surprise: float = Field(description="Expected number of chance matches; smaller is stronger")
    sentence: str


class Finding(Model):
    """One thing that is wrong, drifts, or is worth knowing."""

    rule: str = Field(description="Permanent rule id, such as XC301")
    title: str
    group: str
    severity: Literal["error", "drift", "advice"]
    system: str | None = None
    key: str | None = None
    message: str = Field(description="One sentence: what is wrong, and where")
    values: dict[str, Shown] = Field(default={})
    difference: float | None = Field(default=None, description="Relative, of the values shown")
    limit: float | None = None
    place: str | None = Field(default=None, description="File, row, query, column")
    starts_at: list[QueryDifference] = Field(default=[])
    explanations: list[Explanation] = Field(default=[])
    section: str
    remedy: str
    waived: str | None = Field(default=None, description="The reason given for waiving it")
    stands_for: int = Field(
        default=1, description="How many findings it counts for: more than one where it sums up"
    )


class Check(Model):
    """One group of section 11, and whether anything was looked at."""

    group: str
    title: str
    section: str
    status: Literal["passed", "failed", "skipped"]
    examined: int = Field(description="How many assertions were made")
    findings: int
    reason: str | None = Field(default=None, description="Why it was skipped")


RULES_FILE = Path(__file__).parent / "rules.toml"
CASES_FILE = Path(__file__).parent / "cases.toml"


@dataclass(frozen=True, slots=True)
class Case:
    """What really happened to somebody, in public."""

    id: str
    title: str
    where: str
    number: int
    year: int
    told: str

    @property
    def cited(self) -> str:
        """Where it can be read."""
        return f"{self.where} #{self.number}"


@cache
def cases() -> dict[str, Case]:
    """Every public case by its id."""
    data = tomllib.loads(CASES_FILE.read_text(encoding="utf-8"))
    return {name: Case(id=name, **fields) for name, fields in data["cases"].items()}


@dataclass(frozen=True, slots=True)
class Rule:
    """What a finding can cite; ids are permanent and never reused."""

    id: str
    group: str
    title: str
    severity: Literal["error", "drift", "advice"]
    section: str
    remedy: str
    why: str
    example: str
    happened: tuple[str, ...] = ()
    """Ids of `cases`."""


@cache
def rules() -> dict[str, Rule]:
    """Every rule by its id."""
    data = tomllib.loads(RULES_FILE.read_text(encoding="utf-8"))
    return {
        name: Rule(id=name, **(fields | {"happened": tuple(fields.get("happened", ()))}))
        for name, fields in data["rules"].items()
    }


def finding(rule: str, message: str, **seen: Any) -> Finding:  # noqa: ANN401 - the model checks them
    """Make a finding under a rule; `remedy` may be given where a better one is known."""
    cited = rules()[rule]
    fields = {
        "title": cited.title,
        "group": cited.group,
        "severity": cited.severity,
        "section": cited.section,
        "remedy": cited.remedy,
    }
    return Finding(rule=rule, message=message, **(fields | seen))


def verdict(findings: Iterable[Finding]) -> Literal["pass", "fail"]:
    """Fail on any error that is not waived; on nothing else."""
    failing = any(found.severity == "error" and found.waived is None for found in findings)
    return "fail" if failing else "pass"
