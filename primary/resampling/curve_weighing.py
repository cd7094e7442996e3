"""Areas and operating points of any weighing of the units.

Only the distinct scores that hold a positive matter: between two of them the curve runs level.
Rows are sorted once; how many of each unit's lie between two scores is one sparse matrix, and its
product with the weights of a batch, summed along the scores, is the curve of each resample.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from primary.arithmetic.aggregate import key
from primary.arithmetic.decimals import shortest
from primary.arithmetic.exact import share_dots, tally, whole_dots, whole_product

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from fractions import Fraction

    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from primary.data.study import Slice
    from primary.resampling.headline import Sample

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Curve:
    """One slice's curve: where its rows lie in the sorted order, and where its scores cut them.

    `above` and `upto` count the negatives with a higher, and with a higher or equal score than
    each distinct score of a positive, descending; `reached` counts positives likewise.
    """

    names: tuple[str, ...]
    part: str
    negatives: Ints
    positives: Ints
    above: Ints
    upto: Ints
    reached: Ints
    steps: csr_array
    """Readings × units: how many rows of each unit lie at each step of the curve.

    For every score its positives, the negatives tied with it, and those between the score before
    and itself; at last the negatives below all of them.
    """


@dataclass(frozen=True)
class Points:
    """Running sums of weights at each distinct score of a positive (weighings × scores)."""

    true: NDArray[np.number]
    above: NDArray[np.number]
    upto: NDArray[np.number]
    positives: NDArray[np.int64]
    negatives: NDArray[np.int64]

    def __sub__(self, other: Points) -> Points:
        """Take off another weighing of the same rows, score by score."""
        return Points(
            self.true - other.true,
            self.above - other.above,
            self.upto - other.upto,
            self.positives - other.positives,
            self.negatives - other.negatives,
        )


def curves(rows: Sample, wanted: Collection[str] | None = None) -> Iterator[Curve]:
    """Lay out the curve of every slice, if any of its metrics is wanted."""
    if "curves" not in rows.families or rows.score is None or rows.label is None:
        return
    for part in rows.parts:
        names = _names(rows.fpr, part, wanted)
        if names:
            yield curve(rows, part, rows.score, rows.label == 1, names)


def curve(
    rows: Sample,
    part: Slice,
    values: Floats,
    label: NDArray[np.bool_],
    names: tuple[str, ...],
) -> Curve:
    """Lay out one curve of some values against a label."""
    order = part.rows[np.argsort(-values[part.rows])]
    negatives, positives = order[~label[order]], order[label[order]]
    down, up = -values[negatives], -values[positives]
    scores = np.unique(up)
    above, upto = (np.searchsorted(down, scores, side=side) for side in ("left", "right"))
    reached = np.searchsorted(up, scores, side="right")
    negatives, positives = rows.unit[negatives], rows.unit[positives]
    return Curve(
        names=names,
        part=part.name,
        negatives=negatives,
        positives=positives,
        above=above,
        upto=upto,
        reached=reached,
        steps=_steps(negatives, positives, (above, upto, reached), rows.units),
    )


def _steps(
    negatives: Ints, positives: Ints, bounds: tuple[Ints, Ints, Ints], units: int
) -> csr_array:
    """Say at which step of the curve every row lies, and count by unit."""
    from scipy.sparse import csr_array  # noqa: PLC0415 - only intervals need scipy

    above, upto, reached = bounds
    count = len(reached)
    place = np.arange(len(negatives))
    score = np.searchsorted(upto, place, side="right")
    tied = np.append(above, len(negatives))[score] <= place
    at = np.searchsorted(reached, np.arange(len(positives)), side="right")
    step = np.concatenate([at, score + np.where(tied, count, 2 * count)])
    unit = np.concatenate([positives, negatives])
    ones = np.ones(len(unit), dtype=np.int32)
    return csr_array((ones, (step, unit)), shape=(3 * count + 1, units))


def _rate(alpha: Fraction) -> str:
    return f"tpr@fpr={shortest(alpha)}%"


def _names(
    alphas: tuple[Fraction, ...], part: Slice, wanted: Collection[str] | None
) -> tuple[str, ...]:
    metrics = ("auroc", "auprc", *map(_rate, alphas))
    return tuple(
        key(metric, "all_queries", part.name, "value")
        for metric in metrics
        if wanted is None or metric in wanted
    )


def points(curve: Curve, weights: NDArray[np.int32]) -> Points:
    """Read a batch of resamples (units × weighings) off at the curve's scores."""
    count = len(curve.reached)
    read = np.asarray(whole_product(curve.steps, weights)).T
    at, tied, between = (read[:, begin : begin + count] for begin in (0, count, 2 * count))
    true, upto = _running(at), _running(between + tied)
    return Points(
        true=true,
        above=upto - tied,
        upto=upto,
        positives=tally(true[:, -1:], axis=1),
        negatives=tally(upto[:, -1:], axis=1) + read[:, -1],
    )


def _running(steps: NDArray[np.int32]) -> NDArray[np.int32]:
    """Sum along the scores; each weighing's sums come to lie side by side."""
    return np.cumsum(steps, axis=1, out=np.empty(steps.shape, dtype=np.int32))


def alike(curve: Curve) -> tuple[Ints, Ints, Ints]:
    """Find units whose deletion changes the curve alike: units, one of each kind, and their kinds.

    Where every unit has one row, it matters only between which scores that row lies.
    """
    owners = np.concatenate([curve.negatives, curve.positives])
    units, first = np.unique(owners, return_index=True)
    if len(units) < len(owners):
        return units, units, np.arange(len(units))
    down, up = np.arange(len(curve.negatives)), np.arange(len(curve.positives))
    width = len(curve.above) + 1
    between = np.searchsorted(curve.above, down, side="right") * width
    between += np.searchsorted(curve.upto, down, side="right")
    at = -1 - np.searchsorted(curve.reached, up, side="right")
    _, chosen, kind = np.unique(
        np.concatenate([between, at])[first], return_index=True, return_inverse=True
    )
    order = np.argsort(chosen)
    return units, units[chosen[order]], np.argsort(order)[kind]


def deletions(curve: Curve, units: Ints) -> Points:
    """Give the curve without each of the given units."""
    place = np.searchsorted(units, np.concatenate([curve.negatives, curve.positives]))
    place = np.minimum(place, len(units) - 1)
    owned = units[place] == np.concatenate([curve.negatives, curve.positives])
    split = len(curve.negatives)
    true = _left(
        place[split:][owned[split:]], np.flatnonzero(owned[split:]), curve.reached, len(units)
    )
    rows = (place[:split][owned[:split]], np.flatnonzero(owned[:split]))
    above, upto = (_left(*rows, bounds, len(units)) for bounds in (curve.above, curve.upto))
    lost = np.bincount(rows[0], minlength=len(units))
    missed = np.bincount(place[split:][owned[split:]], minlength=len(units))
    return Points(true, above, upto, len(curve.positives) - missed, split - lost)


def _left(owner: Ints, place: Ints, bounds: Ints, units: int) -> NDArray[np.int64]:
    """Count at each bound the rows before it that are left when an owner's rows go."""
    gone = np.zeros((units, len(bounds) + 1), dtype=np.int64)
    np.add.at(gone, (owner, np.searchsorted(bounds, place, side="right")), 1)
    return bounds - np.cumsum(gone, axis=1)[:, :-1]


def values(curve: Curve, found: Points, alphas: tuple[Fraction, ...]) -> Floats:
    """Give the curve's metrics (weighings × names); one class only: 0.5 and the positive rate."""
    asked = {name.partition("|")[0] for name in curve.names}
    hits = _hits(found)
    columns = [_area(found, hits)] if "auroc" in asked else []
    if "auprc" in asked:
        columns.append(_average_precision(found, hits))
    budgets = [allowed(found.negatives, alpha) for alpha in alphas if _rate(alpha) in asked]
    return np.stack([*columns, *rates_within(found, budgets)], axis=1)


def _average_precision(found: Points, hits: Floats) -> Floats:
    precision = found.true / np.maximum(found.true + found.upto, 1)
    most = int(found.positives.max(initial=0))
    positives = found.positives.astype(np.float64)
    return share_dots(hits, precision, most) / np.maximum(positives, 1)


def area(found: Points) -> Floats:
    """Give the area alone."""
    return _area(found, _hits(found))


def _hits(found: Points) -> Floats:
    """Give how many positives each score has."""
    return np.diff(found.true, axis=1, prepend=found.true.dtype.type(0)).astype(np.float64)


def _area(found: Points, hits: Floats) -> Floats:
    pairs = found.positives.astype(np.float64) * found.negatives
    doubled = 2 * pairs - whole_dots(hits, found.above + found.upto)
    area_: Floats = np.divide(doubled, 2 * pairs, out=np.full(len(pairs), 0.5), where=pairs > 0)
    return area_


def allowed(negatives: Ints, alpha: Fraction) -> Ints:
    """Give how many false positives FPR ≤ α allows: 100·FP ≤ α·N, however many digits α has."""
    part, whole = alpha.numerator, 100 * alpha.denominator
    return np.array([count * part // whole for count in negatives.tolist()])


def rates_within(found: Points, budgets: list[NDArray[np.int64]]) -> Floats:
    """Give for each budget of false positives the largest TPR of any threshold within it."""
    count, width = found.upto.shape
    if not width or not budgets:
        return np.zeros((len(budgets), count))
    # All rows in one ascending array, each row lifted above the one before it.
    lift = (int(found.negatives.max()) + 1) * np.arange(count)
    flat = (found.upto + lift[:, None]).ravel()
    begin = width * np.arange(count)
    within = np.stack(
        [np.searchsorted(flat, lift + budget, side="right") - begin for budget in budgets]
    )
    reached = np.where(within > 0, found.true[np.arange(count), within - 1], 0)
    rates: Floats = reached / np.maximum(found.positives, 1)
    return rates
