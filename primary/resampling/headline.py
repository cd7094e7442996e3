"""The rows behind the headline metrics: what a resample or a swap weighs (section 10)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from primary.classification import class_probs, classes, multilabel
from primary.classification.calibration import log_losses
from primary.data.available import available
from primary.data.study import Slice
from primary.ranking import graded, metrics
from primary.selection import dynamic_k

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from fractions import Fraction

    from numpy.typing import NDArray

    from primary.data.study import Study

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

Item = TypeVar("Item", bound=np.generic)

BINS = 10


@dataclass(frozen=True)
class PostRows:
    """Posts × criteria, with each post's unit and the parts that it belongs to."""

    label: NDArray[np.bool_]
    pred: NDArray[np.bool_]
    unit: Ints
    parts: tuple[Slice, ...]


@dataclass(frozen=True)
class ClassRows:
    """What the metrics of several classes are made of, row by row."""

    count: int
    label: Ints
    predicted: Ints
    probs: Floats | None
    losses: Floats | None
    squares: Floats | None


@dataclass(frozen=True)
class Sample:
    """Row by row what the headline metrics are made of; what the data lacks is None."""

    unit: Ints
    """The unit of resampling that each row belongs to."""
    units: int
    parts: tuple[Slice, ...]
    """`all`, seeds, folds, the folds of each seed, criteria, declared slices."""
    positive: NDArray[np.bool_]
    means: Mapping[str, Floats]
    """Per-query values whose mean over `positives_only` is a headline."""
    has_evidence: NDArray[np.bool_]
    """Label 1; the states are owed without labels too, and then no row is known to be one."""
    label: NDArray[np.int8] | None
    prob: Floats | None
    score: Floats | None
    """What curves sort by."""
    losses: Floats | None
    """−ln p(label)"""
    pred: NDArray[np.int8] | None
    state: NDArray[np.int8] | None
    posts: PostRows | None
    classes: ClassRows | None
    place: Ints
    """The rows' order in the file."""
    seeds: tuple[tuple[str, ...], ...]
    """The slices that a mean over seeds is made of: those of each seed."""
    fpr: tuple[Fraction, ...]
    bins: int | None
    families: frozenset[str]

    @property
    def folds(self) -> list[str]:
        """The names of the fold slices."""
        return [part.name for part in self.parts if part.name.startswith("fold=")]


def sample(study: Study, unit: str) -> Sample:
    """Lay out the rows for one unit of resampling: `post`, `query` or `seed`.

    A unit of `seed` is a post (without posts: a query) of one seed: it weighs its own count times
    that of its seed.
    """
    owed = available(study)
    by_post = unit == "post" or (unit == "seed" and "post" in study.units)
    code = study.post_code if by_post else study.query_code
    units = int(code.max()) + 1
    if unit == "seed":
        code = code * len(study.seed_values) + study.seed_code
        units *= len(study.seed_values)
    data = study.data
    binary = data.label is not None and data.prob is not None and "calibration" in owed
    return Sample(
        unit=code,
        units=units,
        parts=(*study.all, *study.folds, *study.criteria, *study.declared),
        positive=study.positive,
        means=_means(study, owed),
        has_evidence=study.has_evidence,
        label=data.label,
        prob=data.prob,
        score=study.curve_score,
        losses=log_losses(data.prob, study.label) if binary and data.prob is not None else None,
        pred=study.pred,
        state=study.state,
        posts=_posts(study, code) if by_post and "per_post" in owed else None,
        classes=_classes(study, owed) if "classes" in owed else None,
        place=np.arange(study.size),
        seeds=tuple(map(tuple, study.seed_parts)),
        fpr=study.settings.fpr,
        bins=BINS if BINS in study.settings.bins else None,
        families=frozenset(owed),
    )


def _means(study: Study, owed: set[str]) -> Mapping[str, Floats]:
    """Give the columns of per-query values, which are the same whatever is resampled."""
    if "means" not in study.remembered:
        study.remembered["means"] = _worked_out(study, owed)
    means: Mapping[str, Floats] = study.remembered["means"]
    return means


def _worked_out(study: Study, owed: set[str]) -> dict[str, Floats]:
    found: dict[str, Floats] = {}
    if "ranking" in owed:
        columns = metrics.columns(study)
        found |= {name: column for name, column in columns if name in metrics.HEADLINE}
    if "graded" in owed:
        columns = graded.columns(study, {"graded"})
        found |= {name: column for name, column in columns if name in graded.HEADLINE}
    if "dynamic_k" in owed:
        found |= dynamic_k.evidence_values(dynamic_k.selection(study))
    return found


def _classes(study: Study, owed: set[str]) -> ClassRows:
    names, label, predicted = classes.codes(study)
    probs = study.data.class_probs if "class_probs" in owed else None
    judged = None if probs is None else class_probs.judge(probs, label)
    return ClassRows(
        count=len(names),
        label=label,
        predicted=predicted,
        probs=probs,
        losses=None if judged is None else judged.losses,
        squares=None if judged is None else judged.squares,
    )


def _posts(study: Study, code: Ints) -> PostRows:
    matrix = multilabel.posts(study)
    parts = tuple(
        Slice(part.name, np.flatnonzero(np.isin(matrix.first, part.rows)))
        for part in (*study.all, *study.folds)
    )
    return PostRows(matrix.label, matrix.pred, code[matrix.first], parts)


def narrowed(rows: Sample, parts: set[str]) -> Sample:
    """Keep only some slices."""
    posts = rows.posts
    if posts is not None:
        posts = replace(posts, parts=tuple(part for part in posts.parts if part.name in parts))
    kept = tuple(part for part in rows.parts if part.name in parts)
    return replace(rows, parts=kept, posts=posts)


def about(rows: Sample, metrics: Collection[str]) -> Sample:
    """Leave out the per-query values of metrics that are not asked for."""
    return replace(rows, means={name: rows.means[name] for name in rows.means if name in metrics})


def stacked(first: Sample, second: Sample) -> Sample:
    """Lay two systems' rows behind each other; the second one's units are numbered on.

    A column that one of them lacks goes: no metric of both is made of it.
    """
    return replace(
        first,
        unit=np.concatenate([first.unit, second.unit + first.units]),
        units=first.units + second.units,
        parts=_stacked_parts(first.parts, second.parts, len(first.unit)),
        positive=np.concatenate([first.positive, second.positive]),
        has_evidence=np.concatenate([first.has_evidence, second.has_evidence]),
        means={
            name: np.concatenate([values, second.means[name]])
            for name, values in first.means.items()
            if name in second.means
        },
        posts=_stacked_posts(first, second),
        classes=_stacked_classes(first.classes, second.classes),
        place=np.concatenate([first.place, second.place]),
        score=_both(first.score, second.score),
        losses=_both(first.losses, second.losses),
        label=_both(first.label, second.label),
        prob=_both(first.prob, second.prob),
        pred=_both(first.pred, second.pred),
        state=_both(first.state, second.state),
        families=first.families & second.families,
    )


def _both(left: NDArray[Item] | None, right: NDArray[Item] | None) -> NDArray[Item] | None:
    return None if left is None or right is None else np.concatenate([left, right])


def _stacked_classes(first: ClassRows | None, second: ClassRows | None) -> ClassRows | None:
    if first is None or second is None:
        return None
    return ClassRows(
        first.count,
        np.concatenate([first.label, second.label]),
        np.concatenate([first.predicted, second.predicted]),
        _both(first.probs, second.probs),
        _both(first.losses, second.losses),
        _both(first.squares, second.squares),
    )


def _stacked_parts(
    first: tuple[Slice, ...], second: tuple[Slice, ...], size: int
) -> tuple[Slice, ...]:
    other = {part.name: part.rows for part in second}
    return tuple(
        Slice(part.name, np.concatenate([part.rows, other[part.name] + size]))
        for part in first
        if part.name in other
    )


def _stacked_posts(first: Sample, second: Sample) -> PostRows | None:
    if first.posts is None or second.posts is None:
        return None
    ours, theirs = first.posts, second.posts
    return PostRows(
        np.concatenate([ours.label, theirs.label]),
        np.concatenate([ours.pred, theirs.pred]),
        np.concatenate([ours.unit, theirs.unit + first.units]),
        _stacked_parts(ours.parts, theirs.parts, len(ours.label)),
    )
