"""Several classes (section 17).

Exactness: rows are counted by true and predicted class; every value is a fraction of counts, but
for the one root of MCC and the one logarithm of the log loss. Probabilities are exact decimals.
"""

from __future__ import annotations

from collections import Counter
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING

from reference import calibration
from reference.aggregate import mean
from reference.classification import curve, pairs_won
from reference.study import escaped
from reference.values import EXACT, HALF, Exact, Value, ratio, root, total

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reference.classification import Point
    from reference.study import Query, Study

    # The place of the true class among the classes, and the probability of each.
    Told = Sequence[tuple[int, tuple[Decimal, ...]]]
    Entries = Iterator[tuple[str, str, str, Exact]]

HEADLINE = (
    "accuracy", "kappa", "mcc/multiclass", "balanced_accuracy/multiclass", "f1/macro",
    "f1/weighted",
)  # fmt: skip
HEADLINE_PROBS = ("auroc/ovr_macro", "log_loss", "brier/multiclass")
PER_PART = ("accuracy", "balanced_accuracy/multiclass", "f1/macro")
AVERAGED = ("precision", "recall", "f1")


class Matrix:
    """The confusion matrix of some rows, over one list of classes."""

    def __init__(self, rows: Sequence[Query], classes: Sequence[str]) -> None:
        self.classes = classes
        self.n = len(rows)
        self.counts = Counter((query.truth, query.predicted) for query in rows)
        self.true = Counter(query.truth for query in rows)
        self.predicted = Counter(query.predicted for query in rows)
        self.right = sum(self.counts[name, name] for name in classes)

    def one_against_rest(self, name: str) -> dict[str, int]:
        """Count a class against all others."""
        tp = self.counts[name, name]
        fp, fn = self.predicted[name] - tp, self.true[name] - tp
        return {"tp": tp, "fp": fp, "tn": self.n - tp - fp - fn, "fn": fn}

    def rates(self, name: str) -> dict[str, Value]:
        """Return the rates of one class."""
        tp, fp, tn, fn = self.one_against_rest(name).values()
        return {
            "precision": ratio(tp, tp + fp),
            "recall": ratio(tp, tp + fn),
            "f1": ratio(2 * tp, 2 * tp + fp + fn),
            "specificity": ratio(tn, tn + fp),
        }


def decisions(rows: Sequence[Query], study: Study) -> Entries:
    """Yield what follows from the true and the predicted classes."""
    seen = Matrix(rows, study.classes)
    n, right = seen.n, seen.right
    by_chance = sum(seen.true[name] * seen.predicted[name] for name in seen.classes)
    spread = root(Fraction(_rest(n, seen.predicted) * _rest(n, seen.true)))
    single = {name: seen.rates(name) for name in seen.classes}
    there = [name for name in seen.classes if seen.true[name]]
    found: dict[str, Exact] = {
        "accuracy": ratio(right, n),
        "kappa": ratio(n * right - by_chance, n * n - by_chance),
        "mcc/multiclass": ratio(right * n - by_chance, spread),
        "balanced_accuracy/multiclass": mean([single[name]["recall"] for name in there]),
        "f1/micro": ratio(right, n),
    }
    for metric in AVERAGED:
        weighed = [seen.true[name] * rates[metric] for name, rates in single.items()]
        found[f"{metric}/macro"] = mean([rates[metric] for rates in single.values()])
        found[f"{metric}/weighted"] = ratio(total(weighed), n)
    for metric, value in found.items():
        yield metric, "all_queries", "value", value


def _rest(n: int, counted: Counter[str | None]) -> int:
    """s² − Σ_k counts²."""
    return n * n - sum(count * count for count in counted.values())


def matrix(rows: Sequence[Query], study: Study) -> Entries:
    """Yield the confusion matrix."""
    counts = Matrix(rows, study.classes).counts
    for true in study.classes:
        for predicted in study.classes:
            name = f"count@true={in_key(true)},predicted={in_key(predicted)}"
            yield name, "all_queries", "value", counts[true, predicted]


def in_key(name: str) -> str:
    """Escape a class as keys hold it: the comma parts two of them."""
    return escaped(name).replace(",", "%2C")


def per_class(study: Study) -> Iterator[tuple[str, Exact]]:
    """Yield the keys of the slices `class=c`, over all EVAL rows only."""
    seen = Matrix(study.queries, study.classes)
    for name in study.classes:
        counts = {"support": seen.true[name], **seen.one_against_rest(name)}
        for metric, value in {**seen.rates(name), **counts}.items():
            yield f"{metric}|all_queries|class={in_key(name)}|value", value


def probabilities(rows: Sequence[Query], study: Study) -> Entries:
    """Yield what follows from a probability for every class."""
    places = {name: place for place, name in enumerate(study.classes)}
    told = [(places[query.truth or ""], query.class_probs) for query in rows]
    single = [one_against_rest(told, place) for place in places.values()]
    kept = [(seen[-1].tp, area) for seen in single if (area := _area(seen)) is not None]
    pairs = [between(told, i, j) for i, j in combinations(places.values(), 2)]
    present = [pair for pair in pairs if pair is not None]
    weighed = total(support * area for support, area in kept)
    found: dict[str, Exact] = {
        "auroc/ovr_macro": mean([area for _, area in kept]) if kept else HALF,
        "auroc/ovr_weighted": ratio(weighed, sum(n for n, _ in kept)) if kept else HALF,
        "auroc/ovo_macro": mean(present) if present else HALF,
        "classes_left_out": len(places) - len(kept),
        "log_loss": calibration.log_loss(probs[true] for true, probs in told),
        "brier/multiclass": brier(told),
    }
    for k in study.settings.top_k:
        if k < len(places):
            hits = sum(_rank(probs, true) < k for true, probs in told)
            found[f"top_k_accuracy@{k}"] = ratio(hits, len(rows))
    tops = [(max(probs), int(top(probs) == true)) for true, probs in told]
    for count in study.settings.bins:
        found[f"ece@{count}/top_label"] = calibration.ece(tops, count)
    for metric, value in found.items():
        yield metric, "all_queries", "value", value


def one_against_rest(told: Told, place: int) -> list[Point]:
    """Return the curve of a class: its probabilities where it is true, and where it is not."""
    return curve((probs[place], int(true == place)) for true, probs in told)


def _area(points: Sequence[Point]) -> Fraction | None:
    pairs = points[-1].tp * points[-1].fp
    won, tied = pairs_won(points)
    return Fraction(2 * won + tied, 2 * pairs) if pairs else None


def between(told: Told, i: int, j: int) -> Value | None:
    """Return (A(i|j) + A(j|i)) / 2 over the rows of two classes; None if one does not occur."""
    both = [(true, probs) for true, probs in told if true in {i, j}]
    first, second = (_area(one_against_rest(both, place)) for place in (i, j))
    return None if first is None or second is None else (first + second) / 2


def brier(told: Told) -> Value:
    """Return the mean of Σ_k (p_k − 1[label = k])²."""
    with localcontext(EXACT):
        errors = [
            prob - (place == true) for true, probs in told for place, prob in enumerate(probs)
        ]
        squares = sum((error * error for error in errors), Decimal(0))
    return ratio(Fraction(squares), len(told))


def top(probs: Sequence[Decimal]) -> int:
    """Return the class of the largest probability; of several, the first."""
    return probs.index(max(probs))


def _rank(probs: Sequence[Decimal], true: int) -> int:
    """Return how many classes come before this one; of equals, the earlier."""
    mine = probs[true]
    return sum(prob > mine or (prob == mine and at < true) for at, prob in enumerate(probs))


def disagreeing(study: Study) -> int:
    """Count the rows whose predicted class is not that of the largest probability."""
    return sum(study.classes[top(q.class_probs)] != q.predicted for q in study.queries)
