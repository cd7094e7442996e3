"""Rates that are another rate by mistake: 1 − precision for FPR, balanced accuracy for AUROC."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from crosscheck.audit import subjects
from crosscheck.audit.rates import interval
from crosscheck.audit.verdicts import Tally, exact, listed, named
from crosscheck.notation.interval import Interval, short

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crosscheck.notation.claim import Claim

_FINE = Fraction(2, 1000)
"""Width of a printed cell below which equality is told; two digits are often equal by chance."""
_ROWS = 2
_CLASSES = 2


def audit(claims: Sequence[Claim]) -> Tally:
    """Look for both, table by table."""
    tally = Tally()
    for some in subjects.of_table(claims).values():
        rows = [{c.metric: c for c in row} for row in subjects.apart(some).values()]
        _discovery(rows, tally)
        _areas(rows, tally)
    _area_of_grid(claims, tally)
    return tally


def _discovery(rows: Sequence[dict[str, Claim]], tally: Tally) -> None:
    """Tell where every FPR of a table is one minus precision."""
    both = [row for row in rows if {"fpr", "precision"} <= row.keys()]
    fine = all(interval(row[n]).high - interval(row[n]).low <= _FINE
               for row in both for n in ("fpr", "precision"))  # fmt: skip
    if len(both) < (_ROWS if fine else 3 * _ROWS):
        return
    sums = [interval(row["fpr"]) + interval(row["precision"]) for row in both]
    if not all(one.meets(Interval.of(1)) for one in sums):
        return
    first = both[0]
    tally.looked_at(c for row in both for c in (row["fpr"], row["precision"]))
    cells = tuple(c for row in both for c in (row["precision"], row["fpr"]))
    tally.found(
        "XC923",
        cells,
        f"{named(first['fpr'])} is 1 − {first['precision'].printed}, the precision beside it, in "
        f"all {len(both)} rows: it is divided by what was called positive, not by the negatives"
        + _implied(both),
        "FPR divided by the negatives",
        ("it is the false discovery rate, under another name",),
        severity="advice",
        worked=f"{exact(sums[0].low)} ≤ 1 ≤ {exact(sums[0].high)}",
    )


def _implied(rows: Sequence[dict[str, Claim]]) -> str:
    """Say which prevalences it would imply as a false positive rate."""
    found = []
    for row in rows:
        if "sensitivity" not in row:
            return ""
        p, r, f = (_middle(row[name]) for name in ("precision", "sensitivity", "fpr"))
        above, below = p * f, r * (1 - p)
        if above + below == 0:
            return ""
        found.append(short(above / (above + below), 2))
    return f"; as an FPR it would imply shares of positives of {', '.join(found)}"


def _middle(claim: Claim) -> Fraction:
    one = interval(claim)
    return (one.low + one.high) / 2


def _areas(rows: Sequence[dict[str, Claim]], tally: Tally) -> None:
    """Tell where AUROC is the mean of sensitivity and specificity in every row of a table."""
    given = [one for row in rows if "auroc" in row and (one := _balanced(row)) is not None]
    for area, cells, _, _ in given:
        tally.looked_at((area, *cells))
    if given and all(_is_equal(area, balanced) for area, _, balanced, _ in given):
        _told(*given[0], tally)


def _balanced(row: dict[str, Claim]) -> tuple[Claim, tuple[Claim, ...], Interval, str] | None:
    """Give AUROC with the cells that give balanced accuracy, and how."""
    if "balanced_accuracy" in row:
        cells: tuple[Claim, ...] = (row["balanced_accuracy"],)
        return row["auroc"], cells, interval(cells[0]), exact(_middle(cells[0]))
    if {"sensitivity", "specificity"} <= row.keys():
        cells = (row["sensitivity"], row["specificity"])
        balanced = (interval(cells[0]) + interval(cells[1])).times(Fraction(1, 2))
        return row["auroc"], cells, balanced, f"({' + '.join(exact(_middle(c)) for c in cells)})/2"
    return None


def _is_equal(area: Claim, balanced: Interval) -> bool:
    """Whether two printed numbers are equal, so finely that chance seldom makes them so."""
    fine = interval(area).high - interval(area).low <= _FINE
    strict = balanced.high - balanced.low <= _FINE
    return fine and strict and interval(area).meets(balanced) and not balanced.holds(1)


def _told(
    area: Claim, cells: tuple[Claim, ...], balanced: Interval, words: str, tally: Tally
) -> None:
    half = (interval(area).high - interval(area).low + balanced.high - balanced.low) / 2
    tally.found(
        "XC924",
        (area, *cells),
        f"{named(area)} is the balanced accuracy that {listed(cells)} give "
        f"({short((balanced.low + balanced.high) / 2, 4)})",
        "an AUROC of the scores",
        ("AUROC was computed from decisions: a curve of one threshold",),
        severity="advice",
        worked=f"{exact(_middle(area) - half)} ≤ {words} ≤ {exact(_middle(area) + half)}",
    )


def _area_of_grid(claims: Sequence[Claim], tally: Tally) -> None:
    """Hold a document's one AUROC against the balanced accuracy of its one confusion matrix."""
    grid = [c for c in claims if c.readable and c.metric.startswith("count@")]
    areas = [c for c in claims if c.readable and c.metric == "auroc" and c.role == "value"]
    if not areas or len({c.printed for c in areas}) > 1 or len({c.table for c in grid}) != 1:
        return
    counts: dict[str, dict[str, Claim]] = {}
    for claim in grid:
        actual, _, guess = claim.metric.removeprefix("count@true=").partition(",predicted=")
        counts.setdefault(actual, {})[guess] = claim
    if len(counts) != _CLASSES or any(len(row) != _CLASSES for row in counts.values()):
        return
    rates, words = [], []
    for actual, row in counts.items():
        numbers = {guess: int(c.number.value) for guess, c in row.items() if c.number}
        if not sum(numbers.values()) or actual not in numbers:
            return
        rates.append(Fraction(numbers[actual], sum(numbers.values())))
        words.append(f"{numbers[actual]}/{sum(numbers.values())}")
    balanced = Interval.of(sum(rates, Fraction(0)) / _CLASSES)
    tally.looked_at((areas[0], *grid))
    if _is_equal(areas[0], balanced):
        _told(areas[0], tuple(grid), balanced, f"({' + '.join(words)})/2", tally)
