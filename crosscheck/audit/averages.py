"""A row or column called average: the mean of its cells, or of which of them.

Over data sets, tasks, folds, seeds. Where the mean does not fit, the audit looks for the cells of
which it is the mean: all but one, all but two. A column of averages that fits nowhere is of other
cells than those beside it, and is only advice.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING

from crosscheck.audit.rates import interval
from crosscheck.audit.verdicts import Tally, exact, named
from crosscheck.notation.interval import Interval, short

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crosscheck.notation.claim import Claim

_MEANS = frozenset(("folds", "seeds", "dataset", "criteria"))
_FEWEST = 2
_LEFT_OUT = 2
_MOST = 60


@dataclass(frozen=True, slots=True)
class Mean:
    """An average with the cells that it is said to be over."""

    claim: Claim
    cells: tuple[Claim, ...]

    @property
    def span(self) -> Interval:
        """What the mean of the cells can be."""
        return _mean(self.cells)

    @property
    def fits(self) -> bool:
        """Whether the printed average can be their mean."""
        return self.span.meets(interval(self.claim))


def audit(claims: Sequence[Claim]) -> Tally:
    """Hold every average against its cells, table by table."""
    tally = Tally()
    tables: dict[tuple[str, str], list[Mean]] = defaultdict(list)
    for one in _means(claims):
        tables[one.claim.file, one.claim.table].append(one)
    for some in tables.values():
        right = sum(one.fits for one in some)
        for one in some:
            tally.looked_at((one.claim, *one.cells))
            if not one.fits:
                _told(one, tally, known=right * 2 >= len(some) and right > 0)
    return tally


def _means(claims: Sequence[Claim]) -> list[Mean]:
    found = []
    plain = [c for c in claims if c.key and c.role == "value" and not c.prose]
    for claim in filter(_is_plain, plain):
        where, statistic = (claim.key or "").split("|")[2:]
        average = bool(claim.said and claim.said.average)
        if not (average or (where in _MEANS and statistic in {"mean", "macro"})):
            continue
        kind = "dataset" if average else where.removesuffix("s")
        cells = tuple(c for c in plain if c is not claim and _belongs(c, claim, kind))
        if not all(map(_is_plain, cells)):
            continue  # a cell that may be a fraction or a percentage leaves the mean open
        if _FEWEST <= len(cells) <= _MOST and len(
            {c.subject + (c.key or "") for c in cells}
        ) == len(cells):
            found.append(Mean(claim, cells))
    return found


def _is_plain(claim: Claim) -> bool:
    return claim.readable


def _belongs(cell: Claim, mean: Claim, kind: str) -> bool:
    """Whether a cell is one of those that an average is over: beside it, in one line."""
    if (cell.file, cell.table) != (mean.file, mean.table) or cell.metric != mean.metric:
        return False
    if cell.population != mean.population or cell.condition != mean.condition:
        return False
    if cell.at[0] != mean.at[0] and cell.at[1] != mean.at[1]:
        return False
    where = (cell.key or "").split("|")[2]
    if kind != "dataset":
        return where.startswith(f"{kind}=") and cell.system == mean.system
    own = bool(cell.said and cell.said.average)
    return where == "all" and not own and _is_of(cell, mean)


def _is_of(cell: Claim, mean: Claim) -> bool:
    """Whether a cell says all that the average says of its subject, and a place besides."""
    if cell.split != mean.split or cell.said is None or mean.said is None:
        return False
    ours, theirs = set(mean.said.other), set(cell.said.other)
    return ours < theirs or (ours == theirs and cell.dataset is not None and mean.dataset is None)


def _mean(cells: Sequence[Claim]) -> Interval:
    return sum(map(interval, cells), Interval.of(0)).times(Fraction(1, len(cells)))


def _told(one: Mean, tally: Tally, *, known: bool) -> None:
    span, printed = one.span, interval(one.claim)
    parts = _subsets(one)
    above = printed.low > span.high
    sums = " + ".join(exact(interval(c).high if above else interval(c).low) for c in one.cells)
    end = exact(printed.low if above else printed.high)
    tally.found(
        "XC921",
        (one.claim, *one.cells),
        f"{named(one.claim)} is not the mean of its {len(one.cells)} cells, which is "
        f"{short(span.low)} to {short(span.high)}",
        f"{one.claim.label} between {short(span.low)} and {short(span.high)}",
        parts or ("another cell of the line is wrong, or the average is over others than these",),
        worked=f"({sums})/{len(one.cells)} {'<' if above else '>'} {end}",
        only_if="" if known and not parts else "the average is over these cells and no others",
    )


def _subsets(one: Mean) -> tuple[str, ...]:
    """Name the cells without which the mean fits; few enough to be worth telling."""
    found = []
    for left in range(1, _LEFT_OUT + 1):
        for out in combinations(one.cells, left):
            rest = [c for c in one.cells if c not in out]
            if len(rest) >= _FEWEST and _mean(rest).meets(interval(one.claim)):
                found.append("it is the mean without " + " and ".join(named(c) for c in out))
        if found:
            break
    return tuple(found[:3]) if len(found) <= len(one.cells) else ()
