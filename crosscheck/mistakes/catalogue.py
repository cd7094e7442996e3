"""The catalogue of mistakes, read from the TOML files beside this one."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent

FAMILIES = {
    "ranking": "Ranking metrics, by a wrong formula in the primary",
    "classification": "Curves, thresholds and confusion, by a wrong formula in the primary",
    "calibration": "Calibration, by a wrong formula in the primary",
    "selection": "Dynamic K, deployment and states, by a wrong formula in the primary",
    "labels": "Several labels per post, by a wrong formula in the primary",
    "field": "Grades, judgements and classes, by a wrong formula in the primary",
    "classes": "Several classes, by a wrong formula in the primary",
    "aggregation": "Means, deviations and percentiles, wrongly taken by the primary",
    "averages": "Rows lost, doubled, batched or rounded on the way to the primary's means",
    "reading": "Other rows than the file's, read by the primary",
    "shared": "The same wrong formula in both implementations",
    "data": "Wrong data, read alike by both",
    "policy": "What authors may not ask for, by the policy in force",
    "claims": "Wrong claims about right numbers",
    "harness": "Witnesses, intervals, checks and reports that are not what they seem",
}
"""Family, which is the file's name → what is broken, and how, when it is injected."""
SEARCHED = "search"
"""The file of what only a search can try: a number from another place, or changed in print."""

BEYOND_RULES = {
    "refused": "the input is refused, with exit code 2",
    "rerun": "`crosscheck rerun` finds that the report does not follow from its inputs",
    "audit": "`crosscheck claims` finds that the table cannot be true",
}
"""What catches a fault where no rule of the gate is asked, in the place of a rule's id."""


@dataclass(frozen=True, slots=True)
class Mistake:
    """One way in which numbers go wrong, and who takes it."""

    id: str
    family: str
    kind: str
    """Definition, aggregation, data …: what somebody got wrong."""
    section: str
    """Of the contract, which says how it is right."""
    bug: str
    """What is wrong, in one sentence."""
    seen: tuple[str, ...] = ()
    """Where it has really happened: a public thread, a library, a section of a document."""
    trap: str = ""
    rule: str = ""
    """The rule that must catch it when it is injected; empty: it is not."""
    set: str = ""
    """The adversarial small data set, for mistakes of metric code."""
    formula: str = ""
    """The mistake whose formula is injected; empty for its own."""
    only: str = ""
    """A pattern of the metrics that the injected formula reaches; empty: all it can."""
    asked: tuple[str, ...] = ()
    """Libraries that are heard besides the two implementations."""
    weight: int = 0
    """How common it is, for the order of explanations: small is common. 0: it is not searched."""
    title: str = ""
    """What an explanation calls it."""
    says: str = ""
    """Completes “the metric comes out as …”, with {} for the particulars; empty: from the bug."""
    found_as: str = ""
    """The mistake under whose name a search finds it, where it is a special case of one."""
    variants: tuple[str, ...] = ()
    """The particulars it is tried with."""

    @property
    def injected(self) -> str:
        """The name under which the code that injects it is found."""
        return self.formula or self.id

    @property
    def forms(self) -> dict[str, str]:
        """Particulars → the name under which the code that computes it is found."""
        return {one: f"{self.id}-{one}" for one in self.variants} or {"": self.injected}

    def told(self, particulars: str) -> str:
        """Complete “the metric comes out as …”."""
        if self.says:
            return self.says.format(particulars)
        sentence = self.bug.removesuffix(".")
        plain = sentence[1].islower() or sentence.startswith("A ")
        return "if " + (sentence[0].lower() + sentence[1:] if plain else sentence)


@cache
def mistakes() -> dict[str, Mistake]:
    """Every mistake by its id, file by file."""
    found: dict[str, Mistake] = {}
    for family in (*FAMILIES, SEARCHED):
        common = tomllib.loads((FOLDER / f"{family}.toml").read_text(encoding="utf-8"))
        for entry in common.pop("mistake"):
            fields = {name: _frozen(value) for name, value in (common | entry).items()}
            one = Mistake(family=family, **fields)
            if one.id in found:
                raise ValueError(f"{family}.toml: the id {one.id} is used twice")
            found[one.id] = one
    return found


def _frozen(value: Any) -> Any:  # noqa: ANN401 - whatever TOML holds
    return tuple(value) if isinstance(value, list) else value


@cache
def faults() -> dict[str, Mistake]:
    """Those that the self-test injects."""
    return {name: one for name, one in mistakes().items() if one.rule}


@cache
def searched() -> dict[str, Mistake]:
    """Those that explanations are searched among."""
    return {name: one for name, one in mistakes().items() if one.weight}
