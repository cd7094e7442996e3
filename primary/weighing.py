"""Headline metrics that are ratios of sums: of any weighing of the units, all at once.

A resample gives every unit a weight. The sums behind a mean, a confusion matrix, ECE or F1 are
linear in the weights, so a batch of resamples is one matrix product per slice; what follows it is
arithmetic on a few columns.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from primary.aggregate import key, shares
from primary.classification import CONFUSION_RATES
from primary.decimals import bin_of
from primary.multilabel import POST_METRICS
from primary.states import STATE_RATES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from primary.headline import Sample
    from primary.study import Slice

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Finish = Callable[[Floats], Floats]


@dataclass(frozen=True)
class Sums:
    """The metrics of one family on one slice: summands by unit, and what is made of the sums."""

    names: tuple[str, ...]
    units: Ints
    """The units that have rows here, ascending."""
    summands: Floats
    """One row per unit of `units`, one column per sum."""
    finish: Finish
    """From sums (weighings × sums) to values (weighings × names)."""

    @property
    def family(self) -> str:
        """Name the family by its first metric."""
        return self.names[0].partition("|")[0]

    @property
    def part(self) -> str:
        """Name the slice."""
        return self.names[0].split("|")[2]


def by_unit(unit: Ints, columns: Sequence[NDArray[np.generic]]) -> tuple[Ints, Floats]:
    """Add up columns over the rows of each unit."""
    units, code = np.unique(unit, return_inverse=True)
    if len(units) == len(unit):
        order = np.argsort(code)
        return units, np.stack([column[order].astype(np.float64) for column in columns], axis=1)
    summed = [np.bincount(code, weights=column, minlength=len(units)) for column in columns]
    return units, np.stack(summed, axis=1)


def sums(rows: Sample) -> Iterator[Sums]:
    """Lay out every headline metric that is a ratio of sums."""
    for part in rows.parts:
        yield from _means(rows, part)
        yield from _confusion(rows, part)
        yield from _calibration(rows, part)
        if not part.name.startswith("criterion="):
            yield from _states(rows, part)
    if rows.posts is not None:
        for part in rows.posts.parts:
            yield _per_post(rows, part)


def _named(metrics: Sequence[str], population: str, part: Slice, statistic: str) -> tuple[str, ...]:
    return tuple(key(metric, population, part.name, statistic) for metric in metrics)


def _means(rows: Sample, part: Slice) -> Iterator[Sums]:
    if not rows.means:
        return
    chosen = part.rows[rows.positive[part.rows]]
    columns = [np.ones(len(chosen)), *(values[chosen] for values in rows.means.values())]
    units, summands = by_unit(rows.unit[chosen], columns)
    names = _named(tuple(rows.means), "positives_only", part, "mean")
    yield Sums(names, units, summands, lambda sums: shares(sums[:, 1:], sums[:, :1]))


def _confusion(rows: Sample, part: Slice) -> Iterator[Sums]:
    if rows.pred is None or rows.label is None:
        return
    label, pred = rows.label[part.rows] == 1, rows.pred[part.rows] == 1
    cells = [label & pred, ~label & pred, ~label & ~pred, label & ~pred]
    units, summands = by_unit(rows.unit[part.rows], cells)
    names = _named(CONFUSION_RATES, "all_queries", part, "value")
    yield Sums(names, units, summands, _confusion_rates)


def _confusion_rates(sums: Floats) -> Floats:
    tp, fp, tn, fn = sums.T
    sensitivity, specificity = shares(tp, tp + fn), shares(tn, tn + fp)
    root = np.sqrt((tp + fp) * (tp + fn)) * np.sqrt((tn + fp) * (tn + fn))
    values = (
        sensitivity,
        specificity,
        shares(fp, tn + fp),
        shares(fn, tp + fn),
        shares(tp, tp + fp),
        shares(tn, tn + fn),
        shares(2 * tp, 2 * tp + fp + fn),
        shares(tp * tn - fp * fn, root),
        (sensitivity + specificity) / 2,
    )
    return np.stack(values, axis=1)


def _calibration(rows: Sample, part: Slice) -> Iterator[Sums]:
    if rows.prob is None or rows.label is None:
        return
    prob = rows.prob[part.rows]
    error = rows.label[part.rows] - prob
    columns: list[NDArray[np.generic]] = [np.ones(len(error)), error**2]
    metrics = ["brier"]
    if rows.bins is not None:
        held = bin_of(prob, rows.bins)
        columns += [np.where(held == j, error, 0.0) for j in range(rows.bins)]
        metrics.append(f"ece@{rows.bins}")
    units, summands = by_unit(rows.unit[part.rows], columns)

    def finish(sums: Floats) -> Floats:
        count = sums[:, 0]
        values = [shares(sums[:, 1], count)]
        if rows.bins is not None:
            values.append(shares(np.abs(sums[:, 2:]).sum(axis=1), count))
        return np.stack(values, axis=1)

    yield Sums(_named(metrics, "all_queries", part, "value"), units, summands, finish)


def _states(rows: Sample, part: Slice) -> Iterator[Sums]:
    if rows.state is None:
        return
    state = rows.state[part.rows]
    in_state = [state == code for code in range(3)]
    columns = in_state + [here & rows.has_evidence[part.rows] for here in in_state]
    units, summands = by_unit(rows.unit[part.rows], columns)
    yield Sums(_named(STATE_RATES, "all_queries", part, "value"), units, summands, _state_rates)


def _state_rates(sums: Floats) -> Floats:
    neg, uncertain, pos, missed, _, alerts = sums.T
    total, evidence = sums[:, :3].sum(axis=1), sums[:, 3:].sum(axis=1)
    values = (
        shares(neg, total),
        shares(uncertain, total),
        shares(pos, total),
        shares(1000 * pos, total),
        shares(evidence - missed, evidence),
        shares(1000 * missed, total),
        shares(alerts, pos),
    )
    return np.stack(values, axis=1)


def _per_post(rows: Sample, part: Slice) -> Sums:
    posts = rows.posts
    if posts is None:
        raise LookupError("there are no posts")
    label, pred = posts.label[part.rows], posts.pred[part.rows]
    hits = (label & pred).sum(axis=1)
    f1 = shares(2 * hits, label.sum(axis=1) + pred.sum(axis=1))
    right = label == pred
    columns = [
        np.ones(len(label)),
        right.all(axis=1),
        right.sum(axis=1),
        f1,
        label.sum(axis=1) * f1,
    ]
    columns += [*(label & pred).T, *pred.T, *label.T]
    units, summands = by_unit(posts.unit[part.rows], columns)
    criteria = label.shape[1]
    names = _named(POST_METRICS, "posts", part, "value")
    return Sums(names, units, summands, lambda sums: _post_values(sums, criteria))


def _post_values(sums: Floats, criteria: int) -> Floats:
    count, exact, right, f1, weighted = sums[:, :5].T
    hits, fired, held = (sums[:, 5 + i * criteria : 5 + (i + 1) * criteria] for i in range(3))
    per_criterion = shares(2 * hits, fired + held)
    evidence, cells = held.sum(axis=1), count * criteria
    values = (
        shares(exact, count),
        shares(right, cells),
        shares(cells - right, cells),
        shares(2 * hits.sum(axis=1), evidence + fired.sum(axis=1)),
        per_criterion.sum(axis=1) / criteria,
        shares(f1, count),
        shares((held * per_criterion).sum(axis=1), evidence),
        shares(weighted, evidence),
    )
    return np.stack(values, axis=1)
