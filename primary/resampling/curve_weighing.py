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
from primary.arithmetic.exact import share_dots, whole_dots, whole_product

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from fractions import Fraction

    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from primary.data.study import Slice
    from primary.resampling.headline import Sample

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Counting = type[np.unsignedinteger]


def counting(most: int) -> Counting:
    """Give the narrowest type, of those that fit the cache well, that counts so many rows."""
    return np.uint16 if most <= np.iinfo(np.uint16).max else np.uint32


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
    ties: Ints
    """The scores that negatives have too."""
    steps: csr_array
    """Readings × units: how many rows of each unit lie at each step of the curve.

    For every score its positives; for every score the negatives from the score before, without it,
    down to itself; the negatives below all of them; for every tie its negatives.
    """


@dataclass(frozen=True)
class Points:
    """Running sums of weights at each distinct score of a positive (weighings × scores)."""

    true: NDArray[np.number]
    upto: NDArray[np.number]
    tied: NDArray[np.number]
    """At each tie alone, and no running sum."""
    positives: NDArray[np.int64]
    negatives: NDArray[np.int64]

    def __sub__(self, other: Points) -> Points:
        """Take off another weighing of the same rows, score by score."""
        return Points(
            self.true - other.true,
            self.upto - other.upto,
            self.tied - other.tied,
            self.positives - other.positives,
            self.negatives - other.negatives,
        )


def curves(rows: Sample, kind: Counting, wanted: Collection[str] | None = None) -> Iterator[Curve]:
    """Lay out the curve of every slice, if any of its metrics is wanted."""
    if "curves" not in rows.families or rows.score is None or rows.label is None:
        return
    for part in rows.parts:
        names = _names(rows.fpr, part, wanted)
        if names:
            yield curve(rows, part, rows.score, rows.label == 1, names=names, kind=kind)


def curve(
    rows: Sample,
    part: Slice,
    values: Floats,
    label: NDArray[np.bool_],
    *,
    names: tuple[str, ...],
    kind: Counting,
) -> Curve:
    """Lay out one curve of some values against a label, to be counted in one type of number."""
    order = part.rows[np.argsort(-values[part.rows])]
    negatives, positives = order[~label[order]], order[label[order]]
    down, up = -values[negatives], -values[positives]
    scores = np.unique(up)
    above, upto = (np.searchsorted(down, scores, side=side) for side in ("left", "right"))
    reached = np.searchsorted(up, scores, side="right")
    negatives, positives = rows.unit[negatives], rows.unit[positives]
    ties = np.flatnonzero(above < upto)
    return Curve(
        names=names,
        part=part.name,
        negatives=negatives,
        positives=positives,
        above=above,
        upto=upto,
        reached=reached,
        ties=ties,
        steps=_steps(negatives, positives, (above, upto, reached, ties), rows.units, kind),
    )


def _steps(
    negatives: Ints,
    positives: Ints,
    bounds: tuple[Ints, Ints, Ints, Ints],
    units: int,
    kind: Counting,
) -> csr_array:
    """Say at which steps of the curve every row lies, and count by unit."""
    from scipy.sparse import csr_array  # noqa: PLC0415 - only intervals need scipy

    above, upto, reached, ties = bounds
    count = len(reached)
    place = np.arange(len(negatives))
    score = np.searchsorted(upto, place, side="right")
    tied = np.append(above, len(negatives))[score] <= place
    at = np.searchsorted(reached, np.arange(len(positives)), side="right")
    tie = np.searchsorted(ties, score[tied])
    step = np.concatenate([at, count + score, 2 * count + 1 + tie])
    unit = np.concatenate([positives, negatives, negatives[tied]])
    ones = np.ones(len(unit), dtype=kind)
    return csr_array((ones, (step, unit)), shape=(2 * count + 1 + len(ties), units))


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


def points(curve: Curve, weights: NDArray[np.unsignedinteger]) -> Points:
    """Read a batch of resamples (units × weighings) off at the curve's scores."""
    count = len(curve.reached)
    read = np.asarray(whole_product(curve.steps, weights)).T
    true, upto = _running(read[:, :count]), _running(read[:, count : 2 * count])
    return Points(
        true=true,
        upto=upto,
        tied=read[:, 2 * count + 1 :],
        positives=_last(true),
        negatives=_last(upto) + read[:, 2 * count],
    )


def _running(steps: NDArray[np.unsignedinteger]) -> NDArray[np.unsignedinteger]:
    """Sum along the scores; each weighing's sums come to lie side by side."""
    out = np.empty(steps.shape, dtype=steps.dtype)
    return np.cumsum(steps, axis=1, dtype=steps.dtype, out=out)


def _last(running: NDArray[np.unsignedinteger]) -> Ints:
    """Give what running sums come to; where there are no scores, 0."""
    if not running.shape[1]:
        return np.zeros(len(running), dtype=np.int64)
    return running[:, -1].astype(np.int64)


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
    tied = (upto - above)[:, curve.ties]
    lost = np.bincount(rows[0], minlength=len(units))
    missed = np.bincount(place[split:][owned[split:]], minlength=len(units))
    return Points(true, upto, tied, len(curve.positives) - missed, split - lost)


def _left(owner: Ints, place: Ints, bounds: Ints, units: int) -> NDArray[np.int64]:
    """Count at each bound the rows before it that are left when an owner's rows go."""
    gone = np.zeros((units, len(bounds) + 1), dtype=np.int64)
    np.add.at(gone, (owner, np.searchsorted(bounds, place, side="right")), 1)
    return bounds - np.cumsum(gone, axis=1)[:, :-1]


def values(curve: Curve, found: Points, alphas: tuple[Fraction, ...]) -> Floats:
    """Give the curve's metrics (weighings × names); one class only: 0.5 and the positive rate."""
    asked = {name.partition("|")[0] for name in curve.names}
    true, hits = _true(found)
    columns = [_area(curve, found, hits)] if "auroc" in asked else []
    if "auprc" in asked:
        columns.append(_average_precision(found, true, hits))
    budgets = [allowed(found.negatives, alpha) for alpha in alphas if _rate(alpha) in asked]
    return np.stack([*columns, *rates_within(found, budgets)], axis=1)


def _true(found: Points) -> tuple[Floats, Floats]:
    """Give the positives down to each score, and those that have it."""
    hits = np.array(found.true)
    hits[:, 1:] = np.diff(found.true)
    return found.true.astype(np.float64), hits.astype(np.float64)


def _average_precision(found: Points, true: Floats, hits: Floats) -> Floats:
    # Where nothing is drawn down to a score, none of its positives are.
    drawn = np.maximum(found.true + found.upto, 1)
    precision = np.divide(true, drawn, out=true)
    most = int(found.positives.max(initial=0))
    return share_dots(hits, precision, most) / np.maximum(found.positives, 1)


def area(curve: Curve, found: Points) -> Floats:
    """Give the area alone."""
    return _area(curve, found, _true(found)[1])


def _area(curve: Curve, found: Points, hits: Floats) -> Floats:
    """Of every pair of classes the negatives above take all, those with the same score half."""
    pairs = found.positives.astype(np.float64) * found.negatives
    lost = 2 * whole_dots(hits, found.upto.astype(np.float64))
    lost -= whole_dots(hits[:, curve.ties], found.tied.astype(np.float64))
    doubled = 2 * pairs - lost
    area_: Floats = np.divide(doubled, 2 * pairs, out=np.full(len(pairs), 0.5), where=pairs > 0)
    return area_


def allowed(negatives: Ints, alpha: Fraction) -> Ints:
    """Give how many false positives FPR ≤ α allows: 100·FP ≤ α·N, however many digits α has."""
    part, whole = alpha.numerator, 100 * alpha.denominator
    if max(whole, part * int(negatives.max(initial=0))) <= np.iinfo(np.int64).max:
        return negatives * part // whole
    return np.array([count * part // whole for count in negatives.tolist()])


def rates_within(found: Points, budgets: list[NDArray[np.int64]]) -> Floats:
    """Give for each budget of false positives the largest TPR of any threshold within it."""
    count, width = found.upto.shape
    if not width or not budgets:
        return np.zeros((len(budgets), count))
    # All rows in one ascending array, each row lifted above the one before it.
    row = np.arange(count)[:, None]
    lift = (int(found.negatives.max()) + 1) * row
    flat = (found.upto + lift).ravel()
    within = np.searchsorted(flat, np.stack(budgets, axis=1) + lift, side="right") - width * row
    reached = np.where(within > 0, found.true[row, within - 1], 0)
    rates: Floats = reached / np.maximum(found.positives, 1)[:, None]
    return rates.T
