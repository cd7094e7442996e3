"""The gate: load → witnesses testify → compare → checks → findings → verdict.

`run` is the whole job as a function: the commands, the self-test and the tests call it.
Nothing is shown or written here: the report is a view of what a run found out.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, Protocol

from crosscheck import ablation
from crosscheck import policy as policies
from crosscheck.checks import Evidence, Readings, Statement
from crosscheck.checks.groups import GROUPS, look_early
from crosscheck.checks.waivers import waive
from crosscheck.config.systems import refuse_missing
from crosscheck.data import door
from crosscheck.data.case import Case, make_case
from crosscheck.data.readings import at_hand, keeping
from crosscheck.data.sampling import sampled
from crosscheck.data.topics import with_queries
from crosscheck.errors import UserError
from crosscheck.gate.cut_offs import ungraded_key, with_cut_offs
from crosscheck.gate.stated import claims_of, held, read_all
from crosscheck.limits import refuse_replicates, refuse_resamples
from crosscheck.model.findings import Check, Finding, verdict
from crosscheck.model.ledgers import compare
from crosscheck.policy.terms import Terms
from crosscheck.processes import TIMEOUT
from crosscheck.witnesses import Silence, Testimony, resampling
from crosscheck.witnesses.implementations import PRIMARY, REFERENCE
from crosscheck.witnesses.registry import STANDARD
from crosscheck.witnesses.resampling import Intervals
from crosscheck.witnesses.run import hear, task_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import date

    from crosscheck.checks import Result
    from crosscheck.checks.groups import Group
    from crosscheck.claims import Claim
    from crosscheck.config import Config
    from crosscheck.config.systems import Source
    from crosscheck.gate.stated import Stated
    from crosscheck.model.comparison import Comparison
    from crosscheck.model.ledgers import Ledger
    from crosscheck.model.options import Options
    from crosscheck.policy import Policy
    from crosscheck.witnesses import Witness
    from crosscheck.witnesses.tasks import Progress, Task
    from crosscheck.witnesses.workers import Workers


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
    policy: Policy = field(default_factory=lambda: policies.built_in("standard"))
    today: date | None = None
    """By which waivers expire; None: none of them does."""
    ablation: ablation.Wanted | None = None
    """The systems to compare: the sources, and others that are compared but not gated."""
    undrawn: str = ""
    """Why no figures will be drawn of it; nothing where they will."""

    @property
    def terms(self) -> Terms:
        """What the run asks for, and the policy that it is held to."""
        return Terms(
            self.policy,
            self.config,
            tuple(one.name for one in self.witnesses),
            max(self.resamples, self.ablation.resamples if self.ablation else 0),
            self.seed,
            tuple(dict.fromkeys(file for one in self.sources for file in one.claims)),
            self.options.rankings if self.options else (),
            self.today,
            self.undrawn,
        )

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
    stated: tuple[Stated, ...] = ()
    """What the claims files say, each once."""

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

    workers: Workers
    """The processes of the run: who hears of it has work for them too."""

    def idle(self) -> None:
        """Do what will be needed in the end: the witnesses are at work, and one has but to wait."""

    def spoken(self, one: Evidence) -> None:
        """Take a system's evidence once its primary was heard; others may still be at work."""

    def gathered(self, one: Evidence) -> None:
        """Take a system's evidence once everybody was heard, before it is judged."""

    def tend(self) -> None:
        """See to the work that was begun: the run is judged, which takes a while."""


def run(
    request: Request,
    *,
    checks: Sequence[Group] = GROUPS,
    progress: Progress | None = None,
    onlooker: Onlooker | None = None,
) -> Outcome:
    """Do the whole job; bad input is a `UserError`, everything else is in what it gives."""
    with keeping():
        return _run(request, checks, progress, onlooker)


def _run(
    request: Request,
    checks: Sequence[Group],
    progress: Progress | None,
    onlooker: Onlooker | None,
) -> Outcome:
    refuse_missing((*request.sources, *request.rivals))
    stated = read_all(request.sources, request.config, request.shown)
    asked = tuple(with_cut_offs(one, claims_of(one, stated)) for one in request.sources)
    request = replace(request, sources=asked)
    workers = onlooker.workers if onlooker is not None and request.processes else None
    if workers is not None and not request.resamples:
        # It takes the longest of all, and needs to know no more than this to begin.
        for source in asked:
            workers.read_ahead(REFERENCE.name, source.data, source.settings)
    cases = [_case(one, request, claims_of(one, stated)) for one in request.sources]
    hearing = _Session(request, cases, checks, onlooker)
    hear(
        hearing.tasks(),
        processes=request.processes,
        progress=progress,
        meanwhile=hearing.look,
        timeout=request.timeout,
        workers=workers,
        here=hearing.here,
    )
    hearing.look(at_last=True)
    spoken = [_compared(hearing.spoken(source)) for source in request.sources]
    concluded = None
    if hearing.contest is not None:
        concluded = ablation.conclude(hearing.contest, {one.system: one.ledger for one in spoken})
    everyone = list(zip(spoken, request.sources, strict=True))
    compared = concluded.comparison if concluded else None
    evidence = tuple(held(one, source, stated, everyone, compared) for one, source in everyone)
    if onlooker is not None:
        for one in evidence:
            onlooker.gathered(one)
    judged = tuple(_judge(one, checks, onlooker) for one in evidence)
    found = [each for one in judged for each in one.findings]
    found += concluded.findings if concluded else ()
    findings = tuple(waive(found, request.terms.waivers))
    return Outcome(request, judged, findings, concluded, tuple(stated.values()))


class _Session:
    """Who is asked about what, and what they said so far.

    What the primary's answer suffices for is done while the others are still at work. Large data
    have to wait: they would be in memory beside the witnesses' own copies.
    """

    def __init__(
        self,
        request: Request,
        cases: Sequence[tuple[Case, ...]],
        checks: Sequence[Group],
        onlooker: Onlooker | None,
    ) -> None:
        self.request = request
        self.checks = checks
        self.onlooker = onlooker
        self.cases = {some[0].system: some for some in cases}
        self.every = [case for some in cases for case in some]
        self.testimonies = [task_of(one, self._concerned(one)) for one in request.witnesses]
        # This process has read small data to describe them: nobody need read them for the primary.
        self.here = [one for one in self.testimonies if _is_read(one)]
        self.elsewhere = [one for one in self.testimonies if not _is_read(one)]
        whole = tuple(case for case in self.every if not case.scope)
        self.intervals = resampling.task(request.seed, request.resamples, whole)
        self.contest: ablation.Questions | None = None
        self.waiting = {source.name: source for source in request.sources}
        self.readings = {source.name: Readings() for source in request.sources}

    def tasks(self) -> Iterator[Task[Any, Any]]:
        """Give every task, the longest work first; intervals are those of all rows."""
        if self.request.resamples:
            yield self.intervals
        # By now the intervals are at work, and describing the rivals costs nobody any time.
        self.contest = _contest(self.request, [some[0] for some in self.cases.values()])
        if self.contest is not None:
            yield from self.contest.tasks
        yield from self.elsewhere

    def _concerned(self, witness: Witness) -> Iterator[Case]:
        """Say who sees what: the primary everything, who is limited the sample of large data."""
        for case in self.every:
            [whole, *samples] = self.cases[case.system]
            limit = witness.limit(whole.facts)
            limited = limit is not None and whole.facts["rows"]["EVAL"] > limit
            if witness.name == PRIMARY.name or not samples or bool(case.scope) == limited:
                yield case

    def look(self, *, at_last: bool = False) -> None:
        """Begin with every system whose primary, and whose intervals, were heard by now."""
        needed = [one for one in self.testimonies if one.name == PRIMARY.name]
        for name, source in list(self.waiting.items()):
            if not at_last and len(self.cases[name]) > 1:
                continue
            drawn = not self.request.resamples or self.intervals.about(name) is not None
            if drawn and any(one.about(name) is not None for one in needed):
                del self.waiting[name]
                one = self.spoken(source)
                if self.onlooker is not None:
                    self.onlooker.spoken(one)
                if not at_last:
                    one.prepare()
                    if PRIMARY.name in one.ledgers():
                        look_early(one, self.checks)
        if self.onlooker is not None and not at_last:
            self.onlooker.idle()

    def spoken(self, source: Source) -> Evidence:
        """Put together what was said about one system so far."""
        drawn = self.intervals.about(source.name)
        return Evidence(
            case=self.cases[source.name][0],
            statements=tuple(
                _with_intervals(Statement(witness, case, answer), drawn)
                for witness, task in zip(self.request.witnesses, self.testimonies, strict=True)
                for case, answer in task.heard()
                if case.system == source.name
            ),
            tolerance=self.request.terms.tolerance,
            profile=self.request.terms.profile,
            rule=source.rule,
            intervals=drawn,
            resamples=self.request.resamples,
            terms=self.request.terms,
            readings=self.readings[source.name],
        )


def _is_read(task: Task[Case, Testimony]) -> bool:
    """Say whether a task is the primary's, about what it has read in this process."""
    ours = task.name == PRIMARY.name and not task.apart
    return ours and all(at_hand(door.primary, case) for case in task.subjects)


def _contest(request: Request, cases: Sequence[Case]) -> ablation.Questions | None:
    """Settle who is compared with whom, where there is anything to compare."""
    if request.ablation is None:
        return None
    rivals = [make_case(one, one.settings, wants_intervals=False) for one in request.rivals]
    settled = ablation.contest(
        request.ablation,
        [*cases, *rivals],
        seed=request.seed,
        tolerance=request.terms.tolerance,
    )
    return ablation.questions(settled, {source.name for source in request.sources})


def _case(source: Source, request: Request, claims: Sequence[Claim]) -> tuple[Case, ...]:
    """Look at the data: the facts, the keys they owe, and a sample where the data are large."""
    case = make_case(source, source.settings, wants_intervals=request.resamples > 0)
    case = with_queries(case, _keys(claims, case))
    units = (case.facts["posts"] or 0) + case.facts["queries"]["all_queries"]
    refuse_resamples(request.resamples, units)
    if request.resamples:
        ends = (key.rpartition("|")[2] for key in case.intervals)
        # Both ends and both methods are taken from the same replicates.
        drawn = sum(one.startswith("ci_low/") and one.endswith("/percentile") for one in ends)
        refuse_replicates(request.resamples, drawn)
    if not case.facts["queries"]["all_queries"]:
        raise UserError(f"{', '.join(source.files)}: no EVAL rows; nothing can be evaluated")
    settings = sampled(case, [one.limit(case.facts) for one in request.witnesses])
    if settings is None:
        return (case,)
    scope = f"1 in {settings['sample']} {'posts' if case.facts['posts'] else 'queries'}"
    return case, replace(make_case(source, settings, wants_intervals=False), scope=scope)


def _keys(claims: Sequence[Claim], case: Case) -> list[str]:
    owed = frozenset(case.owed)
    return [ungraded_key(one, owed) for one in claims]


def _compared(one: Evidence) -> Evidence:
    """Compare everybody who saw the same rows with everybody."""
    comparisons = tuple(
        compare((a.name, b.name), a.ledger, b.ledger, one.tolerance)
        for a, b in combinations(one.statements, 2)
        if a.case.scope == b.case.scope and a.ledger and b.ledger
    )
    return replace(one, comparisons=comparisons)


def _with_intervals(one: Statement, drawn: Intervals | Silence | None) -> Statement:
    """Add the interval keys to the two implementations' ledgers."""
    if not (isinstance(drawn, Intervals) and isinstance(one.answer, Testimony)):
        return one
    added = {"primary": drawn.ledger, "reference": drawn.reference}.get(one.name, {})
    return replace(one, answer=replace(one.answer, ledger={**one.answer.ledger, **added}))


def _judge(one: Evidence, groups: Sequence[Group], onlooker: Onlooker | None) -> Judged:
    """Run every group of checks over one system."""
    results = []
    for group in groups:
        results.append((group, group.of(one)))
        if onlooker is not None:
            onlooker.tend()
    return Judged(
        one,
        checks=tuple(row(group, found) for group, found in results),
        findings=tuple(each for _, found in results for each in found.findings),
    )


def row(group: Group, found: Result) -> Check:
    """Tell how a group of checks came out."""
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
