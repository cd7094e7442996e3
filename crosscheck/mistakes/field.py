"""Metrics of the field gone wrong (contract, sections 15 to 17): grades, judgements, classes."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

import numpy as np

from crosscheck.mistakes.formula import (
    Formula,
    cut_of,
    honest,
    named,
    of_keys,
    of_queries,
    of_rows,
)
from crosscheck.mistakes.ranking import ratio

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from crosscheck.data.rows import Floats, Mask, Rows
    from crosscheck.mistakes.bench import Bench
    from crosscheck.model.key import Key
    from crosscheck.model.ledgers import Number

    Grades = Sequence[int]
    OfGrades = Callable[[Grades, Grades, int | None], float]
    """Grades of the ranking in its order, those of the query, K → a value."""

GRADED = re.compile(r"ndcg@(?:all|\d+)/graded")


def _discounted(grades: Grades, discount: Callable[[int], float] | None = None) -> float:
    below = discount or (lambda rank: math.log2(rank + 1))
    return sum(grade / below(rank) for rank, grade in enumerate(grades, 1))


def _best(grades: Grades) -> Grades:
    return sorted(grades, reverse=True)


def _columns(bench: Bench, metric: str, formula: OfGrades) -> Floats | None:
    """Give a metric of grades as a formula makes it, query by query."""
    if not bench.has("graded", "grades"):
        return None
    rows = bench.rows
    values = []
    lists = (rows.lists(name) for name in ("candidates", "graded", "grades"))
    for ranking, uids, grades in zip(*lists, strict=True):
        known = {uid: int(grade) for uid, grade in zip(uids, grades, strict=True)}
        ordered = [known.get(uid, 0) for uid in ranking]
        values.append(formula(ordered, list(known.values()), cut_of(metric)))
    return np.array(values, dtype=np.float64)


def _of_grades(pattern: re.Pattern[str], formula: OfGrades) -> Formula:
    """Break the metrics of grades that the pattern names."""
    return of_queries(
        lambda bench, metric: (
            _columns(bench, metric, formula) if pattern.fullmatch(metric) else None
        )
    )


def _retrieved_ideal(ranked: Grades, _all: Grades, k: int | None) -> float:
    return ratio(_discounted(ranked[:k]), _discounted(_best(ranked)[:k]))


def _found_ideal(ranked: Grades, _all: Grades, k: int | None) -> float:
    return ratio(_discounted(ranked[:k]), _discounted(_best(ranked[:k])))


def _whole_ideal(ranked: Grades, grades: Grades, k: int | None) -> float:
    return ratio(_discounted(ranked[:k]), _discounted(_best(grades)))


def _raised(ranked: Grades, grades: Grades, k: int | None) -> float:
    """Let a document gain 2^g, so that one without a grade gains 1."""
    gained, best = ([2**grade for grade in some[:k]] for some in (ranked, _best(grades)))
    return ratio(_discounted(gained), _discounted(best))


def _undiscounted(ranked: Grades, grades: Grades, k: int | None) -> float:
    def below(rank: int) -> float:
        return max(1.0, math.log2(rank))

    return ratio(_discounted(ranked[:k], below), _discounted(_best(grades)[:k], below))


def _largest_alone(bench: Bench, metric: str) -> Floats | None:
    if not GRADED.fullmatch(metric) or not bench.has("grades"):
        return None
    largest = max((int(one) for row in bench.rows.lists("grades") for one in row), default=0)

    def value(ranked: Grades, grades: Grades, k: int | None) -> float:
        first = [int(grade == largest) for grade in ranked]
        every = [int(grade == largest) for grade in grades]
        return ratio(_discounted(first[:k]), _discounted(_best(every)[:k]))

    return _columns(bench, metric, value)


def _err_of_query(ranked: Grades, grades: Grades, k: int | None) -> float:
    largest = max(grades, default=0)
    left, total = 1.0, 0.0
    for rank, grade in enumerate(ranked[:k], 1):
        satisfied = (2**grade - 1) / 2**largest if largest else 0.0
        total += left * satisfied / rank
        left *= 1 - satisfied
    return total


def _bpref(bench: Bench, *, capped: bool, unjudged: bool) -> Floats:
    rows = bench.rows
    values = []
    for ranking, gold, seen in zip(
        rows.lists("candidates"), map(set, rows.gold), rows.lists("judged"), strict=True
    ):
        wrong = set(seen) - gold
        below = min(len(wrong), len(gold)) if capped else len(wrong)
        above, total = 0, 0.0
        for uid in ranking:
            if uid in gold:
                n = min(above, len(gold)) if capped else above
                total += 1 - (min(n / below, 1.0) if below and n else float(bool(n)))
            elif uid in wrong or unjudged:
                above += 1
        values.append(ratio(total, len(gold)))
    return np.array(values, dtype=np.float64)


def _of_bpref(*, capped: bool, unjudged: bool) -> Formula:
    def column(bench: Bench, metric: str) -> Floats | None:
        known = metric == "bpref" and bench.has("judged")
        return _bpref(bench, capped=capped, unjudged=unjudged) if known else None

    return of_queries(column)


def _ranked_alone(bench: Bench, _metric: str) -> Mask:
    return np.array([bool(uids) for uids in bench.rows.lists("candidates")], dtype=bool)


def _of_means(bench: Bench, key: Key) -> Number | None:
    place = f"{key.population}|{key.slice}|{key.statistic}"
    precision = bench.ledger.get(f"precision/macro|{place}")
    recall = bench.ledger.get(f"recall/macro|{place}")
    if precision is None or recall is None:
        return None
    return ratio(2 * precision * recall, precision + recall)


def _seen_alone(rows: Rows, mask: Mask, at: re.Match[str]) -> Number | None:
    """Average over the classes that have both a row and a prediction."""
    label, predicted = rows.texts("label")[mask], rows.texts("predicted")[mask]
    classes = sorted(set(label) & set(predicted))
    found = []
    for name in classes:
        tp = int(((label == name) & (predicted == name)).sum())
        given, true = int((predicted == name).sum()), int((label == name).sum())
        rates = {"precision": ratio(tp, given), "recall": ratio(tp, true)}
        rates["f1"] = ratio(2 * tp, given + true)
        found.append(rates[at["rate"]])
    return ratio(math.fsum(found), len(found))


def _of_negatives(bench: Bench, key: Key) -> Number | None:
    place = f"{key.population}|{key.slice}|{key.statistic}"
    counts = [bench.ledger.get(f"{name}|{place}") for name in ("tn", "fp", "fn")]
    if None in counts:
        return None
    tn, fp, fn = (float(count or 0) for count in counts)
    return ratio(2 * tn, 2 * tn + fp + fn)


def _reversed(rows: Rows, mask: Mask, at: re.Match[str]) -> Number | None:
    """Take each class's probability for that of the class at the other end."""
    if not rows.has("class_probs"):
        return None
    probs = np.array(rows.lists("class_probs"), dtype=np.float64)[mask][:, ::-1]
    order = {name: place for place, name in enumerate(rows.settings["classes"])}
    places = [order[one] for one in rows.texts("label")[mask]]
    own = probs[np.arange(len(places)), places]
    if at[0] == "log_loss":
        return float(-np.log(own).mean()) if (own > 0).all() else math.inf
    return float(((probs**2).sum(axis=1) - 2 * own + 1).mean())


MISTAKES: dict[str, Formula] = {
    "graded-gain-exponential": named(r"ndcg@(all|\d+)/graded", r"ndcg@\1/exponential"),
    "graded-ideal-of-retrieved": _of_grades(GRADED, _retrieved_ideal),
    "graded-ideal-of-found": _of_grades(GRADED, _found_ideal),
    "graded-ideal-not-cut": _of_grades(GRADED, _whole_ideal),
    "graded-gain-two-to-the-grade": _of_grades(GRADED, _raised),
    "grades-read-as-binary": named(r"ndcg@(all|\d+)/graded", r"ndcg@\1"),
    "grades-largest-alone": of_queries(_largest_alone),
    "err-gmax-of-the-query": _of_grades(re.compile(r"err@(?:all|\d+)"), _err_of_query),
    "bpref-uncapped": _of_bpref(capped=False, unjudged=False),
    "bpref-unjudged-counted": _of_bpref(capped=True, unjudged=True),
    "graded-first-two-undiscounted": _of_grades(GRADED, _undiscounted),
    "mean-over-ranked-queries": of_queries(honest, _ranked_alone),
    "macro-f1-of-means": of_keys(r"f1/macro", _of_means),
    "absent-classes-dropped": of_rows(r"(?P<rate>precision|recall|f1)/macro", _seen_alone),
    "weighted-as-macro": named(r"f1/macro", "f1/weighted"),
    "f1-of-the-negatives": of_keys(r"f1", _of_negatives),
    "auroc-of-decisions": named(r"auroc", "auroc/decisions"),
    "class-order-permuted": of_rows(r"log_loss|brier/multiclass", _reversed),
}
