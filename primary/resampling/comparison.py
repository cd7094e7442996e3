"""Two runs over the same queries (contract, section 10): differences, paired intervals, tests.

The paired interval weighs both systems with the same resample. For the permutation test both
systems' rows lie in one sample of twice the units: the first system weighs a unit's own rows with
1, a swapped unit's with 0 and the other's in their stead; the second has all that is left.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from primary.arithmetic.cores import one_thread_each, side_by_side
from primary.arithmetic.exact import tally
from primary.errors import refuse
from primary.resampling.bootstrap import (
    BATCH,
    EQUAL,
    Progress,
    drawn_counts,
    laid_out,
    most_drawn,
    planned,
    quantiles,
    seeds_drawn,
)
from primary.resampling.headline import Sample, about, stacked
from primary.resampling.weigher import by_unit, once, totals, valued, weighed, weigher

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from primary.data.study import Study
    from primary.resampling.weigher import Weigher

    Floats = NDArray[np.float64]


BARS = 3
"""In every key."""


@dataclass(frozen=True)
class Comparison:
    """Keys of the comparison, and the replicates that they were derived from."""

    ledger: dict[str, float]
    replicates: dict[str, Any]
    """`difference`: by unit and base key; `permuted`: by base key."""


def compare(
    first: Study,
    second: Study,
    plan: Mapping[str, Any] | None = None,
    metrics: Sequence[str] | None = None,
    *,
    swaps: Any = None,  # noqa: ANN401 - array or lists
    progress: Progress | None = None,
) -> Comparison:
    """Compare the second run with the first, the baseline."""
    units = [unit for unit in first.units if unit in second.units]
    if plan is None or "seed" not in plan:
        units = [unit for unit in units if unit != "seed"]
    pairs = {unit: _paired(first, second, unit) for unit in units}
    asked = _asked(pairs[units[0]], metrics)
    found = Comparison({}, {"difference": {}, "permuted": {}})
    observed = _differences(found, pairs[units[0]], asked)
    for unit in units if plan is not None else ():
        if plan is None or unit not in plan:
            raise refuse(
                f"the plan has no counts for the unit {unit}",
                f"Give counts for {' and '.join(units)}.",
            )
        drawn = [
            _resampled(study, unit, rows, plan[unit], list(observed))
            for study, rows in zip((first, second), pairs[unit], strict=True)
        ]
        _intervals(found, unit, drawn)
    if swaps is not None:
        _permutations(found, pairs[units[0]], swaps, observed, progress)
    return found


def _paired(first: Study, second: Study, unit: str) -> tuple[Sample, Sample]:
    """Lay out both runs with the same numbering of units: the baseline's."""
    partner = _partner(first, second)
    ours, theirs = laid_out(first, unit), laid_out(second, unit)
    number = np.empty(theirs.units, dtype=np.int64)
    number[theirs.unit] = ours.unit[partner]
    if (number == np.arange(ours.units)).all():
        return ours, theirs
    posts = theirs.posts
    if posts is not None:
        posts = replace(posts, unit=number[posts.unit])
    return ours, replace(theirs, unit=number[theirs.unit], units=ours.units, posts=posts)


def _partner(first: Study, second: Study) -> NDArray[np.int64]:
    """Give for each row of the second run the row of the first with the same key."""
    ours, theirs = _key(first), _key(second)
    problem = None
    if ours.columns != theirs.columns:
        problem = (
            f"one run has the key {', '.join(ours.columns)}, the other {', '.join(theirs.columns)}"
        )
    elif ours.height != theirs.height:
        problem = f"the baseline has {ours.height} EVAL queries, the other run {theirs.height}"
    else:
        joined = theirs.join(
            ours.with_row_index("row"), on=ours.columns, how="left", maintain_order="left"
        )
        lost = joined.filter(pl.col("row").is_null())
        if lost.height:
            query = " / ".join(map(str, lost.drop("row").row(0)))
            problem = f"{lost.height} EVAL queries are not in the baseline, the first is {query}"
    if problem is not None:
        raise refuse(problem, "Compare two runs over the same EVAL queries.")
    return joined["row"].cast(pl.Int64).to_numpy()


def _key(study: Study) -> pl.DataFrame:
    data = study.data
    columns: dict[str, Any] = {}
    if data.post is not None and data.criterion is not None:
        columns |= {"post_id": data.post, "criterion_id": data.criterion}
    else:
        columns["query_id"] = data.query
    if data.fold is not None:
        columns["fold"] = data.fold
    if data.seed is not None:
        columns["seed"] = data.seed
    return pl.DataFrame(columns)


def _asked(pair: tuple[Sample, Sample], metrics: Sequence[str] | None) -> list[str]:
    """Give the base keys to compare: those asked for, else all headline keys on all and folds."""
    whole = metrics is not None and all(name.count("|") == BARS for name in metrics)
    if metrics is not None and whole and set(metrics) <= set(_both(pair, metrics)):
        return list(metrics)
    both = _both(pair)
    if metrics is None:
        return [name for name in both if name.split("|")[2] in ("all", "folds")]
    unknown = [name for name in metrics if name not in both]
    if unknown:
        raise refuse(
            f"{', '.join(unknown)} is no headline metric of both runs",
            f"Ask for base keys such as {both[0]}." if both else "The runs share no metric.",
        )
    return list(metrics)


def _both(pair: tuple[Sample, Sample], metrics: Sequence[str] | None = None) -> list[str]:
    """Name the base keys that both runs have, or what is laid out for some of them."""
    made = [_weigher(rows, metrics) for rows in pair]
    ours, theirs = ([one.names[row] for row in one.shown] for one in made)
    return [name for name in ours if name in set(theirs)]


def _differences(
    found: Comparison, pair: tuple[Sample, Sample], asked: Sequence[str]
) -> dict[str, float]:
    ours: dict[str, float] = {}
    theirs: dict[str, float] = {}
    for rows, values in zip(pair, (ours, theirs), strict=True):
        made = _weigher(rows, asked)
        values.update(zip(made.names, weighed(made, once(rows))[0][:, 0].tolist(), strict=True))
    observed: dict[str, float] = {}
    for name in asked:
        if not (math.isfinite(ours[name]) and math.isfinite(theirs[name])):
            # An infinite loss compares with nothing (section 16).
            continue
        stem = name.rpartition("|")[0]
        observed[name] = theirs[name] - ours[name]
        found.ledger[f"{stem}|difference"] = observed[name]
        if ours[name]:
            found.ledger[f"{stem}|improvement"] = 100 * observed[name] / ours[name]
    return observed


def _weigher(rows: Sample, asked: Sequence[str] | None, draws: int = 0) -> Weigher:
    """Lay out what is asked for; of means over queries no others come along."""
    if asked is None:
        return weigher(rows, None, draws)
    return weigher(about(rows, {name.partition("|")[0] for name in asked}), asked, draws)


def _resampled(
    study: Study,
    unit: str,
    rows: Sample,
    drawn: Any,  # noqa: ANN401 - a plan
    asked: Sequence[str],
) -> dict[str, Floats]:
    """Give a system's replicates; under the same plan those of before are remembered.

    A baseline is asked about once for every other system. Rows that took the numbers of another
    system's units are no longer the study's own.
    """
    found: dict[str, Floats] = {}
    if rows is laid_out(study, unit):
        plan, before = study.remembered.get(("resampled", unit), (None, {}))
        found = before if plan is drawn else {}
        study.remembered["resampled", unit] = drawn, found
    new = [name for name in asked if name not in found]
    if new:
        counts = drawn_counts(drawn, rows, unit, len(study.seed_values))
        made = _weigher(rows, new, most_drawn(counts))
        present = [name for name in new if name in made.names]
        places = _places(made, present)

        def draw(part: slice) -> Floats:
            return weighed(made, counts[part], seeds_drawn(counts, part))[0][places]

        found |= zip(present, _batched(draw, len(counts)), strict=True)
    return {name: found[name] for name in asked if name in found}


def _intervals(found: Comparison, unit: str, drawn: Sequence[Mapping[str, Floats]]) -> None:
    """Give the percentile interval of the difference, both systems on the same resample."""
    first, second = drawn
    differences = {name: second[name] - ours for name, ours in first.items()}
    found.replicates["difference"][unit] = differences
    for name, replicates in differences.items():
        stem = name.rpartition("|")[0]
        ordered = np.sort(replicates)[None, :]
        for end, share in (("low", 0.025), ("high", 0.975)):
            bound = float(quantiles(ordered, np.array([share]))[0])
            found.ledger[f"{stem}|difference_ci_{end}/{unit}/percentile"] = bound


def _permutations(
    found: Comparison,
    pair: tuple[Sample, Sample],
    swaps: Any,  # noqa: ANN401 - array or lists
    observed: Mapping[str, float],
    progress: Progress | None,
) -> None:
    """Give p of every metric asked for, and Holm's correction over them."""
    made = _weigher(stacked(*pair), list(observed))
    whole = totals(made, by_unit(once(made.rows)))
    swapped = planned(swaps, pair[0].units, "swaps")
    rows = _places(made, list(observed))

    def swap(part: slice) -> Floats:
        batch = by_unit(swapped[part])
        weights = [np.concatenate(both) for both in ((1 - batch, batch), (batch, 1 - batch))]
        ours = totals(made, weights[0])
        # What is not the first system's is the second's.
        first, second = (
            valued(made, one, counts)[rows]
            for one, counts in zip((ours, whole - ours), weights, strict=True)
        )
        return second - first

    permuted = _batched(swap, len(swapped), progress)
    found.replicates["permuted"] = dict(zip(observed, permuted, strict=True))
    chance = p_values(permuted, np.array(list(observed.values())))
    for name, plain, held in zip(observed, chance.tolist(), holm(chance), strict=True):
        stem = name.rpartition("|")[0]
        found.ledger[f"{stem}|p/permutation"] = plain
        found.ledger[f"{stem}|p/holm"] = held


def _places(made: Weigher, names: Sequence[str]) -> list[int]:
    place = {name: row for row, name in enumerate(made.names)}
    return [place[name] for name in names]


def _batched(
    work: Callable[[slice], Floats], count: int, progress: Progress | None = None
) -> Floats:
    """Give the differences (names × weighings) of all batches, side by side on all cores."""
    parts = [slice(begin, min(begin + BATCH, count)) for begin in range(0, count, BATCH)]
    found = []
    with one_thread_each():
        for part, differences in zip(parts, side_by_side(work, parts), strict=True):
            found.append(differences)
            if progress is not None:
                progress(part.stop, count)
    return np.concatenate(found, axis=1)


def p_values(permuted: Floats, observed: Floats) -> Floats:
    """Give p = (1 + #{|d*| ≥ |d| − 1e-12}) / (1 + B) of each row of permuted differences.

    >>> p_values(np.array([[0.5, -0.5, 0.25]]), np.array([0.5])).tolist()
    [0.75]
    """
    reached = tally(np.abs(permuted) >= np.abs(observed)[:, None] - EQUAL, axis=1)
    found: Floats = (1 + reached) / (1 + permuted.shape[1])
    return found


def holm(p_values: Floats) -> list[float]:
    """Correct for several tests: the i-th smallest times how many are left, never falling.

    >>> holm(np.array([0.01, 0.04, 0.03]))
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p_values)
    count = len(p_values)
    scaled = np.maximum.accumulate(p_values[order] * (count - np.arange(count)))
    found = np.empty(count)
    found[order] = np.minimum(scaled, 1.0)
    return found.tolist()
