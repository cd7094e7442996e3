"""What a disagreement means, in sentences: who says what, what the contract says, which trap."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from crosscheck.contract import load
from crosscheck.model.key import Key

if TYPE_CHECKING:
    from collections.abc import Mapping

    from crosscheck.contract.model import Trap
    from crosscheck.fuzz.disagreement import Disagreement

CLOSE = 1e-9


def headline(one: Disagreement) -> str:
    """Say in one line who departs from whom, and how."""
    if one.kind == "silence":
        return f"{one.accused} falls silent where {one.beside} answers: {one.says[one.accused]}"
    if one.kind == "refusal":
        first = str(one.says[one.accused]).splitlines()[0]
        return f"{one.accused} refuses what {one.beside} reads: {first}"
    if one.kind == "fact":
        return f"{one.accused} reads another fact of the data than {one.beside}: {one.metric}"
    if one.kind == "key":
        owed = one.says["the contract"]
        verb = "does not answer" if owed else "answers"
        return f"{one.accused} {verb} {one.key}, which is {'owed' if owed else 'not owed'}"
    if one.kind == "type":
        return f"{one.accused} answers {one.key} with another type than {one.says['the contract']}"
    return f"{one.accused} departs from {one.beside} on {one.key}"


def explanation(one: Disagreement, ledger: Mapping[str, float]) -> list[str]:
    """Give what is known about it: the definition, the trap, the definition it follows instead."""
    if not one.key:
        return []
    contract = load()
    metric = contract.metric(Key.parse(one.key).metric)
    lines = [f"Section {metric.metric.section}: {metric.definition} {metric.formula}"]
    trap = known_trap(one)
    if trap is not None:
        lines.append(f"{trap.id}: {trap.text}. {trap.effect}")
    meant = same_value(one, ledger)
    if meant:
        lines.append(f"Its answer is what the contract calls {meant}.")
    measure = contract.libraries.measure(one.accused, metric)
    if measure and (measure.differs or measure.unless):
        lines.append(f"{one.accused}: {measure.differs or measure.unless}.")
    return lines


def known_trap(one: Disagreement) -> Trap | None:
    """Give the metric's trap that names the library, if it is one."""
    found = load().find(one.key.partition("|")[0])
    if found is None:
        return None
    traps = [load().trap_by_id[name] for name in found.metric.traps]
    return next((trap for trap in traps if one.accused.lower() in trap.text.lower()), None)


def same_value(one: Disagreement, ledger: Mapping[str, float]) -> str:
    """Name another meaning of the same metric that gives the accused's very answer here."""
    value = one.says.get(one.accused)
    if not isinstance(value, int | float) or math.isnan(value):
        return ""
    key = Key.parse(one.key)
    base = key.metric.partition("/")[0]
    for text, other in ledger.items():
        found = Key.parse(text)
        same_place = replace(found, metric=key.metric) == key
        kin = found.metric != key.metric and found.metric.partition("/")[0] == base
        if same_place and kin and "/tie_" not in found.metric and abs(other - value) <= CLOSE:
            return found.metric
    return ""
