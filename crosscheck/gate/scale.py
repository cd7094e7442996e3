"""The gate beyond one machine (docs/scale.md): an engine counts all rows, and is verified.

Each system stands in the report twice. Once with all rows: what the engine says, held against the
claims, the ranges and, in parts, the primary. Once as the hashed sample, gated like any data, where
the engine is one more witness. What a check needs rows for is looked at in the sample alone, and
the report says so. Systems are counted one after the other, and not compared with each other unless
everybody sees all rows.
"""

from __future__ import annotations

from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from crosscheck import gate
from crosscheck.checks import Evidence, Readings, Statement
from crosscheck.checks.groups import GROUPS
from crosscheck.checks.inputs import CONTRADICTIONS
from crosscheck.checks.waivers import waive
from crosscheck.config.systems import Source, refuse_missing
from crosscheck.contract import intervals_owed
from crosscheck.data.case import Case
from crosscheck.data.sampling import FEWEST, SAMPLE_ROWS
from crosscheck.engine import residues
from crosscheck.engine.base import EngineError
from crosscheck.engine.connect import connect, files_of, is_spark
from crosscheck.engine.evaluate import evaluate
from crosscheck.engine.steady import steady
from crosscheck.gate.cut_offs import with_cut_offs
from crosscheck.gate.stated import claims_of, held, read_all
from crosscheck.limits import refuse_replicates
from crosscheck.model.findings import Check, finding
from crosscheck.model.ledgers import compare
from crosscheck.system import scratch
from crosscheck.witnesses import Testimony, mllib
from crosscheck.witnesses.engines import MLLIB, SQL, mllib_at, sql_at
from crosscheck.witnesses.implementations import PRIMARY
from crosscheck.witnesses.resampling import Intervals

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from crosscheck.checks import Result
    from crosscheck.checks.groups import Group
    from crosscheck.engine.base import Engine
    from crosscheck.engine.intervals.drawn import Drawn
    from crosscheck.gate import Judged, Onlooker, Outcome, Request
    from crosscheck.model.findings import Finding
    from crosscheck.witnesses.plan import Draws
    from crosscheck.witnesses.tasks import Progress

    Told = Callable[[str], None]

WITHOUT_ROWS = ("coverage", "outside agreement", "ranges", "same name", "claims", "targets")
"""Groups of checks that look at numbers alone."""
SKIPPED = "it needs the rows themselves: looked at in the sample"
OURS = replace(SQL, kind="implementation")
ADDED = replace(
    PRIMARY, name="primary/residues", kind="library", per_query=None, waiting="residue classes"
)


def run(
    request: Request,
    address: str,
    *,
    progress: Progress | None = None,
    onlooker: Onlooker | None = None,
    told: Told | None = None,
) -> Outcome:
    """Do the whole job by an engine."""
    sources = _offered(request)
    for source in sources:
        # The data may lie in folders below, or elsewhere: what is there is the engine's to say.
        first, *_ = files_of(source.data)
        refuse_missing([replace(source, data=first)] if Path(first).exists() else [])
    stated = read_all(sources, request.config, request.shown)
    sources = tuple(with_cut_offs(one, claims_of(one, stated)) for one in sources)
    with ExitStack() as leaving:
        counted = [
            _count(address, one, request, leaving.enter_context(scratch("sample")), told or _quiet)
            for one in sources
        ]
        asked = replace(request, witnesses=(*request.witnesses, sql_at(address, _draws(request))))
        if all(one.sample is None for one in counted):
            outside = (mllib_at(address),) if is_spark(address) else ()
            witnesses = (*asked.witnesses, *outside)
            whole = replace(asked, sources=request.sources, witnesses=witnesses)
            return gate.run(whole, progress=progress, onlooker=onlooker)
        counted = [
            one if one.sample else _with_drawn(address, one, request, told or _quiet)
            for one in counted
        ]
        samples = tuple(map(_seen, counted, sources))
        # What is declared of all rows is not declared of the sample.
        config = request.config.model_copy(update={"profile": None})
        sampled = replace(asked, sources=samples, config=config, ablation=None)
        outcome = gate.run(sampled, progress=progress)
    everyone = [
        (_evidence(one, source, request), source)
        for one, source in zip(counted, sources, strict=True)
    ]
    judged = [_judge(held(one, source, stated, everyone, None)) for one, source in everyone]
    found = [each for one in (*judged, *outcome.systems) for each in one.findings]
    return replace(
        outcome,
        request=replace(asked, sources=sources, ablation=None),
        systems=(*judged, *outcome.systems),
        findings=tuple(waive(found, request.terms.waivers)),
        stated=tuple(stated.values()),
    )


def _quiet(stage: str) -> None:
    del stage


def _offered(request: Request) -> tuple[Source, ...]:
    """Give the systems that an engine is asked about; refuse what it does not offer."""
    if request.shown:
        raise EngineError("--engine counts the rows of files: name the data")
    return request.sources


@dataclass(frozen=True, slots=True)
class Counted:
    """What an engine said about all rows, and the sample that it wrote."""

    case: Case
    statements: tuple[Statement, ...]
    sample: Source | None
    """None: the rows are so few that everybody sees them all."""
    intervals: Intervals | None = None


def _count(address: str, source: Source, request: Request, folder: Path, told: Told) -> Counted:
    files = files_of(source.data)
    with steady(files), closing(connect(address)) as engine:
        answer = evaluate(engine, files, source.settings, told)
        one_in = _one_in(answer.facts)
        case = Case(
            system=source.name,
            data=source.data,
            settings=source.settings,
            facts=answer.facts,
            owed=tuple(answer.ledger),
            engine=engine.version,
        )
        said = Testimony(answer.ledger, facts=answer.facts, declined=answer.declined)
        if one_in == 1 and not _partitioned(source.data, files):
            return Counted(case, (Statement(OURS, case, said),), None)
        drawn = _drawn(engine, files, case, request, told)
        if drawn is not None:
            case, said = _with_intervals(case, said, drawn)
        statements = [Statement(OURS, case, said)]
        told(f"writing a sample, 1 in {one_in}" if one_in > 1 else "writing one file of all rows")
        settings = source.settings
        path = residues.write(engine, files, settings, (one_in, 0), folder / "sample.parquet")
        share = f"1 in {one_in}" if one_in > 1 else "all"
        name = f"{source.name}, {share} {_units(answer.facts)}"
        if is_spark(address):
            told("Spark MLlib")
            statements.append(Statement(MLLIB, case, mllib.heard(engine, case)))
        parts = request.options.residues if request.options else None
        if parts:
            # A part may lack a class, of which it has its rows to count all the same.
            every = {"classes": answer.facts["classes"]} if answer.facts["classes"] else {}
            added = _added(engine, files, {**settings, **every}, (parts, folder), told)
            ledger = {key: added[key] for key in case.owed if key in added}
            why = dict.fromkeys((key for key in case.owed if key not in added), residues.NOT_ADDED)
            statements.append(Statement(ADDED, case, Testimony(ledger, declined=why)))
    sample = Source(name, str(path), settings, rule=source.rule)
    return Counted(case, tuple(statements), sample, _heard(drawn))


def _with_drawn(address: str, counted: Counted, request: Request, told: Told) -> Counted:
    """Add the intervals of a system whose rows are few, beside one that has a sample."""
    case = counted.case
    files = files_of(case.data)
    with steady(files), closing(connect(address)) as engine:
        drawn = _drawn(engine, files, case, request, told)
    if drawn is None:
        return counted
    [statement] = counted.statements
    case, said = _with_intervals(case, cast("Testimony", statement.answer), drawn)
    return Counted(case, (Statement(OURS, case, said),), None, _heard(drawn))


def _heard(drawn: Drawn | None) -> Intervals | None:
    return Intervals(drawn.ledger, flags=frozenset(drawn.flags)) if drawn else None


def _draws(request: Request) -> Draws | None:
    """Give the plan, where intervals are asked for."""
    from crosscheck.witnesses.plan import Draws  # noqa: PLC0415 - needs numpy

    return Draws(request.seed, request.resamples) if request.resamples else None


def _drawn(
    engine: Engine, files: list[str], case: Case, request: Request, told: Told
) -> Drawn | None:
    """Draw the intervals of all rows, by groups of posts and kinds of queries."""
    draws = _draws(request)
    if draws is None:
        return None
    from crosscheck.engine.intervals.drawn import draw  # noqa: PLC0415 - needs numpy

    owed = intervals_owed(case.facts, case.settings)
    refuse_replicates(request.resamples, len(owed) // 4)
    return draw(engine, files, case.settings, case.facts, draws, told=told)


def _with_intervals(case: Case, said: Testimony, drawn: Drawn) -> tuple[Case, Testimony]:
    """Add what was drawn, and of what: a key alone does not say that posts were grouped."""
    facts = {**case.facts, "resampled": dict(drawn.units)}
    return (
        replace(case, facts=facts, intervals=tuple(drawn.ledger)),
        replace(
            said,
            ledger={**said.ledger, **drawn.ledger},
            declined={**said.declined, **drawn.declined},
        ),
    )


def _seen(counted: Counted, source: Source) -> Source:
    """Give what everybody sees of a system: its sample, or all of its few rows."""
    if counted.sample is not None:
        return counted.sample
    name = f"{source.name}, all {_units(counted.case.facts)}"
    return Source(name, source.data, source.settings, rule=source.rule)


def _units(facts: Mapping[str, Any]) -> str:
    return "posts" if facts["posts"] else "queries"


def _partitioned(data: object, files: list[str]) -> bool:
    """Whether folders are part of the data, which nobody but an engine reads."""
    place = str(data)
    return any(Path(file).parent != Path(place) for file in files) and Path(place).is_dir()


def _one_in(facts: Mapping[str, Any]) -> int:
    """Say which sample is taken: about as many rows as the reference reads in half a minute."""
    rows = facts["rows"]["EVAL"]
    one_in = round(rows / SAMPLE_ROWS)
    return one_in if one_in > 1 and (facts["posts"] or rows) >= FEWEST * one_in else 1


def _added(
    engine: Engine,
    files: list[str],
    settings: Mapping[str, Any],
    parts: tuple[int, Path],
    told: Told,
) -> dict[str, float]:
    """Let the primary see every residue class, one after the other, and add up what adds up."""
    from crosscheck.data import door  # noqa: PLC0415 - heavy

    count, folder = parts
    sums = residues.Sums()
    for rest in range(count):
        told(f"the primary on part {rest + 1} of {count}")
        place = folder / "part.parquet"
        if residues.write(engine, files, settings, (count, rest), place) is not None:
            sums.add(door.primary.evaluate(str(place), dict(settings)))
    return sums.ledger()


def _evidence(counted: Counted, source: Source, request: Request) -> Evidence:
    first, *others = counted.statements
    return Evidence(
        case=counted.case,
        statements=counted.statements,
        comparisons=tuple(
            compare((first.name, one.name), first.ledger, one.ledger, request.terms.tolerance)
            for one in others
        ),
        tolerance=request.terms.tolerance,
        profile=request.terms.profile,
        rule=source.rule,
        intervals=counted.intervals,
        resamples=request.resamples,
        terms=request.terms,
        readings=Readings(),
    )


def _judge(evidence: Evidence) -> Judged:
    """Run the groups that look at numbers alone; say of every other that it was not run."""
    results = [(group, _result(group, evidence)) for group in GROUPS]
    return gate.Judged(
        evidence,
        checks=tuple(_row(group, found) for group, found in results),
        findings=(
            *_contradictions(evidence),
            *(each for _, found in results if found for each in found.findings),
        ),
    )


def _contradictions(evidence: Evidence) -> Iterator[Finding]:
    """Tell of rows that contradict themselves, which the engine counted though it names none."""
    for column, count in evidence.facts["contradictions"].items():
        if count:
            told = f"{count:,} EVAL rows have a {column} that contradicts the rest of the row"
            yield finding(CONTRADICTIONS[column], told, system=evidence.system)


def _result(group: Group, evidence: Evidence) -> Result | None:
    return group.check(evidence) if group.name in WITHOUT_ROWS else None


def _row(group: Group, found: Result | None) -> Check:
    if found is None:
        return Check(
            group=group.name,
            title=group.title,
            section=group.section,
            status="skipped",
            examined=0,
            findings=0,
            reason=SKIPPED,
        )
    return gate.row(group, found)
