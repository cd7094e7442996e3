"""All probability grids on {0, .3, .5, .7, 1}: sections 4, 5 and 7, by enumeration.

Every data set of one to four queries, each with a label and a probability from the grid, is a fold
of one file. The naive check reads the contract's sentences literally: every threshold is tried,
every pair is compared.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations_with_replacement, pairwise, product
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

GRID = ("0", "0.3", "0.5", "0.7", "1")
MOST = 4
BUDGETS = (0, 5, 50, 70)
BINS = (2, 10)
TAU_NEG, TAU_POS = Fraction(3, 10), Fraction(7, 10)
THRESHOLD = Fraction(1, 2)

Pairs = tuple[tuple[int, Fraction], ...]
"""(label, probability) of each query."""


def data_sets() -> list[Pairs]:
    cells = [(label, Fraction(prob)) for label, prob in product((0, 1), GRID)]
    return [
        pairs for size in range(1, MOST + 1) for pairs in combinations_with_replacement(cells, size)
    ]


def over(part: Fraction | int, whole: Fraction | int) -> Fraction:
    return Fraction(part) / whole if whole else Fraction(0)


def rates(pairs: Pairs, threshold: Any) -> tuple[Fraction, Fraction, Fraction]:
    """TPR, FPR and precision at a threshold."""
    positives = sum(label for label, _ in pairs)
    true = sum(label and prob >= threshold for label, prob in pairs)
    false = sum(not label and prob >= threshold for label, prob in pairs)
    return (
        over(true, positives),
        over(false, len(pairs) - positives),
        over(true, true + false),
    )


def thresholds(pairs: Pairs) -> list[Any]:
    """The distinct scores and `inf`, descending."""
    return [math.inf, *sorted({prob for _, prob in pairs}, reverse=True)]


def areas(pairs: Pairs) -> dict[str, Fraction]:
    above = [prob for label, prob in pairs if label]
    below = [prob for label, prob in pairs if not label]
    if not above or not below:
        rate = Fraction(len(above), len(pairs))
        half = Fraction(1, 2)
        return {"auroc": half, "auroc/strict": half, "auprc": rate, "auprc/trapezoid": rate}
    compared = [(plus > minus, plus == minus) for plus in above for minus in below]
    wins = sum(won for won, _ in compared)
    ties = sum(tied for _, tied in compared)
    points = [(Fraction(0), Fraction(1))]
    for threshold in thresholds(pairs)[1:]:
        recall, _, precision = rates(pairs, threshold)
        points.append((recall, precision))
    steps = list(pairwise(points))
    return {
        "auroc": (wins + Fraction(ties, 2)) / len(compared),
        "auroc/strict": Fraction(wins, len(compared)),
        "auprc": sum(((b[0] - a[0]) * b[1] for a, b in steps), Fraction(0)),
        "auprc/trapezoid": sum(((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in steps), Fraction(0)),
    }


def at_budget(pairs: Pairs, alpha: int) -> dict[str, Any]:
    """Try every threshold whose FPR keeps to the budget."""
    kept = [
        (*rates(pairs, threshold)[:2], threshold)
        for threshold in thresholds(pairs)
        if 100 * rates(pairs, threshold)[1] <= alpha
    ]
    best = max(tpr for tpr, _, _ in kept)
    chosen = max((threshold, fpr) for tpr, fpr, threshold in kept if tpr == best)
    last = min((threshold, fpr) for _, fpr, threshold in kept)
    return {
        f"tpr@fpr={alpha}%": best,
        f"threshold@fpr={alpha}%": chosen[0],
        f"fpr@fpr={alpha}%": chosen[1],
        f"threshold@fpr={alpha}%/last_index": last[0],
        f"fpr@fpr={alpha}%/last_index": last[1],
    }


def calibration(pairs: Pairs, count: int) -> dict[str, Fraction]:
    def error(closed: bool) -> Fraction:
        total = Fraction(0)
        for j in range(count):
            inside = [
                (label, prob)
                for label, prob in pairs
                if Fraction(j, count) <= prob < Fraction(j + 1, count)
                or (closed and j == count - 1 and prob == 1)
            ]
            if inside:
                labels = Fraction(sum(label for label, _ in inside), len(inside))
                probs = sum((prob for _, prob in inside), Fraction(0)) / len(inside)
                total += Fraction(len(inside), len(pairs)) * abs(labels - probs)
        return total

    return {f"ece@{count}": error(closed=True), f"ece@{count}/half_open": error(closed=False)}


def confusion(pairs: Pairs) -> dict[str, Any]:
    tp = sum(label and prob >= THRESHOLD for label, prob in pairs)
    fp = sum(not label and prob >= THRESHOLD for label, prob in pairs)
    fn = sum(label and prob < THRESHOLD for label, prob in pairs)
    tn = sum(not label and prob < THRESHOLD for label, prob in pairs)
    sensitivity, specificity = over(tp, tp + fn), over(tn, tn + fp)
    precision = over(tp, tp + fp)
    root = math.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
    return {
        "tp": tp,
        "fp": fp,
        "tn": tn,
        "fn": fn,
        "sensitivity": sensitivity,
        "specificity": specificity,
        "fpr": over(fp, fp + tn),
        "fnr": over(fn, fn + tp),
        "precision": precision,
        "npv": over(tn, tn + fn),
        "f1": over(2 * precision * sensitivity, precision + sensitivity),
        "mcc": (tp * tn - fp * fn) / root if root else 0.0,
        "balanced_accuracy": (sensitivity + specificity) / 2,
        "brier": sum(((prob - label) ** 2 for label, prob in pairs), Fraction(0)) / len(pairs),
    }


def states(pairs: Pairs) -> dict[str, Any]:
    named = [
        (label, "NEG" if prob < TAU_NEG else "UNCERTAIN" if prob < TAU_POS else "POS")
        for label, prob in pairs
    ]
    count = {name: sum(one == name for _, one in named) for name in ("NEG", "UNCERTAIN", "POS")}
    positives = sum(label for label, _ in named)
    missed = sum(label and one == "NEG" for label, one in named)
    found = {}
    for name, counted in count.items():
        found[f"n_{name.lower()}"] = counted
        found[f"{name.lower()}_rate"] = over(counted, len(named))
    return found | {
        "alert_rate_per_1000": over(1000 * count["POS"], len(named)),
        "screening_sensitivity": over(positives - missed, positives),
        "screening_fn_per_1000": over(1000 * missed, len(named)),
        "alert_precision": over(sum(label and s == "POS" for label, s in named), count["POS"]),
    }


def naive(pairs: Pairs) -> dict[str, Any]:
    found = areas(pairs) | confusion(pairs) | states(pairs)
    for alpha in BUDGETS:
        found |= at_budget(pairs, alpha)
    for count in BINS:
        found |= calibration(pairs, count)
    return found


@pytest.mark.parametrize("package", ["primary", "reference"])
def test_every_grid_of_probabilities(
    package: str, evaluate: Callable[..., Any], wrong: Callable[..., Any]
) -> None:
    asked = data_sets()
    rows = [
        {"query_id": f"{n}-{place}", "fold": n, "has_evidence": label, "prob": float(prob)}
        for n, pairs in enumerate(asked)
        for place, (label, prob) in enumerate(pairs)
    ]
    settings = {
        "tau_neg": float(TAU_NEG),
        "tau_pos": float(TAU_POS),
        "fpr": list(BUDGETS),
        "bins": list(BINS),
    }
    expected = {
        f"{metric}|all_queries|fold={n}|value": value
        for n, pairs in enumerate(asked)
        for metric, value in naive(pairs).items()
    }
    assert wrong(expected, evaluate(package, rows, settings)) == {}
    assert len(asked) == 10 + 55 + 220 + 715
