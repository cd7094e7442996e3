"""The setting `dedupe`: of a uid twice in a ranking only the best place counts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from primary.data.lists import Lists, equal_in_float32, offsets_of, order_within, repeated

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from primary.data.rows import Data


def deduplicated(data: Data) -> Data:
    """Leave out what stands later in ranked order than an equal uid, with all that goes with it."""
    lists = data.candidates
    if lists is None:
        return data
    removed = np.zeros(len(lists.lengths), dtype=np.int64)
    affected = np.array(sorted({owner for owner, _ in repeated(lists)}), dtype=np.int64)
    aligned = {
        name: getattr(data, name)
        for name in ("scores", "raw_scores", "node_probs")
        if getattr(data, name) is not None
    }
    # Lists of numbers that do not fit their candidates are refused anyway.
    if not len(affected) or any(len(one) != len(lists.values) for one in aligned.values()):
        return replace(data, duplicates=removed)
    kept = _kept(lists, affected, aligned.get("scores"))
    removed = lists.lengths - np.bincount(lists.owner[kept], minlength=len(removed))
    fewer = Lists(offsets_of(lists.lengths - removed), lists.values.gather(kept))
    changes = {name: numbers[kept] for name, numbers in aligned.items()}
    raw = aligned.get("raw_scores", aligned.get("scores"))
    if raw is not None:
        changes["float32_ties"] = equal_in_float32(raw, lists.offsets)
    return replace(data, candidates=fewer, duplicates=removed, **changes)


def _kept(
    lists: Lists, affected: NDArray[np.int64], scores: NDArray[np.float64] | None
) -> NDArray[np.int64]:
    """Give the places that stay, in the file's order."""
    order = np.arange(len(lists.values))
    if scores is not None:
        order = order_within(lists.offsets, scores)
    concerned = np.isin(lists.owner, affected)
    some = order[concerned]
    frame = pl.DataFrame({"owner": lists.owner[some], "id": lists.values.gather(some)})
    first = frame.select(pl.struct("owner", "id").is_first_distinct()).to_series().to_numpy()
    stays = np.ones(len(lists.values), dtype=bool)
    stays[some[~first]] = False
    return np.flatnonzero(stays)
