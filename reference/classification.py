"""Curves, operating points and the confusion table (sections 4 and 16).

Exactness: only integers are counted: pairs won and tied for AUROC, true and false positives at each
threshold for the rest. Every value is one fraction of such counts; MCC has the one square root.
FPR ≤ α is decided as 100·FP ≤ α·N on integers.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import Counter
from fractions import Fraction
from itertools import accumulate, chain, pairwise, repeat
from operator import attrgetter, sub
from typing import TYPE_CHECKING, Any, NamedTuple

from reference.study import in_blocks
from reference.values import HALF, ZERO, Exact, Value, as_text, ratio, root, sum_of_ratios, total

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from decimal import Decimal

    from reference.study import Query, Study

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


def curve(labelled: Iterable[tuple[Any, int | None]]) -> list[Point]:
    """Return every threshold, `inf` first, with what it lets through: the last one everything."""
    pairs = list(labelled)
    return _curve([score for score, label in pairs if label], [score for score, _ in pairs])


def _curve(positives: Iterable[Any], everything: Iterable[Any]) -> list[Point]:
    """Go down the scores of all, of which some are those of positives."""
    of_positives, of_all = Counter(positives), Counter(everything)
    descending = sorted(of_all, reverse=True)
    tp = list(accumulate(map(of_positives.get, descending, repeat(0))))
    fp = map(sub, accumulate(map(of_all.__getitem__, descending)), tp)
    points = zip(descending, tp, fp, strict=True)
    # What `Point` makes of each, in half the time.
    return [Point(math.inf, 0, 0), *map(tuple.__new__, repeat(Point), points)]


def of_gate(rows: Sequence[Query]) -> list[Point]:
    """Return the curve of what the gate decides by."""
    return _curve([query.score for query in rows if query.label], [query.score for query in rows])


def pairs_won(points: Sequence[Point]) -> tuple[int, int]:
    """Count the pairs (positive, negative) with s⁺ > s⁻, and those with s⁺ = s⁻."""
    won = tied = 0
    negatives = points[-1].fp
    for (_, some, skipped), (_, tp, fp) in _steps(points):
        won += (tp - some) * (negatives - fp)
        tied += (tp - some) * (fp - skipped)
    return won, tied


def auroc(points: Sequence[Point]) -> Value:
    """P(s⁺ > s⁻) + ½ P(s⁺ = s⁻); one class only: ½."""
    won, tied = pairs_won(points)
    pairs_there = points[-1].tp * points[-1].fp
    return ratio(2 * won + tied, 2 * pairs_there) if pairs_there else HALF


def auprc(points: Sequence[Point]) -> Value:
    """Σ (R_n − R_{n−1}) P_n; one class only: the positive rate."""
    _, positives, negatives = points[-1]
    if not positives or not negatives:
        return ratio(positives, positives + negatives)
    return sum_of_ratios(
        [((tp - a) * tp, positives * (tp + fp)) for (_, a, _), (_, tp, fp) in _steps(points)]
    )


def areas(points: Sequence[Point]) -> dict[str, Value]:
    """Return AUROC, AUPRC and their variants."""
    _, positives, negatives = points[-1]
    area = auprc(points)
    if not positives or not negatives:
        return {"auroc": HALF, "auroc/strict": HALF, "auprc": area, "auprc/trapezoid": area}
    at_start = []
    for (_, before, skipped), (_, tp, _) in _steps(points):
        precision = (before, before + skipped) if before + skipped else (1, 1)
        at_start.append(((tp - before) * precision[0], positives * precision[1]))
    return {
        "auroc": auroc(points),
        "auroc/strict": ratio(pairs_won(points)[0], positives * negatives),
        "auprc": area,
        "auprc/trapezoid": total([area, sum_of_ratios(at_start)]) / 2,
    }


def _steps(points: Sequence[Point]) -> list[tuple[Point, Point]]:
    """Return each threshold where the recall grows, after the next higher one.

    That is the other end of a trapezoid; where it lets nothing through, the curve starts at recall
    0, precision 1.
    """
    return [(before, point) for before, point in pairwise(points) if point[1] > before[1]]


def best_point(points: Sequence[Point], alpha: Fraction) -> Point:
    """Look at every threshold with FPR ≤ α: the most true positives, then the largest threshold."""
    inside = within(points, alpha)
    return inside[bisect_left(inside, inside[-1].tp, key=attrgetter("tp"))]


def within(points: Sequence[Point], alpha: Fraction) -> Sequence[Point]:
    """Keep the thresholds with 100·FP ≤ α·N, in descending order."""
    budget = math.floor(alpha * points[-1].fp / 100)
    return points[: bisect_right(points, budget, key=attrgetter("fp"))]


def best_f1(points: Sequence[Point]) -> tuple[Fraction, Any]:
    """Return the largest F1 of any threshold, and the largest threshold that reaches it."""
    best, above, below = points[0], 0, 1
    for _, point in _steps(points):
        twice, places = 2 * point.tp, point.tp + point.fp + points[-1].tp
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
    budget, whole = alpha * negatives, within(points, percent)
    doubled = Fraction(sum((b.fp - a.fp) * (a.tp + b.tp) for a, b in pairwise(whole)))
    if len(whole) < len(points):
        before, point = whole[-1], points[len(whole)]
        inside = budget - before.fp
        slope = Fraction(point.tp - before.tp, point.fp - before.fp)
        doubled += inside * (2 * before.tp + inside * slope)
    return ratio(doubled, 2 * budget * positives)


def curves(rows: Sequence[Query], study: Study) -> Iterator[tuple[str, str, str, Exact]]:
    """Yield the curves of `all_queries` and their thresholds."""
    points = of_gate(rows)
    _, positives, negatives = points[-1]
    whole = areas(points)
    found: dict[str, Exact] = {**whole, "gini": 2 * whole["auroc"] - 1}
    found["max_f1"], threshold = best_f1(points)
    found["threshold@max_f1"] = threshold_value(threshold)
    for percent in study.settings.fpr:
        at, alpha = f"@fpr={as_text(percent)}%", Fraction(percent)
        best, last = best_point(points, alpha), within(points, alpha)[-1]
        found[f"tpr{at}"] = ratio(best.tp, positives)
        found[f"threshold{at}"] = threshold_value(best.threshold)
        found[f"fpr{at}"] = ratio(best.fp, negatives)
        found[f"threshold{at}/last_index"] = threshold_value(last.threshold)
        found[f"fpr{at}/last_index"] = ratio(last.fp, negatives)
        found[f"auroc/partial{at}"] = partial_area(points, alpha)
    for metric, value in found.items():
        yield metric, "all_queries", "value", value


def brief_curves(rows: Sequence[Query], study: Study) -> Iterator[tuple[str, str, str, Exact]]:
    """Yield of them what is a headline metric (section 10)."""
    points = of_gate(rows)
    yield "auroc", "all_queries", "value", auroc(points)
    yield "auprc", "all_queries", "value", auprc(points)
    for percent in study.settings.fpr:
        best = best_point(points, Fraction(percent))
        yield f"tpr@fpr={as_text(percent)}%", "all_queries", "value", ratio(best.tp, points[-1].tp)


def threshold_value(threshold: Decimal | float) -> Exact:
    """Return a threshold as a fraction, or `inf`."""
    return math.inf if threshold == math.inf else Fraction(threshold)


def candidate_curve(rows: Sequence[Query]) -> list[Point]:
    """Take every query × candidate: label = uid in G, score as given."""
    scored = [(query.scores or (), query.hits) for query in rows]
    positives = [scores[rank - 1] for scores, hits in scored for rank in hits]
    return _curve(positives, chain.from_iterable([scores for scores, _ in scored]))


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


def decided(rows: Sequence[Query]) -> Confusion:
    """Count the decisions of the gate, label by label."""
    positives = [query.pred for query in rows if query.label]
    negatives = [query.pred for query in rows if not query.label]
    tp, fp = positives.count(1), negatives.count(1)
    return Confusion(tp, fp, len(negatives) - fp, len(positives) - tp)


def confusion(rows: Sequence[Query], study: Study) -> Iterator[tuple[str, str, str, Exact]]:
    """Yield the confusion table of the gate's decision, and its rates."""
    table = decided(rows)
    for metric, value in {**table._asdict(), **rates(table), **further(table)}.items():
        yield metric, "all_queries", "value", value
    for beta in study.settings.beta:
        yield f"f_beta@beta={as_text(beta)}", "all_queries", "value", f_beta(table, beta)
    yield "auroc/decisions", "all_queries", "value", of_decisions(table)


def let_through(points: Sequence[Point], threshold: Decimal | float) -> Point:
    """Return the point of a threshold that may stand between those of a curve."""
    return points[bisect_right(points, -threshold, key=lambda point: -point.threshold) - 1]


def tuned(rows: Sequence[Query], study: Study) -> Iterator[tuple[str, str, str, Exact]]:
    """Yield what thresholds chosen on the TUNE rows of a fold do on its EVAL rows.

    With seeds each has its own; a fold pools their decisions (docs/interface.md, seeds).
    """
    blocks = in_blocks(rows)
    on_tune = [of_gate(study.tune_blocks.get(block, ())) for block in blocks]
    on_eval = [of_gate(some) for some in blocks.values()]
    positives = sum(query.label or 0 for query in rows)
    for percent in study.settings.fpr:
        chosen = [best_point(points, Fraction(percent)).threshold for points in on_tune]
        reached = list(map(let_through, on_eval, chosen))
        tp, fp = sum(point.tp for point in reached), sum(point.fp for point in reached)
        found = rates(Confusion(tp, fp, len(rows) - positives - fp, positives - tp))
        at = f"@fpr={as_text(percent)}%/tuned"
        yield f"tpr{at}", "all_queries", "value", found["sensitivity"]
        for metric in ("fpr", "precision", "f1", "mcc"):
            yield f"{metric}{at}", "all_queries", "value", found[metric]
        if len(study.seeds) <= 1:
            yield f"threshold{at}", "all_queries", "value", threshold_value(chosen[0])
