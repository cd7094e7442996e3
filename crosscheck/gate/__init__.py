"""The gate: load → witnesses testify → compare → checks → findings → verdict.

`run` is the whole job as a function: the commands, the self-test and the tests call it.
Nothing is shown or written here: the report is a view of what a run found out.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache, partial
from itertools import combinations
from typing import TYPE_CHECKING, Literal, Protocol

from crosscheck import ablation, claims
from crosscheck.checks import Evidence, Readings, Statement
from crosscheck.checks.groups import GROUPS
from crosscheck.checks.waivers import waive
from crosscheck.config import TIMEOUT
from crosscheck.config.systems import refuse_missing
from crosscheck.data.case import Case, make_case
from crosscheck.data.sampling import sampled
from crosscheck.errors import UserError
from crosscheck.model.findings import Check, Finding, verdict
from crosscheck.model.ledgers import compare
from crosscheck.witnesses import Silence, Testimony, resampling
from crosscheck.witnesses.implementations import PRIMARY
from crosscheck.witnesses.registry import STANDARD
from crosscheck.witnesses.run import hear

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from crosscheck.checks import Result
    from crosscheck.checks.groups import Group
    from crosscheck.config import Config
    from crosscheck.config.systems import Source
    from crosscheck.model.comparison import Comparison
    from crosscheck.model.ledgers import Ledger
    from crosscheck.model.options import Options
    from crosscheck.witnesses import Witness
    from crosscheck.witnesses.run import Heard, Progress, Task


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked of a run."""

    sources: tuple[Source, ...]
    config: Config
    witnesses: tuple[Witness, ...] = STANDARD
    resamples: int = 0
    """0: no intervals."""
    seed: int = 0
    timeout: float = TIMEOUT
    """Seconds that a witness may take for one answer, where it has a process of its own."""
    processes: bool = True
    """Each witness in a process of its own; else one after the other, in this one."""
    options: Options | None = None
    """What the request was made from, where a gate was asked for."""
    command: tuple[str, ...] = ("crosscheck", "gate")
    """What to type for the same result, where no options say it."""
    shown: dict[str, str] = field(default_factory=dict)
    """Path → the name it goes by in the report, where that is not the path."""
    ablation: ablation.Wanted | None = None
    """The systems to compare: the sources, and others that are compared but not gated."""

    @property
    def rivals(self) -> tuple[Source, ...]:
        """Systems that are compared but not gated."""
        compared = self.ablation.sources if self.ablation else ()
        return tuple(one for one in compared if one not in self.sources)


@dataclass(frozen=True, slots=True)
class Judged:
    """What the checks found about one system, waivers aside."""

    evidence: Evidence
    checks: tuple[Check, ...]
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run found out."""

    request: Request
    systems: tuple[Judged, ...]
    findings: tuple[Finding, ...]
    """Of every system and of the run as a whole; those that are waived say so."""
    ablation: ablation.Conclusion | None = None

    @property
    def verdict(self) -> Literal["pass", "fail"]:
        """Whether the run passes."""
        return verdict(self.findings)

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """Everything known about each system."""
        return tuple(one.evidence for one in self.systems)

    @property
    def ledgers(self) -> dict[str, dict[str, Ledger]]:
        """System → witness → ledger, over all rows."""
        return {one.system: one.ledgers() for one in self.evidence}

    @property
    def comparison(self) -> Comparison | None:
        """The ablation table, where systems were compared."""
        return self.ablation.comparison if self.ablation else None

    @property
    def checks(self) -> tuple[Check, ...]:
        """Checks of the run as a whole, which belong to no system."""
        return (self.ablation.check,) if self.ablation else ()


class Onlooker(Protocol):
    """Who is told how far a run is, to make use of it at once: the figures are drawn that way."""

    def spoken(self, one: Evidence) -> None:
        """Take a system's evidence once its primary was heard; others may still be at work."""

    def gathered(self, one: Evidence) -> None:
        """Take a system's evidence once everybody was heard, before it is judged."""


def run(
    request: Request,
    *,
    checks: Sequence[Group] = GROUPS,
    progress: Progress | None = None,
    onlooker: Onlooker | None = None,
) -> Outcome:
    """Do the whole job; bad input is a `UserError`, everything else is in the report."""
    refuse_missing((*request.sources, *request.rivals))
    claimed = {source.name: _read_claims(source, request) for source in request.sources}
    cases = [_case(source, request) for source in request.sources]
    settle = cache(partial(_settle, request, [some[0] for some in cases]))
    early = _Early(request, cases, onlooker)
    heard = hear(
        _tasks(request, cases, settle),
        processes=request.processes,
        progress=progress,
        meanwhile=early.look,
        timeout=request.timeout,
    )
    early.look(heard, at_last=True)
    spoken = [
        _compared(_spoken(request, source, some, heard, early.readings[source.name]))
        for source, some in zip(request.sources, cases, strict=True)
    ]
    evidence = tuple(
        _with_claims(one, source, claimed[source.name], spoken)
        for one, source in zip(spoken, request.sources, strict=True)
    )
    if onlooker is not None:
        for one in evidence:
            onlooker.gathered(one)
    judged = tuple(_judge(one, checks) for one in evidence)
    concluded = None
    if (settled := settle()) is not None:
        gated = {one.system: one.ledger for one in evidence}
        concluded = ablation.conclude(settled, heard, gated)
    found = [each for one in judged for each in one.findings]
    found += concluded.findings if concluded else ()
    return Outcome(request, judged, tuple(waive(found, request.config.waivers)), concluded)


class _Early:
    """Does what the primary's answer suffices for, while the others are still at work.

    Large data have to wait: they would be in memory beside the witnesses' own copies.
    """

    def __init__(
        self, request: Request, cases: Sequence[tuple[Case, ...]], onlooker: Onlooker | None
    ) -> None:
        self.request = request
        self.onlooker = onlooker
        self.waiting = {one[0].name: one for one in zip(request.sources, cases, strict=True)}
        self.readings = {source.name: Readings() for source in request.sources}

    def look(self, heard: Heard, *, at_last: bool = False) -> None:
        """Begin with every system whose primary, and whose intervals, were heard by now."""
        needed = [PRIMARY.name, *([resampling.NAME] if self.request.resamples else [])]
        for name, (source, cases) in list(self.waiting.items()):
            if not at_last and len(cases) > 1:
                continue
            if all((witness, name, "") in heard for witness in needed):
                del self.waiting[name]
                one = _spoken(self.request, source, cases, heard, self.readings[name])
                if self.onlooker is not None:
                    self.onlooker.spoken(one)
                if not at_last:
                    one.prepare()


def _settle(request: Request, cases: Sequence[Case]) -> ablation.Contest | None:
    """Settle who is compared with whom, where there is anything to compare."""
    if request.ablation is None:
        return None
    rivals = [make_case(one, one.settings, wants_intervals=False) for one in request.rivals]
    return ablation.contest(
        request.ablation,
        [*cases, *rivals],
        seed=request.seed,
        tolerance=request.config.tolerance,
    )


def _read_claims(source: Source, request: Request) -> list[claims.Claim]:
    return [
        replace(claim, file=request.shown.get(file, file))
        for file in source.claims
        for claim in claims.read(file)
    ]


def _case(source: Source, request: Request) -> tuple[Case, ...]:
    """Look at the data: the facts, the keys they owe, and a sample where the data are large."""
    case = make_case(source, source.settings, wants_intervals=request.resamples > 0)
    if not case.facts["queries"]["all_queries"]:
        raise UserError(f"{', '.join(source.files)}: no EVAL rows; nothing can be evaluated")
    settings = sampled(case, [one.rows_limit for one in request.witnesses])
    if settings is None:
        return (case,)
    scope = f"1 in {settings['sample']} {'posts' if case.facts['posts'] else 'queries'}"
    return case, replace(make_case(source, settings, wants_intervals=False), scope=scope)


def _tasks(
    request: Request,
    cases: Iterable[tuple[Case, ...]],
    settle: Callable[[], ablation.Contest | None],
) -> Iterator[Task]:
    """Say who is asked about what, the longest work first; intervals are those of all rows."""
    every = [case for some in cases for case in some]
    if request.resamples:
        whole = tuple(case for case in every if not case.scope)
        yield resampling.witness(request.seed, request.resamples), whole
    # By now the intervals are at work, and describing the rivals costs nobody any time.
    if (settled := settle()) is not None:
        yield from ablation.tasks(settled, {source.name for source in request.sources})
    for witness in request.witnesses:
        yield witness, tuple(case for case in every if _concerns(witness, case, every))


def _concerns(witness: Witness, case: Case, every: Sequence[Case]) -> bool:
    """Say who sees what: the primary everything, who is limited the sample of large data."""
    has_sample = any(other.scope and other.system == case.system for other in every)
    if witness.name == "primary" or not has_sample:
        return True
    rows = next(o for o in every if o.system == case.system and not o.scope).facts["rows"]["EVAL"]
    limited = witness.rows_limit is not None and rows > witness.rows_limit
    return bool(case.scope) == limited


def _spoken(
    request: Request,
    source: Source,
    cases: tuple[Case, ...],
    heard: Heard,
    readings: Readings,
) -> Evidence:
    """Put together what was said about one system so far."""
    drawn = heard.get((resampling.NAME, source.name, ""))
    statements = tuple(
        _with_intervals(
            Statement(witness, case, heard[witness.name, case.system, case.scope]), drawn
        )
        for witness in request.witnesses
        for case in cases
        if (witness.name, case.system, case.scope) in heard
    )
    return Evidence(
        case=cases[0],
        statements=statements,
        tolerance=request.config.tolerance,
        profile=request.config.profile,
        rule=source.rule,
        intervals=drawn if isinstance(drawn, resampling.Intervals | Silence) else None,
        resamples=request.resamples,
        readings=readings,
    )


def _compared(one: Evidence) -> Evidence:
    """Compare everybody who saw the same rows with everybody."""
    comparisons = tuple(
        compare((a.name, b.name), a.ledger, b.ledger, one.tolerance)
        for a, b in combinations(one.statements, 2)
        if a.case.scope == b.case.scope and a.ledger and b.ledger
    )
    return replace(one, comparisons=comparisons)


def _with_intervals(one: Statement, drawn: object) -> Statement:
    """Add the interval keys to the two implementations' ledgers."""
    if not (isinstance(drawn, resampling.Intervals) and isinstance(one.answer, Testimony)):
        return one
    added = {"primary": drawn.ledger, "reference": drawn.reference}.get(one.name, {})
    return replace(one, answer=replace(one.answer, ledger={**one.answer.ledger, **added}))


def _with_claims(
    one: Evidence, source: Source, claimed: list[claims.Claim], everyone: Sequence[Evidence]
) -> Evidence:
    """Hold the claims against the ledger, and let the system see the others'."""
    ledgers = {other.system: other.ledger for other in everyone}
    outcomes = claims.verify(
        claimed,
        one.ledger,
        system=one.system if source.named else None,
        rankings=list(ledgers) if source.named else (),
        ledgers=ledgers,
    )
    others = {other.system: other for other in everyone if other is not one}
    return replace(one, claims=tuple(outcomes), others=others)


def _judge(one: Evidence, groups: Sequence[Group]) -> Judged:
    """Run every group of checks over one system."""
    results = [(group, group.check(one)) for group in groups]
    return Judged(
        one,
        checks=tuple(_row(group, found) for group, found in results),
        findings=tuple(each for _, found in results for each in found.findings),
    )


def _row(group: Group, found: Result) -> Check:
    failed = any(each.severity == "error" for each in found.findings)
    return Check(
        group=group.name,
        title=group.title,
        section=group.section,
        status="failed" if failed else "skipped" if found.skipped else "passed",
        examined=found.examined,
        findings=len(found.findings),
        reason=found.skipped,
    )
