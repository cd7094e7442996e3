"""The door: the functions that the reference offers, described in docs/interface.md.

`exact` gives the values before the one rounding that `evaluate` does: integers, fractions, and
50-digit decimals where a logarithm or a root came in.
"""

from __future__ import annotations

import gc
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from reference import bootstrap, comparison, ledger
from reference.facts import facts
from reference.reading import load
from reference.values import high_precision, rounded

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from reference.study import Study
    from reference.values import Exact


@contextmanager
def uncollected() -> Iterator[None]:
    """Look for no cycles inside this block: none are made, and all that was read is gone through.

    Whoever has it switched off finds it so. Behind the block everything counts as old: as young
    objects, all that was read would be gone through at once.
    """
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            if not gc.get_freeze_count():
                gc.freeze()
                gc.unfreeze()
            gc.enable()


def read(data: object, settings: Mapping[str, Any] | None = None) -> Study:
    """Read the data once: every function below takes the reading in place of data and settings."""
    with uncollected():
        return load(data, settings)


def describe(data: object, settings: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the facts of the data set."""
    with uncollected():
        return facts(load(data, settings))


def exact(data: object, settings: Mapping[str, Any] | None = None) -> dict[str, Exact]:
    """Return every value that the contract owes, before rounding."""
    with uncollected(), high_precision():
        return ledger.exact(load(data, settings))


def evaluate(data: object, settings: Mapping[str, Any] | None = None) -> dict[str, int | float]:
    """Return the ledger: every key that the contract owes, without intervals."""
    return {key: rounded(value) for key, value in exact(data, settings).items()}


def per_query(data: object, settings: Mapping[str, Any] | None = None) -> dict[str, list[Any]]:
    """Return the per-query values behind the ledger."""
    with uncollected(), high_precision():
        return ledger.per_query(load(data, settings))


def intervals(  # noqa: PLR0917 - the door's own signature
    data: object,
    settings: Mapping[str, Any] | None,
    plan: Mapping[str, Any],
    replicates: Mapping[str, Mapping[str, Any]],
    jackknife: Mapping[str, Mapping[str, Any]],
    sample: Mapping[str, Mapping[str, Sequence[int]]],
) -> dict[str, Any]:
    """Derive the intervals from given replicates, and recompute a sample of these exactly."""
    with uncollected(), high_precision():
        return bootstrap.intervals(load(data, settings), plan, replicates, jackknife, sample)


def compare(  # noqa: PLR0917 - the door's own signature
    a: tuple[object, Mapping[str, Any] | None],
    b: tuple[object, Mapping[str, Any] | None],
    plan: Mapping[str, Any] | None = None,
    metrics: Sequence[str] | None = None,
    swaps: Any = None,  # noqa: ANN401 - a list, an array, or a mapping from number to row
    replicates: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Compare run b with the baseline a over the same queries."""
    with uncollected(), high_precision():
        return comparison.compare(load(*a), load(*b), plan, metrics, swaps, replicates)
