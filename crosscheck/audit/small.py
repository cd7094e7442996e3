"""Precision, recall, F1 and accuracy of few queries: fractions with small denominators.

Where the table says how many queries there are, the audit looks for the counts TP, FP, FN that
print as the row does. None is a contradiction; a few are worth knowing.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from crosscheck.audit import subjects
from crosscheck.audit.counts import totals
from crosscheck.audit.rates import interval
from crosscheck.audit.sizes import Sizes
from crosscheck.audit.verdicts import Tally, listed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crosscheck.notation.claim import Claim
    from crosscheck.notation.interval import Interval

    Counts = tuple[int, int, int]

LARGEST = 400
"""Queries up to which counts are tried."""
FEW = 3
_NEEDED = ("precision", "sensitivity")
_USED = ("precision", "sensitivity", "f1", "accuracy", "specificity")


def audit(claims: Sequence[Claim], n: int | None = None) -> Tally:
    """Look for the counts behind every row of a binary classifier whose n is stated."""
    tally = Tally()
    sizes = Sizes.of(claims, n)
    for some in subjects.of_table(claims).values():
        if subjects.task(some).several:
            continue
        for cells in subjects.apart(some).values():
            row = {c.metric: c for c in cells if (c.key or "").endswith("|all_queries|all|value")}
            found = {size.n for c in row.values() if (size := sizes.behind(c))}
            count = found.pop() if len(found) == 1 else None
            if row and totals(row, some) is not None:
                continue  # with positives known, every rate is held against the matrix
            if count and count <= LARGEST and all(name in row for name in _NEEDED):
                _judge({name: row[name] for name in _USED if name in row}, count, tally)
    return tally


def _judge(row: dict[str, Claim], n: int, tally: Tally) -> None:
    cells = tuple(row.values())
    found = []
    for counts in _fitting({name: interval(c) for name, c in row.items()}, n):
        found.append(counts)
        if len(found) > FEW:
            tally.looked_at(cells)
            return
    tally.looked_at(cells)
    where = cells[0].subject or cells[0].table
    if found:
        some = " or ".join(f"TP {tp}, FP {fp}, FN {fn}" for tp, fp, fn in found)
        tally.notes.append(f"{where}: of {n} queries, only {some} print so")
        return
    tally.found(
        "XC917",
        cells,
        f"no TP, FP and FN among {n} queries give {listed(cells)}",
        "",
        ("another number of queries stands behind them", "they are averages over folds or classes"),
        only_if="all of them are of the positive class, over these queries",
    )


def _fitting(rates: dict[str, Interval], n: int) -> Iterator[Counts]:
    """List the counts that print as the row: positives, then TP, then FP."""
    precision, recall = rates["precision"], rates["sensitivity"]
    for positives in range(1, n + 1):
        low = max(0, math.ceil(recall.low * positives))
        for tp in range(low, min(positives, math.floor(recall.high * positives)) + 1):
            for fp in _false(tp, precision, n - positives):
                if _prints(rates, (tp, fp, positives - tp), n):
                    yield tp, fp, positives - tp


def _false(tp: int, precision: Interval, most: int) -> range:
    """Give the false positives beside which the hits print as this precision."""
    if not tp:
        return range(most + 1) if precision.low <= 0 else range(0)
    low = math.ceil(tp / precision.high) - tp if precision.high > 0 else most + 1
    high = math.floor(tp / precision.low) - tp if precision.low > 0 else most
    return range(max(low, 0), min(high, most) + 1)


def _prints(rates: dict[str, Interval], counts: Counts, n: int) -> bool:
    tp, fp, fn = counts
    tn = n - tp - fp - fn
    given = {
        "f1": (2 * tp, 2 * tp + fp + fn),
        "accuracy": (tp + tn, n),
        "specificity": (tn, tn + fp),
    }
    return all(
        name not in given or rate.holds(Fraction(given[name][0], given[name][1] or 1))
        for name, rate in rates.items()
    )
