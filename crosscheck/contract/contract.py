"""The contract as one object: what there is, and what a key means, may be and is called."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from crosscheck.contract.ids import Ids
from crosscheck.contract.libraries import Libraries
from crosscheck.contract.parameters import Notation
from crosscheck.contract.ranges import Range
from crosscheck.errors import UserError
from crosscheck.model.key import Key, parts, unescape

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from crosscheck.contract import model
    from crosscheck.contract.ids import MetricId
    from crosscheck.contract.libraries import LibraryMeasure
    from crosscheck.contract.parameters import Parameter
    from crosscheck.contract.words import Words

ANY = Range(-math.inf, math.inf)
DECLARED = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
"""What a declared slice may be called (section 18)."""


@dataclass(frozen=True)
class Contract:
    """Every fact of the contract, in the order of the files."""

    sections: Mapping[str, str]
    metrics: tuple[model.Metric, ...]
    parameters: tuple[Parameter, ...]
    populations: tuple[model.Population, ...]
    slices: tuple[model.Slice, ...]
    statistics: tuple[model.Statistic, ...]
    rows: tuple[model.Row, ...]
    intervals: model.IntervalRules
    ranges: Mapping[str, Range]
    defaults: Mapping[str, str | int]
    documents: tuple[model.Document, ...]
    precedence: model.Precedence
    conflicts: tuple[model.Conflict, ...]
    traps: tuple[model.Trap, ...]
    checklist: tuple[model.ChecklistItem, ...]
    decisions: tuple[model.Decision, ...]
    columns: tuple[model.Column, ...]
    splits: tuple[model.Split, ...]
    families: tuple[model.Family, ...]
    profile: model.Profile
    shares: tuple[model.Shares, ...]
    identities: tuple[model.Identity, ...]
    names: tuple[model.Name, ...]
    ambiguous_names: tuple[model.AmbiguousName, ...]
    measures: tuple[LibraryMeasure, ...]
    example_data: tuple[model.ExampleData, ...]
    examples: tuple[model.Example, ...]
    studies: tuple[Words, ...]

    @cached_property
    def ids(self) -> Ids:
        """Concrete metric ids, ready to be looked up."""
        return Ids(self.metrics, self.notation, {row.id for row in self.rows if row.bounds})

    @cached_property
    def notation(self) -> Notation:
        """How parameters are written in ids."""
        return Notation(self.parameters)

    @cached_property
    def libraries(self) -> Libraries:
        """What outside libraries compute."""
        return Libraries(self.measures)

    def metric(self, metric_id: str) -> MetricId:
        """Resolve a concrete id such as `map@10/by_gold`; unknown: `UserError`."""
        return self.ids.resolve(metric_id)

    def find(self, metric_id: str) -> MetricId | None:
        """Resolve a concrete id, or answer None."""
        return self.ids.find(metric_id)

    def entry(self, template: str) -> model.Metric:
        """Give the metric of a template id such as `map@K`."""
        return self.ids.metrics[template]

    @cached_property
    def row_by_id(self) -> Mapping[str, model.Row]:
        """The key table by its rows' names."""
        return {row.id: row for row in self.rows}

    @cached_property
    def _statistic_by_id(self) -> Mapping[str, model.Statistic]:
        return {statistic.id: statistic for statistic in self.statistics}

    @cached_property
    def trap_by_id(self) -> Mapping[str, model.Trap]:
        """The traps by id."""
        return {trap.id: trap for trap in self.traps}

    def statistic(self, written: str) -> model.Statistic:
        """Give the statistic of a key's last part: `ci_low/post/percentile` is `ci_low`."""
        known = self._statistic_by_id
        found = known.get(written) or known.get(written.split("/", 1)[0])
        if found is None:
            raise UserError(f"“{written}” is not a statistic; known are {', '.join(known)}.")
        return found

    def range_of(self, key: str | Key, *, scored: bool = False) -> Range:
        """Say which values the key may take (section 11.1).

        `scored`: the curves are of a score, which has no bounds, and so have their thresholds.
        """
        metric, _, _, statistic = _parts(key)
        known = self._ranges.get((metric, statistic, scored))
        if known is None:
            known = self._range(metric, statistic, scored=scored)
            self._ranges[metric, statistic, scored] = known
        return known

    @cached_property
    def _ranges(self) -> dict[tuple[str, str, bool], Range]:
        """Ranges that were asked for: keys are many, metrics with a statistic are few."""
        return {}

    def _range(self, metric_id: str, statistic: str, *, scored: bool) -> Range:
        metric = self.metric(metric_id).metric
        own = self.ranges[metric.range]
        if scored and metric.kind == "threshold":
            own = Range(-math.inf, math.inf, or_inf=True)
        word = self.statistic(statistic).range
        if word == "metric":
            return own
        if word == "std":
            return Range(0.0, _largest_std(own), own.or_inf)
        if word == "difference":
            width = own.high - own.low
            return Range(-max(width, 2.0), max(width, 2.0))
        return ANY if word == "any" else self.ranges[word]

    def kind_of(self, key: str | Key) -> str:
        """Say what the key holds: `integer`, `float` or `threshold` (float or inf)."""
        metric, _, _, statistic = _parts(key)
        known = self._kinds.get((metric, statistic))
        if known is None:
            kind = self.statistic(statistic).kind
            known = self.metric(metric).metric.kind if kind == "metric" else kind
            self._kinds[metric, statistic] = known
        return known

    @cached_property
    def _kinds(self) -> dict[tuple[str, str], str]:
        """Kinds that were asked for, as of ranges."""
        return {}

    def describe(self, key: str | Key) -> str:
        """Say in one plain sentence what the key is."""
        key = _key(key)
        found = self.metric(key.metric)
        statistic = self.statistic(key.statistic).text
        detail = key.statistic.partition("/")[2]
        if key.statistic == "std/population":
            detail = ""
        said = f"{statistic} ({detail.replace('/', ', ')})" if detail else statistic
        where = " ".join(filter(None, [self._population(key.population), self._slice(key.slice)]))
        what = found.in_words(found.definition.rstrip("."))
        what = what[0].lower() + what[1:] if what[:2].istitle() else what
        bound = {
            "tie_low": ", in the worst order of ties",
            "tie_high": ", in the best order of ties",
        }
        subject = f"{key.metric}: " if said == "value" else f"{key.metric}, {said}: "
        return f"{subject}{what}{bound.get(found.bound, '')}; over {where}."

    def _population(self, written: str) -> str:
        for population in self.populations:
            if population.id == written:
                return population.text
        known = ", ".join(p.id for p in self.populations)
        raise UserError(f"“{written}” is not a population; known are {known}.")

    def _slice(self, written: str) -> str:
        name, _, value = written.partition("=")
        for part in self.slices:
            if part.id == name:
                return part.text.format(unescape(value))
        if DECLARED.fullmatch(name):
            kind = "NAME=value" if "=" in written else "NAME"
            text = next(part.text for part in self.slices if part.id == kind)
            return text.format(unescape(value), name=name)
        known = ", ".join(part.id for part in self.slices)
        raise UserError(f"“{written}” is not a slice; known are {known}.")

    def words(self, facts: Mapping[str, Any]) -> Words:
        """Give the words for data with these facts: those of the first kind that they are of."""
        return next(study for study in self.studies if study.about(facts))

    def example(self, template: str) -> model.Example | None:
        """Give the worked example of a metric."""
        return next((e for e in self.examples if e.metric == template), None)

    def data_of(self, example: model.Example) -> model.ExampleData:
        """Give the data set that an example is about."""
        return next(data for data in self.example_data if data.id == example.data)

    def conflicts_about(self, template: str) -> tuple[model.Conflict, ...]:
        """Give the conflicts that concern a metric."""
        return tuple(c for c in self.conflicts if template == c.metric or template in c.metrics)

    def positions(self, conflict: model.Conflict) -> tuple[tuple[str, str], ...]:
        """Give (source, what it says) for a conflict."""
        if conflict.metric:
            says = self.entry(conflict.metric).says
            return tuple((saying.source, saying.text) for saying in says)
        return tuple((position.source, position.says) for position in conflict.positions)

    @cached_property
    def targets(self) -> Mapping[str, model.Target]:
        """The advisory targets of section 11.8 by metric id."""
        targets = ((metric, metric.target) for metric in self.metrics)
        return {self._at(metric, target.at): target for metric, target in targets if target}

    @cached_property
    def reference_ranges(self) -> Mapping[str, model.ReferenceRange]:
        """The ranges of S1 7 by concrete metric id."""
        ranges = ((metric, metric.reference) for metric in self.metrics)
        return {self._at(metric, known.at): known for metric, known in ranges if known}

    def _at(self, metric: model.Metric, value: str) -> str:
        return self.notation.fill(metric.id, dict.fromkeys(self.notation.symbols(metric.id), value))


def _parts(key: str | Key) -> tuple[str, str, str, str]:
    if isinstance(key, str):
        return parts(key)
    return key.metric, key.population, key.slice, key.statistic


def _key(key: str | Key) -> Key:
    return Key.parse(key) if isinstance(key, str) else key


def _largest_std(own: Range) -> float:
    width = own.high - own.low
    # Two values at the ends of [−1, 1] have the std √2, the contract's bound for all shares.
    return max(width / math.sqrt(2), math.sqrt(2))
