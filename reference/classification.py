"""Curves, operating points and the confusion table (sections 4 and 16).

Exactness: only integers are counted: pairs won and tied for AUROC, true and false positives at each
threshold for the rest. Every value is one fraction of such counts; MCC has the one square root.
FPR ≤ α is decided as 100·FP ≤ α·N on integers.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from reference.values import HALF, ZERO, Exact, Value, as_text, ratio, root, sum_of_ratios, total

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from decimal import Decimal

    from reference.study import Query, Study

    Block = tuple[str | None, int | None]

RATES = (
    "sensitivity", "specificity", "fpr", "fnr", "precision", "npv", "f1", "mcc",
    "balanced_accuracy",
)  # fmt: skip


# Section 16's, of the same table; F-beta besides.
FURTHER = (
    "accuracy", "error_rate", "jaccard", "kappa", "informedness", "markedness", "fdr", "fomr",
    "prevalence",
)  # fmt: skip


class Point(NamedTuple):
    """What is predicted positive at a threshold: score ≥ threshold."""

    threshold: Any
    tp: int
    fp: int


@dataclass(frozen=True)
class Curve:
    """The scores of the positives and of the negatives, each ascending."""

    positives: list[Any]
    negatives: list[Any]

    def points(self) -> list[Point]:
        """Return every threshold, `inf` first, with what it lets through."""
        positives, negatives = Counter(self.positives), Counter(self.negatives)
        points, tp, fp = [Point(math.inf, 0, 0)], 0, 0
        for threshold in sorted({*positives, *negatives}, reverse=True):
            tp += positives.get(threshold, 0)
            fp += negatives.get(threshold, 0)
            points.append(Point(threshold, tp, fp))
        return points


def _reach(ascending: list[Any], threshold: object) -> int:
    return len(ascending) - bisect_left(ascending, threshold)


def curve(labelled: Iterable[tuple[Any, int]]) -> Curve:
    """Sort scores by class."""
    sides: tuple[list[Any], list[Any]] = ([], [])
    for score, label in labelled:
        sides[label].append(score)
    return Curve(sorted(sides[1]), sorted(sides[0]))


def pairs_won(seen: Curve) -> tuple[int, int]:
    """Count the pairs (positive, negative) with s⁺ > s⁻, and those with s⁺ = s⁻."""
    won = tied = 0
    for score, count in Counter(seen.positives).items():
        below = bisect_left(seen.negatives, score)
        won += count * below
        tied += count * (bisect_right(seen.negatives, score) - below)
    return won, tied


def areas(seen: Curve) -> dict[str, Value]:
    """Return AUROC, AUPRC and their variants."""
    positives, negatives = len(seen.positives), len(seen.negatives)
    if not positives or not negatives:
        rate = ratio(positives, positives + negatives)
        return {
            "auroc": HALF,
            "auroc/strict": HALF,
            "auprc": rate,
            "auprc/trapezoid": rate,
        }
    won, tied = pairs_won(seen)
    steps = list(_steps(seen))
    step_sum = [((tp - before) * tp, positives * (tp + fp)) for before, _, tp, fp in steps]
    start_sum = [
        ((tp - before) * before, positives * (before + skipped))
        if before + skipped
        else (tp, positives)
        for before, skipped, tp, _ in steps
    ]
    area = sum_of_ratios(step_sum)
    return {
        "auroc": ratio(2 * won + tied, 2 * positives * negatives),
        "auroc/strict": ratio(won, positives * negatives),
        "auprc": area,
        "auprc/trapezoid": total([area, sum_of_ratios(start_sum)]) / 2,
    }


def _steps(seen: Curve) -> Iterator[tuple[int, int, int, int]]:
    """Yield TP and FP just above, and at, each threshold where the recall grows.

    Just above stands the point of the next higher threshold: the other end of a trapezoid. Where
    nothing is above, the curve starts at recall 0, precision 1.
    """
    for threshold in dict.fromkeys(seen.positives):
        above = len(seen.positives) - bisect_right(seen.positives, threshold)
        skipped = len(seen.negatives) - bisect_right(seen.negatives, threshold)
        yield above, skipped, _reach(seen.positives, threshold), _reach(seen.negatives, threshold)


def best_point(points: Sequence[Point], alpha: Fraction, positives: int, negatives: int) -> Point:
    """Look at every threshold with FPR ≤ α: the most true positives, then the largest threshold."""
    if not positives:
        return points[0]
    return max(within(points, alpha, negatives), key=lambda point: point.tp)


def within(points: Sequence[Point], alpha: Fraction, negatives: int) -> list[Point]:
    """Keep the thresholds with 100·FP ≤ α·N, in descending order."""
    budget = math.floor(alpha * negatives / 100)
    return [point for point in points if point.fp <= budget]


def best_f1(points: Sequence[Point], positives: int) -> tuple[Fraction, Any]:
    """Return the largest F1 of any threshold, and the largest threshold that reaches it."""
    best, above, below = points[0], 0, 1
    for point in points if positives else ():
        twice, places = 2 * point.tp, point.tp + point.fp + positives
        if twice * below > above * places:
            best, above, below = point, twice, places
    return Fraction(above, below), best.threshold


def partial_area(points: Sequence[Point], percent: Fraction) -> Value:
    """Return the area of the ROC over FPR ≤ α, divided by α; one class: α/2, no rows: 0.

    Straight lines between the points, so that ties are diagonals; of the last one only the part up
    to α.
    """
    positives, negatives = points[-1].tp, points[-1].fp
    alpha = percent / 100
    if not positives or not negatives:
        return alpha / 2 if positives + negatives else Fraction(0)
    budget, doubled = alpha * negatives, Fraction(0)
    for before, point in pairwise(points):
        if point.fp > budget:
            inside = budget - before.fp
            slope = Fraction(point.tp - before.tp, point.fp - before.fp)
            doubled += inside * (2 * before.tp + inside * slope)
            break
        doubled += (point.fp - before.fp) * (before.tp + point.tp)
    return ratio(doubled, 2 * budget * positives)


def curves(rows: Sequence[Query], study: Study) -> Iterator[tuple[str, str, str, Exact]]:
    """Yield the curves of `all_queries` and their thresholds."""
    seen = curve((query.score, query.label or 0) for query in rows)
    positives, negatives = len(seen.positives), len(seen.negatives)
    whole = areas(seen)
    found: dict[str, Exact] = {**whole, "gini": 2 * whole["auroc"] - 1}
    points = seen.points()
    found["max_f1"], threshold = best_f1(points, positives)
    found["threshold@max_f1"] = threshold_value(threshold)
    for percent in study.settings.fpr:
        at, alpha = f"@fpr={as_text(percent)}%", Fraction(percent)
        best = best_point(points, alpha, positives, negatives)
        last = within(points, alpha, negatives)[-1]
        found[f"tpr{at}"] = ratio(best.tp, positives)
        found[f"threshold{at}"] = threshold_value(best.threshold)
        found[f"fpr{at}"] = ratio(best.fp, negatives)
        found[f"threshold{at}/last_index"] = threshold_value(last.threshold)
        found[f"fpr{at}/last_index"] = ratio(last.fp, negatives)
        found[f"auroc/partial{at}"] = partial_area(points, alpha)
    for metric, value in found.items():
        yield metric, "all_queries", "value", value


def threshold_value(threshold: Decimal | float) -> Exact:
    """Return a threshold as a fraction, or `inf`."""
    return math.inf if threshold == math.inf else Fraction(threshold)


def candidate_curve(rows: Sequence[Query]) -> Curve:
    """Take every query × candidate: label = uid in G, score as given."""
    positives: list[float] = []
    negatives: list[float] = []
    for query in rows:
        if not query.hits:
            negatives += query.scores or ()
            continue
        scores = list(query.scores or ())
        positives += [scores[rank - 1] for rank in query.hits]
        for rank in reversed(query.hits):
            del scores[rank - 1]
        negatives += scores
    return Curve(sorted(positives), sorted(negatives))


def pairs(rows: Sequence[Query], _study: Study) -> Iterator[tuple[str, str, str, Value]]:
    """Yield AUROC and AUPRC over every query × candidate."""
    for metric, value in areas(candidate_curve(rows)).items():
        yield metric, "pairs", "value", value


class Confusion(NamedTuple):
    """The four counts."""

    tp: int
    fp: int
    tn: int
    fn: int


def confused(decided: Iterable[tuple[int, int]]) -> Confusion:
    """Count (label, decision)."""
    n = Counter(decided)
    return Confusion(n[1, 1], n[0, 1], n[0, 0], n[1, 0])


def rates(table: Confusion) -> dict[str, Value]:
    """Return every rate of a confusion table; zero denominator: 0."""
    tp, fp, tn, fn = table
    sensitivity, specificity = ratio(tp, tp + fn), ratio(tn, tn + fp)
    spread = root(Fraction((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)))
    found = (
        sensitivity,
        specificity,
        ratio(fp, fp + tn),
        ratio(fn, fn + tp),
        ratio(tp, tp + fp),
        ratio(tn, tn + fn),
        ratio(2 * tp, 2 * tp + fp + fn),
        ratio(tp * tn - fp * fn, spread),
        total([sensitivity, specificity]) / 2,
    )
    return dict(zip(RATES, found, strict=True))


def further(table: Confusion) -> dict[str, Value]:
    """Return the rates of section 16; zero denominator: 0, and without rows all are 0."""
    tp, fp, tn, fn = table
    n = sum(table)
    if not n:
        return dict.fromkeys(FURTHER, ZERO)
    first = rates(table)
    accuracy = Fraction(tp + tn, n)
    by_chance = (tp + fp) * (tp + fn) + (tn + fn) * (tn + fp)
    found = (
        accuracy,
        1 - accuracy,
        ratio(tp, tp + fp + fn),
        ratio(n * (tp + tn) - by_chance, n * n - by_chance),
        total([first["sensitivity"], first["specificity"]]) - 1,
        total([first["precision"], first["npv"]]) - 1,
        ratio(fp, tp + fp),
        ratio(fn, tn + fn),
        Fraction(tp + fn, n),
    )
    return dict(zip(FURTHER, found, strict=True))


def f_beta(table: Confusion, beta: Decimal) -> Value:
    """(1 + β²)·P·R / (β²·P + R) = (1 + β²)·TP / ((1 + β²)·TP + β²·FN + FP)."""
    square = Fraction(beta) * Fraction(beta)
    hits = (1 + square) * table.tp
    return ratio(hits, hits + square * table.fn + table.fp)


def of_decisions(table: Confusion) -> Value:
    """Return AUROC with the decision for the score: pairs told apart, and half of those tied."""
    tp, fp, tn, fn = table
    pairs_there = (tp + fn) * (tn + fp)
    if not pairs_there:
        return HALF if sum(table) else ZERO
    return Fraction(2 * tp * tn + tp * fp + fn * tn, 2 * pairs_there)


def confusion(rows: Sequence[Query], study: Study) -> Iterator[tuple[str, str, str, Exact]]:
    """Yield the confusion table of the gate's decision, and its rates."""
    table = confused((query.label or 0, query.pred or 0) for query in rows)
    for metric, value in {**table._asdict(), **rates(table), **further(table)}.items():
        yield metric, "all_queries", "value", value
    for beta in study.settings.beta:
        yield f"f_beta@beta={as_text(beta)}", "all_queries", "value", f_beta(table, beta)
    yield "auroc/decisions", "all_queries", "value", of_decisions(table)


def on_tune(study: Study, blocks: Iterable[Block]) -> dict[Block, list[Point]]:
    """Return the thresholds that the TUNE rows of each fold, within a seed, give."""
    return {
        block: curve(
            (q.score, q.label or 0) for q in study.tune if (q.seed, q.fold) == block
        ).points()
        for block in blocks
    }


def chosen(points: Sequence[Point], percent: Decimal) -> Any:  # noqa: ANN401 - a number or inf
    """Return the threshold for a budget."""
    return best_point(points, Fraction(percent), points[-1].tp, points[-1].fp).threshold


def tuned(rows: Sequence[Query], study: Study) -> Iterator[tuple[str, str, str, Exact]]:
    """Yield what thresholds chosen on the TUNE rows of a fold do on its EVAL rows.

    With seeds each has its own; a fold pools their decisions (docs/interface.md, seeds).
    """
    blocks = list(dict.fromkeys((query.seed, query.fold) for query in rows))
    points = on_tune(study, blocks)
    for percent in study.settings.fpr:
        at_block = {block: chosen(some, percent) for block, some in points.items()}
        decided = [(q.label or 0, int(_score(q) >= at_block[q.seed, q.fold])) for q in rows]
        found = rates(confused(decided))
        at = f"@fpr={as_text(percent)}%/tuned"
        yield f"tpr{at}", "all_queries", "value", found["sensitivity"]
        for metric in ("fpr", "precision", "f1", "mcc"):
            yield f"{metric}{at}", "all_queries", "value", found[metric]
        if len(study.seeds) <= 1:
            yield f"threshold{at}", "all_queries", "value", threshold_value(at_block[blocks[0]])


def _score(query: Query) -> Decimal | int:
    return query.score if query.score is not None else 0
