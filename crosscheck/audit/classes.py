"""Several classes: confusion matrices against every printed rate, and reports by class.

A matrix fixes the rates of each class and all averages over them. A report by class fixes its own
rows of averages: macro is the plain mean, weighted is the mean by support.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from crosscheck.audit import subjects
from crosscheck.audit.rates import interval
from crosscheck.audit.verdicts import Tally, exact, named
from crosscheck.notation.interval import Interval, short

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from crosscheck.notation.claim import Claim

    Known = Mapping[str, tuple[Fraction, str]]

_AVERAGE = re.compile(r"^(?P<way>macro|weighted|micro)[ _-]*(?:avg|average|mean)?$", re.IGNORECASE)
_NO_CLASS = re.compile(r"^(?:accuracy|total|all|overall|avg|average|mean|sum)$", re.IGNORECASE)
_RATES = ("precision", "recall", "sensitivity", "f1")
_FEWEST = 2
_COUNT = re.compile(r"count@true=(?P<actual>.*),predicted=(?P<guess>[^,]*)")


def audit(claims: Sequence[Claim]) -> Tally:
    """Audit every report by class, and every matrix against the rates that it fixes."""
    tally = Tally()
    for some in subjects.of_table(claims).values():
        _report(some, tally)
    grids = [grid for grid in map(_grid, _subjects(claims)) if grid is not None]
    for grid in grids:
        _against(grid, claims, tally, only=len(grids) == 1)
    return tally


def _subjects(claims: Sequence[Claim]) -> list[list[Claim]]:
    """Gather the counts of each matrix."""
    found: dict[tuple[str, str, str], list[Claim]] = defaultdict(list)
    for claim in subjects.values(claims):
        if claim.metric.startswith("count@"):
            found[claim.beside].append(claim)
    return list(found.values())


@dataclass(frozen=True, slots=True)
class Grid:
    """A square of counts by actual and predicted class."""

    cells: tuple[Claim, ...]
    classes: tuple[str, ...]
    counts: Mapping[tuple[str, str], int]

    def row(self, one: str) -> int:
        """How many are of a class."""
        return sum(self.counts[one, other] for other in self.classes)

    def column(self, one: str) -> int:
        """How many are called a class."""
        return sum(self.counts[other, one] for other in self.classes)

    @property
    def total(self) -> int:
        """How many there are."""
        return sum(self.counts.values())

    def rate(self, metric: str, one: str) -> tuple[Fraction, str]:
        """Give a rate of one class, and how it is worked out."""
        hits = self.counts[one, one]
        below = {"precision": self.column(one), "f1": self.row(one) + self.column(one)}.get(
            metric, self.row(one)
        )
        above = 2 * hits if metric == "f1" else hits
        return (Fraction(above, below), f"{above}/{below}") if below else (Fraction(0), "0")


def _grid(cells: Sequence[Claim]) -> Grid | None:
    counts: dict[tuple[str, str], int] = {}
    for claim in cells:
        found = _COUNT.fullmatch(claim.metric)
        if found is None or claim.number is None or claim.number.step > 1:
            return None
        counts[found["actual"], found["guess"]] = int(claim.number.value)
    classes = tuple(dict.fromkeys(actual for actual, _ in counts))
    square = {(a, b) for a in classes for b in classes}
    if len(classes) < _FEWEST or square != counts.keys() or not sum(counts.values()):
        return None
    return Grid(tuple(cells), classes, counts)


def _fixed(grid: Grid) -> dict[str, tuple[Fraction, str]]:
    """Give every key that a matrix fixes, with its working."""
    right = sum(grid.counts[one, one] for one in grid.classes)
    accuracy = Fraction(right, grid.total), f"{right}/{grid.total}"
    found = {"accuracy||all": accuracy, "f1/micro||all": accuracy, "recall/weighted||all": accuracy}
    for metric in ("precision", "recall", "f1"):
        each = [grid.rate(metric, one) for one in grid.classes]
        for one, rate in zip(grid.classes, each, strict=True):
            found[f"{metric}||class={one}"] = rate
        terms = " + ".join(text for _, text in each)
        size = len(each)
        macro = sum((rate for rate, _ in each), Fraction(0)) / size, f"({terms})/{size}"
        found[f"{metric}/macro||all"] = macro
        if metric == "recall":
            found["balanced_accuracy/multiclass||all"] = macro
        weights = [grid.row(one) for one in grid.classes]
        terms = " + ".join(f"{w}·{text}" for w, (_, text) in zip(weights, each, strict=True))
        total = sum((w * rate for w, (rate, _) in zip(weights, each, strict=True)), Fraction(0))
        found[f"{metric}/weighted||all"] = total / grid.total, f"({terms})/{grid.total}"
    return found


def _against(grid: Grid, claims: Sequence[Claim], tally: Tally, *, only: bool) -> None:
    """Hold the printed rates of one subject against its matrix."""
    fixed = _fixed(grid)
    first = grid.cells[0]
    for claim in subjects.values(claims):
        metric, _, where, _ = (claim.key or "|||").split("|")
        known = fixed.get(f"{metric}||{where}")
        same = (claim.file, claim.subject) == (first.file, first.subject)
        near = only and (claim.title.startswith(first.title) or first.title.startswith(claim.title))
        if known is None or not same or not (near or claim.table == first.table):
            continue
        value, words = known
        tally.looked_at((claim, *grid.cells))
        if interval(claim).holds(value):
            continue
        above = interval(claim).low > value
        end = interval(claim).low if above else interval(claim).high
        one = claim.table == first.table or claim.title == first.title
        tally.found(
            "XC928",
            (claim, *grid.cells),
            f"{named(claim)}, but the confusion matrix gives {short(value, 4)} ({metric})",
            f"{claim.label} = {short(value, 4)}",
            worked=f"{words} {'<' if above else '>'} {exact(end)}",
            only_if="" if one else "the rate and the matrix are of one run",
        )


def _report(claims: Sequence[Claim], tally: Tally) -> None:
    """Hold the rows of averages of a report by class against the rows of the classes."""
    rows: dict[str, dict[str, Claim]] = defaultdict(dict)
    for claim in subjects.values(claims):
        metric, _, where, _ = (claim.key or "|||").split("|")
        if where.startswith("class=") and not claim.system:
            rows[where.removeprefix("class=")].setdefault(metric, claim)
    classes = {
        n: row for n, row in rows.items() if not _AVERAGE.match(n) and not _NO_CLASS.match(n)
    }
    if len(classes) < _FEWEST:
        return
    for name, row in rows.items():
        found = _AVERAGE.match(name)
        way = found["way"].lower() if found else ""
        for metric in _RATES:
            if way in {"macro", "weighted"} and metric in row:
                _averaged(row[metric], [r.get(metric) for r in classes.values()],
                          _weights(classes) if way == "weighted" else None, tally)  # fmt: skip


def _weights(classes: Mapping[str, Mapping[str, Claim]]) -> list[int]:
    """Give the supports; empty where one is missing."""
    found = [row.get("support") for row in classes.values()]
    numbers = [c.number.value for c in found if c is not None and c.number is not None]
    return [int(n) for n in numbers] if len(numbers) == len(classes) else []


def _averaged(
    mean: Claim, cells: Sequence[Claim | None], weights: list[int] | None, tally: Tally
) -> None:
    given = [cell for cell in cells if cell is not None]
    if len(given) < len(cells) or weights == [] or (weights and not sum(weights)):
        return
    by = weights or [1] * len(given)
    whole = sum((interval(c).times(w) for c, w in zip(given, by, strict=True)), Interval.of(0))
    span = whole.times(Fraction(1, sum(by)))
    tally.looked_at((mean, *given))
    if span.meets(interval(mean)):
        return
    above = interval(mean).low > span.high
    terms = " + ".join(
        f"{w}·{exact(interval(c).high if above else interval(c).low)}"
        for c, w in zip(given, by, strict=True)
    )
    end = exact(interval(mean).low if above else interval(mean).high)
    tally.found(
        "XC921",
        (mean, *given),
        f"{named(mean)} is not the mean of the {len(given)} classes"
        + (" by their support" if weights else "")
        + f", which is {short(span.low)} to {short(span.high)}",
        f"{mean.label} between {short(span.low)} and {short(span.high)}",
        worked=f"({terms})/{sum(by)} {'<' if above else '>'} {end}",
    )
