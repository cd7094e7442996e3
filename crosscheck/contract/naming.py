"""What a metric is called in tables and figures: the contract's name, in its short written form.

`nDCG@10`, `MRR`, `TPR@5%FPR`, `Macro F1 (per post)`: names that the claims reader takes back to the
same metric, so that a paper made from our tables can be checked against them.
"""

from __future__ import annotations

from functools import cache

from crosscheck import contract
from crosscheck.model.key import Key, unescape

LONGEST = 24
"""A contract name longer than this gives way to its short written form."""

_STATISTICS = {"mean": "", "value": "", "n": ""}
"""Statistics that go without saying."""


@cache
def name_of(metric_id: str) -> str:
    """Name a concrete metric id."""
    found = contract.load().metric(metric_id)
    own = _own_name(found)
    name = own or base_name(metric_id)
    if found.written and _bare(found.metric.id) != metric_id.split("/", 1)[0]:
        last, value = found.written[-1]
        ordinal = int(value) + 1 if last.numbered else value
        shown = value.replace(",", ", ")
        name = last.named.format(name=name, value=shown, ordinal=ordinal, **found.parameters)
    labels = [found.variant.id if found.variant and not own else "", found.bound]
    said = ", ".join(label.replace("_", " ") for label in labels if label)
    return f"{name} ({said})" if said else name


def _own_name(found: contract.MetricId) -> str:
    """Give the name that people write for a variant, if it has one: `Graded nDCG`."""
    if found.variant is None or not (found.metric.bare or found.metric.family == "ranking"):
        return ""
    entry = _names().get(f"{found.metric.id}/{found.variant.id}")
    return "" if entry is None or "_" in entry.written[0] else entry.written[0]


def variant_name(metric_id: str) -> str:
    """Name a metric with its variant and without its parameter."""
    found = contract.load().metric(metric_id)
    variant = found.variant.id.replace("_", " ") if found.variant else ""
    name = base_name(metric_id)
    return _own_name(found) or (f"{name} ({variant})" if variant else name)


def base_name(metric_id: str) -> str:
    """Name a metric without its parameter and variant: a column that holds all of them."""
    found = contract.load().metric(metric_id)
    name = _written(found.metric.id, found.metric.name)
    for parameter, _ in found.written:
        name = name.replace(parameter.drops, "")
    return name


def meaning_of(metric_id: str, *, general: bool = False) -> str:
    """Say what a metric means, a variant how it is defined; `general`: for every K and α alike."""
    found = contract.load().metric(metric_id)
    text = found.definition if found.variant else found.metric.meaning
    return text if general else found.in_words(text)


def name_of_key(key: Key) -> str:
    """Name what a key states: the metric, and the statistic where it is not the plain one."""
    statistic = _STATISTICS.get(key.statistic, contract.load().statistic(key.statistic).text)
    return f"{name_of(key.metric)}, {statistic}" if statistic else name_of(key.metric)


def subset_of(key: Key) -> str:
    """Say which queries a key is about: its population, and its slice where it is not all."""
    name, _, value = key.slice.partition("=")
    if name in ("all", "folds"):
        return key.population
    return f"{key.population}, {name} {unescape(value)}".rstrip()


def _written(template: str, name: str) -> str:
    """Take the contract's name, or the first written form where a number follows or it is long."""
    entry = _names().get(template)
    if entry is None or ("@" not in template and len(name) <= LONGEST):
        return name
    return entry.written[0]


def _bare(template: str) -> str:
    entry = _names().get(template)
    return "" if entry is None else entry.bare


@cache
def _names() -> dict[str, contract.model.Name]:
    return {name.metric: name for name in contract.load().names}
