"""What the contract is made of: frozen records, one for each kind of table in the TOML files."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Saying:
    """What one document writes about a metric, and which of our meanings that is."""

    source: str
    text: str
    variant: str = ""

    @property
    def label(self) -> str:
        """The document's label, such as `S0`."""
        return self.source.split(" ", 1)[0]


@dataclass(frozen=True, slots=True)
class Headline:
    """At which values of its parameter a metric is a headline, and its resampling units."""

    at: tuple[str, ...] = ()
    units: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Target:
    """An advisory target: shown, never failing."""

    source: str
    at_least: str = ""
    at_most: str = ""
    below: str = ""
    at: str = ""

    def met(self, value: float) -> bool:
        """Whether `value` reaches the target."""
        if self.at_least:
            return value >= float(self.at_least)
        if self.at_most:
            return value <= float(self.at_most)
        return value < float(self.below)

    def __str__(self) -> str:
        if self.at_least:
            return f"≥ {self.at_least}"
        return f"≤ {self.at_most}" if self.at_most else f"< {self.below}"


@dataclass(frozen=True, slots=True)
class ReferenceRange:
    """The ranges of S1 7: what a baseline and what a good pipeline reach."""

    at: str
    baseline: tuple[float, float]
    good: tuple[float, float]

    def place(self, value: float) -> str:
        """Where `value` stands: below, baseline, between, good or above."""
        if value < self.baseline[0]:
            return "below"
        if value <= self.baseline[1]:
            return "baseline"
        if value < self.good[0]:
            return "between"
        return "good" if value <= self.good[1] else "above"


@dataclass(frozen=True, slots=True)
class Variant:
    """Another meaning of a metric: computed, labelled, never silently dropped."""

    id: str
    definition: str
    formula: str
    keys: tuple[str, ...] = ()
    headline: Headline | None = None


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric with everything the contract says; `named`: its id alone names it in claims."""

    id: str
    section: str
    family: str
    name: str
    definition: str
    formula: str
    kind: str
    range: str
    direction: str
    keys: tuple[str, ...]
    population: str
    meaning: str
    says: tuple[Saying, ...]
    unit: str = ""
    bare: bool = True
    named: bool = True
    empty: float = 0.0
    variants: tuple[Variant, ...] = ()
    traps: tuple[str, ...] = ()
    edges: tuple[str, ...] = ()
    criteria_at: tuple[str, ...] = ()
    headline: Headline | None = None
    target: Target | None = None
    reference: ReferenceRange | None = None

    @property
    def templates(self) -> tuple[str, ...]:
        """Every id that it goes by: the plain one, unless there is none, and its variants'."""
        plain = (self.id,) if self.bare else ()
        return plain + tuple(f"{self.id}/{variant.id}" for variant in self.variants)

    def sources(self, variant: str = "") -> tuple[str, ...]:
        """Where the metric, or one of its variants, comes from."""
        return tuple(saying.source for saying in self.says if saying.variant == variant)


@dataclass(frozen=True, slots=True)
class Population:
    """A set of queries, pairs or posts that a number is about."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Slice:
    """A part of the data that a number is about."""

    id: str
    text: str
    meaning: str
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Statistic:
    """What is said of the values: their mean, their spread, an end of an interval."""

    id: str
    text: str
    kind: str
    range: str
    identities: bool
    meaning: str
    source: str
    traps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the key table of section 13."""

    id: str
    needs: tuple[str, ...]
    populations: tuple[str, ...]
    slices: tuple[str, ...]
    statistics: tuple[str, ...]
    bounds: tuple[str, ...] = ()
    variants: bool = True

    @property
    def base(self) -> str:
        """The statistic that folds and intervals are built on, or an empty text."""
        return next((s for s in ("mean", "value") if s in self.statistics), "")


@dataclass(frozen=True, slots=True)
class IntervalRules:
    """What intervals are owed (sections 10 and 13)."""

    confidence: str
    units: tuple[str, ...]
    methods: tuple[str, ...]
    statistics: tuple[str, ...]
    slices: tuple[str, ...]
    folds: tuple[str, ...]
    seed_slices: tuple[str, ...]
    seed_methods: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Identity:
    """Something that must hold between numbers; identities.toml explains the kinds."""

    id: str
    kind: str
    terms: tuple[str, ...]
    text: str
    section: str
    total: str = ""
    over: tuple[str, ...] = ()
    factor: int = 1
    less: int = 0
    nonlinear: bool = False
    statistics: tuple[str, ...] = ()
    condition: str = ""


@dataclass(frozen=True, slots=True)
class Document:
    """One of the five source documents."""

    label: str
    file: str
    dated: str
    title: str
    calls_itself: str


@dataclass(frozen=True, slots=True)
class Precedence:
    """Which document wins."""

    order: tuple[str, ...]
    text: str
    exceptions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Position:
    """What one document says in a conflict."""

    source: str
    says: str


@dataclass(frozen=True, slots=True)
class Conflict:
    """Where the documents disagree: what each says, what was decided, and why."""

    id: str
    question: str
    decision: str
    reason: str
    metric: str = ""
    metrics: tuple[str, ...] = ()
    positions: tuple[Position, ...] = ()


@dataclass(frozen=True, slots=True)
class Trap:
    """A mistake seen in a run, in the arithmetic or in a document."""

    id: str
    text: str
    effect: str


@dataclass(frozen=True, slots=True)
class ChecklistItem:
    """One item of S3's verification checklist; `seen` is empty where data cannot answer it."""

    id: str
    text: str
    seen: str


@dataclass(frozen=True, slots=True)
class Decision:
    """Where the contract's page is silent or ambiguous: what holds, and why."""

    id: str
    section: str
    question: str
    decision: str
    reason: str


@dataclass(frozen=True, slots=True)
class Column:
    """One column of the data; `condition` says when an alias means it and no other."""

    name: str
    type: str
    meaning: str
    aliases: tuple[str, ...]
    key: bool = False
    condition: str = ""


@dataclass(frozen=True, slots=True)
class Split:
    """A split's name and the other names that mean the same."""

    name: str
    also: tuple[str, ...]
    meaning: str


@dataclass(frozen=True, slots=True)
class Family:
    """A group of numbers, the columns it needs, whether a report tells where they are lacking."""

    id: str
    name: str
    needs: tuple[str, ...]
    told: bool = True


@dataclass(frozen=True, slots=True)
class Profile:
    """The numbers that the study's documents declare about its data."""

    posts: int
    criteria: tuple[str, ...]
    queries: int
    with_evidence: int
    without_evidence: int
    posts_per_fold: tuple[int, ...]
    queries_per_fold: tuple[int, ...]
    mean_candidates: tuple[int, int]
    shared_candidates: bool
    views: Mapping[str, tuple[str, ...]]
    view_queries: Mapping[str, int]
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Shares:
    """Shares of the splits, in percent, that a document describes."""

    source: str
    of: str
    shares: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Name:
    """A metric's names as people write them."""

    metric: str
    written: tuple[str, ...]
    bare: str = ""


@dataclass(frozen=True, slots=True)
class AmbiguousName:
    """A name that could mean several metrics."""

    written: tuple[str, ...]
    metrics: tuple[str, ...]
    why: str


@dataclass(frozen=True, slots=True)
class ExampleData:
    """A small data set that worked examples are about."""

    id: str
    columns: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]
    settings: Mapping[str, object] = field(default_factory=dict)

    def records(self) -> list[dict[str, object]]:
        """Give the rows as dictionaries, ready for JSON Lines."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]


@dataclass(frozen=True, slots=True)
class Example:
    """A metric worked out by hand: the data, the answers by key, the working in words."""

    metric: str
    data: str
    answers: Mapping[str, str]
    working: str
