"""Which cells of one ranking cannot stand together, and which of them is to blame.

Two grades. A **close** contradiction lies between two metrics at two cut-offs (at most four
cells): it convicts. A **joint** one needs more cells; it proves as much about the numbers, but
rests on all of those cells coming from one run, one population and one definition, so it is told
as a warning that the table mixes things.
"""

from __future__ import annotations

import math
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, combinations_with_replacement
from typing import TYPE_CHECKING

from crosscheck.audit.linear import Program
from crosscheck.audit.verdicts import exact

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from crosscheck.notation.interval import Interval
    from crosscheck.notation.measure import Measure

    Cells = Mapping[Measure, Interval]

CLOSE = 4
"""Cells that a close contradiction has at most."""
EFFORT = 6_000
"""Cells, each counted again for every ten ranks, that a document's contradictions may cost."""
FAR = 1_000
"""Ranks beyond which a ranking costs no more."""
_left: ContextVar[int] = ContextVar("effort", default=EFFORT)


class TooMuchError(Exception):
    """So much of a document is contradictory that it is not looked into any further."""


@contextmanager
def effort() -> Iterator[None]:
    """Give one document its effort: tables of noise would take hours to say no more."""
    token = _left.set(EFFORT)
    try:
        yield
    finally:
        _left.reset(token)


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Cells that no queries can average to; `possible` is what the others leave the culprit."""

    cells: tuple[Measure, ...]
    culprit: Measure | None
    possible: dict[Measure, tuple[float, float]]
    close: bool


@lru_cache(maxsize=512)
def program(measures: frozenset[Measure]) -> Program:
    """Keep the program of a set of measures: what it has learnt serves every table like it."""
    return Program(sorted(measures))


def stands(cells: Cells, within: Program | None = None) -> bool:
    """Say that nothing speaks against these cells (undecided counts as possible).

    `within` is the program of a larger table that has them: what it learnt is used again.
    """
    if not cells:
        return True
    return (within or program(frozenset(cells))).check(cells).possible is not False


def possible(cells: Cells, within: Program | None = None) -> bool:
    """Say the same of cells that were made up to look into a contradiction: that has an end."""
    ranks = max((min(m.k, FAR) for m in cells), default=0)
    cost = len(cells) * (1 + int(ranks) // 10)
    if _left.get() < cost:
        raise TooMuchError
    _left.set(_left.get() - cost)
    return stands(cells, within)


def find(cells: Cells, doubted: frozenset[Measure] = frozenset()) -> list[Contradiction]:
    """List independent contradictions: after each, its culprit is set aside and the rest retried.

    `doubted` are cells that something else speaks against; they decide where blame is even.
    """
    left = dict(cells)
    found: list[Contradiction] = []
    whole = program(frozenset(cells))
    while len(left) > 1 and not stands(left, whole):
        try:
            one = _first(left, doubted)
        except TooMuchError:
            found.append(Contradiction(tuple(sorted(left)), None, {}, close=False))
            break
        found.append(one)
        if not one.close:
            break
        for measure in one.cells if one.culprit is None else (one.culprit,):
            left.pop(measure)
    return found


def _first(cells: Cells, doubted: frozenset[Measure]) -> Contradiction:
    nearby = list(close_ones(cells))
    if not nearby:
        return _joint(cells)
    culprit = _culprit(cells, nearby, doubted)
    named = [core for core in nearby if culprit in core] or nearby
    return _described(min(named, key=len), cells, culprit, close=True)


def close_ones(cells: Cells, kind: str = "") -> Iterator[tuple[Measure, ...]]:
    """Find the smallest contradicting sets of at most two metrics at two cut-offs.

    `kind`: only those with that metric among the two.
    """
    cores: list[tuple[Measure, ...]] = []
    whole = program(frozenset(cells))
    for subset in _neighbourhoods(cells):
        if kind and all(measure.kind != kind for measure in subset):
            continue
        if any(set(core) <= set(subset) for core in cores):
            continue
        part = {measure: cells[measure] for measure in subset}
        if not possible(part, whole):
            cores.append(smallest(part, whole))
            yield cores[-1]


def _neighbourhoods(cells: Cells) -> Iterator[tuple[Measure, ...]]:
    kinds = sorted({measure.kind for measure in cells})
    cutoffs = sorted({measure.k for measure in cells})
    for size in (1, 2):
        for ks in combinations(cutoffs, size):
            for pair in combinations_with_replacement(kinds, 2):
                subset = tuple(m for m in cells if m.kind in pair and m.k in ks)
                if len(subset) > 1:
                    yield subset


def smallest(cells: Cells, within: Program) -> tuple[Measure, ...]:
    """Drop cells one by one while the rest still contradicts."""
    core = dict(cells)
    for measure in list(cells):
        rest = {m: i for m, i in core.items() if m != measure}
        if rest and not possible(rest, within):
            core = rest
    return tuple(core)


def _culprit(
    cells: Cells, cores: list[tuple[Measure, ...]], doubted: frozenset[Measure]
) -> Measure | None:
    """Name the cell in most contradictions and whose absence leaves least; None if even."""
    suspects = sorted({measure for core in cores for measure in core})
    whole = program(frozenset(cells))

    def guilt(measure: Measure) -> tuple[int, bool, bool]:
        rest = {m: i for m, i in cells.items() if m != measure}
        return sum(measure in core for core in cores), measure in doubted, possible(rest, whole)

    ranked = sorted(suspects, key=guilt, reverse=True)
    if len(ranked) > 1 and guilt(ranked[0]) == guilt(ranked[1]):
        return None
    return ranked[0]


def _joint(cells: Cells) -> Contradiction:
    # MAP and far cut-offs go first, so that what stays is the plainest part of the table.
    order = sorted(cells, key=lambda m: (m.kind != "map", -m.k))
    core = smallest({m: cells[m] for m in order}, program(frozenset(cells)))
    return _described(core, cells, None, close=False)


def _described(
    core: tuple[Measure, ...], cells: Cells, culprit: Measure | None, *, close: bool
) -> Contradiction:
    part = {measure: cells[measure] for measure in core}
    room = {}
    for measure in core if culprit is None else (culprit,):
        others = {m: i for m, i in part.items() if m != measure}
        room[measure] = program(frozenset(part)).reach(measure, others)
    return Contradiction(tuple(sorted(core)), culprit, room, close)


def certificate(cells: Cells) -> str:
    """Write a contradiction as arithmetic: weights times cells, and what no query exceeds.

    The weights are rounded to few digits, the bound is worked out for the rounded ones, and the
    line is written only if it still holds.
    """
    found = program(frozenset(cells)).check(cells).certificate
    if found is None:
        return ""
    largest = max(abs(weight) for weight in found.weights.values())
    for digits in (2, 3, 4, 6):
        weights = {
            m: Fraction(round(w / largest * 10**digits), 10**digits)
            for m, w in found.weights.items()
        }
        kept = {m: w for m, w in weights.items() if w}
        reach = program(frozenset(cells)).most(kept)
        ends = {m: cells[m].low if w > 0 else cells[m].high for m, w in kept.items()}
        bound = Fraction(math.ceil(reach * 10**6) + 1, 10**6)
        if sum((w * ends[m] for m, w in kept.items()), Fraction(0)) > bound:
            terms = " + ".join(f"{exact(w)}·{exact(ends[m])}" for m, w in kept.items())
            return f"{terms} > {exact(bound)}".replace("+ −", "− ")
    return ""
