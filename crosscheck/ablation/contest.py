"""Who is compared with whom, on which numbers, and what the witnesses are asked for it.

Every system is held against the baseline. A number that the baseline does not have (AUROC, where
there is no gate yet) is held against the first system that has it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from crosscheck.ablation import paired, values
from crosscheck.ablation.metrics import AblationColumn, columns, holders
from crosscheck.errors import UserError
from crosscheck.model.ledgers import TOLERANCE

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from crosscheck.config.systems import Source
    from crosscheck.data.case import Case
    from crosscheck.witnesses.tasks import Task


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a table is asked for; what is left open has a default."""

    sources: tuple[Source, ...]
    """The systems, in the order of the table."""
    metrics: tuple[str, ...] = ()
    """Names or keys; none: the table of S4 8.1."""
    baseline: str | None = None
    part: str | None = None
    """The slice."""
    resamples: int = 0
    """How many resamples and permutations; 0: values and differences only."""
    insisted: bool = False
    """Whether a table in which nothing can be compared is refused."""


@dataclass(frozen=True, slots=True)
class Contest:
    """Systems in the order of the table, its columns, and the comparisons it takes."""

    cases: tuple[Case, ...]
    columns: tuple[AblationColumn, ...]
    baseline: str
    pairings: tuple[paired.Pairing, ...]
    seed: int
    resamples: int
    """0: values and differences only."""
    tolerance: float = TOLERANCE

    def baseline_of(self, column: AblationColumn) -> str:
        """Name the system that the others are held against in a column."""
        return _baseline(column, self.cases, self.baseline).system

    @property
    def apart(self) -> str:
        """Say who alone has which number, where no number is one that two systems have."""
        having = {column.key: holders(column, self.cases) for column in self.columns}
        if any(len(some) > 1 for some in having.values()):
            return ""
        return "; ".join(f"only {some[0].system} has {key}" for key, some in having.items())


def contest(
    wanted: Wanted,
    cases: Iterable[Case],
    *,
    seed: int,
    tolerance: float = TOLERANCE,
) -> Contest:
    """Settle a comparison; the first system is the baseline unless another is named."""
    by_name = {case.system: case for case in cases}
    names = [source.name for source in wanted.sources]
    if len(set(names)) < 2:  # noqa: PLR2004 - one system cannot be compared
        raise UserError("nothing to compare: name at least two systems")
    first = wanted.baseline or names[0]
    if first not in names:
        raise UserError(f"no system “{first}” to compare with; there are {', '.join(names)}")
    ordered = tuple(by_name[name] for name in names)
    chosen = columns(ordered, wanted.metrics, wanted.part)
    settled = Contest(
        cases=ordered,
        columns=chosen,
        baseline=first,
        pairings=tuple(_pairings(ordered, chosen, first)),
        seed=seed,
        resamples=wanted.resamples,
        tolerance=tolerance,
    )
    if wanted.insisted and settled.apart:
        raise UserError(
            f"nothing to compare: {settled.apart}. Name numbers that two systems have with --metric"
        )
    return settled


@dataclass(frozen=True, slots=True)
class Questions:
    """What is asked for a contest: every comparison, and the values of systems not gated."""

    contest: Contest
    comparisons: Task[paired.Pairing, paired.Compared]
    values: Task[Case, values.Valued]

    @property
    def tasks(self) -> tuple[Task[Any, Any], ...]:
        """Both, the longer work first."""
        return self.comparisons, self.values


def questions(settled: Contest, gated: Collection[str]) -> Questions:
    """Say what is asked; `gated` are the systems whose values are verified elsewhere."""
    return Questions(
        settled,
        paired.task(settled.seed, settled.resamples, settled.pairings),
        values.task(tuple(lean(settled, gated))),
    )


def lean(settled: Contest, gated: Collection[str]) -> Iterator[Case]:
    """Give the systems that are not gated, each owing what the table prints of it."""
    for case in settled.cases:
        if case.system not in gated:
            owed = [
                key
                for column in settled.columns
                if case in holders(column, settled.cases)
                for key in values.printed(column.key)
                if key in case.owed
            ]
            yield replace(case, owed=tuple(dict.fromkeys(owed)), intervals=())


def _pairings(
    cases: Sequence[Case], chosen: Sequence[AblationColumn], baseline: str
) -> list[paired.Pairing]:
    """Gather the columns of every two systems: one comparison answers them all."""
    keys: dict[tuple[str, str], list[str]] = {}
    for column in chosen:
        if not column.tested:
            continue
        base = _baseline(column, cases, baseline)
        for case in holders(column, cases):
            if case.system != base.system:
                keys.setdefault((base.system, case.system), []).append(column.key)
    by_name = {case.system: case for case in cases}
    return [
        paired.Pairing(by_name[first], by_name[second], tuple(asked))
        for (first, second), asked in keys.items()
    ]


def _baseline(column: AblationColumn, cases: Sequence[Case], baseline: str) -> Case:
    having = holders(column, cases)
    return next((case for case in having if case.system == baseline), having[0])
