"""Who is compared with whom, on which numbers, and what the witnesses are asked for it.

Every system is held against the baseline. A number that the baseline does not have (AUROC, where
there is no gate yet) is held against the first system that has it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from crosscheck.ablation import values
from crosscheck.ablation.metrics import AblationColumn, columns, holders
from crosscheck.ablation.paired import Compared, Pairing, compared
from crosscheck.errors import UserError
from crosscheck.model.ledgers import TOLERANCE
from crosscheck.witnesses.tasks import Task

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from crosscheck.config.systems import Source
    from crosscheck.data.case import Case
    from crosscheck.witnesses import Silence


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
    pairings: tuple[Pairing, ...]
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
    """What is asked for a contest: every comparison, and the values of systems not gated.

    It is one task, so that each system is read in one process, once by each implementation.
    """

    contest: Contest
    task: Task[Pairing | Case, Compared | values.Valued]

    @property
    def tasks(self) -> tuple[Task[Any, Any], ...]:
        """What is to be heard."""
        return (self.task,)

    def comparisons(self) -> Iterator[tuple[Pairing, Compared | Silence]]:
        """Give what was answered about two systems, in the order of the contest."""
        told = {one.name: answer for one, answer in self.task.heard() if isinstance(one, Pairing)}
        for pairing in self.contest.pairings:
            answer = told.get(pairing.name)
            if answer is not None and not isinstance(answer, values.Valued):
                yield pairing, answer

    def values(self) -> Iterator[tuple[Case, values.Valued | Silence]]:
        """Give what was answered about one."""
        for asked, told in self.task.heard():
            if not isinstance(asked, Pairing) and not isinstance(told, Compared):
                yield asked, told


def questions(settled: Contest, gated: Collection[str]) -> Questions:
    """Say what is asked; `gated` are the systems whose values are verified elsewhere."""
    resamples = settled.resamples
    waiting = f"{resamples:,} paired resamples and as many permutations" if resamples else ""
    return Questions(
        settled,
        Task(
            "comparison",
            partial(_answered, settled.seed, resamples),
            tuple(_subjects(settled, gated)),
            waiting,
        ),
    )


def _answered(seed: int, resamples: int, asked: Pairing | Case) -> Compared | values.Valued:
    if isinstance(asked, Pairing):
        return compared(seed, resamples, asked)
    return values.valued(asked)


def _subjects(settled: Contest, gated: Collection[str]) -> Iterator[Pairing | Case]:
    """Give all that is asked about a system before the next: what was read of it is at hand."""
    valued = {case.system: case for case in lean(settled, gated)}
    keys = {name: list(case.owed) for name, case in valued.items()}
    for pairing in settled.pairings:
        for case in (pairing.baseline, pairing.system):
            keys.setdefault(case.system, []).extend(pairing.keys)
    # One reading of a system serves every question, so it is that of all their keys.
    by_name = {case.system: case.about(keys.get(case.system, ())) for case in settled.cases}
    for case in settled.cases:
        for one in settled.pairings:
            if one.system.system == case.system:
                base = by_name[one.baseline.system]
                yield replace(one, baseline=base, system=by_name[case.system])
        if case.system in valued:
            yield replace(valued[case.system], settings=by_name[case.system].settings)


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
) -> list[Pairing]:
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
        Pairing(by_name[first], by_name[second], tuple(asked))
        for (first, second), asked in keys.items()
    ]


def _baseline(column: AblationColumn, cases: Sequence[Case], baseline: str) -> Case:
    having = holders(column, cases)
    return next((case for case in having if case.system == baseline), having[0])
