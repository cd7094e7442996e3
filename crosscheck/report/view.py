"""The report as data: everything a run found out, and the only thing the formats read.

Plain pydantic models. `report.json` is this model written out; its JSON Schema is checked in as
`report.schema.json`. Nothing here depends on the time of day or on how long anything took, so the
same inputs and versions give the same bytes.

Nor does anything depend on the machine: what an outside library computes may end in other digits on
another one, so no field holds more of it than ten digits, or says how far apart exact values are.
"""

from __future__ import annotations

from typing import Any, Final, Literal

from pydantic import Field

from crosscheck.model.comparison import Comparison
from crosscheck.model.findings import Check, Finding
from crosscheck.model.frozen import Model, Value
from crosscheck.model.options import Options

SCHEMA_VERSION: Final = "3"
"""3: the policy in force, and what weakens the run. Reports of other versions are not read."""


class Declined(Model):
    """Keys a witness was not asked about, and why."""

    reason: str
    keys: int
    example: str


class WitnessView(Model):
    """Who testified, to how much, and why not to the rest."""

    name: str
    kind: Literal["implementation", "library", "claims", "user"]
    version: str
    status: Literal["answered", "crashed", "not asked"]
    keys: int
    note: str | None = None
    declined: list[Declined] = Field(default=[])


class Pair(Model):
    """How two witnesses' ledgers compare on the keys they share."""

    first: str
    second: str
    shared: int
    exact: int
    drift: int
    wrong: int
    only_first: int
    only_second: int
    worst_key: str | None = Field(default=None, description="None where every key is exact")
    worst_difference: float | None = None


class IntervalView(Model):
    """A 95 % interval by one unit and one method."""

    unit: str
    method: str
    low: Value
    high: Value
    fell_back: bool = False


class RowView(Model):
    """One line of a results table, in the contract's words (S4 10.2)."""

    key: str
    metric: str
    name: str
    population: str
    n: int | None
    value: Value
    folds_mean: Value | None = None
    folds_std: Value | None = None
    intervals: list[IntervalView] = Field(default=[], description="Of `value`; the first is shown")
    folds_intervals: list[IntervalView] = Field(default=[], description="Of `folds_mean`")
    meaning: str
    target: str | None = None
    target_met: bool | None = None
    place: str | None = Field(default=None, description="Where S1 7's ranges put it")
    witnesses: list[str] = Field(default=[])

    @property
    def stated_key(self) -> str:
        """The key of what a sentence about it prints: of the mean over folds, where there are."""
        if self.folds_mean is None or self.folds_std is None:
            return self.key
        metric, population, _, _ = self.key.split("|")
        return f"{metric}|{population}|folds|mean"


class Sensitivity(Model):
    """What another definition of the same metric would have given on this data."""

    metric: str
    key: str
    value: Value
    alternative: str
    source: str
    alternative_value: Value
    change: float | None = Field(description="Relative change in %; none where the value is 0")


class ClaimView(Model):
    """A claimed number and what became of it."""

    place: str
    label: str
    printed: str
    key: str | None
    status: Literal["holds", "wrong", "unverified", "ignored"]
    computed: Value | None = None
    sentence: str
    suggestions: list[str] = Field(default=[])
    file: str = ""
    line: int = Field(default=0, description="Counted from 1; 0 where the file has no lines")
    column: int = 0
    role: str = Field(default="value", description="What kind of number it is")
    dataset: str | None = None


class IgnoredView(Model):
    """A number of a claims file that is no claim, by a stated rule."""

    file: str
    line: int
    column: int
    text: str
    rule: str
    why: str


class ClaimCounts(Model):
    """What became of every number of the claims files; the four add up to all of them."""

    verified: int
    wrong: int
    unverified: int
    ignored: int


class ConflictView(Model):
    """Where the source documents contradict each other, and what was decided."""

    topic: str
    metrics: list[str]
    says: dict[str, str] = Field(description="Document and section → what it says")
    decided: str
    reason: str


class ChecklistItemView(Model):
    """One of the six items of S3's checklist (section I)."""

    item: str
    status: Literal["passed", "failed", "cannot be seen from data"]
    evidence: str


class File(Model):
    """A file by name and content."""

    role: str
    path: str
    sha256: str
    bytes: int


class LedgerFile(Model):
    """The file of a ledger, by what in it is the same on every machine."""

    path: str
    keys: int
    columns: list[str] = Field(description="The columns that are hashed; the rest others computed")
    sha256: str = Field(description="Of the file as it would be with these columns alone")


class Figure(Model):
    """A figure for the paper, as files and for the page."""

    name: str
    title: str
    alt: str
    caption: str
    files: list[str]


class SystemView(Model):
    """Everything about one system of the run."""

    name: str
    facts: dict[str, Any]
    settings: dict[str, Any]
    deployment_threshold: str
    keys: int = Field(description="Keys owed by the contract")
    compared: int = Field(description="Keys on which at least two witnesses were compared")
    sampled: str | None = Field(default=None, description="What was verified on a sample only")
    not_owed: dict[str, str] = Field(default={}, description="Family → what the data lacks")
    witnesses: list[WitnessView]
    pairs: list[Pair]
    coverage: dict[str, dict[str, int]] = Field(description="Family → witness → keys")
    uncovered_headline: list[str] = Field(
        default=[], description="Headline keys no library defines"
    )
    checks: list[Check]
    headline: list[RowView]
    tables: dict[str, list[RowView]] = Field(default={}, description="Further tables by title")
    claims: list[ClaimView] = Field(default=[])
    ignored: list[IgnoredView] = Field(default=[], description="Numbers that are no claims")
    claim_counts: ClaimCounts | None = Field(default=None, description="None without claims")
    sensitivity: list[Sensitivity] = Field(default=[])
    checklist: list[ChecklistItemView] = Field(default=[])
    figures: list[Figure] = Field(default=[], description="Filled in when the report is written")
    not_drawn: dict[str, str] = Field(default={}, description="Figure → what the data lack for it")
    ledger: LedgerFile | None = Field(
        default=None, description="Filled in when the report is written"
    )


class ComparisonView(Comparison):
    """The ablation table (S4 8.1)."""

    figures: list[Figure] = Field(default=[])


class PolicyView(Model):
    """The policy that the run was held to."""

    name: str
    path: str | None = Field(default=None, description="None: built in")
    sha256: str


class Circumstance(Model):
    """One thing that decides how much a verdict is worth."""

    kind: str = Field(description="Such as config, columns, waivers, rows, witnesses")
    weakens: bool = Field(description="False: it is as the contract has it, and said all the same")
    text: str
    system: str | None = None


class Provenance(Model):
    """What an auditor needs to rerun it."""

    command: list[str] = Field(description="For people: what to type for the same result")
    request: Options | None = Field(description="What decides the result; None: not to be rerun")
    inputs: list[File]
    contract_sha256: str
    policy: PolicyView
    versions: dict[str, str]
    seed: int
    resamples: int
    tolerance: float


class Report(Model):
    """A whole run."""

    schema_version: Literal["3"] = SCHEMA_VERSION
    verdict: Literal["pass", "fail"]
    summary: str = Field(description="One sentence for people")
    circumstances: list[Circumstance] = Field(description="What weakens the run, and what not")
    findings: list[Finding]
    systems: list[SystemView]
    comparison: ComparisonView | None = None
    conflicts: list[ConflictView] = Field(default=[])
    selftest: str | None = Field(default=None, description="Such as 83/83")
    provenance: Provenance
