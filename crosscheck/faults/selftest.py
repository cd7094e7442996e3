"""The self-test: every fault tried, on its adversarial data and on the built-in studies.

Two processes side by side: one runs the gate on small data with each fault in it, the other works
out what each fault of metric code does to the numbers of the built-in studies of its kind.
"""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from crosscheck.mistakes.catalogue import FAMILIES, faults
from crosscheck.model.ledgers import compare
from crosscheck.processes import SPAWN, attend, end_all
from crosscheck.system import scratch

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from crosscheck.faults.grounds import Ground
    from crosscheck.mistakes.catalogue import Mistake

Effect = Literal["error", "drift", "untouched", "silent", "not tried"]
"""What a fault does to the study's numbers, and how the comparison calls it: `silent` is a change
that it does not call anything; `untouched` is no change at all."""

METRIC_CODE = (
    "ranking", "classification", "calibration", "selection", "labels", "aggregation", "averages",
)  # fmt: skip
ON_EVIDENCE = (*METRIC_CODE, "reading")
ON_FIELD = ("field", "classes")
"""Families tried on the built-in studies too: on that of evidence; on those of topics, classes."""
STRENGTH: tuple[Effect, ...] = ("silent", "error", "drift", "untouched", "not tried")
"""What is told of a fault that does one thing here and another there: the first of these."""
CLOSE = 1e-12


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
        on_study = pool.submit(try_on_studies, every)
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


def try_on_studies(chosen: Sequence[Mistake]) -> dict[str, Effect]:
    """Work out what each fault does to the numbers of the built-in studies of its kind."""
    from crosscheck.faults import studies  # noqa: PLC0415 - loaded in the process that needs it

    found: dict[str, Effect] = {}
    for families, grounds in ((ON_EVIDENCE, studies.evidence), (ON_FIELD, studies.of_the_field)):
        tried = [one for one in chosen if one.family in families]
        with scratch("selftest") as folder:
            for ground in grounds(folder) if tried else ():
                for fault in tried:
                    told = (_effect(fault, ground), found.get(fault.id, "not tried"))
                    found[fault.id] = min(told, key=STRENGTH.index)
    return found


def _effect(fault: Mistake, ground: Ground) -> Effect:
    from crosscheck.faults.trial import broken  # noqa: PLC0415 - loaded in the process that needs it
    from crosscheck.witnesses.implementations import REFERENCE  # noqa: PLC0415 - the same

    wrong = broken(fault, ground).ledger
    judged = compare(("primary", "reference"), wrong, ground.honest(REFERENCE).ledger)
    if judged.count("wrong") or judged.only_first or judged.only_second:
        return "error"
    if judged.count("drift"):
        return "drift"
    return "untouched" if same(wrong, ground.bench.ledger) else "silent"


def same(wrong: Mapping[str, float], honest: Mapping[str, float]) -> bool:
    """Tell whether a fault left every number as it was, up to the last digits of a float."""
    return all(
        value == honest[key] or abs(value - honest[key]) <= CLOSE * max(1.0, abs(value))
        for key, value in wrong.items()
    )


def badge(results: Sequence[FaultResult]) -> str:
    """Say how many of how many were caught."""
    return f"{sum(one.caught for one in results)}/{len(results)}"


def by_family(results: Iterable[FaultResult]) -> dict[str, list[FaultResult]]:
    """Group results as the catalogue does."""
    found: dict[str, list[FaultResult]] = {family: [] for family in FAMILIES}
    for one in results:
        found.setdefault(one.fault.family, []).append(one)
    return {family: some for family, some in found.items() if some}
