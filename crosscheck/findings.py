"""Findings and the rules they cite: the verdict comes from here and from nothing else.

Rules are data (`checks/rules.toml`): permanent id, group, title, severity, section of the contract,
remedy. A check makes a `Finding` by naming its rule and what it saw.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from crosscheck.report.model import Finding

if TYPE_CHECKING:
    from collections.abc import Iterable

RULES_FILE = Path(__file__).parent / "checks" / "rules.toml"


@dataclass(frozen=True, slots=True)
class Rule:
    """What a finding can cite; ids are permanent and never reused."""

    id: str
    group: str
    title: str
    severity: Literal["error", "drift", "advice"]
    section: str
    remedy: str


@cache
def rules() -> dict[str, Rule]:
    """Every rule by its id."""
    data = tomllib.loads(RULES_FILE.read_text(encoding="utf-8"))
    return {name: Rule(id=name, **fields) for name, fields in data["rules"].items()}


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
