"""Identities (contract, section 11.4): what holds between numbers whatever the data.

Which identities there are, and which keys take part, is the contract's data
(`contract.instances`); this file judges them. Those of section 11.2 are the confusion group's.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise, product
from typing import TYPE_CHECKING

import numpy as np

from crosscheck.checks import Evidence, Result, Statement, result
from crosscheck.model.findings import finding
from crosscheck.model.key import parts
from crosscheck.model.ledgers import EXACT, judge

if TYPE_CHECKING:
    from collections.abc import Callable

    from crosscheck.contract import Instance
    from crosscheck.model.findings import Finding
    from crosscheck.model.ledgers import Number

CONFUSION = "11.2"
RULES = {
    "le": "XC622", "bounds": "XC622", "le_mean": "XC622", "monotone": "XC623", "falling": "XC623",
    "sum": "XC624", "matrix": "XC624", "true": "XC624",
}  # fmt: skip
EQUALITY = "XC621"
AGGREGATED = {"folds": "fold=", "criteria": "criterion=", "seeds": "seed="}


def check(evidence: Evidence) -> Result:
    """Hold every identity but those of the confusion matrix against each implementation."""
    return walk(
        evidence,
        wanted=lambda one: one.identity.section != CONFUSION,
        rule=lambda one: RULES.get(one.identity.kind, EQUALITY),
    )


def walk(
    evidence: Evidence,
    wanted: Callable[[Instance], bool],
    rule: Callable[[Instance], str],
) -> Result:
    """Hold the wanted identities against each implementation's ledger."""
    examined = 0
    findings: dict[tuple[str, str], Finding] = {}
    for one in evidence.implementations:
        conditions = Conditions(evidence, one)
        for instance in evidence.instances_of(one):
            if not wanted(instance) or not conditions.hold(instance):
                continue
            examined += 1
            broken = judge_instance(instance, one.ledger)
            if broken:
                findings.setdefault(
                    (instance.identity.id, instance.terms[0]),
                    finding(
                        rule(instance),
                        f"{one.name}: {instance.identity.text}, but {broken}",
                        system=evidence.system,
                        key=instance.terms[0],
                        section=instance.identity.section,
                    ),
                )
    return result(examined, findings.values())


@dataclass
class Conditions:
    """Whether an identity's condition holds in a slice; on folds and criteria, in each of them."""

    evidence: Evidence
    statement: Statement
    known: dict[tuple[str, str], bool] = field(default_factory=dict)

    def hold(self, instance: Instance) -> bool:
        """Say whether the identity may be asserted where the instance stands."""
        condition = instance.identity.condition
        if not condition:
            return True
        part = parts(instance.terms[0])[2]
        if (condition, part) not in self.known:
            self.known[condition, part] = all(
                self._in_slice(condition, one) for one in self._members(part)
            )
        return self.known[condition, part]

    def _members(self, part: str) -> list[tuple[str, ...]]:
        """Name the slices that a number was averaged over; of seeds with folds, each with each."""
        if "=" in part or part == "all":
            return [(part,)]
        members = [one for one in self._slices if one.startswith(AGGREGATED.get(part, f"{part}="))]
        folds = [one for one in self._slices if one.startswith("fold=")] if part == "seeds" else []
        return list(product(members, folds) if folds else product(members))

    @cached_property
    def _slices(self) -> list[str]:
        return sorted({key.split("|")[2] for key in self.statement.ledger})

    def _in_slice(self, condition: str, parts: tuple[str, ...]) -> bool:
        case = self.statement.case
        if condition == "labels_agree":
            return bool(case.facts["contradictions"]["has_evidence"] == 0)
        if condition == "grades_are_one":
            return bool(
                case.facts["grade_max"] == 1 and case.settings.get("relevance_level", 1) == 1
            )
        rows = self.evidence.rows_of(case)
        mask = np.logical_and.reduce([rows.within(part) for part in parts])
        if condition == "positive_exists":
            return bool(rows.label[mask].any())
        if condition == "negative_exists":
            return bool((~rows.label[mask]).any())
        if condition == "both_exist":
            return len(set(rows.label[mask].tolist())) > 1
        if condition == "every_passed_query_returns":
            return not (rows.pred & ~rows.returned)[mask].any()
        if condition == "query_exists":
            return bool(mask.any())
        raise ValueError(f"the contract names a condition that no check knows: {condition}")


def judge_instance(instance: Instance, ledger: dict[str, Number]) -> str:
    """Say how an identity is broken, or nothing."""
    values = [ledger[key] for key in instance.terms]
    if instance.kind == "le":
        return _first_disorder(instance.terms, values)
    if instance.kind == "equal":
        return _first_unequal(instance.terms, values)
    expected = _expected(instance, values, [ledger[key] for key in instance.over])
    stated = float(instance.total) if instance.total == "1" else ledger[instance.total]
    if instance.kind == "le_mean":
        below = _first_disorder((instance.total, "the mean"), [stated, expected])
        return f"{below} of {' and '.join(instance.terms)}" if below else ""
    if judge(float(stated), float(expected)) == "exact":
        return ""
    shown = ", ".join(
        f"{key} = {value:.10g}" for key, value in zip(instance.terms, values, strict=True)
    )
    due = "1 is due" if instance.total == "1" else f"{instance.total} is {stated:.10g}"
    return f"{shown} give {expected:.10g}, and {due}"


def _expected(instance: Instance, values: list[Number], over: list[Number]) -> float:
    if instance.kind == "sum":
        return math.fsum(values) - instance.identity.less
    if instance.kind in {"mean", "le_mean"}:
        return math.fsum(values) / len(values)
    if instance.kind == "harmonic":
        return 2 * values[0] * values[1] / sum(values) if sum(values) else 0.0
    if instance.kind == "mcc":
        return mcc(*map(int, values)) if all(map(math.isfinite, values)) else math.nan
    if instance.kind == "ratio":
        return instance.identity.factor * sum(values) / sum(over) if sum(over) else 0.0
    raise ValueError(f"the contract names a kind of identity that no check knows: {instance.kind}")


def mcc(tp: int, fp: int, tn: int, fn: int) -> float:
    """Give Matthews' correlation, in whole numbers of any size (contract, T17)."""
    below = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    return (tp * tn - fp * fn) / math.sqrt(below) if below else 0.0


def _first_unequal(keys: tuple[str, ...], values: list[Number]) -> str:
    for key, value in zip(keys[1:], values[1:], strict=True):
        if judge(float(values[0]), float(value)) != "exact":
            return f"{keys[0]} is {values[0]:.10g} and {key} is {value:.10g}"
    return ""


def _first_disorder(keys: tuple[str, ...], values: list[Number]) -> str:
    for (small, low), (large, high) in pairwise(zip(keys, values, strict=True)):
        if not low <= high + EXACT * max(1.0, abs(high)):
            return f"{small} is {low:.10g} and {large} is {high:.10g}"
    return ""
