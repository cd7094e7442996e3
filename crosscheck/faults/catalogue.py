"""The catalogue of faults, read from the TOML files beside this one."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent
SETS = "sets"

FAMILIES = {
    "ranking": "Ranking metrics, by a wrong formula in the primary",
    "classification": "Curves, thresholds and confusion, by a wrong formula in the primary",
    "calibration": "Calibration, by a wrong formula in the primary",
    "selection": "Dynamic K, deployment and states, by a wrong formula in the primary",
    "labels": "Several labels per post, by a wrong formula in the primary",
    "aggregation": "Means, deviations and percentiles, wrongly taken by the primary",
    "reading": "Other rows than the file's, read by the primary",
    "shared": "The same wrong formula in both implementations",
    "data": "Wrong data, read alike by both",
    "claims": "Wrong claims about right numbers",
    "harness": "Witnesses, intervals, checks and reports that are not what they seem",
}
"""Family, which is the file's name → what is broken, and how."""

BEYOND_RULES = {
    "refused": "the input is refused, with exit code 2",
    "rerun": "`crosscheck rerun` finds that the report does not follow from its inputs",
    "audit": "`crosscheck claims` finds that the table cannot be true",
}
"""What catches a fault where no rule of the gate is asked, in the place of a rule's id."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One way in which things go wrong, and which rule must say so."""

    id: str
    family: str
    bug: str
    seen: tuple[str, ...]
    """Where it has really happened: a public thread, a library, a section of a document."""
    rule: str
    trap: str = ""
    set: str = ""
    """The adversarial small data set, for faults of metric code."""
    formula: str = ""
    """The fault of another family whose formula is injected; empty for its own."""
    asked: tuple[str, ...] = ()
    """Libraries that are heard besides the two implementations."""

    @property
    def injected(self) -> str:
        """The name under which the code that injects it is found."""
        return self.formula or self.id


@cache
def faults() -> dict[str, Fault]:
    """Every fault by its id, family by family."""
    found: dict[str, Fault] = {}
    for family in FAMILIES:
        text = (FOLDER / f"{family}.toml").read_text(encoding="utf-8")
        for entry in tomllib.loads(text)["fault"]:
            seen, asked = (tuple(entry.pop(name, ())) for name in ("seen", "asked"))
            one = Fault(family=family, seen=seen, asked=asked, **entry)
            if one.id in found:
                raise ValueError(f"{family}.toml: the id {one.id} is used twice")
            found[one.id] = one
    return found
