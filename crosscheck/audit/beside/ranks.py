"""Columns of ranks, held against the values that they rank; and average ranks over data sets."""

from __future__ import annotations

import re
from collections import defaultdict
from fractions import Fraction
from itertools import permutations
from typing import TYPE_CHECKING

from crosscheck.audit import subjects
from crosscheck.audit.beside.recast import AVERAGE, BY, is_rank
from crosscheck.audit.rates import interval
from crosscheck.audit.verdicts import Tally, exact, named
from crosscheck.notation.interval import short
from crosscheck.notation.metric_names import folded

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from crosscheck.notation.claim import Claim

    Ranks = Mapping[int, int]
    """Line of the table → its rank."""

_LABEL = re.compile(r"(?:rank|place|position|pos|#)[ .#]*(?P<rank>\d{1,3})", re.IGNORECASE)
_FEWEST = 3
_AGREEING = {True: Fraction(7, 10), False: Fraction(17, 20)}
"""The share of pairs in order from which a rank is by the only column, or by one of several."""


def audit(claims: Sequence[Claim]) -> Tally:
    """Hold every column of ranks against the columns that it may rank."""
    tally = Tally()
    for some in subjects.of_table(claims).values():
        if not some[0].table:
            continue
        columns = _columns(some)
        every = _ranked(some)
        for ranks, cells, name in every:
            _judge(ranks, cells, name, columns, tally, several=len(every) > 1)
        for claim in some:
            if claim.role == "unknown" and folded(claim.name) in AVERAGE and claim.number:
                _average(claim, some, tally)
    return tally


def _columns(claims: Iterable[Claim]) -> dict[tuple[object, ...], list[Claim]]:
    """Gather the values that one column prints, where more or less of it is better."""
    found: dict[tuple[object, ...], list[Claim]] = defaultdict(list)
    for claim in subjects.values(claims):
        if claim.role == "value" and subjects.direction(claim) and _is_single(claim):
            found[claim.at[1], claim.key, claim.dataset, claim.split, claim.condition].append(claim)
    return found


def _is_single(claim: Claim) -> bool:
    return not (claim.said and claim.said.average)


def _ranked(claims: Sequence[Claim]) -> list[tuple[dict[int, int], tuple[Claim, ...], str]]:
    """Find the columns of ranks: whole numbers from 1, called so; or labels such as “Rank 1”."""
    found: list[tuple[dict[int, int], tuple[Claim, ...], str]] = []
    columns: dict[int, list[Claim]] = defaultdict(list)
    labels: dict[int, int] = {}
    for claim in claims:
        if claim.role == "unknown" and _is_rank(claim):
            columns[claim.at[1]].append(claim)
        said = claim.said.other[0] if claim.said and len(claim.said.other) > 1 else ""
        told = _LABEL.fullmatch(said)
        if told:
            labels[claim.at[0]] = int(told["rank"])
    for cells in columns.values():
        ranks = {c.at[0]: int(c.number.value) for c in cells if c.number}
        if len(ranks) == len(cells) and _are_ranks(ranks):
            found.append((ranks, tuple(cells), cells[0].name))
    if _are_ranks(labels):
        found.append((labels, (), "Rank"))
    return found


def _is_rank(claim: Claim) -> bool:
    number = claim.number
    whole = number is not None and number.step == 1 and not number.relation and not claim.percent
    return whole and is_rank((claim.name,))


def _are_ranks(ranks: Ranks) -> bool:
    """Whether these are places of as many systems: from 1, none beyond their number."""
    places = sorted(ranks.values())
    return len(places) >= _FEWEST and places[0] == 1 and places[-1] <= len(places)


def _judge(
    ranks: Ranks,
    cells: tuple[Claim, ...],
    name: str,
    columns: Mapping[tuple[object, ...], list[Claim]],
    tally: Tally,
    *,
    several: bool,
) -> None:
    """Tell of a rank that no column gives; quietly where it may be by what is not printed."""
    rows = [[c for c in column if c.at[0] in ranks] for column in columns.values()]
    rows = [column for column in rows if len(column) == len(ranks)]
    named_by = _by(name, rows)
    rows = named_by or _before(cells, rows, several=several) or rows
    if not rows:
        return
    fitting = [column for column in rows if not _inverted(ranks, column)]
    if fitting:
        tally.looked_at((*cells, *(c for column in fitting for c in column)))
        return
    best = min(rows, key=lambda column: len(_inverted(ranks, column)))
    wrong = _inverted(ranks, best)
    pairs = len(ranks) * (len(ranks) - 1) // 2
    only = len(rows) == 1
    allowed = max((1 - _AGREEING[only]) * pairs, Fraction(only))
    if len(wrong) > allowed and not named_by:
        return
    tally.looked_at((*cells, *best))
    _tell(ranks, wrong[0], cells, tally, by=best[0].name, sure=bool(named_by))


def _by(name: str, rows: Sequence[list[Claim]]) -> list[list[Claim]]:
    """Give the columns whose metric the rank's own name has: “MRR rank”, “Rank (MRR)”."""
    said = BY.match(name.lower())
    if said is None:
        return []
    wanted = folded(said["metric"] or said["of"])
    return [column for column in rows if folded(column[0].name) == wanted]


def _before(
    cells: Sequence[Claim], rows: Sequence[list[Claim]], *, several: bool
) -> list[list[Claim]]:
    """Give the metric at the left of a rank, where it is one of several or others follow it."""
    if not cells:
        return []
    at = cells[0].at[1]
    followed = any(column[0].at[1] > at for column in rows)
    return [c for c in rows if c[0].at[1] == at - 1] if several or followed else []


def _inverted(ranks: Ranks, column: Sequence[Claim]) -> list[tuple[Claim, Claim]]:
    """List the pairs of which the one ranked before the other is surely worse."""
    sign = subjects.direction(column[0])
    found = []
    for first, second in permutations(column, 2):
        if ranks[first.at[0]] < ranks[second.at[0]]:
            low, high = (first, second) if sign > 0 else (second, first)
            if interval(low).high < interval(high).low:
                found.append((first, second))
    return found


def _tell(
    ranks: Ranks,
    pair: tuple[Claim, Claim],
    cells: tuple[Claim, ...],
    tally: Tally,
    *,
    by: str,
    sure: bool,
) -> None:
    first, second = pair
    low, high = (first, second) if subjects.direction(first) > 0 else (second, first)
    own = tuple(c for c in cells if c.at[0] in {first.at[0], second.at[0]})
    tally.found(
        "XC925",
        (first, second, *own),
        f"{named(first)} has rank {ranks[first.at[0]]}, before {named(second)} with rank "
        f"{ranks[second.at[0]]}, which is better",
        f"the ranks in the order of {by}",
        worked=f"{exact(interval(low).high)} < {exact(interval(high).low)}",
        only_if="" if sure else f"the rank is by {by}, as it is in most other pairs",
    )


def _average(claim: Claim, claims: Sequence[Claim], tally: Tally) -> None:
    """Hold an average rank against the places that the cells of its line leave, ties either way."""
    columns = [
        column
        for column in _columns(claims).values()
        if any(c.at[0] == claim.at[0] for c in column) and len(column) >= _FEWEST - 1
    ]
    if claim.number is None or claim.number.relation or len(columns) < _FEWEST - 1:
        return
    ends = [_places(column, claim.at[0]) for column in columns]
    least, most = (Fraction(sum(side), len(ends)) for side in zip(*ends, strict=True))
    own = tuple(c for column in columns for c in column if c.at[0] == claim.at[0])
    tally.looked_at((claim, *own))
    value = claim.number.interval
    if value.low > most or value.high < least:
        above = value.low > most
        sums = " + ".join(str(end[1] if above else end[0]) for end in ends)
        tally.found(
            "XC925",
            (claim, *own),
            f"{named(claim)}, but its places in the {len(ends)} columns of the table have a mean "
            f"of {short(least, 3)}" + (f" to {short(most, 3)}" if most != least else ""),
            f"{short(least, 3)} to {short(most, 3)}",
            worked=f"({sums})/{len(ends)} {'<' if above else '>'} "
            f"{exact(value.low if above else value.high)}",
            only_if="the average is over these columns and among these systems",
        )


def _places(column: Sequence[Claim], line: int) -> tuple[int, int]:
    """Give the best and the worst place that rounding and ties leave the cell of one line."""
    own = next(c for c in column if c.at[0] == line)
    sign = subjects.direction(own)
    better = possible = 0
    for other in column:
        if other is own:
            continue
        low, high = (own, other) if sign > 0 else (other, own)
        better += interval(low).high < interval(high).low
        possible += interval(low).low <= interval(high).high
    return 1 + better, 1 + possible
