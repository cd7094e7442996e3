"""The gate beyond one machine (docs/scale.md): an engine counts all rows, and is verified.

Two systems stand in the report. One is of all rows: what the engine says, held against the claims,
the ranges and, in parts, the primary. The other is the hashed sample, gated like any data, where
the engine is one more witness. What a check needs rows for is looked at in the sample alone, and
the report says so.
"""

from __future__ import annotations

from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crosscheck import gate
from crosscheck.checks import Evidence, Readings, Statement
from crosscheck.checks.groups import GROUPS
from crosscheck.checks.inputs import CONTRADICTIONS
from crosscheck.checks.waivers import waive
from crosscheck.config.systems import Source, refuse_missing
from crosscheck.data.case import Case
from crosscheck.data.sampling import FEWEST, SAMPLE_ROWS
from crosscheck.engine import residues
from crosscheck.engine.base import EngineError
from crosscheck.engine.connect import connect, files_of
from crosscheck.engine.evaluate import evaluate
from crosscheck.gate.cut_offs import with_cut_offs
from crosscheck.gate.stated import claims_of, held, read_all
from crosscheck.model.findings import Check, finding
from crosscheck.model.ledgers import compare
from crosscheck.system import scratch
from crosscheck.witnesses import Testimony, sql
from crosscheck.witnesses.implementations import PRIMARY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from crosscheck.checks import Result
    from crosscheck.checks.groups import Group
    from crosscheck.engine.base import Engine
    from crosscheck.gate import Judged, Onlooker, Outcome, Request
    from crosscheck.model.findings import Finding
    from crosscheck.witnesses.tasks import Progress

    Told = Callable[[str], None]

WITHOUT_ROWS = ("coverage", "outside agreement", "ranges", "same name", "claims", "targets")
"""Groups of checks that look at numbers alone."""
SKIPPED = "it needs the rows themselves: looked at in the sample"
ADDED = replace(
    PRIMARY, name="primary/residues", kind="library", per_query=None, waiting="residue classes"
)


def run(
    request: Request,
    *,
    progress: Progress | None = None,
    onlooker: Onlooker | None = None,
    told: Told | None = None,
) -> Outcome:
    """Do the whole job: by an engine where one is asked for, else as ever."""
    address = request.options.engine if request.options else None
    if address is None:
        if request.options and request.options.residues:
            raise EngineError("--residues needs --engine: without one, the primary sees all rows")
        return gate.run(request, progress=progress, onlooker=onlooker)
    source = _only(request)
    # The data may lie in folders below, or elsewhere: what is there is the engine's to say.
    first, *_ = files_of(source.data)
    refuse_missing([replace(source, data=first)] if Path(first).exists() else [])
    stated = read_all([source], request.config, request.shown)
    source = with_cut_offs(source, claims_of(source, stated))
    with ExitStack() as leaving:
        folder = leaving.enter_context(scratch("sample"))
        counted = _count(address, source, request, folder, told or _quiet)
        asked = replace(request, witnesses=(*request.witnesses, sql.at(address)))
        if counted.sample is None:
            whole = replace(asked, sources=request.sources)
            return gate.run(whole, progress=progress, onlooker=onlooker)
        # What is declared of all rows is not declared of the sample.
        config = request.config.model_copy(update={"profile": None})
        sampled = replace(asked, sources=(counted.sample,), config=config, ablation=None)
        outcome = gate.run(sampled, progress=progress)
    evidence = _evidence(counted, source, request)
    evidence = held(evidence, source, stated, [(evidence, source)], None)
    judged = _judge(evidence)
    found = [*judged.findings, *(one for each in outcome.systems for one in each.findings)]
    return replace(
        outcome,
        request=replace(asked, sources=(source,)),
        systems=(judged, *outcome.systems),
        findings=tuple(waive(found, request.terms.waivers)),
        stated=tuple(stated.values()),
    )


def _quiet(stage: str) -> None:
    del stage


def _only(request: Request) -> Source:
    """Give the one system that an engine is asked about; refuse what it does not offer."""
    if len(request.sources) != 1 or request.ablation is not None or request.shown:
        raise EngineError("--engine counts one system at a time: name its data, and no ranking")
    if request.resamples:
        raise EngineError(
            "intervals are not offered with --engine: say --no-intervals, and leave `resamples` "
            "out of the config"
        )
    return request.sources[0]


@dataclass(frozen=True, slots=True)
class Counted:
    """What an engine said about all rows, and the sample that it wrote."""

    case: Case
    statements: tuple[Statement, ...]
    sample: Source | None
    """None: the rows are so few that everybody sees them all."""


def _count(address: str, source: Source, request: Request, folder: Path, told: Told) -> Counted:
    with closing(connect(address)) as engine:
        files = files_of(source.data)
        answer = evaluate(engine, files, source.settings, told)
        case = Case(
            system=source.name,
            data=source.data,
            settings=source.settings,
            facts=answer.facts,
            owed=tuple(answer.ledger),
            engine=engine.version,
        )
        ours = replace(sql.WITNESS, kind="implementation", testify=sql.testify)
        said = Testimony(answer.ledger, facts=answer.facts, declined=answer.declined)
        statements = [Statement(ours, case, said)]
        one_in = _one_in(answer.facts)
        if one_in == 1 and not _partitioned(source.data, files):
            return Counted(case, tuple(statements), None)
        told(f"writing a sample, 1 in {one_in}" if one_in > 1 else "writing one file of all rows")
        settings = source.settings
        path = residues.write(engine, files, settings, (one_in, 0), folder / "sample.parquet")
        units = "posts" if answer.facts["posts"] else "queries"
        name = f"{source.name}, {f'1 in {one_in}' if one_in > 1 else 'all'} {units}"
        parts = request.options.residues if request.options else None
        if parts:
            added = _added(engine, files, settings, (parts, folder), told)
            ledger = {key: added[key] for key in case.owed if key in added}
            why = dict.fromkeys((key for key in case.owed if key not in added), residues.NOT_ADDED)
            statements.append(Statement(ADDED, case, Testimony(ledger, declined=why)))
    return Counted(case, tuple(statements), Source(name, str(path), settings, rule=source.rule))


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
