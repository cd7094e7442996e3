"""Every interval that an engine's sums suffice for, and why not the others."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from crosscheck.contract import headline_keys, intervals_owed
from crosscheck.engine.intervals import ends, families, matrices, probabilities
from crosscheck.engine.intervals.groups import GROUPS, Grouping, group
from crosscheck.engine.intervals.rankings import TOO_MANY, Rankings
from crosscheck.engine.intervals.replicates import Sample, average, samples
from crosscheck.engine.slices import Slices, within
from crosscheck.engine.table import open_table
from crosscheck.model.key import Key, escape

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from crosscheck.engine.base import Engine
    from crosscheck.engine.intervals.families import Family
    from crosscheck.engine.intervals.replicates import Draws
    from crosscheck.engine.table import Table

IN_ORDER = (
    "it needs all rows of a resample in the order of their scores: it is no sum over groups of "
    "rows; the sample has its interval"
)
SEEDS = "seeds are not drawn by an engine: intervals by seed are of data that fit"


@dataclass
class Drawn:
    """What was drawn: interval keys and their values."""

    ledger: dict[str, float] = field(default_factory=dict)
    flags: set[str] = field(default_factory=set)
    """Keys whose BCa fell back to the percentile interval."""
    declined: dict[str, str] = field(default_factory=dict)
    units: dict[str, str] = field(default_factory=dict)
    """Unit → what was resampled, in words."""
    samples: dict[str, dict[str, Sample]] = field(default_factory=dict)
    """Unit → base key → replicates and deletions."""


def draw(
    engine: Engine,
    files: list[str],
    settings: Mapping[str, Any],
    facts: Mapping[str, Any],
    draws: Draws,
    *,
    groups: int | None = None,
    told: Callable[[str], None] | None = None,
) -> Drawn:
    """Draw every interval of data that an engine has evaluated: `facts` are its own."""
    table = open_table(engine, files, settings)
    if facts["grade_max"] is not None:
        table = replace(table, settings={**table.settings, "grade_max": facts["grade_max"]})
    job = _Job(table, facts, draws, groups or GROUPS, told or (lambda _: None))
    found = Drawn()
    if "posts" in facts["families"]:
        job.by_post(found)
    job.by_query(found)
    _settle(found, job.slices, facts, settings)
    for key in intervals_owed(facts, settings):
        if key not in found.ledger:
            unit = key.rpartition("|")[2].split("/")[1]
            metric = key.partition("|")[0]
            why = SEEDS if unit == "seed" else job.declined.get(metric, IN_ORDER)
            found.declined[key] = why
    return found


class _Job:
    def __init__(
        self,
        table: Table,
        facts: Mapping[str, Any],
        draws: Draws,
        groups: int,
        told: Callable[[str], None],
    ) -> None:
        self.table, self.facts, self.draws, self.groups = table, facts, draws, groups
        self.told = told
        self.declined: dict[str, str] = {}
        self.slices = Slices(
            seeds=tuple(facts["seeds"]),
            folds=tuple(facts["folds"]),
            criteria=tuple(facts["criteria"]),
            declared={
                name: (table.names[name], tuple(some)) for name, some in facts["slices"].items()
            },
        )
        asked = [Key.parse(one) for one in headline_keys(facts, table.settings)]
        self.metrics = {key.metric for key in asked}
        self.wanted = {key.slice for key in asked} - {"folds", "seeds"}
        if any(key.slice == "seeds" for key in asked):
            self.wanted |= {within(s, f) for s in self.slices.seeds for f in self.slices.folds}
        known = "ranking" in facts["families"]
        self.rankings = Rankings(table, sorted(self.metrics)) if known else None

    def by_post(self, found: Drawn) -> None:
        """Resample posts, or groups of them: whatever is a sum over posts."""
        self.told("intervals: groups of posts")
        grouping = group(self.table, "post", self.groups)
        found.units["post"] = grouping.text()
        every = [*self._counted(grouping), *self._ranked(grouping), *self._probable(grouping)]
        if "per_post" in self.facts["families"]:
            every.append(matrices.by_group(self.table, grouping, self.slices.criteria))
        for family in every:
            self._enter(found, "post", family, grouping)

    def by_query(self, found: Drawn) -> None:
        """Resample queries: by kinds where they have kinds, else by groups."""
        self.told("intervals: kinds of queries")
        exact = len(self.slices.seeds) <= 1
        found.units["query"] = "each query, by kinds"
        if exact:
            columns = families.decided(self.table), families.evidence(self.table)
            kinds = [families.by_kind(self.table, one) for one in columns if one[1]]
            if self.rankings is not None:
                kinds.append(self.rankings.by_kind(self.facts["queries"]["all_queries"]))
            for family in kinds:
                self._enter(found, "query", family, None)
        if exact and "calibration" not in self.facts["families"]:
            return
        grouping = group(self.table, "query", self.groups)
        parts = self._probable(grouping)
        if not exact:
            parts = [*self._counted(grouping), *self._ranked(grouping), *parts]
        for family in parts:
            self._enter(found, "query", family, grouping)
        probable = f"{grouping.text()} for probabilities"
        found.units["query"] = f"each query, by kinds; {probable}" if exact else grouping.text()

    def _counted(self, grouping: Grouping) -> list[Family]:
        columns = families.decided(self.table), families.evidence(self.table)
        return [families.by_group(self.table, grouping, one) for one in columns if one[1]]

    def _ranked(self, grouping: Grouping) -> list[Family]:
        if self.rankings is None:
            return []
        if self.rankings.too_many:
            self.declined |= dict.fromkeys(self.rankings.names, TOO_MANY)
            return []
        return [self.rankings.by_group(grouping)]

    def _probable(self, grouping: Grouping) -> list[Family]:
        there = "calibration" in self.facts["families"]
        return [probabilities.by_group(self.table, grouping)] if there else []

    def _enter(self, found: Drawn, unit: str, family: Family, grouping: Grouping | None) -> None:
        kept = {name: one for name, one in family.formulas.items() if name in self.metrics}
        asked = replace(family, formulas=kept)
        drawn = samples(asked, self.slices, self.wanted, self.draws, grouping)
        held = found.samples.setdefault(unit, {})
        held |= {f"{metric}|{label}": one for (metric, label), one in drawn.items()}


def _settle(
    found: Drawn, slices: Slices, facts: Mapping[str, Any], settings: Mapping[str, Any]
) -> None:
    """Make the intervals of the base keys, those over folds and seeds included."""
    owed = set(intervals_owed(facts, settings))
    for unit, parts in found.samples.items():
        settled: dict[str, Sample] = {}
        for text in headline_keys(facts, settings):
            key = Key.parse(text)
            one = _over(parts, key, slices)
            stem = f"{text.rpartition('|')[0]}|ci_low/{unit}/percentile"
            if one is not None and stem in owed:
                settled[text] = one
                _enter_ends(found, text, unit, one)
        found.samples[unit] = settled


def _over(parts: Mapping[str, Sample], key: Key, slices: Slices) -> Sample | None:
    """Look a number up, or average it over folds, or over seeds."""
    labels = _labels(key, slices)
    some = [parts.get(f"{key.metric}|{label}") for label in labels]
    there = [one for one in some if one is not None]
    if len(there) < len(labels) or not there:
        return None
    return there[0] if len(there) == 1 else average(there)


def _labels(key: Key, slices: Slices) -> list[str]:
    if key.slice == "folds":
        return [f"fold={fold}" for fold in slices.folds]
    if key.slice != "seeds":
        return [key.slice]
    if slices.folds:
        return [within(seed, fold) for seed in slices.seeds for fold in slices.folds]
    return [f"seed={escape(seed)}" for seed in slices.seeds]


def _enter_ends(found: Drawn, text: str, unit: str, one: Sample) -> None:
    stem = text.rpartition("|")[0]
    plain = ends.plain(one.replicates)
    corrected = ends.corrected(one.estimate, one.replicates, *one.deletions())
    for at, end in enumerate(("ci_low", "ci_high")):
        found.ledger[f"{stem}|{end}/{unit}/percentile"] = plain[at]
        key = f"{stem}|{end}/{unit}/bca"
        found.ledger[key] = (corrected or plain)[at]
        if corrected is None:
            found.flags.add(key)
