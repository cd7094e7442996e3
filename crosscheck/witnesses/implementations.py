"""The two implementations as witnesses, asked through the door of docs/interface.md alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crosscheck.data import door, topics
from crosscheck.data.readings import reading
from crosscheck.witnesses import Columns, Testimony, Witness

if TYPE_CHECKING:
    from types import ModuleType

    from crosscheck.data.case import Case

REFERENCE_ROWS = 100_000
"""Above this many EVAL rows the reference works on a sample: some 40 s of exact arithmetic."""


def _asked(package: ModuleType, case: Case) -> Testimony:
    study = reading(package, case)
    # The primary's columns without pandas, which the core does not have.
    columns = getattr(package, "per_query_columns", package.per_query)
    singly = topics.values(case, lambda: columns(study, None))
    return Testimony({**package.evaluate(study), **singly}, facts=package.describe(study))


def primary(case: Case) -> Testimony:
    """Ask the vectorised implementation."""
    return _asked(door.primary, case)


def primary_per_query(case: Case) -> Columns:
    """Give the primary's per-query values."""
    import numpy as np  # noqa: PLC0415 - the reference's process does without

    columns = door.primary.per_query_columns(case.data, case.settings)
    return {name: np.asarray(column).tolist() for name, column in columns.items()}


def reference(case: Case) -> Testimony:
    """Ask the exact implementation."""
    return _asked(door.reference, case)


def reference_per_query(case: Case) -> Columns:
    """Give the reference's per-query values."""
    return dict(door.reference.per_query(case.data, case.settings))


PRIMARY = Witness(
    name="primary",
    kind="implementation",
    testify=primary,
    packages=("metric-crosscheck", "numpy", "polars"),
    per_query=primary_per_query,
)
REFERENCE = Witness(
    name="reference",
    kind="implementation",
    testify=reference,
    packages=("metric-crosscheck",),
    per_query=reference_per_query,
    waiting="exact arithmetic",
    rows_limit=REFERENCE_ROWS,
)
