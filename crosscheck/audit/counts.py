"""Rates over known numbers of positives and negatives need a confusion matrix that gives them.

With P positives and N negatives every rate of the gate follows from two whole numbers, TP and FP.
The audit tries those that sensitivity and specificity leave, and asks whether one pair prints as
the table does. It speaks about single slices only: a mean over folds has a matrix for each.
"""

from __future__ import annotations

import math
from collections import defaultdict
from fractions import Fraction
from typing import TYPE_CHECKING

from crosscheck.audit.rates import interval
from crosscheck.audit.verdicts import Tally, listed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from crosscheck.notation.claim import Claim
    from crosscheck.notation.interval import Interval

    Rate = Callable[[int, int, int, int], Fraction | float | None]

MOST = 250_000
"""Pairs that are tried; beyond, the check says nothing."""


def _share(above: int, below: int) -> Fraction:
    return Fraction(above, below) if below else Fraction(0)


def _mcc(tp: int, fp: int, tn: int, fn: int) -> float:
    below = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    return (tp * tn - fp * fn) / math.sqrt(below) if below else 0.0


RATES: dict[str, Rate] = {
    "sensitivity": lambda tp, _fp, _tn, fn: _share(tp, tp + fn),
    "fnr": lambda tp, _fp, _tn, fn: _share(fn, tp + fn),
    "specificity": lambda _tp, fp, tn, _fn: _share(tn, tn + fp),
    "fpr": lambda _tp, fp, tn, _fn: _share(fp, tn + fp),
    "precision": lambda tp, fp, _tn, _fn: _share(tp, tp + fp),
    "npv": lambda _tp, _fp, tn, fn: _share(tn, tn + fn),
    "f1": lambda tp, fp, _tn, fn: _share(2 * tp, 2 * tp + fp + fn),
    "balanced_accuracy": lambda tp, fp, tn, fn: (_share(tp, tp + fn) + _share(tn, tn + fp)) / 2,
    "mcc": _mcc,
}
_SLACK = Fraction(1, 10**12)


def audit(claims: Sequence[Claim]) -> Tally:
    """Audit every system whose positives and negatives the table itself states."""
    tally = Tally()
    for cells in _groups(claims).values():
        sides = totals(cells, claims)
        rates = {metric: cell for metric, cell in cells.items() if metric in RATES}
        if sides is None or not rates:
            continue
        found = _fitting(rates, *sides)
        if found is None:
            continue
        tally.looked_at(rates.values())
        if not found:
            positives, negatives = sides
            tally.found(
                "XC917",
                tuple(rates.values()),
                f"no confusion matrix of {positives} positives and {negatives} negatives gives "
                f"{listed(rates.values())}",
                explanations=(
                    "another number of queries stands behind them",
                    "they are means over folds, or at different thresholds",
                ),
            )
    return tally


def _groups(claims: Sequence[Claim]) -> dict[tuple[str, ...], dict[str, Claim]]:
    found: dict[tuple[str, ...], dict[str, Claim]] = defaultdict(dict)
    for claim in claims:
        whole = (claim.key or "").endswith("|all_queries|all|value")
        if whole and claim.readable and claim.role == "value":
            found[claim.beside].setdefault(claim.metric, claim)
    return found


def totals(cells: dict[str, Claim], claims: Sequence[Claim]) -> tuple[int, int] | None:
    """Read positives and negatives from the four counts, or from the stated numbers of queries."""
    counts = [_count(cells.get(name)) for name in ("tp", "fn", "fp", "tn")]
    tp, fn, fp, tn = counts
    if tp is not None and fn is not None and fp is not None and tn is not None:
        return tp + fn, fp + tn
    one = next(iter(cells.values()))
    stated = {
        claim.key: _count(claim)
        for claim in claims
        if claim.metric == "queries" and claim.beside == one.beside
    }
    every = stated.get("queries|all_queries|all|n")
    positives = stated.get("queries|positives_only|all|n")
    if every is None or positives is None or not 0 <= positives <= every:
        return None
    return positives, every - positives


def _count(claim: Claim | None) -> int | None:
    if claim is None or claim.number is None or claim.number.relation or claim.number.step > 1:
        return None
    return int(claim.number.value)


def _fitting(rates: dict[str, Claim], positives: int, negatives: int) -> bool | None:
    """Say whether some (TP, FP) prints as the table; None where too many would have to be tried."""
    bounds = {metric: interval(cell) for metric, cell in rates.items()}
    tps = _numbers(bounds, {"sensitivity": False, "fnr": True}, positives)
    fps = _numbers(bounds, {"fpr": False, "specificity": True}, negatives)
    if len(tps) * len(fps) > MOST:
        return None
    return any(
        all(_prints(RATES[metric](tp, fp, negatives - fp, positives - tp), bound)
            for metric, bound in bounds.items())
        for tp in tps
        for fp in fps
    )  # fmt: skip


def _numbers(bounds: dict[str, Interval], names: dict[str, bool], total: int) -> range:
    """Give the counts that a rate, or its complement, leaves."""
    low, high = 0, total
    for name, complement in names.items():
        if name in bounds and total:
            least, most = bounds[name].low * total, bounds[name].high * total
            if complement:
                least, most = total - most, total - least
            low, high = max(low, math.ceil(least)), min(high, math.floor(most))
    return range(low, high + 1)


def _prints(value: Fraction | float | None, bound: Interval) -> bool:
    return value is not None and bound.wider(_SLACK).holds(value)
