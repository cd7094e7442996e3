"""Standard errors: a deviation divided by the root of n, and an interval is some of them wide."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING

from crosscheck.audit.beside.p_values import quantile
from crosscheck.audit.verdicts import Tally, exact, named

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crosscheck.audit.beside.figures import Figure
    from crosscheck.notation.interval import Interval

_OTHER = re.compile(r"bootstrap|cluster|robust|jackknife|mixed", re.IGNORECASE)
_SHARES = frozenset(("accuracy", "error_rate", "exact_match", "hit@1", "precision@1"))
"""Metrics that are 0 or 1 for each query: mean and n fix their deviation."""
_SMALLEST = Fraction(195, 100)
"""Errors that half an interval of 95 % has at least."""
_ROUGH = Fraction(1, 100)
"""What a quantile from a table is off by."""


def audit(figures: Sequence[Figure]) -> Tally:
    """Hold every standard error against the deviation, the n and the interval beside it."""
    tally = Tally()
    for one in figures:
        if one.span("se") is None or one.value.role != "value":
            continue
        tally.looked_at((one.beside["se"],))
        if not _larger(one, tally) and not _by_n(one, tally):
            _share(one, tally)
        _interval(one, tally)
    return tally


def _larger(one: Figure, tally: Tally) -> bool:
    """Tell of an error above its deviation: no n gives that, for a mean spreads less."""
    se, sd = one.span("se"), one.span("sd")
    if se is None or sd is None or se.low <= sd.high:
        return False
    tally.found(
        "XC926",
        (one.value, one.beside["sd"], one.beside["se"]),
        f"{named(one.value)}: the standard error {one.beside['se'].printed} is larger than the "
        f"standard deviation {one.beside['sd'].printed}, which no n gives",
        f"an error below {exact(sd.high)}",
        ("the two are exchanged",),
        worked=f"{exact(se.low)} > {exact(sd.high)}",
    )
    return True


def _by_n(one: Figure, tally: Tally) -> bool:
    """Hold n·SE² against SD²; either may have been divided by n or by n − 1."""
    se, sd = one.span("se"), one.span("sd")
    n = one.size.n if one.size else one.repeats
    if se is None or sd is None or not n or n < 2:  # noqa: PLR2004 - one value has no deviation
        return False
    tally.looked_at((one.value, one.beside["sd"]))
    told = _off(n, se, sd.low**2 * Fraction(n - 1, n), sd.high**2 * Fraction(n, n - 1))
    if not told:
        return False
    shown = short_root(sd, n)
    tally.found(
        "XC926",
        (one.value, one.beside["sd"], one.beside["se"]),
        f"{named(one.value)}: a standard deviation of {one.beside['sd'].printed} over {n} values "
        f"gives a standard error of {shown}, not {one.beside['se'].printed}",
        f"a standard error of {shown}",
        ("another n stands behind it", "what is called an error is half an interval"),
        worked=told,
        only_if=_condition(one, f"deviation and error are of the same {n} values"),
    )
    return True


def _condition(one: Figure, text: str) -> str:
    """Three columns of one row say it; a caption's n, or an error of another kind, does not."""
    claim = one.beside["se"]
    known = bool(one.value.sizes) and not _OTHER.search(f"{claim.title} {claim.name}")
    apart = one.beside["sd"].at != one.value.at and claim.at != one.value.at
    return "" if known and apart else text


def _off(n: int, se: Interval, least: Fraction, most: Fraction) -> str:
    """Write the proof that n·SE² lies beyond two ends; empty where it does not."""
    if n * se.high**2 < least:
        return f"{n}·{exact(se.high)}·{exact(se.high)} < {exact(least)}"
    if n * se.low**2 > most:
        return f"{n}·{exact(se.low)}·{exact(se.low)} > {exact(most)}"
    return ""


def short_root(sd: Interval, n: int) -> str:
    """Write what the deviation gives."""
    low, high = (float(end) / n**0.5 for end in (sd.low, sd.high))
    return f"{low:.2g}" if f"{low:.2g}" == f"{high:.2g}" else f"{low:.2g} to {high:.2g}"


def _share(one: Figure, tally: Tally) -> None:
    """Hold a share's error against the share itself: n·SE² is p·(1 − p)."""
    se, n = one.span("se"), one.size.n if one.size else 0
    value = one.value.interval
    if one.value.metric not in _SHARES or se is None or n < 2 or one.beside.get("sd"):  # noqa: PLR2004 - the same
        return
    ends = [end * (1 - end) for end in (value.low, value.high)]
    half = Fraction(1, 2)
    most = Fraction(1, 4) if value.low <= half <= value.high else max(ends)
    tally.looked_at((one.value,))
    told = _off(n, se, min(ends), most * Fraction(n, n - 1))
    if told:
        tally.found(
            "XC926",
            (one.value, one.beside["se"]),
            f"{named(one.value)}: a share of {n} has a standard error of "
            f"{float(most / n) ** 0.5:.2g}, not {one.beside['se'].printed}",
            f"a standard error of {float(most / n) ** 0.5:.2g}",
            ("it is over folds or seeds, or another n stands behind it",),
            worked=told,
            only_if=f"the error is that of one share of {n}",
        )


def _interval(one: Figure, tally: Tally) -> None:
    """Half an interval of 95 % has 1.96 errors, or what few values make of that."""
    se, low, high = one.span("se"), one.span("low"), one.span("high")
    if se is None or low is None or high is None or one.level != "95":
        return
    n = one.size.n if one.size else one.repeats
    tally.looked_at((one.value, one.beside["low"], one.beside["high"]))
    wide, narrow = high.high - low.low, high.low - low.high
    most = quantile(Fraction(1, 20), n - 1, 1) + _ROUGH if n and n > 1 else 0
    ends = f"({exact(high.high)} − {exact(low.low)})"
    if wide < 2 * _SMALLEST * se.low:
        worked = f"{ends} < 2·{exact(_SMALLEST)}·{exact(se.low)}"
    elif most and narrow > 2 * most * se.high:
        worked = f"({exact(high.low)} − {exact(low.high)}) > 2·{exact(most)}·{exact(se.high)}"
    else:
        return
    tally.found(
        "XC926",
        (one.value, one.beside["se"], one.beside["low"], one.beside["high"]),
        f"{named(one.value)}: an interval of 95 % from {one.beside['low'].printed} to "
        f"{one.beside['high'].printed} does not go with a standard error of "
        f"{one.beside['se'].printed}",
        "half an interval of about 1.96 standard errors",
        ("the interval has another level, or is of another method",),
        worked=worked,
        only_if="the interval is of 95 %, and the estimate is about normal",
    )
