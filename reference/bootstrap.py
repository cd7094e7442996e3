"""Bootstrap intervals of the headline metrics (section 10).

Exactness: a sampled resample is made of really replicated rows, and every metric is computed on
them exactly (`headline`). The interval is then derived from the replicates that were handed in,
which are floats and so fractions: percentiles interpolate between two of them exactly; the shares
of BCa are decimals of 50 digits (`normal`). An end is rounded once.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from reference import normal
from reference.errors import MismatchError, Problem
from reference.headline import OF_SEEDS, Draw, headline, taken_apart
from reference.values import as_decimal, high_precision, root

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from decimal import Decimal

    from reference.headline import Headline
    from reference.study import Study

    Counts = Sequence[int]

ENDS = ("ci_low", "ci_high")
LOW, HIGH = Fraction(1, 40), Fraction(39, 40)
SAME = 1e-12
# Every 20th value tells roughly where the values lie; a 12th of them is an end.
EVERY, PART = 20, 12


def drawn(study: Study, unit: str, plan: Any, number: int) -> Draw:  # noqa: ANN401 - see the door
    """Return what one resample of the plan draws."""
    places = study.units[unit]
    if unit != "seed":
        weights = _weights(unit, plan[number], places)
        return Draw(weights, of_posts=unit == "post")
    seeds = study.seeds
    weights = _weights("post" if study.has("posts") else "query", plan["units"][number], places)
    of_seeds = [seeds.index(query.seed or "") for query in study.queries]
    again = _weights("seed", plan["seeds"][number], of_seeds)
    both = [a * b for a, b in zip(weights, again, strict=True)]
    times = dict(zip(seeds, map(int, plan["seeds"][number]), strict=True))
    return Draw(both, of_posts=study.has("posts"), times=times)


def _weights(unit: str, counts: Counts, places: Sequence[int]) -> list[int]:
    """Say how often each row is drawn, whose unit stands at its place."""
    if len(counts) != max(places) + 1:
        what = f"the plan counts {len(counts)} units of {unit}, the data has {max(places) + 1}"
        raise MismatchError([Problem(what, "Make the plan for this data and these settings")])
    whole = [int(count) for count in counts]
    return [whole[place] for place in places]


def intervals(
    study: Study,
    plan: Mapping[str, Any],
    replicates: Mapping[str, Mapping[str, Any]],
    jackknife: Mapping[str, Mapping[str, Any]],
    sample: Mapping[str, Mapping[str, Sequence[int]]],
) -> dict[str, Any]:
    """Answer `intervals` (docs/interface.md)."""
    prepared = headline(study)
    whole = prepared.whole
    answer: dict[str, Any] = {"ledger": {}, "flags": [], "recomputed": {}}
    for unit, places in study.units.items():
        chosen = sample.get(unit, {})
        given = {b: drawn(study, unit, plan[unit], b) for b in chosen.get("replicates", ())}
        answer["recomputed"][unit] = {"replicates": _recomputed(prepared, given)}
        if unit != "seed":
            without = {u: [_all_but(u, max(places) + 1)] for u in chosen.get("jackknife", ())}
            left = {u: drawn(study, unit, counts, 0) for u, counts in without.items()}
            answer["recomputed"][unit]["jackknife"] = _recomputed(prepared, left)
        if replicates.get(unit):
            owed = [key for key in whole if _is_owed(study, key, unit)]
            leaving = None if unit == "seed" else jackknife.get(unit, {})
            _check_given(owed, unit, replicates[unit], leaving)
            for key in owed:
                _note(answer, key, unit, float(whole[key]), replicates[unit], leaving)
    return answer


def _is_owed(study: Study, key: str, unit: str) -> bool:
    """Whether a base key has intervals for a unit: section 8 has none by query."""
    name, where, _ = taken_apart(key)
    if unit == "seed" and where not in OF_SEEDS:
        return False
    return not name.endswith("|posts") or unit == "post" or (unit == "seed" and study.has("posts"))


def _note(  # noqa: PLR0917 - all of them are its own
    answer: dict[str, Any],
    key: str,
    unit: str,
    theta: float,
    replicates: Mapping[str, Any],
    jackknife: Mapping[str, Any] | None,
) -> None:
    """Derive the intervals of one base key."""
    name = key.rpartition("|")[0]
    ordered = Ordered(floats(replicates[key]))
    percentile = (quantile(ordered, LOW), quantile(ordered, HIGH))
    found = {"percentile": percentile}
    if jackknife is not None:
        bca = bias_corrected(theta, ordered, floats(jackknife[key]))
        found["bca"] = bca or percentile
        if bca is None:
            answer["flags"] += [f"{name}|{end}/{unit}/bca" for end in ENDS]
    for method, ends in found.items():
        for end, value in zip(ENDS, ends, strict=True):
            answer["ledger"][f"{name}|{end}/{unit}/{method}"] = value


def _recomputed(prepared: Headline, given: Mapping[int, Draw]) -> dict[str, dict[int, float]]:
    found: dict[str, dict[int, float]] = {}
    for number, draw in given.items():
        for key, value in prepared.resample(draw).items():
            found.setdefault(key, {})[number] = float(value)
    return found


def _all_but(unit: int, count: int) -> list[int]:
    return [int(place != unit) for place in range(count)]


def _check_given(owed: Sequence[str], unit: str, *given: Mapping[str, Any] | None) -> None:
    problems = [
        Problem(f"no {kind} for {key} by {unit}", "Hand in the values of every headline base key")
        for kind, values in zip(("replicates", "jackknife values"), given, strict=True)
        if values is not None
        for key in owed
        if key not in values
    ]
    if problems:
        raise MismatchError(problems)


def floats(values: Any) -> list[float]:  # noqa: ANN401 - a list, or an array that can become one
    """Return plain floats."""
    if isinstance(values, list):
        return values
    return list(values.tolist() if hasattr(values, "tolist") else values)


class Ordered:
    """Values in ascending order, of which the two ends alone are sorted until others are asked for.

    Percentiles stand near the ends. Where an end begins is guessed from a few of the values: a
    guess that is far off costs time and changes nothing.
    """

    def __init__(self, values: Sequence[float]) -> None:
        self.values = values
        few = sorted(values[::EVERY])
        far = len(few) // PART
        low, high = few[far], few[-1 - far]
        self.first = sorted([value for value in values if value <= low])
        self.last = sorted([value for value in values if value >= high])

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, place: int) -> float:
        if place < len(self.first):
            return self.first[place]
        if place >= len(self) - len(self.last):
            return self.last[place - len(self)]
        return self.whole[place]

    @cached_property
    def whole(self) -> list[float]:
        """All of them, sorted."""
        return sorted(self.values)

    def share_below(self, theta: float) -> Fraction:
        """Return the share of values below θ, and half of those that are the same."""
        least, most = theta - SAME, theta + SAME
        up_to = [value for value in self.values if value <= most]
        below = [value for value in up_to if value < least]
        return Fraction(len(below) + len(up_to), 2 * len(self))


def quantile(ordered: Sequence[float] | Ordered, share: Fraction) -> float:
    """Interpolate linearly at position (n − 1)·share; towards `inf`, it is `inf`."""
    parts, of = share.as_integer_ratio()
    below, rest = divmod((len(ordered) - 1) * parts, of)
    low, high = ordered[below], ordered[min(below + 1, len(ordered) - 1)]
    if not rest or math.inf in {low, high}:
        return math.inf if rest else low
    (a, b), (c, d) = low.as_integer_ratio(), high.as_integer_ratio()
    return (a * d * (of - rest) + c * b * rest) / (b * d * of)  # of integers: rounded once


def bias_corrected(
    theta: float, ordered: Ordered, jackknife: Sequence[float]
) -> tuple[float, float] | None:
    """Return the BCa interval, or None where z0 or the acceleration is undefined, or any `inf`."""
    deleted = sorted(jackknife)
    if math.inf in {theta, ordered[len(ordered) - 1], deleted[-1]}:
        return None
    share = ordered.share_below(theta)
    if not 0 < share < 1 or deleted[-1] - deleted[0] <= SAME:
        return None
    ends = []
    with high_precision():
        bias, bend = normal.inverse(share), acceleration(deleted)
        for level in (LOW, HIGH):
            reach = bias + normal.inverse(level)
            if bend * reach >= 1:
                return None
            shifted = normal.below(bias + reach / (1 - bend * reach))
            ends.append(quantile(ordered, Fraction(shifted)))
    return ends[0], ends[1]


def acceleration(jackknife: Sequence[float]) -> Decimal:
    """Return Σ(θ̄ − θᵢ)³ / (6·(Σ(θ̄ − θᵢ)²)^³ᐟ²), of ascending values, not all the same.

    The values are brought to one scale on which they and n·(θ̄ − θᵢ) are integers; it cancels out.
    """
    ratios = [(value.as_integer_ratio(), n) for value, n in counted(jackknife)]
    common = max(below for (_, below), _ in ratios)  # powers of two
    scaled = [(above * (common // below), n) for (above, below), n in ratios]
    whole = sum([value * n for value, n in scaled])
    apart = [(whole - value * len(jackknife), n) for value, n in scaled]
    squares = sum([value * value * n for value, n in apart])
    cubes = sum([value * value * value * n for value, n in apart])
    return cubes / (6 * squares * as_decimal(root(Fraction(squares))))


def counted(ordered: Sequence[float]) -> Iterator[tuple[float, int]]:
    """Yield the different ones of ascending values, each with how often it is there.

    Most deletions leave a metric as it is, or change it as many others do.
    """
    start = 0
    while start < len(ordered):
        end = bisect_right(ordered, ordered[start], start)
        yield ordered[start], end - start
        start = end
