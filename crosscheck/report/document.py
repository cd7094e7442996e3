"""What `crosscheck compare` writes: the comparison as data, and as tables for people and papers."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Literal, TypeVar

from crosscheck.ablation import policy
from crosscheck.ablation.policy import Gamma, GridPoint
from crosscheck.model.findings import Finding
from crosscheck.model.frozen import Model
from crosscheck.model.key import Key
from crosscheck.report.assemble import report_of
from crosscheck.report.cells import Bracket, Number, Paper
from crosscheck.report.printing import count, signed
from crosscheck.report.view import ComparisonView, Provenance

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crosscheck.gate import Outcome
    from crosscheck.model.comparison import ComparisonRow
    from crosscheck.report.cells import Cell

Policy = TypeVar("Policy", Gamma, GridPoint)

ALMOST_NEVER = 0.0001
"""Below this a p-value is printed as a bound."""


class ComparisonDocument(Model):
    """The outcome of a comparison; `comparison.json` is this model written out."""

    schema_version: str = "1"
    verdict: Literal["pass", "fail"]
    summary: str
    comparison: ComparisonView
    tests: int
    verified: str
    gamma: list[Gamma]
    grid: list[GridPoint]
    findings: list[Finding]
    provenance: Provenance


def document(outcome: Outcome) -> ComparisonDocument:
    """Put together what a comparison found out."""
    concluded, report = outcome.ablation, report_of(outcome)
    if concluded is None or report.comparison is None:
        raise TypeError("the run compared nothing")
    comparison = report.comparison
    tests = sum(row.p is not None for row in comparison.rows)
    errors = sum(one.severity == "error" and one.waived is None for one in report.findings)
    found = f"; {errors} error{'s' if errors > 1 else ''}" if errors else ""
    return ComparisonDocument(
        verdict=report.verdict,
        summary=f"{report.verdict.upper()}: {len(comparison.systems)} systems, {_tests(tests)}; "
        f"{count(concluded.examined)} numbers of the comparison computed by both "
        f"implementations{found}.",
        comparison=comparison,
        tests=tests,
        verified=concluded.statement,
        gamma=[
            row
            for one in outcome.evidence
            for row in policy.gamma(one.system, one.ledger, one.case.settings)
        ],
        grid=[
            row
            for one in outcome.evidence
            for row in policy.grid(one.system, one.ledger, one.case.settings)
        ],
        findings=report.findings,
        provenance=report.provenance.model_copy(update={"resamples": comparison.resamples}),
    )


def _tests(number: int) -> str:
    return "1 test" if number == 1 else f"{number} tests"


def to_json(found: ComparisonDocument) -> str:
    """Write the document as JSON."""
    data = found.model_dump(mode="json")
    return json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def papers(found: ComparisonDocument) -> list[Paper]:
    """Lay the document out as tables; one without rows is left out."""
    made = [_values(found), _differences(found), _gamma(found.gamma), *_grids(found.grid)]
    return [paper for paper in made if paper.rows]


def _values(found: ComparisonDocument) -> Paper:
    """Systems by metric, as S4 8.1 asks for them."""
    comparison = found.comparison
    names = {row.key: row.name for row in comparison.rows}
    cells = {(row.system, row.key): row for row in comparison.rows}
    folds = any(row.folds_std is not None for row in comparison.rows)
    over = ", mean ± standard deviation over folds" if folds else ""
    return Paper(
        name="ablation",
        caption=f"Ablation{over}; every number verified by two implementations.",
        header=["System", *names.values()],
        rows=[
            [system, *(_value(cells.get((system, key))) for key in names)]
            for system in comparison.systems
        ],
        notes=[f"{name}: {_where(key)}" for key, name in names.items()],
    )


def _where(key: str) -> str:
    parsed = Key.parse(key)
    part = {"folds": "mean over folds", "all": ""}.get(parsed.slice, parsed.slice)
    return f"{parsed.population.replace('_', ' ')}{f', {part}' if part else ''}"


def _value(row: ComparisonRow | None) -> Cell:
    if row is None:
        return None
    if row.folds_mean is not None and row.folds_std is not None:
        return Number(row.folds_mean, row.folds_std)
    return Number(row.value)


def _differences(found: ComparisonDocument) -> Paper:
    comparison = found.comparison
    rows = [row for row in comparison.rows if row.difference is not None]
    tested = any(row.p is not None for row in rows)
    head = ["System", "Against", "Metric", "Difference"]
    caption = "Differences."
    if tested:
        unit = next(row.unit for row in rows if row.unit)
        head += ["95 % CI", "Improvement", "p", f"p ({comparison.correction})"]
        caption = (
            f"Differences with paired 95 % intervals by {unit} and two-sided permutation tests, "
            f"{count(comparison.resamples)} resamples each; p corrected by "
            f"{comparison.correction}'s method over the {_tests(found.tests)} of the table."
        )
    else:
        head.append("Improvement")
    return Paper(
        name="differences",
        caption=caption,
        header=head,
        rows=[_difference(row, tested=tested) for row in rows],
        notes=[found.verified],
    )


def _difference(row: ComparisonRow, *, tested: bool) -> list[Cell]:
    named: list[Cell] = [row.system, row.baseline, row.name]
    size = Number(row.difference or 0.0, signed=True)
    improvement = None if row.improvement is None else f"{signed(row.improvement, 2)} %"
    if not tested:
        return [*named, size, improvement]
    between = Bracket(row.low, row.high) if row.low is not None and row.high is not None else None
    return [*named, size, between, improvement, _p(row.p), _p(row.p_holm)]


def _p(value: float | None) -> str | None:
    if value is None:
        return None
    return f"< {ALMOST_NEVER}" if value < ALMOST_NEVER else f"{value:.4f}"


def _gamma(rows: list[Gamma]) -> Paper:
    return Paper(
        name="gamma-sweep",
        caption="γ sweep of dynamic K, not gated: mean K, evidence recall and workload.",
        header=["System", "γ", "Mean K", "Evidence recall", "Sentences"],
        rows=[
            [
                systems,
                row.gamma,
                Number(row.mean_k),
                Number(row.evidence_recall),
                Number(row.sentences),
            ]
            for systems, same in _alike(rows)
            for row in same
        ],
        notes=[],
    )


def _grids(rows: list[GridPoint]) -> list[Paper]:
    """One table for each grid; systems with the same probabilities share one."""
    return [
        Paper(
            name=f"threshold-grid-{place + 1}",
            caption=f"Threshold grid of {systems} on TUNE rows, mean over folds.",
            header=[
                "τ_neg",
                "τ_pos",
                "Screening sensitivity",
                "Alert precision",
                "Alerts per 1,000",
                "Share NEG",
            ],
            rows=[
                [
                    row.tau_neg,
                    row.tau_pos,
                    Number(row.screening_sensitivity),
                    Number(row.alert_precision),
                    Number(row.alert_rate_per_1000),
                    Number(row.neg_rate),
                ]
                for row in same
            ],
            notes=[],
        )
        for place, (systems, same) in enumerate(_alike(rows))
    ]


def _alike(rows: Sequence[Policy]) -> list[tuple[str, list[Policy]]]:
    """Put together systems whose numbers are the same throughout, and name them."""
    by_system: dict[str, list[Policy]] = {}
    for row in rows:
        by_system.setdefault(row.system, []).append(row)
    shared: dict[str, list[str]] = {}
    for name, own in by_system.items():
        numbers = str([row.model_dump(exclude={"system"}) for row in own])
        shared.setdefault(numbers, []).append(name)
    return [(", ".join(names), by_system[names[0]]) for names in shared.values()]
