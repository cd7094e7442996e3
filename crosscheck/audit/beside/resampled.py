"""p-values of resampling: B resamples leave only so many values, and n values only so large ones.

b of B resamples give b/B, or (b + 1)/(B + 1) where the data count as one of them; twice or m times
that is such a number again. The bootstrap of n differences has the mean d and the variance
s²·(n − 1)/n², so by Cantelli's inequality at most v/(v + d²) of it lies beyond 0.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import TYPE_CHECKING

from crosscheck.audit.verdicts import Tally, exact, listed
from crosscheck.audit.verdicts import named as shown
from crosscheck.notation.interval import root_above

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crosscheck.audit.beside.figures import Figure
    from crosscheck.notation.interval import Interval

_WORDS = re.compile(r"bootstrap|resampl", re.IGNORECASE)
_MANY = re.compile(
    r"(?<![\d.,])(?P<b>\d{1,3}(?:,\d{3})+|\d{2,7}) (?:paired |random )?"
    r"(?:bootstrap (?:samples|resamples|resamplings|iterations|replicates|replications|draws)"
    r"|bootstraps|resamples|(?P<exact>permutations|randomi[sz]ations"
    r"|permutation (?:samples|iterations|rounds)))\b",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"fdr|benjamini|one-?sided|halved|normal approx", re.IGNORECASE)
"""Words beside which p need not be a whole number of resamples."""
_FEWEST = 20
_UNKNOWN = 100
"""Resamples that a bootstrap has at least, where it is not said how many."""
_SIGMAS = 5


def named(text: str) -> bool:
    """Whether a text names a bootstrap."""
    return _WORDS.search(text) is not None


def _resamples(text: str) -> tuple[int, bool] | None:
    """Read how many resamples there are, and whether they are permutations; None where two are."""
    found = {(int(one["b"].replace(",", "")), bool(one["exact"])) for one in _MANY.finditer(text)}
    one = found.pop() if len(found) == 1 else None
    return one if one and one[0] >= _FEWEST else None


def lattice(one: Figure, text: str, tally: Tally) -> None:
    """Hold a p-value against the values that B resamples can give."""
    claim, p = one.beside["p"], one.span("p")
    said = _resamples(claim.title)
    found = said or _resamples(text)
    if found is None or p is None or claim.number is None:
        return
    if _BETWEEN.search(f"{claim.title} {claim.name}") or claim.number.relation == ">":
        return
    many, permuted = found
    tally.looked_at((claim,))
    if claim.number.relation == "<":
        _below(one, many, tally)
        return
    worked = _between(p, many)
    if worked:
        tally.found(
            "XC926",
            (claim,),
            f"{shown(claim)} is no whole number of {many} resamples: neither b/{many} nor "
            f"(b + 1)/{many + 1} prints so",
            f"a multiple of 1/{many} or of 1/{many + 1}",
            ("p is of another test, or of another number of resamples",),
            worked=worked,
            only_if="" if said and permuted else f"p is of these {many} resamples",
        )


def _between(p: Interval, many: int) -> str:
    """Write between which two neighbours p lies; empty where it can be one of them."""
    for below in (many, many + 1):
        if math.floor(p.high * below) >= math.ceil(p.low * below):
            return ""
    k = math.floor(p.low * many)
    ends = (Fraction(k, many), Fraction(k + 1, many + 1))
    first, second = f"{k}/{many}", f"{k + 1}/{many + 1}"
    if not ends[0] < p.low < ends[1]:
        first, second = f"{k + 1}/{many + 1}", f"{k + 1}/{many}"
    return f"{first} < {exact(p.low)} ≤ {exact(p.high)} < {second}"


def _below(one: Figure, many: int, tally: Tally) -> None:
    """`p < 0.0001` of 1,000 resamples: none of them was beyond, which says p < 1/1,001 at best."""
    claim = one.beside["p"]
    if claim.number is None or claim.number.value * (many + 1) >= 1 or claim.number.value <= 0:
        return
    value = Fraction(claim.number.value)
    tally.found(
        "XC926",
        (claim,),
        f"{shown(claim)} is less than {many} resamples can show: the smallest is 1/{many + 1}",
        f"p at least 1/{many + 1}",
        ("none of the resamples was beyond, and b/B was printed as a bound",),
        worked=f"{exact(value)} < 1/{many + 1}",
        only_if=f"p is of these {many} resamples, and the data count as one of them",
    )


def bounded(one: Figure, others: Sequence[Figure], count: int, tally: Tally) -> None:
    """Hold a bootstrap's p against the most that mean ± sd over `count` values leave it."""
    claim, p = one.beside["p"], one.span("p")
    if p is None or claim.number is None or claim.number.relation == "<":
        return
    found = _resamples(claim.title)
    told = [_beyond(one, other, count, p.low, found[0] if found else _UNKNOWN) for other in others]
    tally.looked_at((claim,))
    if not all(told):
        return
    cells = [one.value, one.beside["sd"], others[0].value, others[0].beside["sd"]]
    tally.found(
        "XC926",
        (claim, *cells),
        f"{shown(claim)} is more than a bootstrap of {count} differences gives for "
        f"{listed((one.value, others[0].value))} with standard deviations {cells[1].printed} and "
        f"{cells[3].printed}, whatever their correlation",
        "a smaller p",
        ("it is of another test, or over other values than the deviations",),
        worked=told[0],
        only_if=f"p is of a bootstrap of these {count} values",
    )


def _beyond(one: Figure, other: Figure, count: int, p: Fraction, many: int) -> str:
    """Write that p is beyond Cantelli's bound, with what chance adds to it; empty where not."""
    s, z = one.span("sd"), other.span("sd")
    value, rival = one.value.interval, other.value.interval
    if s is None or z is None or value.meets(rival):
        return ""
    d = max(value.low - rival.high, rival.low - value.high)
    v = (s.high + z.high) ** 2 * Fraction(count - 1, count**2)
    bound = min(2 * v / (v + d**2), Fraction(1))
    raw = _SIGMAS * root_above(bound * (1 - bound) / many) + Fraction(1, many)
    slack = Fraction(math.ceil(raw * 10**6), 10**6)
    if p <= bound + slack:
        return ""
    least = Fraction(math.ceil(v * 10**12), 10**12)
    return (
        f"{exact(p)} > 2·{exact(least)}/({exact(least)} + {exact(d)}·{exact(d)}) + {exact(slack)}"
    )
