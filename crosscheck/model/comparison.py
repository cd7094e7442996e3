"""Systems against each other: the ablation table as data (S4 8.1)."""

from __future__ import annotations

from crosscheck.model.frozen import Model


class ComparisonRow(Model):
    """One metric of one system against the baseline."""

    system: str
    baseline: str
    key: str
    name: str
    value: float
    folds_mean: float | None = None
    folds_std: float | None = None
    difference: float | None = None
    improvement: float | None = None
    low: float | None = None
    high: float | None = None
    unit: str | None = None
    p: float | None = None
    p_holm: float | None = None


class Comparison(Model):
    """The ablation table."""

    baseline: str
    systems: list[str]
    metrics: list[str]
    resamples: int
    correction: str
    rows: list[ComparisonRow]
