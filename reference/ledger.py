"""The ledger: every key that the contract owes, family by family, as section 13 lists them."""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

from reference import (
    aggregate,
    calibration,
    classification,
    dynamic_k,
    multilabel,
    ranking,
    states,
)
from reference.study import DECISION, LABEL, STATE, escaped
from reference.values import Exact, ratio, rounded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from reference.study import Query, Study

    Entries = Iterable[tuple[str, str, str, Exact]]
    Measure = Callable[[Sequence[Query]], Entries]


class Family(NamedTuple):
    """What a family is measured by, on which slices, and which of its metrics are owed besides.

    An asterisk among the slices: without `all`. Of the headline metrics (section 10) a name that
    ends in @ stands for every value of its parameter.
    """

    name: str
    slices: str
    measure: Callable[[Sequence[Query], Study], Entries]
    headline: tuple[str, ...] = ()
    per_criterion: tuple[str, ...] = ()


# Section 3 and the γ sweep, which work something out first, are added in `measures`.
FAMILIES = (
    Family(
        "curves",
        "fold criterion view",
        classification.curves,
        headline=("auroc", "auprc", "tpr@"),
        per_criterion=("auroc", "auprc"),
    ),
    Family(
        "calibration",
        "fold criterion view",
        calibration.calibration,
        headline=("ece@10", "brier"),
    ),
    Family("calibration", "", calibration.reliability),
    Family(
        "confusion",
        "fold criterion view",
        classification.confusion,
        headline=classification.RATES,
        per_criterion=("sensitivity", "precision"),
    ),
    Family("pairs", "fold view", classification.pairs),
    Family("tuned", "fold *", classification.tuned),
    Family("dynamic_k", "fold state has_evidence view", dynamic_k.k),
    Family("dynamic_k", "state has_evidence", dynamic_k.histogram),
    Family("dynamic_k", "fold view", dynamic_k.average_k),
    Family(
        "dynamic_k",
        "fold criterion view",
        dynamic_k.evidence,
        headline=("evidence_recall", "evidence_precision"),
    ),
    Family("dynamic_k", "fold view", dynamic_k.evidence_all),
    Family("dynamic_k", "fold view", dynamic_k.pooled),
    Family("k_bounds", "fold view", dynamic_k.bounds),
    Family("deployment", "fold view", dynamic_k.deployment),
    Family("states", "fold view", states.states, headline=states.RATES),
    Family("grid", "fold *", states.grid),
    Family("per_post", "fold", multilabel.per_post),
)


def queries(rows: Sequence[Query], study: Study) -> Iterator[tuple[str, str, str, int]]:
    """Yield how many queries stand behind a number."""
    yield "queries", "all_queries", "n", len(rows)
    yield "queries", "positives_only", "n", sum(query.positive for query in rows)
    if DECISION in study.known:
        yield "queries", "predicted_positive", "n", sum(query.pred or 0 for query in rows)


def criterion_counts(rows: Sequence[Query]) -> Iterator[tuple[str, str, str, Exact]]:
    """Yield section 9's counts."""
    labels = [query.label or 0 for query in rows]
    yield "n_queries", "all_queries", "value", len(labels)
    yield "n_positive", "all_queries", "value", sum(labels)
    yield "positive_rate", "all_queries", "value", ratio(sum(labels), len(labels))


def measures(study: Study) -> Iterator[tuple[str, Measure]]:
    """Yield the slices and the measure of every family that the data suffices for."""
    metrics = ranking.named(study.settings)
    yield "fold criterion state view", partial(queries, study=study)
    if study.has("ranking"):
        worked = ranking.table(study.queries, metrics)
        yield "fold criterion state view", partial(ranking.measure, worked=worked)
    if study.has("ties"):
        yield "", partial(ranking.tie_bounds, metrics=metrics)
    for family in FAMILIES:
        if study.has(family.name):
            yield family.slices, _with(study, family.measure)
    if study.has("gamma"):
        swept = {query.row: dynamic_k.swept(query, study.settings) for query in study.queries}
        yield "fold", partial(dynamic_k.sweep, swept_by_row=swept, study=study)


def _with(study: Study, measure: Callable[[Sequence[Query], Study], Entries]) -> Measure:
    return lambda rows: measure(rows, study)


def per_criterion(study: Study) -> dict[str, tuple[str, str]]:
    """Return section 9's metrics, counts apart, with population and statistic."""
    values = [metric for family in FAMILIES for metric in family.per_criterion]
    return {
        **dict.fromkeys([*values, "positive_rate"], ("all_queries", "value")),
        **dict.fromkeys(ranking.per_criterion(study.settings), ("positives_only", "mean")),
    }


def exact(study: Study) -> dict[str, Exact]:
    """Return every value before the one last rounding."""
    ledger: dict[str, Exact] = {}
    sliced = cache(lambda kinds: list(study.slices(kinds.split(), study.queries)))
    for kinds, measure in measures(study):
        for name, rows in sliced(kinds):
            if name == "all" and "*" in kinds:
                continue
            for metric, population, statistic, value in measure(rows):
                ledger[f"{metric}|{population}|{name}|{statistic}"] = value
    if study.has("per_criterion"):
        for name, rows in study.slices(["criterion"], study.queries):
            for metric, population, statistic, value in criterion_counts(rows):
                if name != "all" or metric == "positive_rate":
                    ledger[f"{metric}|{population}|{name}|{statistic}"] = value
        criteria = [escaped(criterion) for criterion in study.criteria]
        ledger.update(aggregate.over_criteria(ledger, per_criterion(study), criteria))
    ledger.update(aggregate.over_folds(ledger, study.folds))
    return ledger


def per_query(study: Study) -> dict[str, list[Any]]:
    """Return the values behind the ledger, one row per EVAL query in file order."""
    rows, known = study.queries, study.known
    found: dict[str, list[Any]] = {}
    for column, name in (("post_id", "post"), ("criterion_id", "criterion"), ("query_id", "name")):
        if column in known:
            found[column] = [getattr(query, name) for query in rows]
    if "fold" in known:
        found["fold"] = [query.fold for query in rows]
    if study.has("ranking"):
        found.update(_ranking_columns(study))
    if study.has("dynamic_k"):
        found["evidence_recall"] = [rounded(dynamic_k.recall(query)) for query in rows]
        found["evidence_precision"] = [rounded(dynamic_k.precision(query)) for query in rows]
        found["k"] = [dynamic_k.size(query) for query in rows]
    if "prob" in known:
        found["prob"] = [float(query.prob or 0) for query in rows]
    if DECISION in known:
        found["pred"] = [query.pred for query in rows]
    if STATE in known:
        found["state"] = [query.state for query in rows]
    if LABEL in known:
        found["has_evidence"] = [query.label for query in rows]
    return found


def _ranking_columns(study: Study) -> dict[str, list[float]]:
    shapes = [ranking.shape(query) for query in study.queries]
    metrics = ranking.named(study.settings)
    worked = {seen: ranking.values(seen, metrics) for seen in dict.fromkeys(shapes)}
    return {name: [float(worked[s][name]) for s in shapes] for name in metrics}
