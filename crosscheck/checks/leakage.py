"""Leakage (S3's checklist, item 4): columns that know more than a model may.

Data cannot show what a model was fed. They can show a column that is the label, separates the
classes perfectly, or repeats a metric of its own row: each is worth a look.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from crosscheck.checks import Evidence, Result, result
from crosscheck.contract import load
from crosscheck.model.findings import finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crosscheck.data.rows import Floats, Mask
    from crosscheck.model.findings import Finding

ENOUGH = 8
"""Rows of each class below which perfect separation means little: chance gives it to one column
in 12,870."""


def check(evidence: Evidence) -> Result:
    """Look at the probability, at the ranking, and at every other numeric column of the file."""
    examined = 0
    findings: list[Finding] = []
    columns = {"prob": evidence.rows.prob} if evidence.rows.has("prob") else {}
    for name, values in {**columns, **other_columns(evidence)}.items():
        examined += 1
        findings += _column(evidence, name, values)
    if evidence.rows.has("candidates") and evidence.rows.has("gold"):
        examined += 1
        findings += _ranking(evidence)
    return result(examined, findings, "no numeric column and no ranking to look at")


def other_columns(evidence: Evidence) -> dict[str, Floats]:
    """Read the numeric columns of the file that the contract does not know, EVAL rows only."""
    import polars as pl  # noqa: PLC0415 - heavy

    from crosscheck.data.raw import evaluated  # noqa: PLC0415 - needs polars

    used = set(evidence.facts["columns"].values())
    frame = evaluated(evidence.case.data, evidence.table, lambda name: name not in used)
    if frame is None:
        return {}
    found = {}
    for name in frame.columns:
        values = frame[name].cast(pl.Float64, strict=False)
        if values.null_count() == 0 and values.n_unique() > 1:
            found[name] = values.to_numpy()
    return found


def _column(evidence: Evidence, name: str, values: Floats) -> Iterator[Finding]:
    rows = evidence.rows
    if rows.has("has_evidence"):
        label = rows.label
        enough = ENOUGH <= int(label.sum()) <= len(label) - ENOUGH
        if name == "prob" and enough and np.array_equal(values, label):
            yield finding(
                "XC821",
                f"prob is 1 on all {int(label.sum()):,} rows with evidence and 0 on the others",
                system=evidence.system,
                place="column prob",
            )
        elif enough and separates(label, values):
            yield finding(
                "XC822",
                f"column {name} separates the rows with evidence from those without, perfectly",
                system=evidence.system,
                place=f"column {name}",
            )
    if name != "prob":
        yield from _equals_metric(evidence, name, values)


def separates(label: Mask, values: Floats) -> bool:
    """Whether one threshold tells the classes apart, from either side."""
    positive, negative = values[label], values[~label]
    return bool(positive.min() > negative.max() or positive.max() < negative.min())


def _equals_metric(evidence: Evidence, name: str, values: Floats) -> Iterator[Finding]:
    for metric, column in _gold_metrics(evidence).items():
        known = np.asarray(column, dtype=float)
        if len(np.unique(known)) < 3:  # noqa: PLR2004 - a 0/1 column repeats by chance
            continue
        if np.allclose(values, known, rtol=0, atol=1e-6):
            yield finding(
                "XC823",
                f"column {name} is {metric} of the query, row by row",
                system=evidence.system,
                place=f"column {name}",
            )
            return


def _gold_metrics(evidence: Evidence) -> dict[str, list[float]]:
    """Give the per-query values that only somebody who has the gold can compute."""
    find = load().find
    return {
        name: values
        for name, values in evidence.per_query.items()
        if name != "k" and find(name) is not None
    }


def _ranking(evidence: Evidence) -> Iterator[Finding]:
    rows = evidence.rows
    judged = 0
    for gold, ranking in rows.cells("gold", "candidates"):
        if gold and len(ranking) > len(gold):
            judged += 1
            if set(ranking[: len(gold)]) != set(gold):
                return
    if judged >= ENOUGH:
        yield finding(
            "XC824",
            f"in all {judged:,} queries with gold, the gold comes before everything else",
            system=evidence.system,
        )
