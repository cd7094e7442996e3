"""Several labels per post, and slices by criterion, gone wrong."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from crosscheck.faults.classification import confusion
from crosscheck.faults.classification import share as divided

if TYPE_CHECKING:
    from collections.abc import Callable

    from crosscheck.faults.bench import Bench
    from crosscheck.witnesses import Ledger, Number
    from crosscheck.witnesses.rows import Floats, Mask, Rows

    Matrices = tuple["Floats", "Floats"]
    """Posts × criteria, of labels and of decisions."""


def matrices(rows: Rows, mask: Mask, *, by_fold: bool = True) -> Matrices:
    """Lay the slice's queries out as posts × criteria."""
    frame = rows.frame
    criteria = {name: place for place, name in enumerate(frame["criterion_id"].unique().sort())}
    folds = frame["fold"].to_list() if by_fold and rows.has("fold") else [0] * len(rows)
    posts: dict[tuple[object, str], int] = {}
    places = []
    for row, (post, criterion) in enumerate(
        zip(frame["post_id"], frame["criterion_id"], strict=True)
    ):
        if mask[row]:
            number = posts.setdefault((folds[row], post), len(posts))
            places.append((number, criteria[criterion], row))
    truth = np.zeros((len(posts), len(criteria)))
    decision = np.zeros_like(truth)
    for post_number, criterion_number, row in places:
        truth[post_number, criterion_number] = rows.label[row]
        decision[post_number, criterion_number] = rows.pred[row]
    return truth, decision


def f1s(truth: Floats, decision: Floats, axis: int, empty: float = 0.0) -> Floats:
    """F1 of each column (axis 0) or row (axis 1)."""
    both = (truth * decision).sum(axis=axis)
    total = truth.sum(axis=axis) + decision.sum(axis=axis)
    scores: Floats = np.divide(2 * both, total, out=np.full_like(both, empty), where=total > 0)
    return scores


def _weighted(values: Floats, weights: Floats) -> float:
    return divided(float((values * weights).sum()), float(weights.sum()))


def _posts(metric: str, value: Callable[[Floats, Floats], float], bench: Bench) -> Ledger:
    def of_slice(rows: Rows, mask: Mask) -> Number | None:
        return value(*matrices(rows, mask)) if mask.any() else None

    return bench.valued({metric: of_slice}, "posts")


def posts_merged_across_folds(bench: Bench) -> Ledger:
    """Take a post id for a post, whatever its fold."""

    def exact(rows: Rows, mask: Mask) -> Number | None:
        truth, decision = matrices(rows, mask, by_fold=False)
        return float((truth == decision).all(axis=1).mean())

    return bench.valued({"exact_match": exact}, "posts")


def criterion_by_prefix(bench: Bench) -> Ledger:
    """Let A.1 take the queries of A.10 too, as `startswith` does."""
    rows = bench.rows
    criterion = rows.frame["criterion_id"]
    patch: Ledger = {}
    for text in bench.case.owed:
        key = bench.keys[text]
        kind, _, name = key.slice.partition("=")
        if kind == "criterion" and key.metric in {"tp", "fp", "tn", "fn", "n_queries"}:
            mask = criterion.str.starts_with(name).to_numpy().astype(bool)
            counts = confusion(rows.label[mask], rows.pred[mask])
            patch[text] = int(mask.sum()) if key.metric == "n_queries" else counts[key.metric]
    return bench.overlaid(patch)


INJECT: dict[str, Callable[[Bench], Ledger]] = {
    "subset-accuracy-is-hamming": partial(
        _posts, "exact_match", lambda t, d: float((t == d).mean())
    ),
    "macro-per-post-for-per-criterion": partial(
        _posts, "f1_macro/per_criterion", lambda t, d: float(f1s(t, d, 1).mean())
    ),
    "macro-per-criterion-for-per-post": partial(
        _posts, "f1_macro/per_post", lambda t, d: float(f1s(t, d, 0).mean())
    ),
    "micro-for-macro": partial(
        _posts,
        "f1_macro/per_criterion",
        lambda t, d: divided(2 * (t * d).sum(), t.sum() + d.sum()),
    ),
    "f1-of-empty-post-is-one": partial(
        _posts, "f1_macro/per_post", lambda t, d: float(f1s(t, d, 1, empty=1.0).mean())
    ),
    "weighted-by-predictions": partial(
        _posts,
        "f1_weighted/per_criterion",
        lambda t, d: _weighted(f1s(t, d, 0), d.sum(axis=0)),
    ),
    "hamming-over-positives": partial(
        _posts,
        "hamming_score",
        lambda t, d: divided(((t == d) & (t + d > 0)).sum(), (t + d > 0).sum()),
    ),
    "posts-merged-across-folds": posts_merged_across_folds,
    "criterion-by-prefix": criterion_by_prefix,
}
