"""Confusion matrices (contract, section 11.2): counts that add up, rates that follow from them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from crosscheck.checks import Evidence, Result, Statement, result
from crosscheck.checks.identities import CONFUSION, walk
from crosscheck.model.findings import finding
from crosscheck.model.key import Key, unescape

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crosscheck.contract import Instance
    from crosscheck.data.rows import Mask, Rows
    from crosscheck.model.findings import Finding

MATRICES = (("tp", "fp", "tn", "fn"), tuple(f"deployment_{n}" for n in ("tp", "fp", "tn", "fn")))

FIRST = {names[0]: names for names in MATRICES}


def check(evidence: Evidence) -> Result:
    """Hold the four counts against the queries, the labels and the rates."""
    held = walk(evidence, wanted=lambda one: one.identity.section == CONFUSION, rule=_rule)
    counted = [found for one in evidence.implementations for found in _labels(evidence, one)]
    findings = [*held.findings, *(found for found in counted if found is not None)]
    return result(held.examined + len(counted), findings)


def _positive(rows: Rows, part: str) -> Mask:
    """Tell which rows of a slice are positive: of a class, those that have it as their label."""
    kind, _, name = part.partition("=")
    if kind == "class":
        return np.asarray(rows.texts("label") == unescape(name), dtype=bool)
    return rows.label[rows.within(part)]


def _rule(instance: Instance) -> str:
    if instance.kind == "sum":
        return "XC611" if len(instance.terms) == len(MATRICES[0]) else "XC612"
    return "XC613"


def _labels(evidence: Evidence, one: Statement) -> Iterator[Finding | None]:
    """Count positives and negatives in the data themselves, slice by slice."""
    for text in one.ledger:
        matrix = FIRST.get(text.partition("|")[0])
        if matrix is None:
            continue
        # Asked for here: without any count, no row is read.
        rows = evidence.rows_of(one.case)
        key = Key.parse(text)
        tp, fp, tn, fn = (
            one.ledger.get(str(Key(name, key.population, key.slice, key.statistic)), 0)
            for name in matrix
        )
        label = _positive(rows, key.slice)
        found = (tp + fn, tn + fp)
        expected = (int(label.sum()), len(label) - int(label.sum()))
        if found == expected:
            yield None
            continue
        yield finding(
            "XC612",
            f"{one.name}, {key.slice}: {', '.join(matrix)} give {found[0]} positives and "
            f"{found[1]} negatives; the data have {expected[0]} and {expected[1]}",
            system=evidence.system,
            key=text,
        )
