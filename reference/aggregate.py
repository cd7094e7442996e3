"""From values of single queries to the statistics of a population (section 2).

Exactness: a tally counts equal values before anything is added; sums of fractions go over one
common denominator, so a mean or a percentile is one exact fraction. The variance is exact too, and
its root is taken last. Values with logarithms are decimals of 50 digits, whose sums of squares fit
into the 120 digits of the working precision: they are added without any rounding.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from decimal import Decimal
from fractions import Fraction
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from reference.values import (
    KEPT,
    WORKING,
    ZERO,
    Exact,
    Value,
    as_decimal,
    root,
    root_of_ratio,
    total,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    # Values, ascending, each with a number of queries that have it.
    Tally = list[tuple[Value, int]]

STATISTICS = ("mean", "std", "median", "p25", "p75")
OVER = ("mean", "std", "std/population")
PERCENTILES = {
    "median": Fraction(1, 2),
    "p25": Fraction(1, 4),
    "p75": Fraction(3, 4),
    "p90": Fraction(9, 10),
}
# What gmap takes a query for that has less (section 15).
GMAP_LEAST = Fraction(1, 100_000)
FEW = 32
# Not aggregated over folds (section 2): counts and thresholds.
COUNTS = {
    "tp", "fp", "tn", "fn", "deployment_tp", "deployment_fp", "deployment_tn", "deployment_fn",
    "n_neg", "n_uncertain", "n_pos", "k_below_min", "k_above_max", "k_min_unreachable", "queries",
    "classes_left_out",
}  # fmt: skip
COUNT_PREFIXES = ("threshold@", "sentences@", "count@")


def tally(values: Iterable[Value | int]) -> Tally:
    """Count equal values."""
    return sorted((as_value(value), count) for value, count in Counter(values).items())


def counted_tally(values: Iterable[tuple[Value, int]]) -> Tally:
    """Bring together equal values that were counted apart."""
    counts: Counter[Value] = Counter()
    for value, count in values:
        counts[value] += count
    return sorted(counts.items())


class Sums(NamedTuple):
    """The sum of some values and that of their squares, over `common` and its square."""

    first: Decimal | int
    second: Decimal | int
    common: int = 1

    def mean(self, n: int) -> Value:
        """Return the mean of n values with these sums."""
        if isinstance(self.first, Decimal):
            return self.first / n
        return Fraction(self.first, self.common * n)

    def deviation(self, n: int, denominator: int) -> Value:
        """Return the standard deviation of n values with these sums; of one value, 0."""
        if not denominator:
            return ZERO
        if isinstance(self.first, Decimal):
            around = self.second - self.first * self.first / n
            # Of equal values without a last digit, rounding may leave a hair less than nothing.
            return root(around / denominator) if around > 0 else ZERO
        above, below = n * self.second - self.first * self.first, n * denominator
        return root_of_ratio(int(above), below, self.common)


def moments(counted: Tally) -> Sums:
    """Add up values and their squares."""
    if Decimal in {type(value) for value, _ in counted}:
        decimals = [(as_decimal(value), count) for value, count in counted]
        first_sum = sum((value * count for value, count in decimals), Decimal(0))
        return Sums(first_sum, sum((v * v * count for v, count in decimals), Decimal(0)))
    ratios = [(value.as_integer_ratio(), count) for value, count in counted]
    common = math.lcm(*(below for (_, below), _ in ratios))
    scaled = [(above * (common // below), count) for (above, below), count in ratios]
    return scaled_moments(scaled, common)


def scaled_moments(scaled: Iterable[tuple[int, int]], common: int) -> Sums:
    """Add up values, given as integers over a common denominator, and their squares."""
    first = second = 0
    for value, count in scaled:
        product = value * count
        first += product
        second += product * value
    return Sums(first, second, common)


def statistics(
    counted: Tally, names: Sequence[str] = STATISTICS, sums: Sums | None = None
) -> dict[str, Value]:
    """Return the statistics of a population, `sums` being its moments if known; of nothing, 0."""
    ends = list(accumulate([count for _, count in counted]))
    if not ends:
        return dict.fromkeys(names, ZERO)
    sums, n = sums or moments(counted), ends[-1]
    found: dict[str, Value] = {}
    for name in names:
        if name == "mean":
            found[name] = sums.mean(n)
        elif name == "std":
            found[name] = sums.deviation(n, n - 1)
        else:
            found[name] = percentile(counted, ends, PERCENTILES[name])
    return found


def percentile(counted: Tally, ends: Sequence[int], share: Fraction) -> Value:
    """Interpolate linearly at position (n − 1)·share; `ends` adds up how many there are so far."""
    below, rest = divmod((ends[-1] - 1) * share.numerator, share.denominator)
    at, after = bisect_right(ends, below), bisect_right(ends, below + bool(rest))
    low, high = counted[at][0], counted[after][0]
    if at == after:
        return low
    return total([low * (share.denominator - rest), high * rest]) / share.denominator


def geometric_mean(counted: Tally) -> Value:
    """Return exp(mean ln max(value, 0.00001)); of an empty population, 0.

    Of a few values it may be a fraction, and then it is given as one: the n-th root of the product.
    """
    n = sum(count for _, count in counted)
    if n <= FEW:
        raised = [(max(value, GMAP_LEAST), count) for value, count in counted]
        product = math.prod(Fraction(value) for value, count in raised for _ in range(count))
        above, below = (_whole_root(end, n) for end in product.as_integer_ratio())
        if above and below:
            return Fraction(above, below) if n else ZERO
    logs = total([count * logarithm(value) for value, count in counted])
    return KEPT.plus(WORKING.exp(as_decimal(logs / n)))


@cache
def logarithm(value: Value) -> Value:
    """Return ln of a value, of which nothing is below 0.00001."""
    return WORKING.ln(as_decimal(max(value, GMAP_LEAST))) if value != 1 else ZERO


def _whole_root(whole: int, n: int) -> int | None:
    """Return the n-th root of a positive integer, if it is one."""
    if not n:
        return 1
    near = round(WORKING.exp(WORKING.ln(whole) / n))
    return near if math.prod([near] * n) == whole else None


def mean(values: Sequence[Value]) -> Value:
    """Return the plain mean; of nothing, 0."""
    return total(values) / len(values) if values else ZERO


def over(values: Sequence[Exact], wanted: Sequence[str] = OVER) -> dict[str, Exact]:
    """Return mean and both standard deviations over folds or seeds; over any `inf`, `inf`."""
    if math.inf in values:
        return dict.fromkeys(wanted, math.inf)
    n = len(values)
    sums = moments([(as_value(value), 1) for value in values])
    less = {"std": 1, "std/population": 0}
    return {
        name: sums.mean(n) if name == "mean" else sums.deviation(n, n - less[name])
        for name in wanted
    }


def is_spread(metric: str, statistic: str) -> bool:
    """Whether a key is aggregated over folds and seeds (section 2)."""
    counts = metric in COUNTS or metric.startswith(COUNT_PREFIXES)
    return statistic in {"mean", "value"} and not counts


def over_folds(
    ledger: Mapping[str, Exact], folds: Sequence[int], wanted: Sequence[str] = OVER
) -> dict[str, Exact]:
    """Return what the folds' `mean` or `value` are on average, and how they differ (section 2)."""
    found: dict[str, Exact] = {}
    if not folds:
        return found
    first = f"|fold={folds[0]}|"
    for key in ledger:
        metric, population, _, statistic = key.split("|")
        if first not in key or not is_spread(metric, statistic):
            continue
        values = [ledger[f"{metric}|{population}|fold={fold}|{statistic}"] for fold in folds]
        for name, value in over(values, wanted).items():
            found[f"{metric}|{population}|folds|{name}"] = value
    return found


def over_parts(
    ledger: Mapping[str, Exact],
    metrics: Mapping[str, tuple[str, str]],
    parts: Sequence[str],
    whole: str,
) -> dict[str, Exact]:
    """Return the macro and micro means of section 9 over slices, whose names are given."""
    found: dict[str, Exact] = {}
    for metric, (population, statistic) in metrics.items():
        pooled = ledger.get(f"{metric}|{population}|all|{statistic}")
        if pooled is None:
            continue
        name = f"{metric}|{population}|"
        single = [as_value(ledger[f"{name}{part}|{statistic}"]) for part in parts]
        found[f"{name}{whole}|macro"] = mean(single)
        found[f"{name}{whole}|micro"] = as_value(pooled)
    return found


def as_value(number: Exact) -> Value:
    """Return a count as a fraction, any other number as it is."""
    return number if isinstance(number, Decimal | Fraction) else Fraction(number)


def as_number(number: Exact) -> Exact:
    """Return a count as a fraction, any other number, `inf` included, as it is."""
    return as_value(number) if not isinstance(number, float) else number
