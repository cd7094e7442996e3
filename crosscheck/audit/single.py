"""One cell at a time: its range, its spread, its granularity; and the same cell twice."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from fractions import Fraction
from itertools import combinations, product
from typing import TYPE_CHECKING

from crosscheck.audit.rates import interval
from crosscheck.audit.verdicts import Tally, named
from crosscheck.contract import load
from crosscheck.notation.interval import UNIT, Interval, root_above, short
from crosscheck.notation.measure import Measure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crosscheck.notation.claim import Claim

_FOLDS = re.compile(r"\b(?P<folds>\d{1,3})[\s-]*folds?\b", re.IGNORECASE)
_N = re.compile(
    r"(?:\b[nN]\s*=\s*|\b(?:over|on|of)\s+(?:the\s+|all\s+)?)(?P<n>\d[\d,]*)\s*(?P<what>[a-z]*)"
)
_UNITS = {"", "queries", "query", "questions", "topics", "samples", "examples", "instances"}
_MANY_SUMS = 200_000


def ranges(claims: Sequence[Claim]) -> Tally:
    """Hold every readable number against its range."""
    tally = Tally()
    for claim in _readable(claims):
        if claim.role not in {"value", "std", "ci_low", "ci_high", "count"} or claim.key is None:
            continue
        key = claim.key + ("/post/percentile" if claim.role.startswith("ci_") else "")
        allowed = load().range_of(key)
        value = interval(claim)
        tally.looked_at((claim,))
        if value.high < Fraction(allowed.low) or (
            math.isfinite(allowed.high) and value.low > Fraction(allowed.high)
        ):
            tally.found(
                "XC911",
                (claim,),
                f"{named(claim)} lies outside {allowed}",
                f"{claim.label} in {allowed}",
                _range_hints(claim),
            )
    return tally


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
        count = folds or _folds_in(claim)
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
            )
    return tally


def _sibling(claim: Claim, claims: Sequence[Claim]) -> Claim | None:
    wanted = (claim.key or "").rpartition("|")[0] + "|mean"
    return next((c for c in claims if c.key == wanted and c.beside == claim.beside), None)


def _folds_in(claim: Claim) -> int | None:
    found = _FOLDS.search(claim.title)
    return int(found["folds"]) if found and int(found["folds"]) > 1 else None


def _largest_std(mean: Interval, count: int | None) -> Fraction:
    """Bound the n−1 standard deviation of `count` values in [0, 1]: as many ones as possible."""
    inside = mean.cut(UNIT)
    if inside is None:
        return Fraction(1)
    tops = [inside.low, inside.high] + ([Fraction(1, 2)] if inside.holds(Fraction(1, 2)) else [])
    if count is None:
        return root_above(max(2 * m * (1 - m) for m in tops))
    tops += [Fraction(i, count) for i in range(count + 1) if inside.holds(Fraction(i, count))]
    return root_above(max(_largest_variance(m, count) for m in tops))


def _largest_variance(mean: Fraction, count: int) -> Fraction:
    ones = int(mean * count)
    rest = mean * count - ones
    return (ones + rest**2 - count * mean**2) / (count - 1)


def granularity(claims: Sequence[Claim], n: int | None, fold_sizes: Sequence[int] = ()) -> Tally:
    """Means of zeros and ones are multiples of 1/n (of K·n for precision at K)."""
    tally = Tally()
    stated = _stated_counts(claims)
    for claim in _readable(claims):
        parts = _parts(claim)
        if claim.role != "value" or claim.key is None or parts is None:
            continue
        _, population, where, _ = claim.key.split("|")
        count = n or stated.get((claim.file, claim.table, claim.system, population))
        count = (
            count or stated.get((claim.file, claim.table, None, population)) or _caption_n(claim)
        )
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
            tally.found("XC917", (claim,), f"{named(claim)}: {told}", nearest, others)
    return tally


def _parts(claim: Claim) -> int | None:
    """Say into how many equal parts one query's value divides: 1 for hits, K for precision at K."""
    measure = Measure.parse(claim.metric)
    if measure is not None and not measure.variant:
        if measure.kind == "hit" or measure.k == 1:
            return 1 if measure.kind in {"hit", "precision", "mrr", "ndcg", "map"} else None
        if measure.kind == "precision" and not math.isinf(measure.k):
            return int(measure.k)
    return None


def _stated_counts(claims: Sequence[Claim]) -> dict[tuple[str, str, str | None, str], int]:
    """Read how many queries there are from the table's own counts."""
    found = {}
    for claim in claims:
        if claim.metric == "queries" and claim.number is not None and not claim.number.relation:
            population = (claim.key or "").split("|")[1]
            found[claim.file, claim.table, claim.system, population] = int(claim.number.value)
    return found


def _caption_n(claim: Claim) -> int | None:
    found = _N.search(claim.title)
    if not found or found["what"].lower() not in _UNITS:
        return None
    if re.search(r"bootstrap|resampl|permutation|iteration", claim.title, re.IGNORECASE):
        return None
    return int(found["n"].replace(",", ""))


def _multiple(value: Interval, parts: int) -> bool | None:
    """Say whether a multiple of 1/parts lies inside; None where there always is one."""
    if value.high - value.low >= Fraction(1, parts):
        return None
    return math.floor(value.high * parts) >= math.ceil(value.low * parts)


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


def twice(claims: Sequence[Claim]) -> Tally:
    """Compare quantities that one file prints twice for one system."""
    tally = Tally()
    found: dict[tuple[str, str, str], list[Claim]] = defaultdict(list)
    for claim in _readable(claims):
        if claim.key and claim.role in {"value", "std", "ci_low", "ci_high", "count"}:
            found[claim.file, claim.system or "", claim.key].append(claim)
    for same in found.values():
        for one, other in combinations(same, 2):
            tally.looked_at((one, other))
            if interval(one).meets(interval(other)):
                continue
            apart = one.table != other.table and one.title != other.title
            tally.found(
                "XC919",
                (one, other),
                f"{one.where} prints {one.printed} and {other.place} prints {other.printed} "
                f"for {one.key}",
                "the same value in both places",
                ("the two tables are about different data, and do not say so",) if apart else (),
                severity="advice" if apart else "error",
            )
    return tally
