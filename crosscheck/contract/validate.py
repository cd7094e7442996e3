"""Faults of the contract's own data: references that lead nowhere, words that nobody knows."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from crosscheck.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator

    from crosscheck.contract.contract import Contract
    from crosscheck.contract.libraries import LibraryMeasure
    from crosscheck.contract.model import Metric
    from crosscheck.contract.parameters import Parameter

KINDS = {"integer", "float", "threshold"}
DIRECTIONS = {"higher", "lower", "neither"}
IDENTITY_KINDS = {
    "equal", "le", "monotone", "falling", "bounds", "sum", "mean", "le_mean", "ratio", "harmonic",
    "mcc", "micro", "classes", "pooled", "matrix", "true",
}  # fmt: skip
CONDITIONS = {
    "", "negative_exists", "positive_exists", "query_exists", "every_passed_query_returns",
    "labels_agree", "both_exist", "grades_are_one",
}  # fmt: skip
VALUES = ("", "counting", "percent", "share", "inner share", "positive", "grid")
WITH_TOTAL = {
    "sum", "mean", "le_mean", "ratio", "harmonic", "mcc", "classes", "pooled", "matrix", "true",
}  # fmt: skip
WITH_OVER = {"ratio", "pooled"}


def faults(contract: Contract) -> list[str]:
    """Say everything that is wrong with the contract's data."""
    return [
        *_duplicates(contract),
        *(fault for metric in contract.metrics for fault in _metric(contract, metric)),
        *(fault for one in contract.parameters for fault in _parameter(contract, one)),
        *_sources(contract),
        *_key_table(contract),
        *_documents(contract),
        *_identities(contract),
        *_terms(contract),
        *_measures(contract),
        *_examples(contract),
    ]


def _duplicates(contract: Contract) -> Iterator[str]:
    groups: dict[str, Iterable[str]] = {
        "metric": (template for metric in contract.metrics for template in metric.templates),
        "parameter": (parameter.written for parameter in contract.parameters),
        "row": (row.id for row in contract.rows),
        "trap": (trap.id for trap in contract.traps),
        "document": (document.label for document in contract.documents),
        "conflict": (conflict.id for conflict in contract.conflicts),
        "decision": (decision.id for decision in contract.decisions),
        "identity": (identity.id for identity in contract.identities),
        "column": (column.name for column in contract.columns),
        "family": (family.id for family in contract.families),
        "statistic": (statistic.id for statistic in contract.statistics),
        "example": (example.metric for example in contract.examples),
    }
    for what, names in groups.items():
        for name, times in Counter(names).items():
            if times > 1:
                yield f"{what} {name} is defined {times} times"


def _metric(contract: Contract, metric: Metric) -> Iterator[str]:
    populations = {population.id for population in contract.populations}
    rows = set(metric.keys).union(*(variant.keys for variant in metric.variants))
    words: list[tuple[str, Iterable[str], Container[str]]] = [
        ("section", [metric.section], contract.sections),
        ("kind", [metric.kind], KINDS),
        ("direction", [metric.direction], DIRECTIONS),
        ("range", [metric.range], contract.ranges),
        ("trap", metric.traps, contract.trap_by_id),
        ("key table row", sorted(rows), contract.row_by_id),
        ("population", [metric.population], populations),
        ("parameter", contract.notation.undeclared(metric.id), ()),
    ]
    for what, used, known in words:
        for word in used:
            if word not in known:
                yield f"metric {metric.id}: {what} {word} does not exist"
    owed = [contract.row_by_id[name] for name in metric.keys if name in contract.row_by_id]
    if not any(metric.population in row.populations for row in owed):
        yield f"metric {metric.id}: {', '.join(metric.keys)} is not over {metric.population}"
    yield from _meanings(metric)


def _meanings(metric: Metric) -> Iterator[str]:
    variants = [variant.id for variant in metric.variants]
    for saying in metric.says:
        if saying.variant and saying.variant not in variants:
            yield f"metric {metric.id}: {saying.source} names the unknown variant {saying.variant}"
    for name in ["", *variants] if metric.bare else variants:
        if not metric.sources(name):
            yield f"metric {metric.id}: no source for {name or 'the plain meaning'}"


def _parameter(contract: Contract, one: Parameter) -> Iterator[str]:
    where = f"parameter {one.written}"
    if one.values not in VALUES or bool(one.values) != bool(one.setting):
        yield f"{where}: a setting needs values of {', '.join(filter(None, VALUES))}"
    if bool(one.setting) == one.of_the_data:
        yield f"{where}: give a setting, or where the data have its values"
    if one.below and one.below not in {other.symbol for other in contract.parameters}:
        yield f"{where}: parameter {one.below} does not exist"
    listed = () if one.values == "grid" else (*one.default, *one.always)
    for value in (one.shown, *listed):
        if not re.fullmatch(one.pattern, value):
            yield f"{where}: {value} is none of its values"


def _sources(contract: Contract) -> Iterator[str]:
    labels = {document.label for document in contract.documents} | {"C"}
    cited = [
        *((f"metric {m.id}", saying.source) for m in contract.metrics for saying in m.says),
        *((f"metric {m.id}, target", m.target.source) for m in contract.metrics if m.target),
        *((f"conflict {c.id}", p.source) for c in contract.conflicts for p in c.positions),
        *((f"statistic {s.id}", s.source) for s in contract.statistics),
        *((f"parameter {p.written}", p.source) for p in contract.parameters),
        *((f"shares of {s.of}", s.source) for s in contract.shares),
        *(("profile", source) for source in contract.profile.sources),
    ]
    for where, source in cited:
        label, _, section = source.partition(" ")
        if label not in labels or not section:
            yield f"{where}: source “{source}” is not a known label and a section"


def _key_table(contract: Contract) -> Iterator[str]:
    for row in contract.rows:
        words = (
            ("family", row.needs, contract.families),
            ("population", row.populations, contract.populations),
            ("slice", row.slices, contract.slices),
            ("statistic", row.statistics, contract.statistics),
        )
        for what, names, entries in words:
            for name in sorted(set(names) - {one.id for one in entries}):
                yield f"row {row.id}: {what} {name} does not exist"
    used_rows = {row for m in contract.metrics for row in m.keys}
    used_rows |= {row for m in contract.metrics for v in m.variants for row in v.keys}
    for row in contract.rows:
        if row.id not in used_rows:
            yield f"row {row.id}: no metric is in it"
    for statistic in contract.statistics:
        if statistic.range not in {"metric", "std", "difference", "any", *contract.ranges}:
            yield f"statistic {statistic.id}: range {statistic.range} does not exist"


def _documents(contract: Contract) -> Iterator[str]:
    labels = {document.label for document in contract.documents}
    if set(contract.precedence.order) != labels:
        yield "precedence: the order does not name every document once"
    known = {metric.id for metric in contract.metrics}
    for conflict in contract.conflicts:
        named = [conflict.metric] if conflict.metric else conflict.metrics
        for metric in sorted(set(named) - known):
            yield f"conflict {conflict.id}: metric {metric} does not exist"
        if bool(conflict.metric) == bool(conflict.positions):
            yield f"conflict {conflict.id}: give either a metric or positions"
    touched = {trap for m in contract.metrics for trap in m.traps}
    touched |= {trap for s in contract.statistics for trap in s.traps}
    for trap in contract.traps:
        if trap.id not in touched:
            yield f"trap {trap.id}: no metric or statistic is touched by it"
    for trap_id in sorted(touched - contract.trap_by_id.keys()):
        yield f"trap {trap_id} does not exist"


def _terms(contract: Contract) -> Iterator[str]:
    """Find names of metrics, wherever the data have one, that are none."""
    known = {template for metric in contract.metrics for template in metric.templates}
    totals = ((i, i.total) for i in contract.identities if i.total not in {"", "1"})
    named = [
        *((f"identity {i.id}", t) for i in contract.identities for t in (*i.terms, *i.over)),
        *((f"identity {i.id}", total) for i, total in totals),
        *((f"name {n.written[0]}", m) for n in contract.names for m in (n.metric, n.bare) if m),
        *(
            (f"ambiguous name {a.written[0]}", m)
            for a in contract.ambiguous_names
            for m in a.metrics
        ),
        *((_where(one), metric) for one in contract.measures for metric in one.metrics),
    ]
    for where, term in named:
        metric = term.partition("|")[0]
        if metric not in known and contract.find(metric) is None:
            yield f"{where}: {term} is no metric"


def _identities(contract: Contract) -> Iterator[str]:
    for identity in contract.identities:
        where = f"identity {identity.id}"
        if identity.kind not in IDENTITY_KINDS:
            yield f"{where}: kind {identity.kind} does not exist"
        if identity.condition not in CONDITIONS:
            yield f"{where}: condition {identity.condition} does not exist"
        if bool(identity.total) != (identity.kind in WITH_TOTAL):
            yield f"{where}: a total is needed by {sorted(WITH_TOTAL)} and by no other kind"
        if bool(identity.over) != (identity.kind in WITH_OVER):
            yield f"{where}: `over` belongs to a ratio, and a ratio needs it"


def _where(measure: LibraryMeasure) -> str:
    return f"measure {measure.call} of {measure.library}"


def _measures(contract: Contract) -> Iterator[str]:
    for measure in contract.measures:
        where = _where(measure)
        for metric in measure.metrics:
            values = re.findall(r"\{(.*?)\}", measure.call)
            for symbol in sorted(set(values) - set(contract.notation.symbols(metric))):
                yield f"{where}: {metric} has no {symbol}"
        if measure.differs and measure.unless:
            yield f"{where}: what always differs needs no `unless`"


def _examples(contract: Contract) -> Iterator[str]:
    known = {data.id for data in contract.example_data}
    told = {example.metric for example in contract.examples}
    for metric in contract.metrics:
        if metric.id not in told:
            yield f"metric {metric.id}: no worked example"
    for example in contract.examples:
        where = f"example {example.metric}"
        if example.metric not in {metric.id for metric in contract.metrics}:
            yield f"{where}: no such metric"
        if example.data not in known:
            yield f"{where}: data {example.data} does not exist"
        for key in example.answers:
            try:
                contract.describe(key)
            except UserError as error:
                yield f"{where}: {error}"
