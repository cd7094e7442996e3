"""Headline metrics that are ratios of sums: of any weighing of the units, all at once.

A resample gives every unit a weight. The sums behind a mean, a confusion matrix, ECE or F1 are
linear in the weights, so a batch of resamples is one matrix product per slice; what follows it is
arithmetic on a few columns. The product is one of parts (`exact.py`), so that it is exact.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from primary.arithmetic.aggregate import key, shares
from primary.arithmetic.decimals import bin_of
from primary.arithmetic.exact import Parts, added, tally
from primary.classification.binary import CONFUSION_RATES
from primary.classification.multilabel import POST_METRICS
from primary.classification.states import STATE_RATES
from primary.data.study import CELL

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from primary.data.study import Slice
    from primary.resampling.headline import PostRows, Sample

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Finish = Callable[[Floats], Floats]


@dataclass(frozen=True)
class Family:
    """Metrics that are made of the same columns, before those are cut into slices."""

    metrics: tuple[str, ...]
    population: str
    statistic: str
    chosen: NDArray[np.bool_]
    """The rows of the population."""
    columns: Sequence[NDArray[np.generic]]
    """What is added up, row by row."""
    finish: Finish
    """From sums (weighings × columns) to values (weighings × metrics)."""
    slices: Callable[[str], bool] = lambda _: True
    """Whether it has a slice of that name."""


def whole(part: str) -> bool:
    """Say whether a slice is `all`, a fold, a seed, or a fold of a seed."""
    return part == "all" or part.startswith(("fold=", "seed=", CELL))


def not_by_criterion(part: str) -> bool:
    """Say whether a slice is no criterion's."""
    return not part.startswith("criterion=")


@dataclass(frozen=True)
class Sums:
    """The metrics of one family on one slice: summands by unit, and what is made of the sums."""

    names: tuple[str, ...]
    units: Ints
    """The units that have rows here, ascending."""
    summands: Parts
    """One row per unit of `units`, one column per sum."""
    finish: Finish

    @property
    def metrics(self) -> tuple[str, ...]:
        """Name what the family is made of."""
        return tuple(name.partition("|")[0] for name in self.names)

    @property
    def part(self) -> str:
        """Name the slice."""
        return self.names[0].split("|")[2]

    def values(self, sums: Floats) -> Floats:
        """Give the values (weighings × names) of sums of parts (weighings × parts)."""
        return self.finish(self.summands.joined(sums))


def by_unit(unit: Ints, columns: Parts) -> tuple[Ints, Parts]:
    """Add up columns over the rows of each unit."""
    units, code = np.unique(unit, return_inverse=True)
    if len(units) == len(unit):
        return units, columns.taken(np.argsort(code))
    return units, columns.grouped(code, len(units))


def sums(rows: Sample, draws: int) -> Iterator[Sums]:
    """Lay out every headline metric that is a ratio of sums, for weighings of up to `draws`."""
    families = [*_means(rows), *_confusion(rows), *_calibration(rows), *_states(rows)]
    families += [*_losses(rows), *_class_scores(rows)]
    cut = [(family, _parts(family, rows.unit, draws)) for family in families]
    for part in rows.parts:
        for family, columns in cut:
            if family.slices(part.name):
                yield _on(part, family, columns, rows.unit)
    if rows.posts is not None:
        family = _per_post(rows.posts)
        columns = _parts(family, rows.posts.unit, draws)
        for part in rows.posts.parts:
            yield _on(part, family, columns, rows.posts.unit)


def _parts(family: Family, unit: Ints, draws: int) -> Parts:
    """Cut the columns once for all slices, so that slices' sums can be added to each other."""
    rows_each = int(np.bincount(unit).max())
    return Parts.of(family.columns, draws * rows_each)


def _on(part: Slice, family: Family, columns: Parts, unit: Ints) -> Sums:
    rows = part.rows[family.chosen[part.rows]]
    names = (key(one, family.population, part.name, family.statistic) for one in family.metrics)
    units, summands = by_unit(unit[rows], columns.taken(rows))
    return Sums(tuple(names), units, summands, family.finish)


def _every(rows: Ints) -> NDArray[np.bool_]:
    return np.ones(len(rows), dtype=bool)


def _means(rows: Sample) -> Iterator[Family]:
    if rows.means:
        columns = [np.ones(len(rows.unit)), *rows.means.values()]
        yield Family(
            metrics=tuple(rows.means),
            population="positives_only",
            statistic="mean",
            chosen=rows.positive,
            columns=columns,
            finish=lambda sums: shares(sums[:, 1:], sums[:, :1]),
        )


def _confusion(rows: Sample) -> Iterator[Family]:
    if "confusion" not in rows.families or rows.pred is None or rows.label is None:
        return
    label, pred = rows.label == 1, rows.pred == 1
    cells = [label & pred, ~label & pred, ~label & ~pred, label & ~pred]
    every = _every(rows.unit)
    metrics = (*CONFUSION_RATES, "accuracy", "kappa")
    yield Family(metrics, "all_queries", "value", every, cells, _confusion_rates)


def _confusion_rates(sums: Floats) -> Floats:
    tp, fp, tn, fn = sums.T
    sensitivity, specificity = shares(tp, tp + fn), shares(tn, tn + fp)
    root = np.sqrt((tp + fp) * (tp + fn)) * np.sqrt((tn + fp) * (tn + fn))
    count, by_chance = tp + fp + tn + fn, (tp + fp) * (tp + fn) + (tn + fn) * (tn + fp)
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
        shares(tp + tn, count),
        shares(count * (tp + tn) - by_chance, count * count - by_chance),
    )
    return np.stack(values, axis=1)


def _calibration(rows: Sample) -> Iterator[Family]:
    if "calibration" not in rows.families or rows.prob is None or rows.label is None:
        return
    error = rows.label - rows.prob
    columns: list[NDArray[np.generic]] = [np.ones(len(error)), error * error]
    metrics = ["brier"]
    if rows.bins is not None:
        held = bin_of(rows.prob, rows.bins)
        columns += [np.where(held == j, error, 0.0) for j in range(rows.bins)]
        metrics.append(f"ece@{rows.bins}")

    def finish(sums: Floats) -> Floats:
        count = sums[:, 0]
        values = [shares(sums[:, 1], count)]
        if rows.bins is not None:
            values.append(shares(added(np.abs(sums[:, 2:]).T), count))
        return np.stack(values, axis=1)

    every = _every(rows.unit)
    yield Family(tuple(metrics), "all_queries", "value", every, columns, finish)


def _losses(rows: Sample) -> Iterator[Family]:
    if rows.losses is not None:
        yield _loss(rows.losses, rows.unit)


def _loss(losses: Floats, unit: Ints) -> Family:
    """Give the mean loss; `inf` where an infinite one weighs anything."""
    endless = ~np.isfinite(losses)
    columns = [np.ones(len(losses)), np.where(endless, 0.0, losses), endless]

    def finish(sums: Floats) -> Floats:
        mean = shares(sums[:, 1], sums[:, 0])
        return np.where(sums[:, 2] > 0, np.inf, mean)[:, None]

    return Family(("log_loss",), "all_queries", "value", _every(unit), columns, finish)


def _class_scores(rows: Sample) -> Iterator[Family]:
    """Give the losses of several classes' probabilities."""
    classes = rows.classes
    if classes is None or classes.losses is None or classes.squares is None:
        return
    yield replace(_loss(classes.losses, rows.unit), slices=not_by_criterion)
    yield Family(
        metrics=("brier/multiclass",),
        population="all_queries",
        statistic="value",
        chosen=_every(rows.unit),
        columns=[np.ones(len(rows.unit)), classes.squares],
        finish=lambda sums: shares(sums[:, 1:], sums[:, :1]),
        slices=not_by_criterion,
    )


def _states(rows: Sample) -> Iterator[Family]:
    if "states" not in rows.families or rows.state is None:
        return
    in_state = [rows.state == code for code in range(3)]
    columns = in_state + [here & rows.has_evidence for here in in_state]
    every = _every(rows.unit)
    yield Family(STATE_RATES, "all_queries", "value", every, columns, _state_rates, whole)


def _state_rates(sums: Floats) -> Floats:
    neg, uncertain, pos, missed, unsure, alerts = sums.T
    total, evidence = neg + uncertain + pos, missed + unsure + alerts
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


def _per_post(posts: PostRows) -> Family:
    label, pred, right = posts.label, posts.pred, posts.label == posts.pred
    held, criteria = tally(label, axis=1), label.shape[1]
    f1 = shares(2 * tally(label & pred, axis=1), held + tally(pred, axis=1))
    columns = [np.ones(len(label)), right.all(axis=1), tally(right, axis=1), f1, held * f1]
    columns += [*(label & pred).T, *pred.T, *label.T]
    return Family(
        metrics=POST_METRICS,
        population="posts",
        statistic="value",
        chosen=_every(posts.unit),
        columns=columns,
        finish=lambda sums: _post_values(sums, criteria),
    )


def _post_values(sums: Floats, criteria: int) -> Floats:
    count, exact, right, f1, weighted = sums[:, :5].T
    hits, fired, held = (sums[:, 5 + i * criteria : 5 + (i + 1) * criteria] for i in range(3))
    per_criterion = shares(2 * hits, fired + held)
    evidence, cells = added(held.T), count * criteria
    values = (
        shares(exact, count),
        shares(right, cells),
        shares(cells - right, cells),
        shares(2 * added(hits.T), evidence + added(fired.T)),
        added(per_criterion.T) / criteria,
        shares(f1, count),
        shares(added((held * per_criterion).T), evidence),
        shares(weighted, evidence),
    )
    return np.stack(values, axis=1)
