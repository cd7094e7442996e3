"""Slices on the driver: which of them a counted group of rows belongs to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from crosscheck.engine.table import STATES
from crosscheck.model.key import escape

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from crosscheck.engine.exact import Exact

ALL = "all"
KINDS = ("seed", "fold", "within", "criterion", "declared", "view")
"""Kinds of slice that most families have; `within` is a fold of one seed, for slice `seeds`."""


@dataclass(frozen=True)
class Slices:
    """The values that slices are made of, as the EVAL rows have them."""

    seeds: tuple[str, ...] = ()
    folds: tuple[int, ...] = ()
    criteria: tuple[str, ...] = ()
    views: dict[str, tuple[str, ...]] = field(default_factory=dict)
    declared: dict[str, tuple[str, tuple[str, ...]]] = field(default_factory=dict)
    """NAME → its column in the EVAL view, its values."""

    def labels(self, *more: str) -> list[str]:
        """List every slice, of the usual kinds and of those named besides."""
        found = [ALL, *(f"seed={escape(one)}" for one in self.seeds)]
        found += [f"fold={one}" for one in self.folds]
        found += [within(seed, fold) for seed in self.seeds for fold in self.folds]
        found += [f"criterion={escape(one)}" for one in self.criteria]
        found += [
            f"{name}={escape(one)}" for name, (_, some) in self.declared.items() for one in some
        ]
        found += [f"view={escape(one)}" for one in self.views] if self.criteria else []
        found += [f"state={one}" for one in STATES] if "state" in more else []
        found += [f"has_evidence={one}" for one in (0, 1)] if "has_evidence" in more else []
        return found

    def of(self, dims: Sequence[str], values: Sequence[Any]) -> list[str]:
        """List the slices that rows with these values belong to."""
        row = dict(zip(dims, values, strict=True))
        found = [ALL]
        if "seed" in row:
            found.append(f"seed={escape(row['seed'])}")
        if "fold" in row:
            found.append(f"fold={row['fold']}")
        if "seed" in row and "fold" in row:
            found.append(within(row["seed"], row["fold"]))
        if "criterion_id" in row:
            found.append(f"criterion={escape(row['criterion_id'])}")
            found += [
                f"view={escape(name)}"
                for name, some in self.views.items()
                if row["criterion_id"] in some
            ]
        found += [
            f"{name}={escape(row[column])}"
            for name, (column, _) in self.declared.items()
            if column in row
        ]
        if "in_state" in row:
            found.append(f"state={row['in_state']}")
        if "y" in row:
            found.append(f"has_evidence={row['y']}")
        return found


def within(seed: str, fold: int) -> str:
    """Name a fold of one seed; no key has such a slice."""
    return f"\0{seed}\0{fold}"


class Book:
    """The values found so far: metric, population, slice, statistic → value."""

    def __init__(self) -> None:
        self.values: dict[tuple[str, str, str, str], Exact] = {}
        self.declined: dict[str, str] = {}
        """Metric id, as it stands in keys → why it is not answered."""

    def put(
        self, metric: str, population: str, part: str, value: Exact, statistic: str = "value"
    ) -> None:
        """Enter a value."""
        self.values[metric, population, part, statistic] = value

    def decline(self, metrics: Iterable[str], why: str) -> None:
        """Say why some metrics are not answered."""
        self.declined.update(dict.fromkeys(metrics, why))
