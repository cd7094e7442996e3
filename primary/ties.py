"""Tie bounds (contract, section 3): what luck among equal scores can make of a metric.

Gold first and gold last among equals are the extremes of every metric but `map/by_hits`, whose
denominator grows with the hits inside the cut-off. For it every number of gold that the group
straddling the cut-off can put inside is tried.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from primary.aggregate import Ledger, key, ratio, shares
from primary.exact import in_order, total
from primary.lists import offsets_of
from primary.ranking import points, values_at

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from primary.hits import Hits
    from primary.study import Study

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


def ledger(study: Study, hits: Hits) -> Ledger:
    """Give `tie_low` and `tie_high` of every ranking metric on all queries."""
    groups = _groups(hits)
    first = groups.above[groups.of_hit] + groups.nth
    last = first + (groups.size - groups.gold)[groups.of_hit]
    found: Ledger = {}
    for point in points(study.settings):
        names = point.names
        for bound, rank, best in (("tie_low", last, False), ("tie_high", first, True)):
            values = values_at(hits, rank, point)
            if point.cutoff is not None:
                straddled = names.index(BY_HITS.format(point.written))
                values[straddled] = _by_hits(hits, groups, rank, point.cutoff, best=best)
            for name, summed in zip(names, total(values).tolist(), strict=True):
                metric = f"{name}/{bound}"
                found[key(metric, "positives_only", "all", "mean")] = ratio(summed, len(hits.gold))
                found[key(metric, "all_queries", "all", "mean")] = ratio(summed, study.size)
    return found


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
