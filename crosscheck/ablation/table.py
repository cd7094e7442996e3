"""The ablation table: every system's value, and its difference from the baseline with its doubt."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crosscheck.ablation.metrics import holders
from crosscheck.contract.naming import name_of_key
from crosscheck.model.comparison import Comparison, ComparisonRow
from crosscheck.model.key import Key

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from crosscheck.ablation.contest import Contest
    from crosscheck.ablation.metrics import AblationColumn
    from crosscheck.ablation.paired import Compared
    from crosscheck.model.ledgers import Ledger

CORRECTION = "Holm"


def table(
    settled: Contest,
    ledgers: Mapping[str, Ledger],
    compared: Mapping[tuple[str, str], Compared],
) -> Comparison:
    """Make the report's comparison, column by column, systems in their order."""
    rows = [
        _row(column, case.system, settled.baseline_of(column), ledgers, compared)
        for column in settled.columns
        for case in holders(column, settled.cases)
        if column.key in ledgers[case.system]
    ]
    return Comparison(
        baseline=settled.baseline,
        systems=[case.system for case in settled.cases],
        metrics=list(dict.fromkeys(Key.parse(column.key).metric for column in settled.columns)),
        resamples=settled.resamples,
        correction=CORRECTION,
        rows=_corrected(rows),
    )


def holm(p_values: Sequence[float]) -> list[float]:
    """Correct for several tests: the smallest times how many there are, never falling.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    corrected = [0.0] * len(p_values)
    largest = 0.0
    by_size = sorted(range(len(p_values)), key=p_values.__getitem__)
    for place, index in enumerate(by_size):
        largest = max(largest, min(1.0, (len(p_values) - place) * p_values[index]))
        corrected[index] = largest
    return corrected


def _row(
    column: AblationColumn,
    system: str,
    baseline: str,
    ledgers: Mapping[str, Ledger],
    compared: Mapping[tuple[str, str], Compared],
) -> ComparisonRow:
    key = Key.parse(column.key)
    ledger = ledgers[system]
    over_folds = f"{key.metric}|{key.population}|folds"
    shown = key.slice in ("all", "folds")
    row = ComparisonRow(
        system=system,
        baseline=baseline,
        key=column.key,
        name=name_of_key(key),
        value=float(ledger[column.key]),
        folds_mean=ledger.get(f"{over_folds}|mean") if shown else None,
        folds_std=ledger.get(f"{over_folds}|std") if shown else None,
    )
    return row.model_copy(update=_against(column, system, baseline, ledgers, compared))


def _against(
    column: AblationColumn,
    system: str,
    baseline: str,
    ledgers: Mapping[str, Ledger],
    compared: Mapping[tuple[str, str], Compared],
) -> dict[str, float | str | None]:
    """Give what stands in a row beside its value; nothing for the baseline itself."""
    if system == baseline:
        return {}
    if not column.tested:
        return _of_values(float(ledgers[baseline][column.key]), float(ledgers[system][column.key]))
    answer = compared.get((baseline, system))
    if answer is None:
        return {}
    stem = column.key.rpartition("|")[0]
    end = f"{answer.unit}/percentile"
    found = {
        "difference": f"{stem}|difference",
        "improvement": f"{stem}|improvement",
        "low": f"{stem}|difference_ci_low/{end}",
        "high": f"{stem}|difference_ci_high/{end}",
        "p": f"{stem}|p/permutation",
    }
    row: dict[str, float | str | None] = {
        name: answer.ledger.get(key) for name, key in found.items()
    }
    return row | {"unit": answer.unit if row["low"] is not None else None}


def _of_values(first: float, second: float) -> dict[str, float | str | None]:
    """Subtract two verified values; the contract owes no interval for these."""
    improvement = 100 * (second - first) / first if first else None
    return {"difference": second - first, "improvement": improvement}


def _corrected(rows: list[ComparisonRow]) -> list[ComparisonRow]:
    """Correct the p-values of the whole table together."""
    tested = [row for row in rows if row.p is not None]
    held = holm([row.p for row in tested if row.p is not None])
    by_row = {(row.system, row.key): p for row, p in zip(tested, held, strict=True)}
    return [
        row.model_copy(update={"p_holm": by_row[row.system, row.key]})
        if (row.system, row.key) in by_row
        else row
        for row in rows
    ]
