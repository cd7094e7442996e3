"""F1 against precision and recall: equal to their harmonic mean, or an average of such.

A mean of F1s over folds, classes or queries is never above the harmonic mean of the means, and at
least P + R − 1. Below the harmonic mean it is an average. Which of the two a table prints is told
by its rows together: a single row below, among others that fit, is the odd one.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from crosscheck.audit import subjects
from crosscheck.audit.rates import interval
from crosscheck.audit.verdicts import Tally, exact, listed
from crosscheck.notation.interval import UNIT, Interval, short

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crosscheck.notation.claim import Claim

NAMES = (
    ("precision", "sensitivity", "f1"),
    ("precision", "recall", "f1"),
    ("deployment_precision", "deployment_recall", "deployment_f1"),
    ("precision/macro", "recall/macro", "f1/macro"),
    ("precision/weighted", "recall/weighted", "f1/weighted"),
    ("precision/micro", "recall/micro", "f1/micro"),
)
_MEANS = ("folds", "seeds", "criteria", "dataset")
_AVERAGE = "F1 is an average over folds, classes or queries (macro)"


@dataclass(frozen=True, slots=True)
class Row:
    """Precision, recall and F1 of one row, and what each can have been."""

    cells: tuple[Claim, Claim, Claim]
    p: Interval
    r: Interval
    printed: Interval

    @property
    def most(self) -> Fraction:
        """The largest harmonic mean that precision and recall allow."""
        return _harmonic(self.p.high, self.r.high)

    @property
    def least(self) -> Fraction:
        """The smallest."""
        return _harmonic(self.p.low, self.r.low)

    @property
    def averaged(self) -> bool:
        """Whether the labels say that the three are averages: a smaller F1 is no surprise."""
        metric, _, where, statistic = (self.cells[2].key or "|||").split("|")
        return "/" in metric or where in _MEANS or statistic == "mean"


def _harmonic(p: Fraction, r: Fraction) -> Fraction:
    return 2 * p * r / (p + r) if p + r else Fraction(0)


def audit(claims: Sequence[Claim]) -> Tally:
    """Hold every F1 against the precision and recall of its row."""
    tally = Tally()
    for some in subjects.of_table(claims).values():
        several = subjects.task(some).several
        rows = [row for cells in subjects.apart(some).values() for row in _rows(cells)]
        for row in rows:
            tally.looked_at(row.cells)
        left = [row for row in rows if not _impossible(row, rows, tally)]
        if not several:
            _below([row for row in left if not row.averaged], tally)
    return tally


def _rows(cells: Sequence[Claim]) -> list[Row]:
    places: dict[str, dict[str, Claim]] = {}
    for claim in cells:
        metric, _, place = (claim.key or "").partition("|")
        places.setdefault(place, {})[metric] = claim
    found = []
    for at in places.values():
        for names in NAMES:
            if not all(name in at for name in names):
                continue
            p, r, printed = (interval(at[name]).cut(UNIT) for name in names)
            if p is not None and r is not None and printed is not None and p.low + r.low > 0:
                found.append(Row((at[names[0]], at[names[1]], at[names[2]]), p, r, printed))
    return found


def _impossible(row: Row, rows: Sequence[Row], tally: Tally) -> bool:
    """Tell of an F1 that no average gives; where most rows are so, the names are misread."""
    least = max(row.p.low + row.r.low - 1, Fraction(0))
    if least <= row.printed.high and row.printed.low <= row.most:
        return False
    wrong = sum(one.printed.low > one.most for one in rows)
    misread = wrong > 1 and wrong * 2 > len(rows)
    above = row.printed.low > row.most
    p, r = exact(row.p.high), exact(row.r.high)
    worked = f"2·{p}·{r}/({p} + {r}) < {exact(row.printed.low)}"
    if not above:
        worked = f"{exact(row.p.low)} + {exact(row.r.low)} − 1 > {exact(row.printed.high)}"
    tally.found(
        "XC916",
        row.cells,
        f"{listed(row.cells)}: F1 is the harmonic mean of precision and recall, and an "
        "average of F1s is never above that of the averages",
        f"{row.cells[2].label} between {short(least)} and {short(row.most)}",
        worked=worked,
        only_if="precision, recall and F1 are averaged in the same way" if misread else "",
    )
    return True


def _below(rows: Sequence[Row], tally: Tally) -> None:
    """Tell of rows below the harmonic mean, unless the table as a whole prints averages."""
    low = [row for row in rows if row.printed.high < row.least]
    fitting = len(rows) - len(low)
    if not low:
        return
    if len(rows) > 1 and fitting < 2 * len(low):
        where = low[0].cells[2].table or low[0].cells[2].file
        tally.notes.append(
            f"{where}: {len(low)} of {len(rows)} F1s lie below the harmonic mean of the precision "
            "and recall beside them: the table prints averages over classes, folds or queries"
        )
        return
    for row in low:
        p, r = exact(row.p.low), exact(row.r.low)
        tally.found(
            "XC920",
            row.cells,
            f"{listed(row.cells)}: their harmonic mean is {short(row.least)} to {short(row.most)}",
            f"{row.cells[2].label} between {short(row.least)} and {short(row.most)}",
            (_AVERAGE,),
            worked=f"2·{p}·{r}/({p} + {r}) > {exact(row.printed.high)}",
            only_if="precision, recall and F1 are of one matrix",
        )
