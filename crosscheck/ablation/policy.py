"""Policy ablations (S4 8.2): the γ sweep and the threshold grid of every system that has them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crosscheck.contract import parameter_values
from crosscheck.model.frozen import Model

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from crosscheck.model.ledgers import Ledger


class Gamma(Model):
    """What one γ gives: mean K, evidence recall, and the sentences to read."""

    system: str
    gamma: str
    mean_k: float
    evidence_recall: float
    sentences: int


class GridPoint(Model):
    """What one pair of thresholds gives on the TUNE rows, mean over folds."""

    system: str
    tau_neg: str
    tau_pos: str
    screening_sensitivity: float
    alert_precision: float
    alert_rate_per_1000: float
    neg_rate: float


def gamma(system: str, ledger: Ledger, settings: Mapping[str, Any]) -> list[Gamma]:
    """Give the sweep of one system; nothing where it has no node probabilities."""
    return [
        Gamma(
            system=system,
            gamma=value,
            mean_k=ledger[f"k@gamma={value}|all_queries|all|mean"],
            evidence_recall=ledger[f"evidence_recall@gamma={value}|positives_only|all|mean"],
            sentences=int(ledger[f"sentences@gamma={value}|all_queries|all|value"]),
        )
        for value in parameter_values(settings)["γ"]
        if f"k@gamma={value}|all_queries|all|mean" in ledger
    ]


def grid(system: str, ledger: Ledger, settings: Mapping[str, Any]) -> list[GridPoint]:
    """Give the grid of one system; nothing where it has no TUNE rows."""
    return list(_grid(system, ledger, parameter_values(settings)["τ"]))


def _grid(system: str, ledger: Ledger, pairs: Sequence[str]) -> Iterator[GridPoint]:
    metrics = ("screening_sensitivity", "alert_precision", "alert_rate_per_1000", "neg_rate")
    for pair in pairs:
        keys = {name: f"{name}@tau={pair}|tune_queries|folds|mean" for name in metrics}
        if keys["alert_precision"] in ledger:
            low, _, high = pair.partition(",")
            found = {name: float(ledger[key]) for name, key in keys.items()}
            yield GridPoint(system=system, tau_neg=low, tau_pos=high, **found)
