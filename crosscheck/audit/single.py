"""One cell at a time: its range, its spread, its granularity; and the same cell twice."""

from __future__ import annotations

import math
from collections import defaultdict
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING

from crosscheck.audit.rates import interval
from crosscheck.audit.sizes import Sizes, folds_in
from crosscheck.audit.verdicts import Tally, exact, named
from crosscheck.contract import load
from crosscheck.notation.interval import UNIT, Interval, root_above, short
from crosscheck.notation.measure import Measure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crosscheck.contract.ranges import Range
    from crosscheck.notation.claim import Claim

_MANY_SUMS = 200_000


def ranges(claims: Sequence[Claim]) -> Tally:
    """Hold every readable number against its range; one finding for each metric of a table."""
    tally = Tally()
    columns: dict[tuple[str, ...], list[tuple[Claim, bool]]] = defaultdict(list)
    for claim in _readable(claims):
        if claim.role not in {"value", "std", "ci_low", "ci_high", "count"} or claim.key is None:
            continue
        allowed = _allowed(claim)
        value = interval(claim)
        tally.looked_at((claim,))
        outside = value.high < Fraction(allowed.low) or (
            math.isfinite(allowed.high) and value.low > Fraction(allowed.high)
        )
        columns[claim.file, claim.table, claim.metric, claim.role].append((claim, outside))
    for column in columns.values():
        wrong = [claim for claim, outside in column if outside]
        if wrong:
            _outside(wrong, len(column), tally)
    return tally


def _allowed(claim: Claim) -> Range:
    key = (claim.key or "") + ("/post/percentile" if claim.role.startswith("ci_") else "")
    return load().range_of(key)


def _outside(wrong: Sequence[Claim], among: int, tally: Tally) -> None:
    """Tell of numbers out of range; where most of a column are, its name or scale is misread."""
    first, allowed = wrong[0], _allowed(wrong[0])
    misread = len(wrong) > 1 and 2 * len(wrong) > among
    above = interval(first).low > Fraction(allowed.low)
    end = Fraction(allowed.high if above else allowed.low)
    more = f", and so do {len(wrong) - 1} more of {among}" if len(wrong) > 1 else ""
    ends = (interval(first).low, ">") if above else (interval(first).high, "<")
    tally.found(
        "XC911",
        tuple(wrong),
        f"{named(first)} lies outside {allowed}{more}",
        f"{first.label} in {allowed}",
        _range_hints(first),
        worked=f"{exact(ends[0])} {ends[1]} {exact(end)}",
        only_if=f"the column is {first.metric}, on the scale that it is read in" if misread else "",
    )


def _range_hints(claim: Claim) -> tuple[str, ...]:
    value = interval(claim)
    hints = []
    if value.high <= 100 and value.low > 1:  # noqa: PLR2004 - percent ends at 100
        hints.append("a percentage printed as a fraction")
    if value.low > 1:
        hints += ["an item counted twice in one ranking", "a denominator smaller than the hits"]
    return tuple(hints)


def _readable(claims: Sequence[Claim]) -> list[Claim]:
    return [claim for claim in claims if claim.readable]


def spreads(claims: Sequence[Claim], folds: int | None) -> Tally:
    """Hold every standard deviation over folds against the mean beside it."""
    tally = Tally()
    means = {
        (c.file, c.place, c.metric): c for c in _readable(claims) if c.role == "value" and c.key
    }
    for claim in _readable(claims):
        if claim.role != "std" or claim.key is None:
            continue
        mean = means.get((claim.file, claim.place, claim.metric)) or _sibling(claim, claims)
        shares = load().range_of(claim.key.rpartition("|")[0] + "|mean")
        if mean is None or (shares.low, shares.high) != (0.0, 1.0):
            tally.reasons[claim] = "the mean it belongs to is not beside it, or has no upper end"
            continue
        count = folds or folds_in(claim)
        most = _largest_std(interval(mean), count)
        tally.looked_at((claim, mean))
        if interval(claim).low > most:
            among = f"{count} values" if count else "any number of values"
            tally.found(
                "XC918",
                (mean, claim),
                f"{named(mean)} ± {claim.printed}: {among} between 0 and 1 with that mean "
                f"have a standard deviation of at most {short(most, 4)}",
                f"the standard deviation at most {short(most, 4)}",
                worked=_spread_worked(interval(mean), interval(claim), count),
            )
    return tally


def _sibling(claim: Claim, claims: Sequence[Claim]) -> Claim | None:
    wanted = (claim.key or "").rpartition("|")[0] + "|mean"
    return next((c for c in claims if c.key == wanted and c.beside == claim.beside), None)


def _largest_std(mean: Interval, count: int | None) -> Fraction:
    """Bound the n−1 standard deviation of `count` values in [0, 1]: as many ones as possible."""
    inside = mean.cut(UNIT)
    if inside is None:
        return Fraction(1)
    tops = [inside.low, inside.high] + ([Fraction(1, 2)] if inside.holds(Fraction(1, 2)) else [])
    if count is None:
        return root_above(max(2 * m * (1 - m) for m in tops))
    return root_above(max(_largest_variance(m, count) for m in _tops(inside, count)))


def _spread_worked(mean: Interval, spread: Interval, count: int | None) -> str:
    """Write the largest variance that the mean allows, and the printed one beyond it."""
    inside = mean.cut(UNIT)
    if inside is None:
        return ""
    ends = [inside.low, inside.high, *([Fraction(1, 2)] if inside.holds(Fraction(1, 2)) else [])]
    if count is None:
        at = max(ends, key=lambda m: m * (1 - m))
        most = f"2·{exact(at)}·(1 − {exact(at)})"
    else:
        most = exact(max(_largest_variance(m, count) for m in _tops(inside, count)))
    return f"{exact(spread.low)}·{exact(spread.low)} > {most}"


def _tops(inside: Interval, count: int) -> list[Fraction]:
    """Give the means within reach at which the variance of `count` shares can be largest."""
    tops = [inside.low, inside.high] + ([Fraction(1, 2)] if inside.holds(Fraction(1, 2)) else [])
    return tops + [Fraction(i, count) for i in range(count + 1) if inside.holds(Fraction(i, count))]


def _largest_variance(mean: Fraction, count: int) -> Fraction:
    ones = int(mean * count)
    rest = mean * count - ones
    return (ones + rest**2 - count * mean**2) / (count - 1)


def granularity(
    claims: Sequence[Claim], n: int | None, fold_sizes: Sequence[int] = (), text: str = ""
) -> Tally:
    """Means of zeros and ones are multiples of 1/n (of K·n for precision at K)."""
    tally = Tally()
    sizes = Sizes.of(claims, n, text)
    for claim in _readable(claims):
        parts = _parts(claim)
        if claim.role != "value" or claim.key is None or parts is None:
            continue
        where = claim.key.split("|")[2]
        size = sizes.behind(claim)
        count = size.n if size else None
        value, nearest = interval(claim), ""
        if where == "folds":
            possible = _fold_means(value, fold_sizes, parts)
            told = f"no mean over folds of {', '.join(map(str, fold_sizes))} rounds to it"
        elif where == "all" and count:
            possible = _multiple(value, count * parts)
            told = f"over {count} queries it is a multiple of 1/{count * parts}"
            nearest = _nearest(value, count * parts)
        else:
            continue
        if possible is None:
            continue
        tally.looked_at((claim,))
        if not possible:
            others = ("another number of queries stands behind it",)
            worked = _between(value, count * parts) if where == "all" and count else ""
            tally.found(
                "XC917",
                (claim,),
                f"{named(claim)}: {told}",
                nearest,
                others,
                worked=worked,
                only_if="" if where == "folds" or size is None else size.only_if,
            )
    return tally


def _parts(claim: Claim) -> int | None:
    """Say into how many equal parts one query's value divides: 1 for hits, K for precision at K."""
    measure = Measure.parse(claim.metric)
    if measure is not None and not measure.variant:
        if measure.kind == "hit" or measure.k == 1:
            return 1 if measure.kind in {"hit", "precision", "mrr"} else None
        if measure.kind == "precision" and not math.isinf(measure.k):
            return int(measure.k)
    return 1 if claim.metric in {"accuracy", "error_rate", "exact_match"} else None


def _multiple(value: Interval, parts: int) -> bool | None:
    """Say whether a multiple of 1/parts lies inside; None where there always is one."""
    if value.high - value.low >= Fraction(1, parts):
        return None
    return math.floor(value.high * parts) >= math.ceil(value.low * parts)


def _between(value: Interval, parts: int) -> str:
    """Write that no whole number of parts lies inside: it falls between two neighbours."""
    below = math.floor(value.low * parts)
    return f"{below} < {parts}·{exact(value.low)} < {parts}·{exact(value.high)} < {below + 1}"


def _nearest(value: Interval, parts: int) -> str:
    middle = (value.low + value.high) / 2
    below = Fraction(math.floor(middle * parts), parts)
    return f"nearest are {short(below)} and {short(below + Fraction(1, parts))}"


def _fold_means(value: Interval, sizes: Sequence[int], parts: int) -> bool | None:
    """Say whether a mean of fold means can lie inside: one multiple of 1/n for each fold size."""
    if not sizes:
        return None
    groups = {size: list(sizes).count(size) for size in set(sizes)}
    counts = {size: size * times * parts for size, times in groups.items()}
    if math.prod(count + 1 for count in counts.values()) > _MANY_SUMS:
        return None
    scale = Fraction(1, len(sizes) * parts)
    totals = product(*(range(count + 1) for count in counts.values()))
    shares = [scale / size for size in counts]
    return any(value.holds(sum(a * s for a, s in zip(t, shares, strict=True))) for t in totals)
