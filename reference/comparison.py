"""Two runs over the same queries: difference, paired interval, permutation test (section 10).

Exactness: both systems are evaluated exactly, on the data and on every resample or permutation that
is handed in; a difference is taken before the one rounding. p-values are fractions of counts.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from reference.aggregate import as_value
from reference.bootstrap import HIGH, LOW, SAME, Ordered, drawn, floats, quantile
from reference.errors import MismatchError, Problem
from reference.headline import headline
from reference.values import ratio, total

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from reference.headline import Headline
    from reference.study import Query, Study
    from reference.values import Exact

    Recomputed = dict[str, dict[int, float]]


def compare(  # noqa: PLR0917 - the door's own signature
    baseline: Study,
    other: Study,
    plan: Mapping[str, Any] | None,
    metrics: Sequence[str] | None,
    swaps: Any,  # noqa: ANN401 - a list, an array, or a mapping from number to row
    replicates: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """Answer `compare` (docs/interface.md)."""
    rows = _paired(baseline, other)
    sides = _sides((baseline, other), rows, metrics)
    first, second = (side.whole for side in sides)
    if not {*(metrics or ())} <= first.keys() & second.keys():
        # A key of all that there are is named beside a stranger.
        sides = _sides((baseline, other), rows, None)
        first, second = (side.whole for side in sides)
    keys = _chosen(first, second, metrics)
    ledger: dict[str, float] = {}
    for key in keys:
        before, after = as_value(first[key]), as_value(second[key])
        difference = total([after, -before])
        ledger[_named(key, "difference")] = float(difference)
        if before:
            ledger[_named(key, "improvement")] = float(ratio(100 * difference, before))
    resampled: dict[str, Recomputed] = {
        unit: _resampled(sides, unit, plan[unit], keys)
        for unit in baseline.units
        if plan and unit in plan
    }
    permuted = _permuted(sides, _numbered(swaps), keys)
    for unit, found in resampled.items():
        given = _given(replicates, "difference", unit, found)
        for key in keys:
            if key in given:
                ordered = Ordered(given[key])
                for end, share in (("low", LOW), ("high", HIGH)):
                    name = _named(key, f"difference_ci_{end}/{unit}/percentile")
                    ledger[name] = quantile(ordered, share)
    p = {
        key: p_value(ledger[_named(key, "difference")], values)
        for key, values in _given(replicates, "permuted", "", permuted).items()
        if key in keys
    }
    for statistic, found_p in (("p/permutation", p), ("p/holm", holm(p))):
        ledger.update({_named(key, statistic): float(value) for key, value in found_p.items()})
    return {"ledger": ledger, "recomputed": {"difference": resampled, "permuted": permuted}}


def p_value(difference: float, permuted: Sequence[float]) -> Fraction:
    """Return (1 + #{|d*| ≥ |d| − 10⁻¹²}) / (1 + B)."""
    reach = abs(difference) - SAME
    reached = [value for value in permuted if abs(value) >= reach]
    return Fraction(1 + len(reached), 1 + len(permuted))


def holm(p: Mapping[str, Fraction]) -> dict[str, Fraction]:
    """Correct several p-values: the smallest times m, the next times m − 1, …, never falling."""
    corrected: dict[str, Fraction] = {}
    largest = Fraction(0)
    for place, key in enumerate(sorted(p, key=p.__getitem__)):
        largest = max(largest, min(Fraction(1), (len(p) - place) * p[key]))
        corrected[key] = largest
    return corrected


def _sides(
    studies: tuple[Study, Study],
    rows: tuple[list[Query], list[Query]],
    keys: Sequence[str] | None,
) -> tuple[Headline, Headline]:
    """Prepare both for these base keys, or for all."""
    return (
        headline(*studies, rows=rows[0], keys=keys),
        headline(*reversed(studies), rows=rows[1], keys=keys),
    )


def _paired(baseline: Study, other: Study) -> tuple[list[Query], list[Query]]:
    """Bring the rows of both into the baseline's order."""
    ours, theirs = baseline.by_identity, other.by_identity
    strangers = theirs.keys() ^ ours.keys()
    if strangers:
        _, fold, *ids = min(strangers, key=str)
        what = (
            f"{len(strangers)} EVAL queries are in one run only, such as {'/'.join(map(str, ids))}"
        )
        where = "" if fold is None else f" of fold {fold}"
        raise MismatchError([Problem(what + where, "Compare runs over the same queries")])
    return list(baseline.queries), [theirs[identity] for identity in ours]


def _chosen(
    first: Mapping[str, Exact], second: Mapping[str, Exact], metrics: Sequence[str] | None
) -> list[str]:
    """Return the base keys to compare; what is infinite on a side is not compared (section 16)."""
    both = [key for key in first if key in second]
    infinite = {key for key in both if math.inf in {first[key], second[key]}}
    if metrics is None:
        wanted = [key for key in both if key.split("|")[2] in {"all", "folds"}]
        return [key for key in wanted if key not in infinite]
    remedy = f"Ask for base keys such as {both[0]}" if both else "Compare runs that share a metric"
    problems = [
        Problem(f"{key} is no headline key of both runs", remedy)
        for key in metrics
        if key not in both
    ]
    if problems:
        raise MismatchError(problems)
    return [key for key in metrics if key not in infinite]


def _named(key: str, statistic: str) -> str:
    return f"{key.rpartition('|')[0]}|{statistic}"


def _numbered(rows: Any) -> Iterable[tuple[int, Any]]:  # noqa: ANN401 - see `compare`
    if rows is None:
        return []
    return rows.items() if isinstance(rows, Mapping) else enumerate(rows)


def _resampled(
    sides: tuple[Headline, Headline],
    unit: str,
    plan: Any,  # noqa: ANN401 - see the door
    keys: Sequence[str],
) -> Recomputed:
    """Put both systems on the same resamples; units are numbered as in the baseline."""
    found: Recomputed = {}
    for number, _ in _numbered(plan["units"] if unit == "seed" else plan):
        draw = drawn(sides[0].study, unit, plan, number)
        first, second = (side.resample(draw) for side in sides)
        _note(found, number, first, second, keys)
    return found


def _permuted(
    sides: tuple[Headline, Headline],
    swaps: Iterable[tuple[int, Any]],
    keys: Sequence[str],
) -> Recomputed:
    """Swap the two systems within a post (else a query)."""
    found: Recomputed = {}
    places = next(iter(sides[0].study.units.values()))
    for number, swapped in swaps:
        turned = [
            (b, a) if swapped[place] else (a, b)
            for a, b, place in zip(*(side.rows for side in sides), places, strict=True)
        ]
        mixed = [list(side) for side in zip(*turned, strict=True)]
        first, second = (side.of(some) for side, some in zip(sides, mixed, strict=True))
        _note(found, number, first, second, keys)
    return found


def _note(
    found: Recomputed,
    number: int,
    first: Mapping[str, Exact],
    second: Mapping[str, Exact],
    keys: Sequence[str],
) -> None:
    for key in keys:
        if key in first:  # section 8 is not resampled by query
            difference = total([as_value(second[key]), -as_value(first[key])])
            found.setdefault(key, {})[number] = float(difference)


def _given(
    replicates: Mapping[str, Any] | None, kind: str, unit: str, found: Recomputed
) -> dict[str, list[float]]:
    """Return the replicates that were handed in, differences by unit; else our own."""
    if replicates is None or kind not in replicates:
        return {key: list(values.values()) for key, values in found.items()}
    handed = replicates[kind].get(unit, {}) if unit else replicates[kind]
    return {key: floats(values) for key, values in handed.items()}
