"""Checks: one file per group of section 11, each a function from the evidence to a result.

A check looks at what the witnesses said and at the data; it counts what it looked at, so that
nothing examined is never mistaken for nothing found.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from crosscheck.data import door
from crosscheck.data.readings import reading
from crosscheck.errors import UserError
from crosscheck.model.findings import finding, rules
from crosscheck.model.ledgers import TOLERANCE
from crosscheck.witnesses import Testimony, Witness

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import polars as pl

    from crosscheck.claims import ClaimOutcome, Ignored
    from crosscheck.config import DeclaredProfile
    from crosscheck.contract import Instance
    from crosscheck.data.case import Case
    from crosscheck.data.rows import Rows
    from crosscheck.model.comparison import Comparison
    from crosscheck.model.findings import Finding
    from crosscheck.model.ledgers import Ledger, LedgerComparison
    from crosscheck.policy.terms import Terms
    from crosscheck.witnesses import Answer, Silence
    from crosscheck.witnesses.resampling import Intervals

MOST_SHOWN = 25
"""Findings of one rule that are listed singly."""


@dataclass(frozen=True)
class Statement:
    """What one witness said about one case."""

    witness: Witness
    case: Case
    answer: Answer

    @property
    def name(self) -> str:
        """The witness's name, with “/sample” where it saw a sample only."""
        return f"{self.witness.name}/sample" if self.case.scope else self.witness.name

    @property
    def ledger(self) -> Ledger:
        """What it answered; empty if it fell silent."""
        return self.answer.ledger if isinstance(self.answer, Testimony) else {}

    @property
    def absent(self) -> bool:
        """Whether nobody was asked, because it is not installed."""
        return isinstance(self.answer, Testimony) and self.answer.absent

    @property
    def facts(self) -> dict[str, Any]:
        """How it read the data; empty if it does not say."""
        return (self.answer.facts or {}) if isinstance(self.answer, Testimony) else {}


@dataclass(frozen=True)
class Readings:
    """What was read from the data and looked up so far: evidence that grows keeps it."""

    tables: dict[str, pl.DataFrame] = field(default_factory=dict)
    rows: dict[tuple[str, str], Rows] = field(default_factory=dict)
    instances: dict[frozenset[str], tuple[Instance, ...]] = field(default_factory=dict)
    results: dict[str, Result] = field(default_factory=dict)
    """What groups of checks found that need not wait for everybody."""


@dataclass(frozen=True)
class Evidence:
    """Everything known about one system when the checks begin."""

    case: Case
    statements: tuple[Statement, ...]
    comparisons: tuple[LedgerComparison, ...] = ()
    tolerance: float = TOLERANCE
    profile: DeclaredProfile | None = None
    rule: str | None = None
    """The stated rule for the operating threshold, such as “fpr<=5%”."""
    claims: tuple[ClaimOutcome, ...] = ()
    ignored: tuple[Ignored, ...] = ()
    """Numbers of the claims' files that are no claims, by a stated rule."""
    intervals: Intervals | Silence | None = None
    resamples: int = 0
    others: Mapping[str, Evidence] = field(default_factory=dict)
    """The other systems of the run, for what must be the same in all of them."""
    contest: Comparison | None = None
    """The systems against each other, where they are compared: for what claims say of it."""
    terms: Terms | None = None
    """The policy in force, and what the run asks for."""
    readings: Readings = field(default_factory=Readings, repr=False)

    @property
    def system(self) -> str:
        """The system's name."""
        return self.case.system

    @property
    def facts(self) -> dict[str, Any]:
        """The facts of the data set, as the primary sees them."""
        return self.case.facts

    @property
    def implementations(self) -> tuple[Statement, ...]:
        """Those who answered and owe every key."""
        return tuple(
            one for one in self.statements if one.witness.kind == "implementation" and one.ledger
        )

    @property
    def ledger(self) -> Ledger:
        """The ledger that tables and claims are read from: the primary's, on all rows."""
        for one in self.implementations:
            if not one.case.scope:
                return one.ledger
        return {}

    def ledgers(self, *, sample: bool = False) -> dict[str, Ledger]:
        """Witness → ledger, of those who saw all rows, or of those who saw the sample."""
        return {
            one.name: one.ledger
            for one in self.statements
            if one.ledger and bool(one.case.scope) == sample
        }

    def statement(self, name: str) -> Statement:
        """Give the statement that is shown under a name."""
        return {one.name: one for one in self.statements}[name]

    def prepare(self) -> None:
        """Read and look up beforehand what most checks begin with."""
        self.rows_of(self.case)
        for one in self.implementations:
            self.instances_of(one)

    def table_of(self, case: Case) -> pl.DataFrame:
        """All rows of a case, under the contract's column names."""
        known = self.readings.tables
        if case.engine:
            raise UserError(
                f"{case.system}: this needs the rows themselves, and only an engine has seen all "
                "of them; gate without --engine, or leave out the claims of a program's output"
            )
        if case.scope not in known:
            known[case.scope] = door.primary.table(reading(door.primary, case))
        return known[case.scope]

    def rows_of(self, case: Case, split: str = "EVAL") -> Rows:
        """Rows of one split of a case."""
        known = self.readings.rows
        if (case.scope, split) not in known:
            from crosscheck.data.rows import of_split  # noqa: PLC0415 - needs numpy

            known[case.scope, split] = of_split(self.table_of(case), case.settings, split)
        return known[case.scope, split]

    def instances_of(self, statement: Statement) -> tuple[Instance, ...]:
        """Identities among the keys of a ledger; two ledgers with the same keys share them."""
        known = self.readings.instances
        keys = frozenset(statement.ledger)
        if keys not in known:
            from crosscheck.contract import instances  # noqa: PLC0415 - named where it is used

            known[keys] = tuple(instances(keys))
        return known[keys]

    @property
    def rows(self) -> Rows:
        """EVAL rows."""
        return self.rows_of(self.case)

    @property
    def table(self) -> pl.DataFrame:
        """All rows, of every split."""
        return self.table_of(self.case)

    @cached_property
    def per_query(self) -> dict[str, list[Any]]:
        """The primary's per-query values, by metric."""
        from crosscheck.witnesses.implementations import (  # noqa: PLC0415 - needs pandas
            primary_per_query,
        )

        return primary_per_query(self.case)


@dataclass(frozen=True)
class Result:
    """What a check looked at and found."""

    examined: int
    findings: tuple[Finding, ...] = ()
    skipped: str | None = None


def result(examined: int, findings: Iterable[Finding], skipped: str | None = None) -> Result:
    """Give a check's result; one that looked at nothing says why."""
    found = tuple(findings)
    if not examined and not found:
        return Result(0, (), skipped or "nothing of the kind in these data")
    return Result(examined, found)


def shorten(findings: Iterable[Finding]) -> list[Finding]:
    """List the worst findings of each rule singly, and say how many more there are."""
    groups: dict[tuple[str, str | None, str | None], list[Finding]] = {}
    for one in findings:
        groups.setdefault((one.rule, one.system, one.waived), []).append(one)
    kept: list[Finding] = []
    for (rule, system, waived), group in groups.items():
        kept += sorted(group, key=lambda one: -(one.difference or 0.0))[:MOST_SHOWN]
        more = len(group) - MOST_SHOWN
        if more > 0:
            claimed = rules()[rule].group == "claims"
            where = "the report lists every claim" if claimed else "ledger.csv has every key"
            rest = f"and {more:,} more of the same; {where}"
            kept.append(finding(rule, rest, system=system, waived=waived, stands_for=more))
    return kept
