"""The self-test: every fault tried, on its adversarial data and on the built-in study.

Two processes side by side: one runs the gate on small data with each fault in it, the other works
out what each fault of metric code does to the numbers of the whole study.
"""

from __future__ import annotations

import tomllib
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from crosscheck.mistakes.catalogue import FAMILIES, faults
from crosscheck.model.ledgers import compare
from crosscheck.processes import SPAWN, attend, end_all
from crosscheck.system import scratch

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from crosscheck.faults.grounds import Ground
    from crosscheck.mistakes.catalogue import Mistake

Effect = Literal["error", "drift", "untouched", "silent", "not tried"]
"""What a fault does to the study's numbers, and how the comparison calls it: `silent` is a change
that it does not call anything; `untouched` is no change at all."""

METRIC_CODE = (
    "ranking", "classification", "calibration", "selection", "labels", "aggregation", "averages",
)  # fmt: skip
ON_STUDY = (*METRIC_CODE, "reading")
"""Families whose faults are tried on the whole study too."""
CLOSE = 1e-12
CUTS = [1, 10]
"""Cut-offs on the study: what the others would show, these show."""


@dataclass(frozen=True, slots=True)
class FaultResult:
    """What became of one fault."""

    fault: Mistake
    spoken: dict[str, str] = field(default_factory=dict)
    """Rule → error or drift, on the adversarial data."""
    study: Effect = "not tried"
    crashed: str = ""
    """Why the gate itself fell over, if it did: never a catch."""

    @property
    def caught(self) -> bool:
        """Whether the rule that must catch it did, as an error, and the study hides nothing."""
        return self.spoken.get(self.fault.rule) == "error" and self.study != "silent"


def run(chosen: Sequence[Mistake] | None = None) -> list[FaultResult]:
    """Try every fault, or those chosen."""
    every = tuple(faults().values()) if chosen is None else tuple(chosen)
    with ProcessPoolExecutor(2, mp_context=SPAWN, initializer=attend) as pool:
        on_study = pool.submit(try_on_study, [one for one in every if one.family in ON_STUDY])
        on_small = pool.submit(try_on_small, every)
        try:
            spoken, effects = on_small.result(), on_study.result()
        except BaseException:
            end_all()  # the pool would wait for them
            raise
    return [
        FaultResult(one, spoken[one.id][0], effects.get(one.id, "not tried"), spoken[one.id][1])
        for one in every
    ]


def try_on_small(chosen: Iterable[Mistake]) -> dict[str, tuple[dict[str, str], str]]:
    """Run the gate on each fault's adversarial data: fault → rules that spoke, and any crash."""
    from crosscheck.faults.trial import Trials  # noqa: PLC0415 - loaded in the process that needs it

    found: dict[str, tuple[dict[str, str], str]] = {}
    with scratch("selftest") as folder:
        trials = Trials(folder)
        for fault in chosen:
            try:
                found[fault.id] = (dict(trials.attempt(fault)), "")
            except Exception as error:  # noqa: BLE001 - a gate that falls over has caught nothing
                found[fault.id] = ({}, f"{type(error).__name__}: {error}")
    return found


def try_on_study(chosen: Sequence[Mistake]) -> dict[str, Effect]:
    """Work out what each fault does to the study's numbers."""
    from crosscheck.faults.trial import broken  # noqa: PLC0415 - loaded in the process that needs it
    from crosscheck.witnesses.implementations import REFERENCE  # noqa: PLC0415 - the same

    if not chosen:
        return {}
    found: dict[str, Effect] = {}
    with scratch("selftest") as folder:
        ground = study(folder)
        for fault in chosen:
            wrong = broken(fault, ground).ledger
            judged = compare(("primary", "reference"), wrong, ground.honest(REFERENCE).ledger)
            if judged.count("wrong") or judged.only_first or judged.only_second:
                found[fault.id] = "error"
            elif judged.count("drift"):
                found[fault.id] = "drift"
            else:
                found[fault.id] = "untouched" if same(wrong, ground.bench.ledger) else "silent"
    return found


def same(wrong: Mapping[str, float], honest: Mapping[str, float]) -> bool:
    """Tell whether a fault left every number as it was, up to the last digits of a float."""
    return all(
        value == honest[key] or abs(value - honest[key]) <= CLOSE * max(1.0, abs(value))
        for key, value in wrong.items()
    )


def study(folder: Path) -> Ground:
    """Write the built-in study, with few cut-offs."""
    from crosscheck import study as built_in  # noqa: PLC0415 - needs numpy
    from crosscheck.faults.grounds import Ground  # noqa: PLC0415 - the same

    paths = built_in.write(folder)
    table = tomllib.loads(paths["config"].read_text(encoding="utf-8"))
    wanted = {name: held for name, held in table.items() if name not in {"data", "claims"}}
    return Ground(paths["full"], wanted | {"k": CUTS})


def badge(results: Sequence[FaultResult]) -> str:
    """Say how many of how many were caught."""
    return f"{sum(one.caught for one in results)}/{len(results)}"


def by_family(results: Iterable[FaultResult]) -> dict[str, list[FaultResult]]:
    """Group results as the catalogue does."""
    found: dict[str, list[FaultResult]] = {family: [] for family in FAMILIES}
    for one in results:
        found.setdefault(one.fault.family, []).append(one)
    return {family: some for family, some in found.items() if some}
