"""Per post, several labels (contract, section 8), and the counts per criterion (section 9)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from primary.arithmetic.aggregate import Ledger, key, ratio, shares
from primary.arithmetic.exact import tally, total

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from primary.data.study import Study

    Bools = NDArray[np.bool_]

POST_METRICS = (
    "exact_match",
    "hamming_score",
    "hamming_loss",
    "f1_micro",
    "f1_macro/per_criterion",
    "f1_macro/per_post",
    "f1_weighted/per_criterion",
    "f1_weighted/per_post",
)


@dataclass(frozen=True)
class Posts:
    """Posts × criteria matrices of label and decision, posts in the order of their first row."""

    label: Bools
    pred: Bools
    first: NDArray[np.int64]
    """Each post's first EVAL row."""


def posts(study: Study) -> Posts:
    """Lay the rows out as matrices; the loader has made sure that none is missing."""
    pred = study.pred
    if pred is None:
        raise LookupError("per-post metrics need pred or prob")
    code = study.matrix_row
    count = int(code.max()) + 1
    shape = (count, len(study.criterion_values))
    label, decided = np.zeros(shape, dtype=bool), np.zeros(shape, dtype=bool)
    label[code, study.criterion_code] = study.label == 1
    decided[code, study.criterion_code] = pred == 1
    first = np.full(count, study.size, dtype=np.int64)
    np.minimum.at(first, code, np.arange(study.size))
    return Posts(label, decided, first)


def f1(tp: NDArray[np.int64], fp: NDArray[np.int64], fn: NDArray[np.int64]) -> NDArray[np.float64]:
    """Give F1; 0 where nothing is positive and nothing predicted."""
    return shares(2 * tp, 2 * tp + fp + fn)


def metrics(label: Bools, pred: Bools) -> dict[str, float]:
    """Give the eight metrics of one set of posts."""
    n_posts, n_cells = len(label), label.size
    right = int(np.count_nonzero(label == pred))
    hits, extra, missed = label & pred, ~label & pred, label & ~pred
    per_criterion = f1(*(tally(cells, axis=0) for cells in (hits, extra, missed)))
    per_post = f1(*(tally(cells, axis=1) for cells in (hits, extra, missed)))
    evidence = int(np.count_nonzero(label))
    values = (
        ratio(int(np.count_nonzero((label == pred).all(axis=1))), n_posts),
        ratio(right, n_cells),
        ratio(n_cells - right, n_cells),
        ratio(2 * int(np.count_nonzero(hits)), evidence + int(np.count_nonzero(pred))),
        ratio(float(total(per_criterion)), len(per_criterion)),
        ratio(float(total(per_post)), n_posts),
        ratio(float(total(tally(label, axis=0) * per_criterion)), evidence),
        ratio(float(total(tally(label, axis=1) * per_post)), evidence),
    )
    return dict(zip(POST_METRICS, values, strict=True))


def ledger(study: Study) -> Ledger:
    """Give the per-post metrics on all posts and on each fold's."""
    matrix = posts(study)
    found: Ledger = {}
    for part in [*study.all, *study.folds]:
        member = np.zeros(study.size, dtype=bool)
        member[part.rows] = True
        chosen = member[matrix.first]
        for metric, value in metrics(matrix.label[chosen], matrix.pred[chosen]).items():
            found[key(metric, "posts", part.name, "value")] = value
    return found


def criteria(study: Study) -> Ledger:
    """Give the queries, positives and positive rate of each criterion and slice (S4 7)."""
    found: Ledger = {}
    for part in [*study.criteria, *study.declared]:
        count, ones = len(part.rows), int(np.count_nonzero(study.label[part.rows]))
        found[key("n_queries", "all_queries", part.name, "value")] = count
        found[key("n_positive", "all_queries", part.name, "value")] = ones
        found[key("positive_rate", "all_queries", part.name, "value")] = ratio(ones, count)
    for part in study.all:
        rate = ratio(int(np.count_nonzero(study.label[part.rows])), len(part.rows))
        found[key("positive_rate", "all_queries", part.name, "value")] = rate
    return found
