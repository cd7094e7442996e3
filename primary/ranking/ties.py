"""Tie bounds (contract, section 3): what luck among equal scores can make of a metric.

Gold first and gold last among equals are the extremes of every metric but `map/by_hits`, whose
denominator grows with the hits inside the cut-off. For it every number of gold that the group
straddling the cut-off can put inside is tried. The graded family's extremes are the orders by
descending and by ascending grade, those of judged@K judged first and judged last (section 15).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from primary.arithmetic.aggregate import Ledger, key, ratio, shares
from primary.arithmetic.exact import in_order
from primary.data.lists import offsets_of
from primary.ranking import graded, judged
from primary.ranking.metrics import points, values_at
from primary.ranking.populations import POPULATIONS, members

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

    from primary.data.study import Slice, Study
    from primary.ranking.graded import Graded
    from primary.ranking.hits import Hits
    from primary.ranking.judged import Judgements
    from primary.ranking.populations import Members

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]

BY_HITS = "map@{}/by_hits"


@dataclass(frozen=True)
class Groups:
    """Groups of equal scores that hold gold."""

    of_hit: Ints
    query: Ints
    above: Ints
    size: Ints
    gold: Ints
    nth: Ints
    """Each hit's number among the gold of its group, from 1."""


def _groups(hits: Hits) -> Groups:
    fresh = np.ones(len(hits.query), dtype=bool)
    fresh[1:] = (np.diff(hits.query) != 0) | (np.diff(hits.above) != 0)
    begins = np.flatnonzero(fresh)
    of_hit = np.cumsum(fresh) - 1
    return Groups(
        of_hit=of_hit,
        query=hits.query[begins],
        above=hits.above[begins],
        size=hits.equals[begins],
        gold=np.diff(np.append(begins, len(hits.query))),
        nth=np.arange(len(hits.query)) - begins[of_hit] + 1,
    )


LOW, HIGH = "tie_low", "tie_high"
BOUNDS = ((LOW, False), (HIGH, True))


def ranks(groups: Groups, *, best: bool) -> Ints:
    """Give the ranks of the hits where they stand first, or last, among equals."""
    first = groups.above[groups.of_hit] + groups.nth
    return first if best else first + (groups.size - groups.gold)[groups.of_hit]


def ledger(study: Study, hits: Hits) -> Ledger:
    """Give `tie_low` and `tie_high` of every ranking metric on all queries."""
    kinds, hits = hits.kinds, hits.examples
    groups = _groups(hits)
    found: Ledger = {}
    parts = list(members(study, study.positive, study.all, kinds))
    for point in points(study.settings):
        own: Ledger = {}
        for bound, best in _bounds(hits):
            rank = ranks(groups, best=best)
            values = values_at(hits, rank, point)
            if point.cutoff is not None:
                straddled = point.names.index(BY_HITS.format(point.written))
                values[straddled] = _by_hits(hits, groups, rank, point.cutoff, best=best)
            _write(own, bound, point.names, values, parts)
        found |= _both(own, hits)
    return found


def _alone(hits: Hits) -> bool:
    """Say whether no hit has an equal: then both bounds are the value itself."""
    return bool((hits.equals == 1).all())


def _bounds(hits: Hits) -> tuple[tuple[str, bool], ...]:
    """Give the bounds that are worked out, and whether gold stands first for them."""
    return BOUNDS[:1] if _alone(hits) else BOUNDS


def _both(found: Ledger, hits: Hits) -> Ledger:
    """Add the upper bounds where they are the lower ones."""
    if not _alone(hits):
        return found
    return found | {
        name.replace(f"/{LOW}|", f"/{HIGH}|", 1): value for name, value in found.items()
    }


def graded_ledger(study: Study, as_ranked: Graded, owed: Collection[str]) -> Ledger:
    """Give the bounds of the graded family."""
    parts = list(members(study, graded.valued(study), study.all))
    found: Ledger = {}
    for bound, best in _bounds(as_ranked.hits):
        ordered = graded.extreme(as_ranked, best=best)
        for cutoff in graded.cutoffs(study):
            names = graded.names_at(graded.written(cutoff), owed)
            _write(found, bound, names, graded.values_at(ordered, cutoff, owed), parts)
    return _both(found, as_ranked.hits)


def judged_ledger(study: Study, judgements: Judgements) -> Ledger:
    """Give the bounds of bpref and judged@K."""
    found: Ledger = {}
    positives = list(members(study, study.positive, study.all))
    seen = judgements.seen
    groups, parts = _groups(seen), list(members(study, judged.valued(study), study.all))
    for bound, best in _bounds(seen):
        preference = judged.bpref(judgements, ties="first" if best else "last")
        _write(found, bound, ["bpref"], preference[None], positives)
        rank = ranks(groups, best=best)
        for cutoff in graded.cutoffs(study):
            share = judged.share_at(seen, rank, cutoff)[None]
            _write(found, bound, [f"judged@{graded.written(cutoff)}"], share, parts)
    return _both(found, seen)


def _write(
    found: Ledger,
    bound: str,
    names: Sequence[str],
    values: Floats,
    parts: Sequence[tuple[Slice, Members, Members]],
) -> None:
    """Note the means of both populations."""
    for part, *both in parts:
        for population, some in zip(POPULATIONS, both, strict=True):
            for name, summed in zip(names, some.summed(values).tolist(), strict=True):
                mean = ratio(summed, some.size)
                found[key(f"{name}/{bound}", population, part.name, "mean")] = mean


def _by_hits(hits: Hits, groups: Groups, rank: Ints, cutoff: int, *, best: bool) -> Floats:
    """Give the extreme of `map@K/by_hits` over all orders of equals, for every query with gold."""
    count = len(hits.gold)
    whole = (groups.above + groups.size <= cutoff)[groups.of_hit]
    terms = hits.nth / rank
    settled = in_order(hits.query[whole], terms[whole], count)
    certain = np.bincount(hits.query[whole], minlength=count)
    value = shares(settled, certain)
    open_ = np.flatnonzero((groups.above < cutoff) & (groups.above + groups.size > cutoff))
    if not len(open_):
        return value
    room = cutoff - groups.above[open_]
    least = np.maximum(0, groups.gold[open_] - (groups.size[open_] - room))
    most = np.minimum(groups.gold[open_], room)
    options = most - least + 1
    trial = np.repeat(np.arange(len(open_)), options)
    inside = _counting(options) + least[trial]
    query = groups.query[open_][trial]
    begin = groups.above[open_][trial] if best else cutoff - inside
    sums = settled[query] + _partial(certain[query], begin, inside)
    tried = shares(sums, certain[query] + inside)
    bounds = offsets_of(options)[:-1]
    value[groups.query[open_]] = (np.maximum if best else np.minimum).reduceat(tried, bounds)
    return value


def _counting(lengths: Ints) -> Ints:
    """Give 0, 1, … for each length, one after the other."""
    bounds = offsets_of(lengths)
    return np.arange(bounds[-1]) - np.repeat(bounds[:-1], lengths)


def _partial(before: Ints, begin: Ints, inside: Ints) -> Floats:
    """Sum the precisions of `inside` hits in a row behind place `begin`, after `before` others."""
    trial = np.repeat(np.arange(len(inside)), inside)
    step = _counting(inside) + 1
    terms = (before[trial] + step) / (begin[trial] + step)
    return in_order(trial, terms, len(inside))
