"""What a metric is called in tables and figures: the contract's name, in its short written form.

`nDCG@10`, `MRR`, `TPR@5%FPR`, `Macro F1 (per post)`: names that the claims reader takes back to the
same metric, so that a paper made from our tables can be checked against them.
"""

from __future__ import annotations

import re
from functools import cache

from crosscheck import contract
from crosscheck.key import Key, unescape

LONGEST = 24
"""A contract name longer than this gives way to its short written form."""

_STATISTICS = {"mean": "", "value": "", "n": ""}
"""Statistics that go without saying."""


@cache
def name_of(metric_id: str) -> str:
    """Name a concrete metric id."""
    found = contract.load().metric(metric_id)
    parameters = dict(found.parameters)
    name = _written(found.metric.id, found.metric.name)
    if "K" in parameters:
        bare = _bare(found.metric.id) == f"{metric_id.split('/', 1)[0]}"
        name = name if bare else f"{name}@{parameters['K']}"
    elif "α" in parameters:
        name = f"{name}@{parameters['α']}%FPR"
    elif "M" in parameters and "j" in parameters:
        name = f"{name} {int(parameters['j']) + 1} of {parameters['M']}"
    elif "M" in parameters:
        bare = _bare(found.metric.id) == f"{metric_id.split('/', 1)[0]}"
        name = name if bare else f"{name}@{parameters['M']}"
    elif "γ" in parameters:
        name = f"{name.replace(' of the γ policy', '')} at γ = {parameters['γ']}"
    elif "τ" in parameters:
        low, high = parameters["τ"].split(",")
        name = f"{name.replace(' on the grid', '')} at τ = {low}, {high}"
    elif "j" in parameters:
        name = f"{name}: {parameters['j']}"
    labels = [found.variant.id if found.variant else "", found.bound]
    said = ", ".join(label.replace("_", " ") for label in labels if label)
    return f"{name} ({said})" if said else name


def base_name(metric_id: str) -> str:
    """Name a metric without its parameter and variant: a column that holds all of them."""
    metric = contract.load().metric(metric_id).metric
    name = _written(metric.id, metric.name)
    return name.replace(" of the γ policy", "").replace(" on the grid", "")


def meaning_of(metric_id: str, *, general: bool = False) -> str:
    """Say what a metric means, a variant how it is defined; `general`: for every K and α alike."""
    found = contract.load().metric(metric_id)
    text = found.definition if found.variant else found.metric.meaning
    if general:
        return text
    if found.parameters.get("K", "all") != "all":
        text = re.sub(r"\bK\b", found.parameters["K"], text)
    return text.replace("α", f"{found.parameters['α']} %") if "α" in found.parameters else text


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
