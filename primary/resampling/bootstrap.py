"""Bootstrap intervals of every headline metric (contract, section 10).

The plan, how often each unit is drawn in each resample, is an input: anyone can replay it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from primary.arithmetic.cores import one_thread_each, side_by_side
from primary.arithmetic.exact import normal_place, normal_share, tally, total
from primary.errors import refuse
from primary.resampling.curve_weighing import rates_within
from primary.resampling.headline import narrowed, sample
from primary.resampling.weigher import Weigher, once, weighed, weigher, without_each

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray

    from primary.data.study import Study
    from primary.resampling.curve_weighing import Points
    from primary.resampling.headline import Sample

    Floats = NDArray[np.float64]

Progress = Callable[[int, int], None]
"""Told how many resamples are done, of how many."""

BATCH = 240
"""Weighed together; no power of two, as columns in such steps crowd into a corner of the cache."""
STREAM = 256
"""Resamples drawn from one stream of random numbers."""
SORTED = 32
"""Rows of replicates sorted together, which leave the cache no sooner than they are done with."""
EQUAL = 1e-12
"""Within this, a replicate equals the estimate."""

TAILS = (Fraction(1, 40), Fraction(39, 40))
"""What the two ends of a 95 % interval leave below them."""

BAND = range(101)
"""The false positive rates of the ROC band, in percent."""


@dataclass(frozen=True)
class Intervals:
    """Interval keys, and everything that they were derived from."""

    ledger: dict[str, float]
    estimates: dict[str, float]
    replicates: dict[str, dict[str, Floats]]
    jackknife: dict[str, dict[str, Floats]]
    flags: list[str]
    one_class: dict[str, dict[str, int]]
    roc_band: dict[str, dict[str, list[float]]]


@dataclass(frozen=True)
class Resampled:
    """What one unit's resamples gave."""

    values: Floats
    """names × resamples"""
    one_class: dict[str, int]
    band: Floats | None


def intervals(
    study: Study,
    plan: Mapping[str, Any],
    metrics: Collection[str] | None = None,
    progress: Progress | None = None,
) -> Intervals:
    """Compute every replicate of the plan, the jackknife, and both intervals."""
    found = Intervals({}, {}, {}, {}, [], {}, {})
    units = study.units
    in_all = int(tally(np.array([_resamples(plan, unit) for unit in units], dtype=np.int64)))
    done = 0
    for unit in units:
        if unit not in plan:
            raise refuse(
                f"the plan has no counts for the unit {unit}",
                f"Give counts for {' and '.join(units)}.",
            )
        rows = laid_out(study, unit)
        counts = drawn_counts(plan[unit], rows, unit, len(study.seed_values))
        made = weigher(rows, metrics, most_drawn(counts))
        estimate = weighed(made, once(made.rows))[0][:, 0]
        step = None if progress is None else _step(progress, done, in_all)
        drawn = resampled(made, counts, step)
        left = None if unit == "seed" else without_each(made, estimate)
        _record(found, unit, made=made, estimate=estimate, drawn=drawn, left=left)
        done += len(counts)
    return found


def laid_out(study: Study, unit: str) -> Sample:
    """Give the rows of a unit of resampling; of `seed` the slices `all` and what `seeds` needs."""
    if ("laid out", unit) not in study.remembered:
        rows = sample(study, unit)
        if unit == "seed":
            rows = narrowed(rows, {"all", *(part for group in rows.seeds for part in group)})
        study.remembered["laid out", unit] = rows
    laid: Sample = study.remembered["laid out", unit]
    return laid


def _resamples(plan: Mapping[str, Any], unit: str) -> int:
    if unit not in plan:
        return 0
    drawn = plan[unit]
    return len(drawn.get("units", ())) if isinstance(drawn, Mapping) else len(drawn)


def _step(progress: Progress, before: int, total: int) -> Callable[[int], None]:
    return lambda done: progress(before + done, total)


@dataclass(frozen=True)
class Crossed:
    """Counts of units and of seeds: a row weighs one times the other."""

    units: NDArray[np.integer]
    seeds: NDArray[np.integer]

    def __len__(self) -> int:
        return len(self.units)

    def __getitem__(self, part: slice) -> NDArray[np.int64]:
        units = self.units[part].astype(np.int64)[:, :, None]
        return (units * self.seeds[part].astype(np.int64)[:, None, :]).reshape(len(units), -1)


Counts = Any
"""A two-dimensional array, or units crossed with seeds."""


def drawn_counts(given: Any, rows: Sample, unit: str, seeds: int) -> Counts:  # noqa: ANN401 - a plan
    """Check that a unit's plan fits the data."""
    if unit != "seed":
        return planned(given, rows.units, unit)
    if not isinstance(given, Mapping) or set(given) != {"units", "seeds"}:
        raise refuse(
            "the plan for the unit seed is no pair of counts",
            "Give units and seeds, one row per resample each.",
        )
    crossed = Crossed(
        planned(given["units"], rows.units // seeds, "seed"), planned(given["seeds"], seeds, "seed")
    )
    if len(crossed.units) != len(crossed.seeds):
        raise refuse(
            f"the plan for the unit seed draws units {len(crossed.units)} times and seeds "
            f"{len(crossed.seeds)} times",
            "Give one row per resample of both.",
        )
    return crossed


def planned(counts: Any, units: int, unit: str) -> NDArray[np.integer]:  # noqa: ANN401 - array or lists
    """Check that a plan fits the data; a memory-mapped array stays on disk."""
    array = np.asarray(counts)
    if array.ndim != 2 or array.shape[1] != units or not len(array):  # noqa: PLR2004 - resamples × units
        raise refuse(
            f"the plan for the unit {unit} has the shape {array.shape}",
            f"Expected one row per resample and {units} columns, one per unit of the EVAL rows.",
        )
    if array.dtype.kind not in "iub" or (array.dtype.kind == "i" and int(array.min()) < 0):
        raise refuse(
            f"the plan for the unit {unit} holds numbers that are no counts",
            "Give whole numbers of at least 0: how often each unit is drawn.",
        )
    return array


def most_drawn(counts: Counts) -> int:
    """Give how many units the largest resample draws, each as often as it is drawn."""
    if isinstance(counts, Crossed):
        return int((tally(counts.units, axis=1) * tally(counts.seeds, axis=1)).max())
    return int(tally(counts, axis=1).max())


def seeds_drawn(counts: Counts, part: slice) -> Floats | None:
    """Give how often each seed was drawn, where seeds were."""
    return counts.seeds[part].astype(np.float64) if isinstance(counts, Crossed) else None


def resampled(
    made: Weigher, counts: Counts, step: Callable[[int], None] | None = None
) -> Resampled:
    """Weigh batch after batch, side by side on all cores; no result depends on how many."""
    values = np.empty((len(made.names), len(counts)))
    curved = any(curve.part == "all" for curve in made.curves)
    band = np.empty((len(BAND), len(counts))) if curved else None
    one_class = {name: 0 for curve in made.curves for name in curve.names}
    one_class |= {
        name: 0
        for name in made.names
        if name.split("|")[2] in ("folds", "seeds") and _of_curve(name, made)
    }

    def weigh(begin: int) -> dict[str, int]:
        part = slice(begin, begin + BATCH)
        values[:, part], read = weighed(made, counts[part], seeds_drawn(counts, part))
        if band is not None:
            band[:, part] = _band(read["all"])
        return _one_class(made, read)

    begins = range(0, len(counts), BATCH)
    with one_thread_each():
        for begin, lacking in zip(begins, side_by_side(weigh, begins), strict=True):
            for name in one_class:
                one_class[name] += lacking[name.split("|")[2]]
            if step is not None:
                step(min(begin + BATCH, len(counts)))
    return Resampled(values, one_class, band)


def _of_curve(name: str, made: Weigher) -> bool:
    metric = f"{name.partition('|')[0]}|"
    return any(one.startswith(metric) for curve in made.curves[:1] for one in curve.names)


def _band(found: Points) -> Floats:
    """Give the largest TPR with FPR ≤ x at each x of the band."""
    return rates_within(found, [found.negatives * percent // 100 for percent in BAND])


def _one_class(made: Weigher, read: Mapping[str, Points]) -> dict[str, int]:
    """Count by slice the resamples that lack one of the classes; for folds: in any of them."""
    lacking = {part: (one.positives == 0) | (one.negatives == 0) for part, one in read.items()}
    parts = {"folds": made.rows.folds, "seeds": [one for group in made.rows.seeds for one in group]}
    for name, members in parts.items():
        found = [lacking[one] for one in members if one in lacking]
        if found:
            lacking[name] = np.logical_or.reduce(found)
    return {part: int(np.count_nonzero(mask)) for part, mask in lacking.items()}


def _record(
    found: Intervals,
    unit: str,
    *,
    made: Weigher,
    estimate: Floats,
    drawn: Resampled,
    left: Floats | None,
) -> None:
    """Note the intervals, and what they were derived from; without a jackknife there is no BCa."""
    shown = [row for row in made.shown if unit != "seed" or _of_seeds(made.names[row])]
    names = [made.names[row] for row in shown]
    values, theta = _only(drawn.values, shown), estimate[shown]
    left = None if left is None else _only(left, shown)
    for begin in range(0, len(names), SORTED):
        part = slice(begin, begin + SORTED)
        ends, defined = _ends(values[part], theta[part], None if left is None else left[part])
        for row, name in enumerate(names[part]):
            stem = name.rpartition("|")[0]
            for side, end in enumerate(("ci_low", "ci_high")):
                for method, bounds in ends.items():
                    found.ledger[f"{stem}|{end}/{unit}/{method}"] = float(bounds[side][row])
                if not defined[row]:
                    found.flags.append(f"{stem}|{end}/{unit}/bca")
    found.estimates.update(zip(names, theta.tolist(), strict=True))
    found.replicates[unit] = dict(zip(names, values, strict=True))
    found.jackknife[unit] = {} if left is None else dict(zip(names, left, strict=True))
    found.one_class[unit] = {
        name: count for name, count in drawn.one_class.items() if name in found.replicates[unit]
    }
    if drawn.band is not None:
        band = np.sort(drawn.band)
        found.roc_band[unit] = {
            "fpr": [percent / 100 for percent in BAND],
            "low": quantiles(band, np.full(len(band), 0.025)).tolist(),
            "high": quantiles(band, np.full(len(band), 0.975)).tolist(),
        }


def _ends(
    values: Floats, theta: Floats, left: Floats | None
) -> tuple[dict[str, tuple[Floats, ...]], NDArray[np.bool_]]:
    """Give each method's ends of some rows of replicates, and where BCa's are defined."""
    ordered = np.sort(values)
    plain = np.full(len(theta), 0.025), np.full(len(theta), 0.975)
    ends = {"percentile": tuple(quantiles(ordered, share) for share in plain)}
    if left is None:
        return ends, np.ones(len(theta), dtype=bool)
    ends["bca"], defined = _bca(ordered, theta, left, ends["percentile"])
    return ends, defined


def _only(values: Floats, rows: list[int]) -> Floats:
    """Give some rows; where all are wanted nothing is copied."""
    return values if len(rows) == len(values) else values[rows]


def _of_seeds(name: str) -> bool:
    """Say whether a key is owed for the unit `seed`."""
    return name.split("|")[2] in ("all", "seeds")


def _bca(
    ordered: Floats, estimate: Floats, left: Floats, percentile: tuple[Floats, ...]
) -> tuple[tuple[Floats, ...], NDArray[np.bool_]]:
    """Give BCa's ends, and where they are defined; else they are those of the percentiles."""
    finite = (
        np.isfinite(estimate) & np.isfinite(ordered).all(axis=1) & np.isfinite(left).all(axis=1)
    )
    shares, defined = corrected(
        *(_tame(values, finite) for values in (ordered, estimate, left)),
    )
    defined &= finite
    ends = tuple(
        np.where(defined, quantiles(ordered, share), fallback)
        for share, fallback in zip(shares, percentile, strict=True)
    )
    return ends, defined


def _tame(values: Floats, finite: NDArray[np.bool_]) -> Floats:
    """Put zeros in the rows that hold anything infinite; most often there is none to copy for."""
    if finite.all():
        return values
    return np.where(finite.reshape(-1, *[1] * (values.ndim - 1)), values, 0.0)


def quantiles(ordered: Floats, share: Floats) -> Floats:
    """Interpolate linearly in each sorted row at its own share."""
    count = ordered.shape[1]
    place = np.clip(share, 0, 1) * (count - 1)
    below = place.astype(np.int64)
    rows = np.arange(len(ordered))
    low, high = ordered[rows, below], ordered[rows, np.minimum(below + 1, count - 1)]
    rest = place - below
    # What is interpolated from an infinite value is infinite; what stands on a value is that.
    endless = ~np.isfinite(high)
    low_, high_ = np.where(endless, 0.0, low), np.where(endless, 0.0, high)
    found: Floats = low_ + (high_ - low_) * rest
    return np.where(endless, np.where((rest > 0) | ~np.isfinite(low), np.inf, low), found)


def corrected(
    ordered: Floats, estimate: Floats, left: Floats
) -> tuple[tuple[Floats, Floats], NDArray[np.bool_]]:
    """Give BCa's two shares for each row, and where bias and acceleration are defined."""
    count = ordered.shape[1]
    below, upto = (
        np.array([row.searchsorted(one, side) for row, one in zip(ordered, ends, strict=True)])
        for ends, side in ((estimate - EQUAL, "left"), (estimate + EQUAL, "right"))
    )
    bias = np.array(
        [normal_place(Fraction(reached, 2 * count)) for reached in (below + upto).tolist()]
    )
    acceleration = np.array([_acceleration(row) for row in left])
    defined = np.isfinite(bias)
    safe = np.where(defined, bias, 0.0)
    shares = []
    for tail in TAILS:
        shifted = safe + normal_place(tail)
        divisor = 1 - acceleration * shifted
        # Nor is it above 0 where it is NaN, for want of an acceleration.
        defined &= divisor > 0
        places = safe + shifted / np.where(divisor > 0, divisor, 1.0)
        shares.append(np.array([normal_share(place) for place in places.tolist()]))
    return (shares[0], shares[1]), defined


def _acceleration(left: Floats) -> float:
    """Give Σd³ / 6(Σd²)^1.5 of the jackknife's deviations; NaN where no unit makes a difference."""
    deviation = total(left) / len(left) - left
    if np.abs(deviation).max() <= EQUAL:
        return math.nan
    squares = deviation * deviation
    spread = float(total(squares))
    squares *= deviation
    return float(total(squares)) / (6 * spread * math.sqrt(spread))


def draw(units: int, resamples: int, seed: int) -> NDArray[np.uint16]:
    """Draw a plan: how often each unit is drawn, with replacement, in each resample."""
    counts = np.empty((resamples, units), dtype=np.uint16)

    def fill(begin: int) -> None:
        # Streams of their own, so that no draw depends on the number of cores.
        generator = np.random.default_rng([seed, begin // STREAM])
        for row in range(begin, min(begin + STREAM, resamples)):
            counts[row] = np.bincount(generator.integers(units, size=units), minlength=units)

    list(side_by_side(fill, range(0, resamples, STREAM)))
    return counts
