"""The auditor's magnifying glass: how one key, or the numbers of one query, come about.

Everything here is computed by the same functions as the ledger; it only shows what they counted.
"""

from __future__ import annotations

import math
from collections import Counter
from decimal import Decimal
from fractions import Fraction
from itertools import groupby
from typing import TYPE_CHECKING, Any

from reference import (
    calibration,
    classes,
    classification,
    dynamic_k,
    ledger,
    multilabel,
    ranking,
    states,
    ties,
)
from reference.aggregate import tally
from reference.errors import DataError, Problem
from reference.states import gate
from reference.study import STATES, escaped
from reference.values import KEPT, as_decimal, ratio, rounded

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from reference.study import Query, Study
    from reference.values import Exact, Value

OF_DECISIONS = {
    *classification.RATES, *classification.FURTHER, *classification.Confusion._fields,
    "auroc/decisions",
}  # fmt: skip
OF_CALIBRATION = {"ece", "mce", "reliability", "brier", "brier/skill", "log_loss"}
OF_CURVE = {"gini", "max_f1", "threshold@max_f1"}
STATE_METRICS = {*states.RATES, "n_neg", "n_uncertain", "n_pos"}
ZERO = Decimal(0)
KINDS = ("fold", "criterion", "state", "has_evidence", "view")


def number(value: Exact) -> dict[str, Any]:
    """Show a value as a fraction where it is one, to 50 digits, and as the ledger rounds it."""
    if value == math.inf:
        return {"value": "inf"}
    shown: dict[str, Any] = {"value": rounded(value)}
    if isinstance(value, Fraction | int):
        shown["fraction"] = str(value)
    if isinstance(value, Fraction | Decimal):
        shown["decimal"] = str(KEPT.plus(as_decimal(value)))
    return shown


def key(study: Study, name: str) -> dict[str, Any]:
    """Show one key: its exact value and every count behind it."""
    whole = ledger.exact(study)
    if name not in whole:
        metric, _, _ = name.partition("|")
        near = [known for known in whole if known.partition("|")[0] == metric]
        remedy = f"Try {', '.join(near[:3])}" if near else "Run without --key for every key"
        raise DataError([Problem(f"the ledger has no key {name!r}", remedy)])
    return key_of(study, whole, name)


def key_of(study: Study, whole: Mapping[str, Exact], name: str) -> dict[str, Any]:
    """Show one key of a ledger that is at hand."""
    metric, population, where, _ = name.split("|")
    shown = {"key": name, **number(whole[name])}
    over: dict[str, tuple[str, Sequence[object]]] = {
        "folds": ("fold", study.folds),
        "criteria": ("criterion", study.criteria),
        "seeds": ("seed", study.seeds),
        **{name: (name, parts) for name, parts in study.parts.items()},
    }
    if where in over:
        kind, members = over[where]
        parts = [f"{kind}={escaped(str(member))}" for member in members]
        shown["from"] = {
            other: number(whole[other])
            for part in (*parts, "all")
            for statistic in ("mean", "value")
            if (other := f"{metric}|{population}|{part}|{statistic}") in whole
        }
        return shown
    rows = _rows(study, where)
    if population == "tune_queries":
        rows = [query for query in study.tune if query.fold == rows[0].fold]
    shown["counts"] = {"queries": len(rows), "positives": sum(query.positive for query in rows)}
    shown["counts"] |= _counts(study, metric, population, rows)
    return shown


def _rows(study: Study, where: str) -> list[Query]:
    """Return the rows of a slice; those of a class are all of them."""
    seeds = {f"seed={escaped(seed)}": seed for seed in study.seeds}
    if where in seeds:
        return list(study.of_seed(seeds[where]).queries)
    return dict(study.slices(KINDS, study.queries)).get(where, list(study.queries))


def _counts(study: Study, metric: str, population: str, rows: list[Query]) -> dict[str, Any]:
    """Return what was counted for this metric on these rows."""
    base, _, at = metric.partition("@")
    some = [q for q in rows if q.positive] if population == "positives_only" else rows
    if study.of_classes:
        return _by_class(study, rows)
    if base.startswith("deployment_"):
        decided = ((q.label or 0, int(bool(q.pred and q.selected))) for q in rows)
        return classification.confused(decided)._asdict()
    if metric in OF_DECISIONS or base == "f_beta":
        return classification.confused((q.label or 0, q.pred or 0) for q in rows)._asdict()
    if "fpr=" in at or metric in OF_CURVE or base.partition("/")[0] in {"auroc", "auprc"}:
        return _of_curve(study, metric, population, rows)
    if metric in STATE_METRICS or at.startswith("tau="):
        return _of_states(at, rows)
    if base in OF_CALIBRATION:
        return _of_calibration(base, at, rows)
    if at.startswith("gamma="):
        return _of_gamma(study, Decimal(at.removeprefix("gamma=")), some)
    if population == "posts":
        posts = multilabel.posts_of(rows)
        pooled = classification.confused(cell for post in posts for cell in post.cells)
        return {"posts": len(posts), **pooled._asdict()}
    return _by_value(study, metric, some)


def _of_gamma(study: Study, gamma: Decimal, some: Sequence[Query]) -> dict[str, Any]:
    place = study.settings.gamma.index(gamma)
    swept = list(dynamic_k.swept(some, study.settings))
    gold = [len(query.gold or ()) for query in some]
    recalls = [ratio(each.found[place], n) for each, n in zip(swept, gold, strict=True)]
    by_k = _tallied(each.k[place] for each in swept)
    return {"queries_by_k": by_k, "queries_by_recall": _tallied(recalls)}


def _of_states(at: str, rows: Sequence[Query]) -> dict[str, Any]:
    if not at:
        return _by_state(Counter((query.state, query.label or 0) for query in rows))
    low, high = map(Decimal, at.removeprefix("tau=").split(","))
    return _by_state(Counter((gate(q.prob or ZERO, low, high), q.label or 0) for q in rows))


def _of_calibration(base: str, at: str, rows: Sequence[Query]) -> dict[str, Any]:
    pairs = calibration.labelled(rows)
    if base in {"brier", "brier/skill"}:
        return {"sum_of_squares": str(calibration.brier(pairs) * len(pairs))}
    if base == "log_loss":
        return {"ruled_out": sum(not prob for prob in calibration.told(pairs))}
    count, _, variant = at.partition("/")
    if variant == "equal_mass":
        bins = enumerate(pairs.of_mass(int(count)))
        return {f"bin={j}": _bin(each) for j, each in bins if each.n}
    half_open, closed = pairs.of_width(int(count))
    ones = closed[-1].n - half_open[-1].n
    return {**{f"bin={j}": _bin(each) for j, each in enumerate(closed)}, "with p = 1": ones}


def _by_value(study: Study, metric: str, some: list[Query]) -> dict[str, Any]:
    """Return how many queries have which value of a metric that is a mean of them."""
    plain, _, bound = metric.partition("/tie_")
    plain = ranking.GMAP_OF if plain == ranking.GMAP else plain
    metrics = ranking.owed(study, "ties" if bound else "ranking")
    if bound:
        ends = ties.tie_ends(some, {plain: metrics[plain]})[plain][bound == "high"]
        return {"with_ties": sum(q.tied for q in some), "queries_by_value": _tallied(ends)}
    if plain in metrics:
        asked = {plain: metrics[plain]}
        found = (ranking.values(ranking.shape(query), asked)[plain] for query in some)
        return {"queries_by_value": _tallied(found)}
    if plain in {"evidence_recall", "evidence_precision"}:
        single = dynamic_k.recall if plain == "evidence_recall" else dynamic_k.precision
        return {"queries_by_value": _tallied(map(single, some))}
    passed = [query for query in some if query.pred]
    return {
        "passed": len(passed),
        "queries_by_k": _tallied(map(dynamic_k.size, some)),
        "passed_by_k": _tallied(map(dynamic_k.size, passed)),
        "gold": sum(len(query.gold or ()) for query in some),
        "gold_of_passed": sum(len(query.gold or ()) for query in passed),
        "gold_selected": sum(each.found for each in some),
        "gold_returned": sum(each.found for each in passed),
    }


def _tallied(values: Iterable[Value | int]) -> dict[str, int]:
    return {str(value): count for value, count in tally(values)}


def _by_state(seen: Counter[tuple[str | None, int]]) -> dict[str, Any]:
    return {s: {"without_evidence": seen[s, 0], "with_evidence": seen[s, 1]} for s in STATES}


def _of_curve(study: Study, metric: str, population: str, rows: list[Query]) -> dict[str, Any]:
    tuned = metric.endswith("/tuned")
    chosen = [q for q in study.tune if q.fold == rows[0].fold] if tuned else rows
    if population == "pairs":
        points = classification.candidate_curve(rows)
    else:
        points = classification.of_gate(chosen)
    sizes = {"labelled_1": points[-1].tp, "labelled_0": points[-1].fp}
    if metric in {"auroc", "auroc/strict", "gini"}:
        won, tied = classification.pairs_won(points)
        return {**sizes, "pairs_won": won, "pairs_tied": tied}
    if metric.startswith(("auprc", "auroc/partial")):
        return {**sizes, "thresholds": [_point(point) for point in points]}
    if metric in OF_CURVE:
        threshold = classification.best_f1(points)[1]
        best = next(point for point in points if point.threshold == threshold)
        return {**sizes, "chosen": _point(best)}
    alpha = Fraction(metric.partition("fpr=")[2].partition("%")[0])
    inside = classification.within(points, alpha)
    last = metric.endswith("/last_index")
    point = inside[-1] if last else classification.best_point(points, alpha)
    found = {**sizes, "thresholds_within_budget": len(inside), "chosen": _point(point)}
    if tuned:
        decided = ((q.label or 0, int((q.score or 0) >= point.threshold)) for q in rows)
        return {"on_TUNE": found, "on_EVAL": classification.confused(decided)._asdict()}
    return found


def _bin(each: calibration.Bin) -> dict[str, Any]:
    return {"n": each.n, "labels": each.labels, "probs": str(each.probs)}


def _by_class(study: Study, rows: Sequence[Query]) -> dict[str, Any]:
    """Return how many rows of each true class were predicted as which."""
    counts = classes.Matrix(rows, study.classes).counts
    return {true: {p: counts[true, p] for p in study.classes} for true in study.classes}


def _point(point: classification.Point) -> dict[str, Any]:
    return {"threshold": str(point.threshold), "tp": point.tp, "fp": point.fp}


def query(study: Study, ids: Sequence[str]) -> Iterator[str]:
    """Yield, line by line, the ranking of a query and how each of its metrics comes about."""
    matches = [each for each in study.queries if each.key == tuple(ids)]
    if not matches:
        what = f"there is no EVAL query {'/'.join(ids)}"
        first = " ".join(study.queries[0].key)
        raise DataError([Problem(what, f"Give its ids as they stand in the file, such as {first}")])
    for each in matches:
        yield from _one(study, each)


def _one(study: Study, each: Query) -> Iterator[str]:
    fold = "" if each.fold is None else f", fold {each.fold}"
    yield f"query {'/'.join(each.key)}{fold} (row {each.row})"
    facts = {"has_evidence": each.label, "prob": each.prob, "pred": each.pred, "state": each.state}
    yield "  " + ", ".join(f"{k} = {v}" for k, v in facts.items() if v is not None)
    if not study.has("ranking"):
        return
    gold = each.gold or frozenset()
    yield f"  |R| = {len(each.ranking)}, |G| = {len(gold)}, gold at ranks {list(each.hits)}"
    grades, judged = dict(each.grades), frozenset(each.judged)
    for rank, uid in enumerate(each.ranking, 1):
        score = "" if each.scores is None else f"  score {each.scores[rank - 1]}"
        marks = ("  GOLD" if uid in gold else "") + (
            "  selected" if uid in (each.selected or ()) else ""
        )
        marks += f"  grade {grades[rank]}" if rank in grades and study.has("graded") else ""
        marks += "  judged" if rank in judged and uid not in gold else ""
        yield f"  {rank:>4}  {uid}{score}{marks}"
    for uid in sorted(gold - set(each.ranking)):
        yield f"     –  {uid}  GOLD, not among the candidates"
    yield from _ranked(study, ranking.shape(each))
    if study.has("dynamic_k"):
        hits, chosen = each.found, dynamic_k.size(each)
        yield f"  k = {chosen}"
        yield f"    evidence_recall = {hits} / {len(gold)} = {_short(dynamic_k.recall(each))}"
        yield f"    evidence_precision = {hits} / {chosen} = {_short(dynamic_k.precision(each))}"


def _ranked(study: Study, seen: ranking.Shape) -> Iterator[str]:
    """Yield the sums at every K, then each metric as numerator, denominator and value."""

    def parameter(item: tuple[str, tuple[ranking.Metric, Any]]) -> tuple[Any, ...]:
        metric, value = item[1]
        return metric.group, value

    for (group, k), members in groupby(ranking.owed(study).items(), parameter):
        metrics = dict(members)
        if group == ("ranking", "cuts"):
            inside = seen.within(k)
            sums = " + ".join(f"{n}/{rank}" for n, rank in enumerate(inside, 1)) or "0"
            gains = " + ".join(f"1/log2({rank + 1})" for rank in inside) or "0"
            yield f"  K = {'all' if k is None else k}: Σ P(i) = {sums}; DCG = {gains}"
        values = ranking.values(seen, metrics)
        for name, (metric, _) in metrics.items():
            above, below = metric.above(seen, k), metric.below(seen, k)
            yield f"    {name} = {_short(above)} / {_short(below)} = {_short(values[name])}"


def _short(value: Fraction | Decimal | int) -> str:
    return str(value) if isinstance(value, Fraction | int) else f"{value:.30f}"
