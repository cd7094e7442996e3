"""The reference: every metric of the contract by definition, exactly, with the standard library.

The door is described in docs/interface.md. `exact` gives the values before the one rounding that
`evaluate` does: integers, fractions, and 50-digit decimals where a logarithm or a root came in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reference import ledger as _ledger
from reference.errors import (
    DataError,
    InputError,
    MismatchError,
    Problem,
    SettingsError,
    UnreadableError,
)
from reference.load import load as _load
from reference.study import facts as _facts
from reference.values import high_precision, rounded

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reference.values import Exact

__all__ = [
    "DataError",
    "InputError",
    "MismatchError",
    "Problem",
    "SettingsError",
    "UnreadableError",
    "describe",
    "evaluate",
    "exact",
    "per_query",
]


def describe(data: object, settings: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the facts of the data set."""
    return _facts(_load(data, settings))


def exact(data: object, settings: Mapping[str, Any] | None = None) -> dict[str, Exact]:
    """Return every value that the contract owes, before rounding."""
    with high_precision():
        return _ledger.exact(_load(data, settings))


def evaluate(data: object, settings: Mapping[str, Any] | None = None) -> dict[str, int | float]:
    """Return the ledger: every key that the contract owes, without intervals."""
    return {key: rounded(value) for key, value in exact(data, settings).items()}


def per_query(data: object, settings: Mapping[str, Any] | None = None) -> dict[str, list[Any]]:
    """Return the per-query values behind the ledger."""
    with high_precision():
        return _ledger.per_query(_load(data, settings))
