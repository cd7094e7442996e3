"""The report as data: everything a run found out, and the only thing the formats read.

Plain pydantic models. `report.json` is this model written out; its JSON Schema is checked in as
`report.schema.json`. Nothing here depends on the time of day or on how long anything took, so the
same inputs and versions give the same bytes.

Nor does anything depend on the machine: what an outside library computes may end in other digits on
another one, so no field holds more of it than ten digits, or says how far apart exact values are.
"""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer

SCHEMA_VERSION = "2"
DIGITS = 10
"""Significant digits of a value that is shown because it differs: enough to see any drift by."""


def _from_json(value: Any) -> Any:  # noqa: ANN401 - whatever a JSON file holds
    return math.inf if value == "inf" else value


def _to_json(value: int | float) -> int | float | str:  # noqa: PYI041 - pydantic reads it
    return "inf" if value == math.inf else value


Value = Annotated[int | float, BeforeValidator(_from_json), PlainSerializer(_to_json)]
"""A ledger value; JSON has no infinity, so a threshold that never fires is written `"inf"`."""


def shown(value: int | float) -> int | float:  # noqa: PYI041 - a count stays one
    """Round a witness's number to the digits that are the same on every machine; counts stay."""
    return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value


Shown = Annotated[Value, AfterValidator(shown)]
"""A value that any witness may have given."""


class Model(BaseModel):
    """Frozen, and strict about unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class QueryDifference(Model):
    """One query on which two witnesses differ, with what there is to see."""

    query: str
    values: dict[str, Shown]
    ranking: list[str] = []
    gold: list[str] = []


class Explanation(Model):
    """What would reproduce a wrong claim's digits."""

    title: str
    value: Shown
    surprise: float = Field(description="Expected number of chance matches; smaller is stronger")
    sentence: str


class Finding(Model):
    """One thing that is wrong, drifts, or is worth knowing."""

    rule: str = Field(description="Permanent rule id, such as XC301")
    title: str
    group: str
    severity: Literal["error", "drift", "advice"]
    system: str | None = None
    key: str | None = None
    message: str = Field(description="One sentence: what is wrong, and where")
    values: dict[str, Shown] = {}
    difference: float | None = Field(default=None, description="Relative, of the values shown")
    limit: float | None = None
    place: str | None = Field(default=None, description="File, row, query, column")
    starts_at: list[QueryDifference] = []
    explanations: list[Explanation] = []
    section: str
    remedy: str
    waived: str | None = Field(default=None, description="The reason given for waiving it")
    stands_for: int = Field(
        default=1, description="How many findings it counts for: more than one where it sums up"
    )


class Check(Model):
    """One group of section 11, and whether anything was looked at."""

    group: str
    title: str
    section: str
    status: Literal["passed", "failed", "skipped"]
    examined: int = Field(description="How many assertions were made")
    findings: int
    reason: str | None = Field(default=None, description="Why it was skipped")


class Declined(Model):
    """Keys a witness was not asked about, and why."""

    reason: str
    keys: int
    example: str


class Witness(Model):
    """Who testified, to how much, and why not to the rest."""

    name: str
    kind: Literal["implementation", "library", "claims", "user"]
    version: str
    status: Literal["answered", "crashed", "not asked"]
    keys: int
    note: str | None = None
    declined: list[Declined] = []


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


class Interval(Model):
    """A 95 % interval by one unit and one method."""

    unit: str
    method: str
    low: float
    high: float
    fell_back: bool = False


class Row(Model):
    """One line of a results table, in the contract's words (S4 10.2)."""

    key: str
    metric: str
    name: str
    population: str
    n: int | None
    value: Value
    folds_mean: float | None = None
    folds_std: float | None = None
    intervals: list[Interval] = Field(default=[], description="Of `value`; the first is shown")
    folds_intervals: list[Interval] = Field(default=[], description="Of `folds_mean`")
    meaning: str
    target: str | None = None
    target_met: bool | None = None
    place: str | None = Field(default=None, description="Where S1 7's ranges put it")
    witnesses: list[str] = []


class Sensitivity(Model):
    """What another definition of the same metric would have given on this data."""

    metric: str
    key: str
    value: Value
    alternative: str
    source: str
    alternative_value: Value
    change: float | None = Field(description="Relative change in %; none where the value is 0")


class Claim(Model):
    """A claimed number and what became of it."""

    place: str
    label: str
    printed: str
    key: str | None
    status: Literal["holds", "wrong", "unverified"]
    computed: Value | None = None
    sentence: str
    suggestions: list[str] = []


class Conflict(Model):
    """Where the source documents contradict each other, and what was decided."""

    topic: str
    metrics: list[str]
    says: dict[str, str] = Field(description="Document and section → what it says")
    decided: str
    reason: str


class ChecklistItem(Model):
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


class System(Model):
    """Everything about one system of the run."""

    name: str
    facts: dict[str, Any]
    settings: dict[str, Any]
    deployment_threshold: str
    keys: int = Field(description="Keys owed by the contract")
    compared: int = Field(description="Keys on which at least two witnesses were compared")
    sampled: str | None = Field(default=None, description="What was verified on a sample only")
    not_owed: dict[str, str] = Field(default={}, description="Family → what the data lacks")
    witnesses: list[Witness]
    pairs: list[Pair]
    coverage: dict[str, dict[str, int]] = Field(description="Family → witness → keys")
    uncovered_headline: list[str] = Field(
        default=[], description="Headline keys no library defines"
    )
    checks: list[Check]
    headline: list[Row]
    tables: dict[str, list[Row]] = Field(default={}, description="Further tables by title")
    claims: list[Claim] = []
    sensitivity: list[Sensitivity] = []
    checklist: list[ChecklistItem] = []
    figures: list[Figure] = Field(default=[], description="Filled in when the report is written")
    not_drawn: dict[str, str] = Field(default={}, description="Figure → what the data lack for it")
    ledger: LedgerFile | None = Field(
        default=None, description="Filled in when the report is written"
    )


class ComparisonRow(Model):
    """One metric of one system against the baseline."""

    system: str
    baseline: str
    key: str
    name: str
    value: float
    folds_mean: float | None = None
    folds_std: float | None = None
    difference: float | None = None
    improvement: float | None = None
    low: float | None = None
    high: float | None = None
    unit: str | None = None
    p: float | None = None
    p_holm: float | None = None


class Comparison(Model):
    """The ablation table (S4 8.1)."""

    baseline: str
    systems: list[str]
    metrics: list[str]
    resamples: int
    correction: str
    rows: list[ComparisonRow]
    figures: list[Figure] = []


class Provenance(Model):
    """What an auditor needs to rerun it."""

    command: list[str]
    inputs: list[File]
    contract_sha256: str
    versions: dict[str, str]
    seed: int
    resamples: int
    tolerance: float


class Report(Model):
    """A whole run."""

    schema_version: str = SCHEMA_VERSION
    verdict: Literal["pass", "fail"]
    summary: str = Field(description="One sentence for people")
    findings: list[Finding]
    systems: list[System]
    comparison: Comparison | None = None
    conflicts: list[Conflict] = []
    selftest: str | None = Field(default=None, description="Such as 83/83")
    provenance: Provenance
