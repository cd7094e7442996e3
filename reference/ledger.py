"""The ledger: every key that the contract owes, family by family, as section 13 lists them."""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

from reference import (
    aggregate,
    calibration,
    classes,
    classification,
    dynamic_k,
    multilabel,
    ranking,
    states,
    tallies,
    ties,
)
from reference.study import DECISION, LABEL, STATE, escaped
from reference.values import Exact, ratio, rounded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from reference.study import Query, Study

    Entries = Iterable[tuple[str, str, str, Exact]]
    Measure = Callable[[Sequence[Query]], Entries]


class Family(NamedTuple):
    """What a family is measured by, on which slices, and which of its metrics are owed besides.

    An asterisk among the slices: without `all`. Of the headline metrics (section 10) a name that
    ends in @ stands for every value of its parameter; `brief` measures them alone, where that is
    much less work.
    """

    name: str
    slices: str
    measure: Callable[[Sequence[Query], Study], Entries]
    headline: tuple[str, ...] = ()
    per_criterion: tuple[str, ...] = ()
    brief: Callable[[Sequence[Query], Study], Entries] | None = None


def counts(rows: Sequence[Query], _study: Study) -> Entries:
    """Yield section 9's counts."""
    labels = [query.label or 0 for query in rows]
    yield "n_queries", "all_queries", "value", len(labels)
    yield "n_positive", "all_queries", "value", sum(labels)
    yield "positive_rate", "all_queries", "value", ratio(sum(labels), len(labels))


def positive_rate(rows: Sequence[Query], study: Study) -> Entries:
    """Yield what is owed of them on slice `all` too."""
    return (entry for entry in counts(rows, study) if entry[0] == "positive_rate")


# Section 3 and the γ sweep, which work something out first, are added in `measures`.
FAMILIES = (
    Family(
        "curves",
        "fold criterion view",
        classification.curves,
        headline=("auroc", "auprc", "tpr@"),
        brief=classification.brief_curves,
        per_criterion=("auroc", "auprc"),
    ),
    Family(
        "calibration",
        "fold criterion view",
        calibration.calibration,
        headline=("ece@10", "brier", "log_loss", "ece@10/equal_mass"),
        brief=calibration.brief,
    ),
    Family("calibration", "", calibration.reliability),
    Family(
        "confusion",
        "fold criterion view",
        classification.confusion,
        headline=(*classification.RATES, "accuracy", "kappa"),
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
        brief=dynamic_k.brief_evidence,
    ),
    Family("dynamic_k", "fold view", dynamic_k.evidence_all),
    Family("dynamic_k", "fold view", dynamic_k.pooled),
    Family("k_bounds", "fold view", dynamic_k.bounds),
    Family("deployment", "fold view", dynamic_k.deployment),
    Family("states", "fold view", states.states, headline=states.RATES),
    Family("grid", "fold *", states.grid),
    Family("per_post", "fold", multilabel.per_post),
    Family("per_criterion", "criterion *", counts),
    Family("per_criterion", "", positive_rate),
    Family("classes", "fold declared", classes.decisions, headline=classes.HEADLINE),
    Family("confusion_matrix", "fold declared", classes.matrix),
    Family("class_probs", "fold declared", classes.probabilities, headline=classes.HEADLINE_PROBS),
)
# Slices of the metrics of rankings, and of all metrics.
RANKED = "fold criterion state view"
KINDS = ("fold", "criterion", "declared", "state", "has_evidence", "view")


def queries(rows: Sequence[Query], study: Study) -> Iterator[tuple[str, str, str, int]]:
    """Yield how many queries stand behind a number."""
    yield "queries", "all_queries", "n", len(rows)
    if study.of_classes:
        return
    yield "queries", "positives_only", "n", sum(query.positive for query in rows)
    if DECISION in study.known:
        yield "queries", "predicted_positive", "n", sum(query.pred or 0 for query in rows)


def measures(study: Study) -> Iterator[tuple[str, Measure]]:
    """Yield the slices and the measure of every family that the data suffices for."""
    yield "fold declared" if study.of_classes else RANKED, partial(queries, study=study)
    metrics = ranking.owed(study)
    worked = tallies.table(study.queries if metrics else (), metrics)
    if metrics:
        yield RANKED, partial(tallies.measure, worked=worked)
        if ranking.GMAP_OF in metrics:
            yield RANKED, partial(tallies.measure_gmap, worked=worked)
    if study.has("ties"):
        tied = ranking.owed(study, "ties")
        known = worked.worked if tied.keys() == metrics.keys() else None
        yield "", partial(ties.tie_bounds, metrics=tied, worked_out=known)
    for family in FAMILIES:
        if study.has(family.name):
            yield family.slices, _with(study, family.measure)
    if study.has("gamma"):
        each = zip(study.queries, dynamic_k.swept(study.queries, study.settings), strict=True)
        swept = {query.row: found for query, found in each}
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


def _sliced(study: Study, only: Sequence[str] = KINDS) -> tuple[dict[str, Exact], set[str]]:
    """Return every value on the slices of these kinds; and which keys of `all` have folds too."""
    ledger: dict[str, Exact] = {}
    in_folds = set()
    sliced = cache(lambda kinds: list(study.slices(kinds, study.queries)))
    for kinds, measure in measures(study):
        words = kinds.split()
        for name, rows in sliced(tuple(kind for kind in words if kind in only)):
            if name == "all" and "*" in words:
                continue
            for metric, population, statistic, value in measure(rows):
                ledger[f"{metric}|{population}|{name}|{statistic}"] = value
                if "fold" in words:
                    in_folds.add(f"{metric}|{population}|{{}}|{statistic}")
    ledger.update(aggregate.over_folds(ledger, study.folds))
    return ledger, in_folds


def exact(study: Study) -> dict[str, Exact]:
    """Return every value before the one last rounding."""
    ledger, _ = _sliced(study)
    if study.has("classes"):
        ledger.update(classes.per_class(study))
    ledger.update(_over_parts(study, ledger))
    ledger.update(_over_seeds(study))
    return ledger


def _over_parts(study: Study, ledger: Mapping[str, Exact]) -> dict[str, Exact]:
    """Return macro and micro over criteria (section 9) and over declared slices (section 18)."""
    found: dict[str, Exact] = {}
    metrics: dict[str, tuple[str, str]] = {}
    if study.has("per_criterion"):
        metrics = per_criterion(study)
        criteria = [f"criterion={escaped(criterion)}" for criterion in study.criteria]
        if criteria:
            found.update(aggregate.over_parts(ledger, metrics, criteria, "criteria"))
        metrics["ndcg@10/graded"] = ("positives_only", "mean")
    if study.has("classes"):
        metrics |= dict.fromkeys(classes.PER_PART, ("all_queries", "value"))
    for name, members in study.parts.items():
        parts = [f"{name}={escaped(member)}" for member in members]
        found.update(aggregate.over_parts(ledger, metrics, parts, name))
    return found


def _over_seeds(study: Study) -> dict[str, Exact]:
    """Return every seed as a study of its own, and what they are over seeds (section 18)."""
    found: dict[str, Exact] = {}
    values: dict[str, list[Exact]] = {}
    for seed in study.seeds:
        own, in_folds = _sliced(study.of_seed(seed), ("fold",))
        for key, value in own.items():
            metric, population, where, statistic = key.split("|")
            if where == "all":
                found[f"{metric}|{population}|seed={escaped(seed)}|{statistic}"] = value
        for form in sorted(in_folds):
            metric, population, _, statistic = form.split("|")
            if aggregate.is_spread(metric, statistic):
                key = f"{metric}|{population}|folds|mean" if study.folds else form.format("all")
                values.setdefault(f"{metric}|{population}|seeds|", []).append(own[key])
    for name, by_seed in values.items():
        found.update({f"{name}{how}": value for how, value in aggregate.over(by_seed).items()})
    return found


def per_query(study: Study) -> dict[str, list[Any]]:
    """Return the values behind the ledger, one row per EVAL query in file order."""
    rows, known = study.queries, study.known
    found: dict[str, list[Any]] = {}
    for column, name in (("post_id", "post"), ("criterion_id", "criterion"), ("query_id", "name")):
        if column in known:
            found[column] = [getattr(query, name) for query in rows]
    if "seed" in known:
        found["seed"] = [query.seed for query in rows]
    if "fold" in known:
        found["fold"] = [query.fold for query in rows]
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
    metrics = ranking.owed(study)
    shapes = [ranking.shape(query) for query in study.queries] if metrics else []
    worked = {seen: ranking.values(seen, metrics) for seen in dict.fromkeys(shapes)}
    return {name: [float(worked[s][name]) for s in shapes] for name in metrics}
