"""The rows behind the headline metrics: what a resample or a swap weighs (section 10)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from primary import dynamic_k, multilabel, ranking
from primary.families import available
from primary.study import Slice

if TYPE_CHECKING:
    from collections.abc import Mapping
    from fractions import Fraction

    from numpy.typing import NDArray

    from primary.study import Study

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
class Sample:
    """Row by row what the headline metrics are made of; what the data lacks is None."""

    unit: Ints
    """The unit of resampling that each row belongs to."""
    units: int
    parts: tuple[Slice, ...]
    """`all`, then the folds, then the criteria."""
    positive: NDArray[np.bool_]
    means: Mapping[str, Floats]
    """Per-query values whose mean over `positives_only` is a headline."""
    has_evidence: NDArray[np.bool_]
    """Label 1; the states are owed without labels too, and then no row is known to be one."""
    label: NDArray[np.int8] | None
    prob: Floats | None
    pred: NDArray[np.int8] | None
    state: NDArray[np.int8] | None
    posts: PostRows | None
    fpr: tuple[Fraction, ...]
    bins: int | None
    families: frozenset[str]

    @property
    def folds(self) -> list[str]:
        """The names of the fold slices."""
        return [part.name for part in self.parts if part.name.startswith("fold=")]


def sample(study: Study, unit: str) -> Sample:
    """Lay out the rows for one unit of resampling, `post` or `query`."""
    owed = available(study)
    by_post = unit == "post"
    code = study.post_code if by_post else np.arange(study.size)
    return Sample(
        unit=code,
        units=int(code.max()) + 1,
        parts=(*study.all, *study.folds, *study.criteria),
        positive=study.positive,
        means=_means(study, owed),
        has_evidence=study.has_evidence,
        label=study.data.label,
        prob=study.data.prob,
        pred=study.pred,
        state=study.state,
        posts=_posts(study) if by_post and "per_post" in owed else None,
        fpr=study.settings.fpr,
        bins=BINS if BINS in study.settings.bins else None,
        families=frozenset(owed),
    )


def _means(study: Study, owed: set[str]) -> dict[str, Floats]:
    found: dict[str, Floats] = {}
    if "ranking" in owed:
        columns = ranking.columns(study)
        found |= {name: column for name, column in columns if name in ranking.HEADLINE}
    if "dynamic_k" in owed:
        found |= dynamic_k.evidence_values(dynamic_k.selection(study))
    return found


def _posts(study: Study) -> PostRows:
    matrix = multilabel.posts(study)
    parts = tuple(
        Slice(part.name, np.flatnonzero(np.isin(matrix.first, part.rows)))
        for part in (*study.all, *study.folds)
    )
    return PostRows(matrix.label, matrix.pred, np.arange(len(matrix.label)), parts)


def narrowed(rows: Sample, parts: set[str]) -> Sample:
    """Keep only some slices."""
    posts = rows.posts
    if posts is not None:
        posts = replace(posts, parts=tuple(part for part in posts.parts if part.name in parts))
    kept = tuple(part for part in rows.parts if part.name in parts)
    return replace(rows, parts=kept, posts=posts)


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
        label=_both(first.label, second.label),
        prob=_both(first.prob, second.prob),
        pred=_both(first.pred, second.pred),
        state=_both(first.state, second.state),
        families=first.families & second.families,
    )


def _both(left: NDArray[Item] | None, right: NDArray[Item] | None) -> NDArray[Item] | None:
    return None if left is None or right is None else np.concatenate([left, right])


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
