"""Wrong computations of the gate's metrics, on purpose: curves, calibration, confusion."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from crosscheck.claims.aggregation import over_slice
from crosscheck.contract import load
from crosscheck.key import Key

if TYPE_CHECKING:
    from collections.abc import Callable

    from crosscheck.claims.case import Bools, Case, Floats

    Formula = Callable[[Case, str], float | None]
    OnRows = Callable[[Floats, Floats, float], float | None]

RESAMPLES = 400
_Z = 1.96


def _points(label: Floats, prob: Floats) -> tuple[Floats, Floats, Floats]:
    """Give false and true positives at each distinct score, from the highest down."""
    order = np.argsort(-prob, kind="stable")
    scores, hits = prob[order], label[order]
    ends = np.r_[np.flatnonzero(np.diff(scores)), len(scores) - 1]
    true = np.cumsum(hits)[ends]
    return (ends + 1 - true).astype(float), true.astype(float), scores[ends]


def _roc(label: Floats, prob: Floats, *, dropped: bool) -> tuple[Floats, Floats, Floats] | None:
    if not len(label) or label.min() == label.max():
        return None
    false, true, scores = _points(label, prob)
    if dropped and len(false) > 2:  # noqa: PLR2004 - two points have no middle
        turns = np.logical_or(np.diff(false, 2), np.diff(true, 2))
        kept = np.flatnonzero(np.r_[True, turns, True])
        false, true, scores = false[kept], true[kept], scores[kept]
    return (
        np.r_[0.0, false / false[-1]],
        np.r_[0.0, true / true[-1]],
        np.r_[np.inf, scores],
    )


def _budget(what: str, *, dropped: bool = False, strict: bool = False) -> OnRows:
    """Make the largest TPR within an FPR budget, or its threshold or FPR, with a mistake."""

    def on_rows(label: Floats, prob: Floats, budget: float) -> float | None:
        curve = _roc(label, prob, dropped=dropped)
        if curve is None:
            return None
        fpr, tpr, scores = curve
        allowed = fpr < budget if strict else fpr <= budget + 1e-12
        if not allowed.any():
            return 0.0
        best = int(np.flatnonzero(allowed & (tpr == tpr[allowed].max()))[0])
        return float({"tpr": tpr, "threshold": scores, "fpr": fpr}[what][best])

    return on_rows


def _interpolated_tpr(label: Floats, prob: Floats, budget: float) -> float | None:
    curve = _roc(label, prob, dropped=False)
    return None if curve is None else float(np.interp(budget, curve[0], curve[1]))


def _precision_recall(label: Floats, prob: Floats) -> tuple[Floats, Floats] | None:
    if not label.sum():
        return None
    false, true, _ = _points(label, prob)
    return true / (true + false), true / true[-1]


def _trapezoid_from_zero(label: Floats, prob: Floats, _: float) -> float | None:
    curve = _precision_recall(label, prob)
    if curve is None:
        return None
    return float(np.trapezoid(curve[0], curve[1]))


def _interpolated_auprc(label: Floats, prob: Floats, _: float) -> float | None:
    curve = _precision_recall(label, prob)
    if curve is None:
        return None
    best = np.maximum.accumulate(curve[0][::-1])[::-1]
    return float((np.diff(np.r_[0.0, curve[1]]) * best).sum())


def _errors(label: Floats, prob: Floats, bins: Floats) -> tuple[Floats, Floats]:
    """Give each bin's share and its |mean label − mean prob|; bin −1 is no bin."""
    inside = bins >= 0
    index = bins[inside].astype(int)
    if not len(index):
        return np.zeros(0), np.zeros(0)
    counts = np.bincount(index)
    filled = counts > 0
    gaps = np.abs(np.bincount(index, label[inside]) - np.bincount(index, prob[inside]))
    return counts[filled] / len(label), gaps[filled] / counts[filled]


def _expected(binned: Callable[[Floats, int], Floats]) -> OnRows:
    def on_rows(label: Floats, prob: Floats, count: float) -> float | None:
        shares, gaps = _errors(label, prob, binned(prob, int(count)))
        return float(shares @ gaps)

    return on_rows


def _linspace(prob: Floats, count: int) -> Floats:
    edges = np.linspace(0, 1, count + 1)
    bins = np.searchsorted(edges, prob, side="right") - 1
    return np.minimum(bins, count - 1).astype(np.float64)


def _linspace_open(prob: Floats, count: int) -> Floats:
    return np.where(prob >= 1, -1.0, _linspace(prob, count))


def _right_closed(prob: Floats, count: int) -> Floats:
    bins: Floats = np.maximum(np.ceil(np.round(prob * count, 9)) - 1, 0)
    return bins


def _equal_mass(prob: Floats, count: int) -> Floats:
    order = np.argsort(prob, kind="stable")
    bins = np.empty(len(prob))
    for j, some in enumerate(np.array_split(order, count)):
        bins[some] = j
    return bins


def _contract_bins(prob: Floats, count: int) -> Floats:
    bins: Floats = np.minimum(np.floor(np.round(prob * count, 9)), count - 1)
    return bins


def _unweighted(label: Floats, prob: Floats, count: float) -> float | None:
    _, gaps = _errors(label, prob, _contract_bins(prob, int(count)))
    return float(gaps.mean()) if len(gaps) else None


def _largest(label: Floats, prob: Floats, count: float) -> float | None:
    _, gaps = _errors(label, prob, _contract_bins(prob, int(count)))
    return float(gaps.max()) if len(gaps) else None


def _confidence(label: Floats, prob: Floats, count: float) -> float | None:
    confidence = np.maximum(prob, 1 - prob)
    correct = ((prob >= 0.5) == (label > 0)).astype(float)  # noqa: PLR2004 - the larger class
    shares, gaps = _errors(correct, confidence, _contract_bins(confidence, int(count)))
    return float(shares @ gaps)


def _root_brier(label: Floats, prob: Floats, _: float) -> float | None:
    return float(np.sqrt(((prob - label) ** 2).mean()))


def _two_class_brier(label: Floats, prob: Floats, _: float) -> float | None:
    return float(2 * ((prob - label) ** 2).mean())


def _of_curve(stems: dict[str, OnRows]) -> Formula:
    """Make a formula on labels and probabilities, with the key's α or M as parameter."""

    def formula(case: Case, written: str) -> float | None:
        key = Key.parse(written)
        found = load().find(key.metric)
        rows = case.rows
        if found is None or found.variant or rows.label is None or rows.prob is None:
            return None
        stem = found.metric.id.partition("@")[0]
        if stem not in stems or (stem in {"fpr", "threshold"} and "α" not in found.parameters):
            return None
        label, prob = rows.label, rows.prob
        number = float(next(iter(found.parameters.values()), "0"))
        parameter = number / 100 if "α" in found.parameters else number

        def value(mask: Bools) -> float | None:
            return stems[stem](label[mask], prob[mask], parameter) if mask.any() else None

        return over_slice(rows, key, value)

    return formula


def _of_counts(metrics: set[str], value: Callable[[float, float, float, float], float]) -> Formula:
    """Make a formula on the confusion counts that the true ledger has."""

    def formula(case: Case, written: str) -> float | None:
        key = Key.parse(written)
        if key.metric not in metrics or key.statistic != "value":
            return None
        names = (f"{one}|{key.population}|{key.slice}|value" for one in ("tp", "fp", "tn", "fn"))
        counts = [case.ledger.get(name) for name in names]
        if any(count is None for count in counts) or not sum(c or 0 for c in counts):
            return None
        tp, fp, tn, fn = (float(c or 0) for c in counts)
        return value(tp, fp, tn, fn)

    return formula


def _f1s(tp: float, fp: float, tn: float, fn: float) -> tuple[float, float]:
    positive, negative = 2 * tp + fp + fn, 2 * tn + fp + fn
    return (2 * tp / positive if positive else 0.0), (2 * tn / negative if negative else 0.0)


def _weighted_f1(tp: float, fp: float, tn: float, fn: float) -> float:
    positive, negative = _f1s(tp, fp, tn, fn)
    return ((tp + fn) * positive + (tn + fp) * negative) / (tp + fp + tn + fn)


def _unpaired(case: Case, written: str) -> float | None:
    """Draw labels and scores apart (trap T2): the interval closes around 0.5."""
    key = Key.parse(written)
    rows = case.rows
    mask = rows.mask(key.population, key.slice)
    end = key.statistic.partition("/")[0]
    known = rows.label is not None and rows.prob is not None
    if key.metric != "auroc" or end not in {"ci_low", "ci_high"} or mask is None or not known:
        return None
    assert rows.label is not None  # noqa: S101 - seen above; the checker does not follow
    assert rows.prob is not None  # noqa: S101 - the same
    label, prob = rows.label[mask], rows.prob[mask]
    chance = np.random.default_rng(0)
    areas = [
        _area(chance.choice(label, len(label)), chance.choice(prob, len(prob)))
        for _ in range(RESAMPLES)
    ]
    return float(np.percentile(areas, 2.5 if end == "ci_low" else 97.5))


def _area(label: Floats, prob: Floats) -> float:
    curve = _roc(label, prob, dropped=False)
    return 0.5 if curve is None else float(np.trapezoid(curve[1], curve[0]))


def _normal_interval(case: Case, written: str) -> float | None:
    key = Key.parse(written)
    end = key.statistic.partition("/")[0]
    stem = f"{key.metric}|{key.population}|{key.slice}"
    mean, spread = case.ledger.get(f"{stem}|mean"), case.ledger.get(f"{stem}|std")
    count = case.ledger.get(f"queries|{key.population}|{key.slice}|n")
    if end not in {"ci_low", "ci_high"} or mean is None or spread is None or not count:
        return None
    return float(mean + (-_Z if end == "ci_low" else _Z) * spread / count**0.5)


FORMULAS: dict[str, Formula] = {
    "dropped_points": _of_curve(
        {what: _budget(what, dropped=True) for what in ("tpr", "threshold", "fpr")}
    ),
    "interpolated_tpr": _of_curve({"tpr": _interpolated_tpr}),
    "below_budget": _of_curve(
        {what: _budget(what, strict=True) for what in ("tpr", "threshold", "fpr")}
    ),
    "trapezoid_from_zero": _of_curve({"auprc": _trapezoid_from_zero}),
    "interpolated_auprc": _of_curve({"auprc": _interpolated_auprc}),
    "linspace_edges": _of_curve({"ece": _expected(_linspace)}),
    "linspace_half_open": _of_curve({"ece": _expected(_linspace_open)}),
    "right_closed_bins": _of_curve({"ece": _expected(_right_closed)}),
    "equal_mass_bins": _of_curve({"ece": _expected(_equal_mass)}),
    "unweighted_bins": _of_curve({"ece": _unweighted}),
    "largest_bin_error": _of_curve({"ece": _largest}),
    "confidence_ece": _of_curve({"ece": _confidence}),
    "root_brier": _of_curve({"brier": _root_brier}),
    "two_class_brier": _of_curve({"brier": _two_class_brier}),
    "two_class_f1": _of_counts({"f1"}, lambda tp, fp, tn, fn: sum(_f1s(tp, fp, tn, fn)) / 2),
    "weighted_f1": _of_counts({"f1"}, _weighted_f1),
    "accuracy": _of_counts(
        {"f1", "precision", "sensitivity", "specificity", "balanced_accuracy"},
        lambda tp, fp, tn, fn: (tp + tn) / (tp + fp + tn + fn),
    ),
    "unpaired": _unpaired,
    "normal_interval": _normal_interval,
}
