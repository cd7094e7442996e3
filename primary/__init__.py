"""The primary implementation: every metric of the contract, vectorised.

A path will do, or a table in memory; the answer is the ledger, a flat mapping from key to value.

>>> import pandas as pd
>>> import primary
>>> rows = pd.DataFrame({
...     "query_id": ["a", "b", "c"],
...     "has_evidence": [1, 0, 1],
...     "prob": [0.9, 0.4, 0.3],
... })
>>> ledger = primary.evaluate(rows)
>>> ledger["auroc|all_queries|all|value"], ledger["tp|all_queries|all|value"]
(0.5, 1)
"""

from typing import TYPE_CHECKING, Any

from primary.api import (
    compare,
    describe,
    draw,
    evaluate,
    intervals,
    per_query,
    per_query_columns,
    read,
    table,
)
from primary.errors import InputError, Problem
from primary.settings import Settings, settings

if TYPE_CHECKING:
    from primary.resampling.bootstrap import Intervals
    from primary.resampling.comparison import Comparison

__all__ = [
    "Comparison",
    "InputError",
    "Intervals",
    "Problem",
    "Settings",
    "compare",
    "describe",
    "draw",
    "evaluate",
    "intervals",
    "per_query",
    "per_query_columns",
    "read",
    "settings",
    "table",
]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - two classes
    """Give the classes of answers that most runs never ask for: their modules are read then."""
    if name == "Intervals":
        from primary.resampling.bootstrap import Intervals  # noqa: PLC0415

        return Intervals
    if name == "Comparison":
        from primary.resampling.comparison import Comparison  # noqa: PLC0415

        return Comparison
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
