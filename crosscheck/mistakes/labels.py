"""Several labels per post, and slices by criterion, gone wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from crosscheck.mistakes.classification import confusion
from crosscheck.mistakes.classification import share as divided
from crosscheck.mistakes.formula import Formula, of_keys, of_rows
from crosscheck.model.key import unescape
from crosscheck.witnesses.scikit_learn import matrices

if TYPE_CHECKING:
    import re
    from collections.abc import Callable

    from crosscheck.data.rows import Floats, Mask, Rows
    from crosscheck.mistakes.bench import Bench
    from crosscheck.model.key import Key
    from crosscheck.model.ledgers import Number


def f1s(truth: Floats, decision: Floats, axis: int, empty: float = 0.0) -> Floats:
    """F1 of each column (axis 0) or row (axis 1)."""
    both = (truth * decision).sum(axis=axis)
    total = truth.sum(axis=axis) + decision.sum(axis=axis)
    scores: Floats = np.divide(2 * both, total, out=np.full_like(both, empty), where=total > 0)
    return scores


def _weighted(values: Floats, weights: Floats) -> float:
    return divided(float((values * weights).sum()), float(weights.sum()))


def _posts(
    metric: str, value: Callable[[Floats, Floats], float], *, by_fold: bool = True
) -> Formula:
    def of_slice(rows: Rows, mask: Mask, _: re.Match[str]) -> Number:
        truth, decision = matrices(rows, mask, by_fold=by_fold)
        return value(truth.astype(float), decision.astype(float))

    return of_rows(metric, of_slice, "posts")


def criterion_by_prefix(bench: Bench, key: Key) -> Number | None:
    """Let A.1 take the queries of A.10 too, as `startswith` does."""
    kind, _, name = key.slice.partition("=")
    if kind != "criterion":
        return None
    rows = bench.rows
    mask = rows.frame["criterion_id"].str.starts_with(unescape(name)).to_numpy().astype(bool)
    if key.metric == "n_queries":
        return int(mask.sum())
    return confusion(rows.label[mask], rows.pred[mask])[key.metric]


MISTAKES: dict[str, Formula] = {
    "subset-accuracy-is-hamming": _posts("exact_match", lambda t, d: float((t == d).mean())),
    "macro-per-post-for-per-criterion": _posts(
        "f1_macro/per_criterion", lambda t, d: float(f1s(t, d, 1).mean())
    ),
    "macro-per-criterion-for-per-post": _posts(
        "f1_macro/per_post", lambda t, d: float(f1s(t, d, 0).mean())
    ),
    "micro-for-macro": _posts(
        "f1_macro/per_criterion", lambda t, d: divided(2 * (t * d).sum(), t.sum() + d.sum())
    ),
    "f1-of-empty-post-is-one": _posts(
        "f1_macro/per_post", lambda t, d: float(f1s(t, d, 1, empty=1.0).mean())
    ),
    "weighted-by-predictions": _posts(
        "f1_weighted/per_criterion", lambda t, d: _weighted(f1s(t, d, 0), d.sum(axis=0))
    ),
    "hamming-over-positives": _posts(
        "hamming_score", lambda t, d: divided(((t == d) & (t + d > 0)).sum(), (t + d > 0).sum())
    ),
    "posts-merged-across-folds": _posts(
        "exact_match", lambda t, d: float((t == d).all(axis=1).mean()), by_fold=False
    ),
    "criterion-by-prefix": of_keys("tp|fp|tn|fn|n_queries", criterion_by_prefix),
}
