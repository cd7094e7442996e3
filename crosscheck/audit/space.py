"""Every query that there can be: number of gold, and at which ranks the gold stands.

A table of means is possible iff it is an average of such queries. There are too many to list
(2^K for each number of gold), but the one that maximises a weighted sum of metrics is found by
dynamic programming over ranks and hits so far, and that is all that `linear` needs to decide
whether an average exists, and to prove it where none does.

Ranks up to `fine` are followed one by one. Beyond it no nDCG or MAP is asked for, so only the
number of hits between two cut-offs counts, and the rank of the first (a *stretch*). Numbers of
gold beyond the largest cut-off of interest enter as ranges by their two ends, which covers more
than can happen and never less: an impossibility found here is one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from crosscheck.notation.measure import Measure

    Floats = npt.NDArray[np.float64]

EXACT_GOLD = 20
_NEVER = -1e30
_TRACED = 40


@dataclass(frozen=True, slots=True)
class Kin:
    """Queries alike in gold and length: `limit` hits at most, recall counts `share` for each."""

    gold: int
    limit: float
    share: float
    length: float = math.inf
    hits: int | None = None
    """Hits within the cut-off of `by_hits`, whose denominator they are; None elsewhere."""


@dataclass(frozen=True, slots=True)
class Query:
    """One possible query: its kin, the fine ranks that hit, and the hits in each stretch."""

    kin: int
    ranks: tuple[int, ...]
    stretches: tuple[int, ...] = ()
    first_last: bool = False
    """Whether the first hit, if it falls in a stretch, stands at its end rather than its start."""
    complete: bool = False
    """With unbounded gold: whether the tail holds (nearly) all of it."""


@dataclass(slots=True)
class _Tail:
    """Best continuations beyond the fine ranks, by kin and hits so far."""

    value: Floats
    counts: Floats
    late: npt.NDArray[np.bool_]
    complete: npt.NDArray[np.bool_]

    @classmethod
    def nothing(cls, stretches: int, kin: int, states: int) -> _Tail:
        """Continue without a hit."""
        flags = np.zeros((kin, states), dtype=bool)
        counts = np.zeros((stretches, kin, states))
        return cls(np.zeros((kin, states)), counts, flags, flags.copy())

    def keep_better(self, other: _Tail, allowed: npt.NDArray[np.bool_]) -> None:
        """Take over what is worth more."""
        better = allowed & (other.value > self.value)
        self.value[better] = other.value[better]
        self.counts[:, better] = other.counts[:, better]
        self.late[better] = other.late[better]
        self.complete[better] = other.complete[better]


class Space:
    """The possible queries for a set of measures, and their metric values."""

    def __init__(self, measures: Sequence[Measure]) -> None:
        """Lay out ranks, stretches and kinds of query for these measures."""
        self.measures = tuple(measures)
        ranked = [int(m.k) for m in measures if m.kind in {"map", "ndcg"} or m.variant == "k_eff"]
        self.fine = max(ranked, default=0)
        ends = sorted({m.k for m in measures if m.k > self.fine})
        self.ends = tuple(ends)
        self.starts = (self.fine, *ends[:-1]) if ends else ()
        self.kin = self._all_kin()

    def _all_kin(self) -> list[Kin]:
        finite = [int(m.k) for m in self.measures if not math.isinf(m.k)]
        exact = max(self.fine, EXACT_GOLD)
        kin = [Kin(gold, gold, 1 / gold) for gold in range(1, exact + 1)]
        top, largest = exact, max(finite, default=1)
        while top < largest:
            kin += [Kin(exact, 2 * top, share) for share in (1 / (top + 1), 1 / (2 * top))]
            top *= 2
        kin += [Kin(exact, math.inf, 1 / (top + 1)), Kin(exact, math.inf, 0.0)]
        if any(m.variant == "k_eff" for m in self.measures):
            lengths = [*range(1, self.fine), math.inf]
            kin = [Kin(q.gold, q.limit, q.share, length) for q in kin for length in lengths]
        return self._by_hits(kin)

    def _by_hits(self, kin: list[Kin]) -> list[Kin]:
        cutoffs = {int(m.k) for m in self.measures if m.variant == "by_hits"}
        if not cutoffs:
            return kin
        (cutoff,) = cutoffs  # one at a time: its hits are part of what makes queries alike
        return [
            Kin(q.gold, q.limit, q.share, q.length, hits)
            for q in kin
            for hits in range(int(min(q.limit, cutoff, q.length)) + 1)
        ]

    @cached_property
    def _bit(self) -> Floats:
        """What a hit adds, [measure, kin, rank], whatever stands before it."""
        table = np.zeros((len(self.measures), len(self.kin), self.fine))
        for m, measure in enumerate(self.measures):
            top = min(self.fine, int(min(measure.k, self.fine)))
            for c, kin in enumerate(self.kin):
                if measure.kind == "recall":
                    table[m, c, :top] = kin.share
                elif measure.kind == "precision":
                    table[m, c, :top] = 1 / self._cut(measure, kin)
                elif measure.kind == "ndcg":
                    table[m, c, :top] = _discounts(top) / _ideal(kin.gold, self._cut(measure, kin))
        return table

    @cached_property
    def _average(self) -> Floats:
        """What AP gains at a hit for each hit so far, itself included, [measure, kin, rank]."""
        table = np.zeros((len(self.measures), len(self.kin), self.fine))
        for m, measure in enumerate(self.measures):
            if measure.kind != "map":
                continue
            top = int(measure.k)
            for c, kin in enumerate(self.kin):
                table[m, c, :top] = 1 / np.arange(1, top + 1) / self._denominator(measure, kin)
        return table

    @cached_property
    def _first(self) -> Floats:
        """What the first hit adds beside, [measure, rank]."""
        table = np.zeros((len(self.measures), self.fine))
        for m, measure in enumerate(self.measures):
            top = int(min(measure.k, self.fine))
            if measure.kind == "hit":
                table[m, :top] = 1
            elif measure.kind == "mrr":
                table[m, :top] = 1 / np.arange(1, top + 1)
        return table

    @staticmethod
    def _cut(measure: Measure, kin: Kin) -> int:
        return int(min(measure.k, kin.length)) if measure.variant == "k_eff" else int(measure.k)

    def _denominator(self, measure: Measure, kin: Kin) -> float:
        if measure.variant == "by_gold":
            return 1 / kin.share if kin.share else math.inf
        if measure.variant == "by_hits":
            return kin.hits or 1
        return min(kin.gold, self._cut(measure, kin))

    @cached_property
    def _limits(self) -> Floats:
        return np.array([min(q.limit, self.fine) for q in self.kin], dtype=float)

    @cached_property
    def _stretch_tables(self) -> tuple[Floats, Floats, Floats]:
        """Per stretch: what each hit adds [m, kin, s]; the first at its start and end [m, s]."""
        shape = (len(self.measures), len(self.kin), len(self.ends))
        each, start, end = np.zeros(shape), np.zeros(shape[::2]), np.zeros(shape[::2])
        shares = np.array([q.share for q in self.kin])
        for m, measure in enumerate(self.measures):
            for s, (low, high) in enumerate(zip(self.starts, self.ends, strict=True)):
                if measure.k < high:
                    continue
                if measure.kind == "recall":
                    each[m, :, s] = shares
                elif measure.kind == "precision":
                    each[m, :, s] = 1 / measure.k
                elif measure.kind == "hit":
                    start[m, s] = end[m, s] = 1
                elif measure.kind == "mrr":
                    start[m, s], end[m, s] = 1 / (low + 1), 1 / high
        return each, start, end

    def best(self, weights: Floats) -> tuple[float, list[Query]]:
        """Give the largest weighted sum that any query reaches, and the best queries by kin."""
        tail = self._tail(weights)
        value = tail.value
        bit = np.tensordot(weights, self._bit, 1)
        average = np.tensordot(weights, self._average, 1)
        first = weights @ self._first
        steps = np.arange(1, self.fine + 1)
        open_ = steps[None, :] <= self._limits[:, None]
        lengths = np.array([q.length for q in self.kin])
        chosen = np.zeros((self.fine, len(self.kin), self.fine + 1), dtype=bool)
        for i in range(self.fine - 1, -1, -1):
            value = self._at_by_hits(i + 1, value)
            gain = value[:, 1:] + bit[:, i, None] + average[:, i, None] * steps[None, :]
            gain[:, 0] += first[i]
            allowed = open_ & (lengths > i)[:, None]
            better = allowed & (gain > value[:, :-1])
            chosen[i, :, :-1] = better
            value = value.copy()
            value[:, :-1] = np.where(better, gain, value[:, :-1])
        scores = value[:, 0]
        order = np.argsort(-scores, kind="stable")
        queries = [
            self._trace(int(c), chosen, tail) for c in order[:_TRACED] if scores[c] > _NEVER / 2
        ]
        return float(scores[order[0]]), queries

    def _at_by_hits(self, rank: int, value: Floats) -> Floats:
        """At the cut-off of `by_hits`, keep only the states that have the kin's number of hits."""
        if not any(m.variant == "by_hits" and m.k == rank for m in self.measures):
            return value
        wanted = np.array([-1 if q.hits is None else q.hits for q in self.kin])
        kept = np.arange(value.shape[1])[None, :] == wanted[:, None]
        return np.where(kept, value, _NEVER)

    def _tail(self, weights: Floats) -> _Tail:
        """Give the best continuation after the fine ranks, by kin and hits so far."""
        hits = np.arange(self.fine + 1)
        tail = _Tail.nothing(len(self.ends), len(self.kin), self.fine + 1)
        if not self.ends:
            return tail
        each, start, end = self._stretch_tables
        slopes = np.tensordot(weights, each, 1)
        firsts = np.stack([weights @ start, weights @ end])
        limits = np.array([q.limit if math.isinf(q.length) else 0 for q in self.kin], dtype=float)
        left: Floats = limits[:, None] - hits[None, :].astype(float)
        later = self._fill(left, 0, slopes, weights)
        later.value[:, 0] = _NEVER  # without a hit so far the first one has its own worth
        tail.keep_better(later, left >= 1)
        for begin in range(len(self.ends)):
            first = self._fill(left - 1, begin, slopes, weights, opened=True)
            worth = np.maximum(firsts[0, begin], firsts[1, begin])
            first.counts[begin] += 1
            first.value += slopes[:, begin, None] + worth
            first.late[:] = firsts[1, begin] > firsts[0, begin]
            tail.keep_better(first, (left >= 1) & (hits == 0)[None, :])
        return tail

    def _fill(
        self, left: Floats, begin: int, slopes: Floats, weights: Floats, *, opened: bool = False
    ) -> _Tail:
        """Put hits from stretch `begin` on where they are worth most; `opened`: one is in it."""
        filled = _Tail.nothing(len(self.ends), *left.shape)
        left = np.maximum(left, 0)
        unbounded = np.isinf([q.limit for q in self.kin])
        order = np.argsort(-slopes[:, begin:], axis=1, kind="stable") + begin
        rows = np.arange(len(self.kin))
        lengths = np.array(self.ends, dtype=float) - np.array(self.starts, dtype=float)
        lengths[begin] -= opened
        for s in order.T:
            slope, room = slopes[rows, s], lengths[s]
            room = np.where((slope > 0) & ~(np.isinf(room) & unbounded), room, 0)
            more = np.minimum(left, room[:, None])
            filled.counts[s, rows] += more
            filled.value += more * slope[:, None]
            left = left - more
        self._complete(filled, unbounded, weights, opened=opened)
        return filled

    def _complete(
        self, filled: _Tail, unbounded: npt.NDArray[np.bool_], weights: Floats, *, opened: bool
    ) -> None:
        """With unbounded gold, let the endless stretch hold (nearly) all of it where it pays."""
        worth = sum(w for w, m in zip(weights, self.measures, strict=True) if _is_whole_recall(m))
        if not math.isinf(self.ends[-1]) or worth <= 0:
            return
        shares = np.array([q.share for q in self.kin])[:, None]
        held = np.arange(self.fine + 1)[None, :] + filled.counts.sum(axis=0) + opened
        rest = np.where(unbounded[:, None] & (held > 0), worth * (1 - shares * held), 0)
        filled.complete |= rest > 0
        filled.value += np.maximum(rest, 0)

    def _trace(self, c: int, chosen: npt.NDArray[np.bool_], tail: _Tail) -> Query:
        hits, ranks = 0, []
        for i in range(self.fine):
            if chosen[i, c, hits]:
                hits += 1
                ranks.append(i + 1)
        stretches = tuple(int(count) for count in tail.counts[:, c, hits])
        return Query(
            c, tuple(ranks), stretches, bool(tail.late[c, hits]), bool(tail.complete[c, hits])
        )

    def values(self, query: Query) -> Floats:
        """Give the metrics of one query."""
        total = np.zeros(len(self.measures))
        for hits, rank in enumerate(query.ranks, 1):
            total += self._bit[:, query.kin, rank - 1]
            total += self._average[:, query.kin, rank - 1] * hits
            if hits == 1:
                total += self._first[:, rank - 1]
        if any(query.stretches):
            each, start, end = self._stretch_tables
            total += each[:, query.kin, :] @ np.array(query.stretches, dtype=float)
            if not query.ranks:
                first = next(s for s, count in enumerate(query.stretches) if count)
                total += (end if query.first_last else start)[:, first]
        if query.complete:
            held = self.kin[query.kin].share * (len(query.ranks) + sum(query.stretches))
            for m, measure in enumerate(self.measures):
                if _is_whole_recall(measure):
                    total[m] += 1 - held
        return total


def _is_whole_recall(measure: Measure) -> bool:
    return measure.kind == "recall" and math.isinf(measure.k)


@lru_cache(maxsize=4096)
def _ideal(gold: int, cut: int) -> float:
    return float(_discounts(min(gold, cut)).sum())


@lru_cache(maxsize=256)
def _discounts(ranks: int) -> Floats:
    discounts: Floats = 1 / np.log2(np.arange(2, ranks + 2))
    return discounts
