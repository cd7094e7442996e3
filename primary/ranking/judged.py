"""What an assessor looked at (contract, section 15): bpref and judged@K."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from primary.arithmetic.aggregate import Ledger, shares
from primary.arithmetic.exact import in_order
from primary.data.lists import match
from primary.ranking.graded import cutoffs, written
from primary.ranking.hits import Hits, find_hits
from primary.ranking.populations import spread_out, statistics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from primary.data.rows import Data
    from primary.data.study import Study

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]
    Bools = NDArray[np.bool_]


def valued(study: Study) -> Bools:
    """Say which EVAL queries have anything judged."""
    if study.data.judged is None:
        raise LookupError("judged@K needs judged")
    found: Bools = study.data.judged.lengths > 0
    return found


def share_at(hits: Hits, rank: Ints, cutoff: int | None) -> Floats:
    """Give the share of R_K that is judged, over min(K, |R|)."""
    inside = hits.query if cutoff is None else hits.query[rank <= cutoff]
    length = hits.candidates if cutoff is None else np.minimum(hits.candidates, cutoff)
    return shares(np.bincount(inside, minlength=len(hits.gold)), length)


@dataclass(frozen=True)
class Judgements:
    """The judged and not relevant candidates, beside the gold ones."""

    gold: Hits
    seen: Hits
    """Every judged candidate."""
    worse: Ints
    """Which of those are not relevant, in queries with gold."""
    query: Ints
    """Of each of them: its query's number among those with gold."""
    worse_in_all: Ints
    """How many each query with gold has, retrieved or not."""


def find_judgements(data: Data) -> Judgements:
    """Rank what was judged, and tell the gold and the rest of it apart: all gold was judged."""
    if data.judged is None or data.gold is None or data.candidates is None:
        raise LookupError("bpref needs candidates, judged and gold")
    seen = find_hits(data, data.judged)
    positive = data.gold.lengths > 0
    query = (np.cumsum(positive) - 1)[data.judged.lengths > 0][seen.query]
    relevant, item = match(data.judged, data.gold)
    golden = np.full(len(data.judged.values), -1)
    golden[relevant] = item
    gold = np.flatnonzero(golden[seen.item] >= 0)
    among_gold = positive[data.judged.lengths > 0][seen.query]
    worse = np.flatnonzero((golden[seen.item] < 0) & among_gold)
    in_all = np.bincount(data.judged.owner[golden < 0], minlength=len(positive))
    return Judgements(
        gold=Hits(
            gold=data.gold.lengths[positive],
            candidates=data.candidates.lengths[positive],
            query=query[gold],
            rank=seen.rank[gold],
            above=seen.above[gold],
            equals=seen.equals[gold],
            place=seen.place[gold],
            item=golden[seen.item[gold]],
        ),
        seen=seen,
        worse=worse,
        query=query[worse],
        worse_in_all=in_all[positive],
    )


def bpref(found: Judgements, *, ties: str = "") -> Floats:
    """Give bpref of every query with gold; `ties` puts gold `first` or `last` among equals."""
    gold, seen = found.gold, found.seen
    # One number orders (query, place) of both kinds of hits.
    step = int(max(gold.candidates.max(initial=0), seen.candidates.max(initial=0))) + 2
    places = seen.above if ties else seen.rank
    stands = np.sort(found.query * step + places[found.worse])
    own = gold.query * step + (gold.above if ties else gold.rank)
    before = np.searchsorted(stands, gold.query * step)
    above = np.searchsorted(stands, own, side="right" if ties == "last" else "left") - before
    size = gold.gold[gold.query]
    most = np.minimum(found.worse_in_all[gold.query], size)
    terms = 1 - shares(np.minimum(above, size), most)
    return shares(in_order(gold.query, terms, len(gold.gold)), gold.gold)


def ledger(study: Study, judgements: Judgements) -> Ledger:
    """Give every statistic of both metrics on every slice, for both populations."""
    hits = judgements.seen

    def computed(cutoff: int | None) -> tuple[list[str], Floats]:
        return [f"judged@{written(cutoff)}"], share_at(hits, hits.rank, cutoff)[None]

    found = statistics(study, valued(study), computed, cutoffs(study))
    preference = bpref(judgements)[None]
    return found | statistics(study, study.positive, lambda _: (["bpref"], preference), [None])


def columns(study: Study) -> Iterator[tuple[str, Floats]]:
    """Give every metric's values, one for each EVAL query."""
    judgements = find_judgements(study.data)
    yield from spread_out(["bpref"], bpref(judgements)[None], study.positive)
    hits = judgements.seen
    for cutoff in cutoffs(study):
        values = share_at(hits, hits.rank, cutoff)[None]
        yield from spread_out([f"judged@{written(cutoff)}"], values, valued(study))
