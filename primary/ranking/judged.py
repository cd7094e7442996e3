"""What an assessor looked at (contract, section 15): bpref and judged@K."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from primary.arithmetic.aggregate import Ledger, shares
from primary.arithmetic.exact import in_order
from primary.data.lists import Lists, match, offsets_of
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
    worse: Hits
    worse_in_all: Ints
    """How many each query with gold has, retrieved or not."""
    number: Ints
    """Of each query with judged and not relevant ids: its number among those with gold, or −1."""


def find_judgements(data: Data, gold: Hits) -> Judgements:
    """Rank what was judged and is not relevant."""
    if data.judged is None or data.gold is None:
        raise LookupError("bpref needs judged and gold")
    relevant, _ = match(data.judged, data.gold)
    kept = np.ones(len(data.judged.values), dtype=bool)
    kept[relevant] = False
    lengths = np.bincount(data.judged.owner[kept], minlength=len(data.gold.lengths))
    others = Lists(offsets_of(lengths), data.judged.values.filter(kept))
    positive = data.gold.lengths > 0
    number = np.where(positive, np.cumsum(positive) - 1, -1)
    return Judgements(gold, find_hits(data, others), lengths[positive], number[lengths > 0])


def bpref(found: Judgements, *, ties: str = "") -> Floats:
    """Give bpref of every query with gold; `ties` puts gold `first` or `last` among equals."""
    gold, worse = found.gold, found.worse
    query = found.number[worse.query]
    ours = query >= 0
    # One number orders (query, place) of both kinds of hits.
    step = int(max(gold.candidates.max(initial=0), worse.candidates.max(initial=0))) + 2
    places = worse.above if ties else worse.rank
    stands = np.sort(query[ours] * step + places[ours])
    own = gold.query * step + (gold.above if ties else gold.rank)
    before = np.searchsorted(stands, gold.query * step)
    above = np.searchsorted(stands, own, side="right" if ties == "last" else "left") - before
    size = gold.gold[gold.query]
    most = np.minimum(found.worse_in_all[gold.query], size)
    terms = 1 - shares(np.minimum(above, size), most)
    return shares(in_order(gold.query, terms, len(gold.gold)), gold.gold)


def ledger(study: Study) -> Ledger:
    """Give every statistic of both metrics on every slice, for both populations."""
    hits = find_hits(study.data, study.data.judged)

    def computed(cutoff: int | None) -> tuple[list[str], Floats]:
        return [f"judged@{written(cutoff)}"], share_at(hits, hits.rank, cutoff)[None]

    found = statistics(study, valued(study), computed, cutoffs(study))
    preference = bpref(find_judgements(study.data, find_hits(study.data)))[None]
    return found | statistics(study, study.positive, lambda _: (["bpref"], preference), [None])


def columns(study: Study) -> Iterator[tuple[str, Floats]]:
    """Give every metric's values, one for each EVAL query."""
    preference = bpref(find_judgements(study.data, find_hits(study.data)))[None]
    yield from spread_out(["bpref"], preference, study.positive)
    hits = find_hits(study.data, study.data.judged)
    for cutoff in cutoffs(study):
        values = share_at(hits, hits.rank, cutoff)[None]
        yield from spread_out([f"judged@{written(cutoff)}"], values, valued(study))
