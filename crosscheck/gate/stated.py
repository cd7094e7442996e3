"""The claims of a run: read once, with the authors' help, and held against the ledgers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from crosscheck.claims import Claim, ClaimOutcome, Ignored, Run, verify
from crosscheck.gate.cut_offs import ungraded
from crosscheck.gate.programs import Output

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from crosscheck.checks import Evidence
    from crosscheck.claims import Help
    from crosscheck.config import Config
    from crosscheck.config.systems import Source
    from crosscheck.model.comparison import Comparison


@dataclass(frozen=True, slots=True)
class Stated:
    """What one file claims, and what in it is no claim by a rule."""

    claims: tuple[Claim, ...]
    ignored: tuple[Ignored, ...]
    reader: str = ""
    taken: tuple[str, ...] = ()
    """Further files that it takes in, each an input like itself."""
    absent: tuple[str, ...] = ()
    """Where it names a file and none lies."""


def read_all(
    sources: Sequence[Source], config: Config, shown: Mapping[str, str]
) -> dict[str, Stated]:
    """Read every claims file of a run, each once."""
    found: dict[str, Stated] = {}
    known = [one.name for one in sources]
    for source in sources:
        for file in source.claims:
            if file not in found:
                from crosscheck.claims.author import help_of  # noqa: PLC0415 - for who has claims

                given = help_of(config, source.name, known)
                found[file] = _read(file, shown.get(file, file), given)
    return found


def claims_of(source: Source, stated: Mapping[str, Stated]) -> list[Claim]:
    """Give every claim of a system's files."""
    return [claim for file in source.claims for claim in stated[file].claims]


def _read(file: str, name: str, given: Help) -> Stated:
    from crosscheck.claims import examine, helped  # noqa: PLC0415 - for who has claims
    from crosscheck.claims.accounting import rules  # noqa: PLC0415 - the same

    reading = examine(file)
    stated = helped([replace(one, file=name) for one in reading.claims], given)
    why = rules()
    ignored = (
        Ignored(name, one.token.line, one.token.column, one.token.text, one.rule, why[one.rule])
        for one in reading.ignored
    )
    taken, absent = (tuple(map(str, one)) for one in (reading.taken, reading.absent))
    return Stated(tuple(stated), tuple(ignored), reading.reader, taken, absent)


def held(
    one: Evidence,
    source: Source,
    stated: Mapping[str, Stated],
    everyone: Sequence[tuple[Evidence, Source]],
    comparison: Comparison | None,
) -> Evidence:
    """Hold a system's claims against its ledger, and let it see the others'.

    A file that several systems share is this one's where it is the first of them to have it; a file
    of its own is about it alone.
    """
    ledgers = {other.system: other.ledger for other, _ in everyone}
    run = Run(ledgers, comparison, has_splits="split" in one.facts.get("columns", {}))
    outcomes: list[ClaimOutcome] = []
    ignored: list[Ignored] = []
    for file in source.claims:
        sharing = [each for each in (other for _, other in everyone) if file in each.claims]
        output = Output(one, stated[file].reader)
        found = verify(
            [ungraded(claim, one.ledger) for claim in stated[file].claims if not claim.counted],
            one.ledger,
            system=one.system if source.named else None,
            rankings=_rankings(source, [each.name for each in sharing], list(ledgers)),
            run=run,
            own=len(sharing) == 1 and len(everyone) > 1,
        )
        outcomes += map(output.judged_again, found)
        if sharing[0].name == source.name:
            outcomes += [output.counted(each) for each in stated[file].claims if each.counted]
            ignored += stated[file].ignored
    others = {other.system: other for other, _ in everyone if other is not one}
    return replace(
        one, claims=tuple(outcomes), ignored=tuple(ignored), others=others, contest=comparison
    )


def _rankings(source: Source, sharing: list[str], every: list[str]) -> list[str]:
    """Name the systems that a claim may be about: those of the file first, then all others."""
    if not source.named:
        return []
    return [*sharing, *(name for name in every if name not in sharing)]
