"""The keys owed by a data set (section 13): the third opinion beside both implementations.

Everything here follows from the key table in keys.toml, the facts of the data set and the settings
(docs/interface.md, *Facts* and *Settings*). Neither implementation calls it.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from crosscheck.contract.loader import load
from crosscheck.model.key import Key, escape, escape_class

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from crosscheck.contract.contract import Contract
    from crosscheck.contract.model import Headline, Metric, Row, Variant
    from crosscheck.contract.parameters import Parameter

PREDICTIONS = "predictions"
"""A family that facts and settings do not name: it is there iff predictions were counted."""
POSITIVES, NO_POSITIVES = "positives", "no_positives"
"""The same of positives, which data of classes do not have."""
COUNTED = {PREDICTIONS, POSITIVES, NO_POSITIVES}
SEED = "seed"


@dataclass(frozen=True, slots=True)
class _Owed:
    """One metric id in one row of the key table."""

    metric: str
    row: Row
    entry: Metric
    headline: Headline | None


def keys_owed(facts: Mapping[str, Any], settings: Mapping[str, Any] | None = None) -> list[str]:
    """List every key owed, without intervals, in the order of the contract."""
    slices = _slices(facts, settings or {})
    return [
        f"{owed.metric}|{population}|{part}|{statistic}"
        for owed in _all_owed(facts, settings or {})
        for population in owed.row.populations
        for part, statistic in _places(owed, slices)
    ]


def headline_keys(facts: Mapping[str, Any], settings: Mapping[str, Any] | None = None) -> list[str]:
    """List the base keys of the headline metrics: the numbers that intervals belong to."""
    slices = _slices(facts, settings or {})
    return [key for _, key in _headline(facts, settings or {}, slices)]


def intervals_owed(
    facts: Mapping[str, Any], settings: Mapping[str, Any] | None = None
) -> list[str]:
    """List every interval key owed."""
    rules = load().intervals
    slices = _slices(facts, settings or {})
    return [
        f"{key.rpartition('|')[0]}|{end}/{unit}/{method}"
        for headline, key in _headline(facts, settings or {}, slices)
        for unit in _units(facts)
        for method in _methods(unit, key, headline)
        for end in rules.statistics
    ]


def _units(facts: Mapping[str, Any]) -> list[str]:
    rules = load().intervals
    units = list(rules.units if "posts" in facts["families"] else rules.units[1:])
    return [*units, SEED] if len(facts.get("seeds", ())) > 1 else units


def _methods(unit: str, key: str, headline: Headline) -> tuple[str, ...]:
    """Name the methods by which a number has an interval of a unit; none: it has no such."""
    rules = load().intervals
    if unit == SEED:
        return rules.seed_methods if key.split("|")[2] in rules.seed_slices else ()
    return rules.methods if unit in (headline.units or rules.units) else ()


def not_owed(facts: Mapping[str, Any]) -> dict[str, str]:
    """Say for each family that is not owed which columns it lacks."""
    available = _available(facts)
    missing = facts.get("missing", {})
    return {
        family.id: f"{family.name}: not present, the data lacks "
        + (", ".join(missing.get(family.id, ())) or " and ".join(family.needs))
        for family in load().families
        if family.told and family.id not in available
    }


def decimal(number: float | str | Decimal) -> str:
    """Write a number as keys do: the decimal its shortest form shows, positional, no zeros."""
    value = Decimal(str(number)).normalize()
    return f"{value:f}"


def parameter_values(settings: Mapping[str, Any]) -> dict[str, list[str]]:
    """List the values of every parameter that the settings ask for, as keys write them."""
    values: dict[str, list[str]] = {}
    for parameter in load().parameters:
        if parameter.values == "grid":
            values[parameter.symbol] = _grid(settings, parameter.default)
        elif parameter.setting:
            given = settings.get(parameter.setting)
            listed = parameter.default if given is None else [decimal(number) for number in given]
            values[parameter.symbol] = _distinct([*listed, *parameter.always])
    return values


def settings_for(keys: Iterable[str], settings: Mapping[str, Any]) -> dict[str, Any]:
    """Give the settings that ask for these keys alone, and for the posts that are resampled.

    Where no value of a parameter is asked for, one stands for all: a list may not be empty.
    """
    families = {"posts"}
    values: dict[str, list[str]] = {}
    parsed = [Key.parse(key) for key in keys]
    for key in parsed:
        families |= _families(key)
        for symbol, value in load().metric(key.metric).parameters.items():
            values.setdefault(symbol, []).append(value)
    asked: dict[str, Any] = {**settings, "families": sorted(families)}
    for one in load().parameters:
        if one.setting and one.values != "grid":
            listed = [value for value in values.get(one.symbol, ()) if value not in one.always]
            few = _distinct(listed or one.default[:1])
            asked[one.setting] = [*map(int, few)] if one.values == "counting" else few
    if not any(key.slice.startswith("view=") for key in parsed):
        asked.pop("views", None)
    return asked


def _families(key: Key) -> set[str]:
    """Name the families that a key is of, as the setting `families` does."""
    found = load().metric(key.metric)
    kind = _kind(key.slice)
    needed = {
        family
        for row in _rows(load(), found.metric, found.variant)
        if key.population in row.populations and kind in row.slices
        if bool(row.bounds) == bool(found.bound)
        for family in row.needs
    }
    slices = {f"{kind}_slices"}.intersection(one.id for one in load().families)
    return (needed | slices) - COUNTED


def _kind(part: str) -> str:
    """Name the slice of the key table that a key's slice is one of; folds stand in its `fold`."""
    name, equals, _ = part.partition("=")
    if name in {"folds", "seeds"}:
        return "fold"
    if name in {one.id for one in load().slices}:
        return name
    return "NAME=value" if equals else "NAME"


def _grid(settings: Mapping[str, Any], default: Iterable[str]) -> list[str]:
    given = settings.get("grid") or {}
    sides = []
    for name, standard in zip(("tau_neg", "tau_pos"), default, strict=True):
        sides.append([decimal(number) for number in given.get(name, standard.split(","))])
    return _distinct(
        f"{low},{high}" for low in sides[0] for high in sides[1] if Decimal(low) <= Decimal(high)
    )


def _distinct(values: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(values))


def _available(facts: Mapping[str, Any]) -> set[str]:
    queries = facts["queries"]
    counted = {POSITIVES if queries["positives_only"] is not None else NO_POSITIVES}
    if queries["predicted_positive"] is not None:
        counted.add(PREDICTIONS)
    return counted.union(facts["families"])


def _slices(facts: Mapping[str, Any], settings: Mapping[str, Any]) -> dict[str, list[str]]:
    available = _available(facts)
    values = {part.id: part.values for part in load().slices}
    folds = [f"fold={fold}" for fold in facts["folds"]]
    criteria = [f"criterion={escape(str(criterion))}" for criterion in facts["criteria"]]
    views = [f"view={escape(name)}" for name in settings.get("views") or {}]
    states = values["state"] if "state_slices" in available else ()
    labels = values["has_evidence"] if "has_evidence_slices" in available else ()
    seeds = [f"seed={escape(seed)}" for seed in facts.get("seeds", ())]
    declared = facts.get("slices", {})
    return {
        "all": ["all"],
        "fold": folds,
        "folds": ["folds"] if folds else [],
        "criterion": criteria,
        "criteria": ["criteria"] if criteria else [],
        "state": [f"state={state}" for state in states],
        "has_evidence": [f"has_evidence={label}" for label in labels],
        "view": views if criteria else [],
        "class": [f"class={escape_class(one)}" for one in facts.get("classes", ())],
        "seed": seeds,
        "seeds": ["seeds"] if seeds else [],
        "NAME=value": [f"{name}={escape(one)}" for name in declared for one in declared[name]],
        "NAME": list(declared),
    }


def _all_owed(facts: Mapping[str, Any], settings: Mapping[str, Any]) -> Iterator[_Owed]:
    contract = load()
    available = _available(facts)
    values = parameter_values(settings)
    for metric in contract.metrics:
        meanings: list[Variant | None] = [None] if metric.bare else []
        for variant in [*meanings, *metric.variants]:
            for row in _rows(contract, metric, variant):
                if available.issuperset(row.needs) and not _of_one_seed(metric, row, facts):
                    yield from _in_row(metric, variant, row, values, facts)


def _of_one_seed(metric: Metric, row: Row, facts: Mapping[str, Any]) -> bool:
    """Tell a tuned threshold where every seed has its own."""
    return (
        metric.kind == "threshold" and row.needs == ("tuned",) and len(facts.get("seeds", ())) > 1
    )


def _rows(contract: Contract, metric: Metric, variant: Variant | None) -> Iterator[Row]:
    names = (variant.keys if variant else ()) or metric.keys
    for name in names:
        row = contract.row_by_id[name]
        if row.variants or variant is None:
            yield row


def _in_row(
    metric: Metric,
    variant: Variant | None,
    row: Row,
    values: Mapping[str, list[str]],
    facts: Mapping[str, Any],
) -> Iterator[_Owed]:
    template = f"{metric.id}/{variant.id}" if variant else metric.id
    headlined = metric.headline if variant is None or not metric.bare else variant.headline
    notation = load().notation
    for filled in _fillings(notation.of(template), values, facts):
        at = next((value for symbol, value in filled.items() if symbol in values), "")
        over = row.slices[0] in {"criteria", "NAME"}
        if over and metric.criteria_at and at not in metric.criteria_at:
            continue
        headline = headlined if headlined and at in (headlined.at or (at,)) else None
        written = notation.fill(template, filled)
        for name in [f"{written}/{bound}" for bound in row.bounds] or [written]:
            yield _Owed(name, row, metric, headline)


def _fillings(
    needed: Iterable[Parameter], values: Mapping[str, list[str]], facts: Mapping[str, Any]
) -> list[dict[str, str]]:
    filled: list[dict[str, str]] = [{}]
    for parameter in needed:
        filled = [
            {**others, parameter.symbol: value}
            for others in filled
            for value in _values(parameter, values, others, facts)
        ]
    return filled


def _values(
    parameter: Parameter,
    asked: Mapping[str, list[str]],
    others: Mapping[str, str],
    facts: Mapping[str, Any],
) -> Iterable[str]:
    """List the values of a parameter: those asked for, or those that the data have."""
    if parameter.listed:
        return map(escape_class, facts[parameter.listed])
    if parameter.fewer_than:
        most = len(facts[parameter.fewer_than])
        return [value for value in asked[parameter.symbol] if int(value) < most]
    return asked.get(parameter.symbol) or _numbers(parameter, others, facts)


def _numbers(
    parameter: Parameter, others: Mapping[str, str], facts: Mapping[str, Any]
) -> Iterator[str]:
    """Count the bins of a reliability diagram, the bars of the histogram of k."""
    end = int(others[parameter.below]) if parameter.below else (facts[parameter.up_to] or 0) + 1
    return map(str, range(end))


def _places(owed: _Owed, slices: Mapping[str, list[str]]) -> Iterator[tuple[str, str]]:
    for kind in owed.row.slices:
        for part in slices[kind]:
            yield from ((part, statistic) for statistic in owed.row.statistics)
    if _over_folds(owed):
        for part in (*slices["folds"], *slices["seeds"]):
            yield from ((part, statistic) for statistic in load().intervals.folds)


def _over_folds(owed: _Owed) -> bool:
    # Section 2: means and values, but neither counts nor thresholds, are averaged over folds.
    return "fold" in owed.row.slices and owed.row.base != "" and owed.entry.kind == "float"


def _headline(
    facts: Mapping[str, Any], settings: Mapping[str, Any], slices: Mapping[str, list[str]]
) -> Iterator[tuple[Headline, str]]:
    wanted = load().intervals.slices
    for owed in _all_owed(facts, settings):
        headline, population = owed.headline, owed.entry.population
        if headline is None or owed.row.bounds or population not in owed.row.populations:
            continue
        for kind in wanted:
            if kind in {"folds", "seeds"} and _over_folds(owed):
                statistic = "mean"
            elif kind in owed.row.slices:
                statistic = owed.row.base
            else:
                continue
            for part in slices[kind]:
                yield headline, f"{owed.metric}|{population}|{part}|{statistic}"
