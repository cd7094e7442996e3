"""Intervals (contract, section 10): the primary computes every resample, the reference checks.

The plan is drawn here and handed to both. The reference recomputes a declared sample of resamples
and deletions exactly, from really replicated rows, and derives both intervals from the primary's
replicates by itself.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from crosscheck.data import door
from crosscheck.data.readings import reading
from crosscheck.model.ledgers import Ledger, judge, relative_difference
from crosscheck.witnesses.tasks import Task

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crosscheck.data.case import Case


TASK = "intervals"
REPLICATE_EXACT = 1e-12
"""Both compute a replicate from the same few rows: a difference above this is listed."""


@dataclass(frozen=True, slots=True)
class Replicate:
    """One recomputed value that is not the primary's."""

    unit: str
    kind: str
    """`replicates` or `jackknife`."""
    key: str
    index: int
    primary: float
    reference: float
    wrong: bool


@dataclass(frozen=True, slots=True)
class Intervals:
    """What both implementations say about the intervals of one case; `ledger` is the primary's."""

    ledger: Ledger = field(default_factory=dict)
    reference: Ledger = field(default_factory=dict)
    flags: frozenset[str] = frozenset()
    reference_flags: frozenset[str] = frozenset()
    recomputed: int = 0
    differing: tuple[Replicate, ...] = ()
    one_class: dict[str, dict[str, int]] = field(default_factory=dict)
    roc_band: dict[str, dict[str, list[float]]] = field(default_factory=dict)
    sample: dict[str, dict[str, list[int]]] = field(default_factory=dict)

    @property
    def statement(self) -> str:
        """Say which values were recomputed exactly."""
        parts = []
        for unit, chosen in self.sample.items():
            without = f" and without {unit} {_listed(chosen['jackknife'])}"
            left_out = without if chosen["jackknife"] else ""
            parts.append(f"by {unit}: resamples {_listed(chosen['replicates'])}{left_out}")
        return "; ".join(parts)


def task(seed: int, resamples: int, cases: tuple[Case, ...]) -> Task[Case, Intervals]:
    """Make the task of computing the intervals of every case."""
    waiting = f"{resamples:,} resamples by post and by query"
    return Task(TASK, partial(drawn, seed, resamples), cases, waiting)


def drawn(seed: int, resamples: int, case: Case) -> Intervals:
    """Draw the plan, ask the primary for everything and the reference for the sample."""
    from crosscheck.witnesses import plan as plans  # noqa: PLC0415 - needs numpy

    rows = door.primary.table(case.data, case.settings) if case.facts.get("seeds") else None
    plan = plans.draw(plans.units(case.facts, rows), seed, resamples)
    # The self-test puts a fault here that needs the settings; reading again costs little.
    ours = door.primary.intervals(case.data, case.settings, plan.counts)
    theirs = door.reference.intervals(
        reading(door.reference, case),
        None,
        plan.sampled_counts(),
        {unit: Lists(arrays) for unit, arrays in ours.replicates.items()},
        {unit: Lists(arrays) for unit, arrays in ours.jackknife.items()},
        plan.sample,
    )
    compared = list(_recomputed(ours, theirs["recomputed"]))
    return Intervals(
        ledger={key: float(value) for key, value in ours.ledger.items()},
        reference=dict(theirs["ledger"]),
        flags=frozenset(ours.flags),
        reference_flags=frozenset(theirs["flags"]),
        recomputed=len(compared),
        differing=tuple(one for one in compared if one is not None),
        one_class={unit: dict(counts) for unit, counts in ours.one_class.items()},
        roc_band=_bands(ours.roc_band),
        sample=plan.sample,
    )


@dataclass(frozen=True)
class Lists(Mapping[str, list[float]]):
    """The primary's arrays, each a list when it is asked for: the reference knows no numpy.

    As lists, all of them together would take a gigabyte.
    """

    arrays: Mapping[str, Any]

    def __getitem__(self, key: str) -> list[float]:
        """Turn one into a list."""
        values: list[float] = self.arrays[key].tolist()
        return values

    def __contains__(self, key: object) -> bool:
        """Say whether there is one, without making a list of it."""
        return key in self.arrays

    def __iter__(self) -> Iterator[str]:
        """Name them."""
        return iter(self.arrays)

    def __len__(self) -> int:
        """Count them."""
        return len(self.arrays)


def _recomputed(ours: Any, theirs: Mapping[str, Any]) -> Iterator[Replicate | None]:  # noqa: ANN401 - the primary's own class
    """Compare each recomputed value with the primary's; None where they are the same."""
    for unit, kinds in theirs.items():
        for kind, by_key in kinds.items():
            stated = (ours.replicates if kind == "replicates" else ours.jackknife)[unit]
            for key, values in by_key.items():
                for index, exact in values.items():
                    given = float(stated[key][index])
                    yield _judged(
                        Replicate(unit, kind, key, index, given, float(exact), wrong=False)
                    )


def _judged(one: Replicate) -> Replicate | None:
    reach = REPLICATE_EXACT * max(1.0, abs(one.primary), abs(one.reference))
    # An infinite log loss equals itself, although no difference can be taken of it.
    if one.primary == one.reference or abs(one.primary - one.reference) <= reach:
        return None
    if judge(one.primary, one.reference) != "wrong":
        return one
    return Replicate(one.unit, one.kind, one.key, one.index, one.primary, one.reference, wrong=True)


def distance(one: Replicate) -> float:
    """Give how far apart the two values of a replicate are."""
    gap = relative_difference(one.primary, one.reference)
    return gap if math.isfinite(gap) else 1.0


def _bands(bands: Mapping[str, Mapping[str, Sequence[float]]]) -> dict[str, dict[str, list[float]]]:
    return {
        unit: {name: [float(value) for value in values] for name, values in band.items()}
        for unit, band in bands.items()
    }


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))
