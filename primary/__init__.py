"""The primary implementation: every metric of the contract, vectorised.

>>> import primary
>>> ledger = primary.evaluate("per_query.parquet")  # doctest: +SKIP
>>> ledger["ndcg@10|positives_only|all|mean"]  # doctest: +SKIP
0.8206
"""

from primary.api import compare, describe, draw, evaluate, intervals, per_query, table
from primary.bootstrap import Intervals
from primary.comparison import Comparison
from primary.errors import InputError, Problem
from primary.settings import Settings, settings

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
    "settings",
    "table",
]
