"""From per-query values to the number a key asks for: mean, spread, folds, criteria."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from crosscheck.claims.case import Bools, Floats, Rows
    from crosscheck.key import Key


def summary(values: Floats, statistic: str) -> float | None:
    """Give one statistic of some values (section 2)."""
    if not len(values):
        return 0.0
    if statistic in {"mean", "value"}:
        return float(values.mean())
    if statistic == "std":
        return float(values.std(ddof=1)) if len(values) > 1 else 0.0
    if statistic == "std/population":
        return float(values.std())
    share = {"median": 50, "p25": 25, "p75": 75, "p90": 90}.get(statistic)
    return None if share is None else float(np.percentile(values, share))


def aggregate(rows: Rows, values: Floats, key: Key, kept: Bools | None = None) -> float | None:
    """Summarise per-query values as the key says; `kept` leaves queries out."""

    def mean(mask: Bools) -> float | None:
        return summary(values[mask], "mean" if key.slice == "folds" else key.statistic)

    return over_slice(rows, key, mean, kept)


def over_slice(
    rows: Rows, key: Key, value: Callable[[Bools], float | None], kept: Bools | None = None
) -> float | None:
    """Give a value of the key's rows; on slice `folds`, the statistic of the folds' values."""

    def of(where: str) -> float | None:
        mask = rows.mask(key.population, where)
        if mask is None:
            return None
        return value(mask if kept is None else mask & kept)

    if key.slice != "folds":
        return of(key.slice)
    parts = [of(f"fold={fold}") for fold in rows.folds]
    known = [part for part in parts if part is not None]
    return summary(np.array(known), key.statistic) if known and len(known) == len(parts) else None


def by_group(
    rows: Rows, values: Floats, key: Key, groups: npt.NDArray[np.object_] | None
) -> float | None:
    """Give the mean over groups of the means within them."""
    if groups is None:
        return None

    def mean(mask: Bools) -> float | None:
        if not mask.any():
            return None
        _, index = np.unique(groups[mask].astype(str), return_inverse=True)
        return float((np.bincount(index, values[mask]) / np.bincount(index)).mean())

    return over_slice(rows, key, mean)
