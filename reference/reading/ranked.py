"""A ranking as the metrics see it: its order, and where the gold, graded and judged stand."""

from __future__ import annotations

import struct
from itertools import pairwise
from operator import itemgetter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence


def in_order(
    uids: Sequence[str], scores: Sequence[float] | None, node_probs: Sequence[float] | None
) -> dict[str, Any]:
    """Sort by descending score, stably (S3 H.3); lists of another length are left as they are."""
    found = {"ranking": uids, "scores": scores, "node_probs": node_probs}
    if scores is not None and len(scores) == len(uids) > 1:
        in_order = itemgetter(*sorted(range(len(uids)), key=scores.__getitem__, reverse=True))
        for name, cells in found.items():
            if cells is not None and len(cells) == len(uids):
                found[name] = in_order(cells)
    return {name: None if cells is None else tuple(cells) for name, cells in found.items()}


def once(found: dict[str, Any]) -> int:
    """Leave out what a ranking holds again further down; return how much that was."""
    ranking = found["ranking"]
    if len(set(ranking)) == len(ranking):
        return 0
    first = [place for place, uid in enumerate(ranking) if uid not in ranking[:place]]
    for name, cells in found.items():
        if cells is not None and len(cells) == len(ranking):
            found[name] = tuple([cells[place] for place in first])
    return len(ranking) - len(first)


def marks(
    ranking: Sequence[str],
    gold: Collection[str],
    grades: Mapping[str, int] | None,
    judged: Collection[str] | None,
) -> dict[str, Any]:
    """Return the ranks of the gold; with grades and judgements, those of the graded and judged."""
    found: dict[str, Any] = {}
    if gold:
        found["hits"] = tuple([rank for rank, uid in enumerate(ranking, 1) if uid in gold])
    if grades:
        pairs = [(rank, grades[uid]) for rank, uid in enumerate(ranking, 1) if uid in grades]
        found["grades"] = tuple(pairs)
        found["ideal"] = tuple(sorted(grades.values(), reverse=True))
    if judged is not None:
        found["judged"] = tuple([rank for rank, uid in enumerate(ranking, 1) if uid in judged])
        found["nonrelevant"] = len(judged) - len(gold)
    return found


def float32(score: float) -> float:
    """Round to the nearest 32-bit float; beyond their range, to infinity."""
    try:
        (found,) = struct.unpack("f", struct.pack("f", score))
    except OverflowError:
        return float("inf") if score > 0 else float("-inf")
    return float(found)


def float32_tied(descending: Sequence[float]) -> bool:
    """Whether two different scores are equal as 32-bit floats."""
    return any(a != b and float32(a) == float32(b) for a, b in pairwise(descending))
