"""p-values that the means, deviations, errors and intervals printed with them cannot give.

A paired t-test over n values has t² = n·d²/s², with s the deviation of the differences; that lies
between |s₁ − s₂| and s₁ + s₂ whatever the correlation, and is √(s₁² + s₂²) where nothing is paired.
So mean ± sd of two systems bound p. Intervals that lie apart do so at their own level.
"""

from __future__ import annotations

import re
from collections import defaultdict
from fractions import Fraction
from typing import TYPE_CHECKING

from crosscheck.audit import subjects
from crosscheck.audit.beside import resampled
from crosscheck.audit.beside.intervals import CORRECTED
from crosscheck.audit.verdicts import Tally, exact, listed, named

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crosscheck.audit.beside.figures import Figure
    from crosscheck.notation.interval import Interval

_OTHER_TEST = re.compile(
    r"bootstrap|resampl|wilcoxon|permutation|randomi[sz]ation|mcnemar|sign test", re.IGNORECASE
)
_UNPAIRED = re.compile(r"unpaired|welch|independent|two-sample", re.IGNORECASE)
_OVER = re.compile(
    r"paired t-?tests? (?:over|across|on) (?:the |all )?\d+ (?:folds|seeds|runs)", re.IGNORECASE
)
_FINE = 10**6
"""Parts of one to which a quantile is rounded, away from what would convict."""


def audit(figures: Sequence[Figure], text: str = "") -> Tally:
    """Audit every p-value."""
    tally = Tally()
    rivals: dict[tuple[object, ...], list[Figure]] = defaultdict(list)
    for one in figures:
        rivals[_contest(one)].append(one)
    for one in figures:
        if "p" in one.beside and one.value.role == "value":
            others = [o for o in rivals[_contest(one)] if o.value.system != one.value.system]
            _test(one, others, text, tally)
    return tally


def _contest(one: Figure) -> tuple[object, ...]:
    """Give all that two figures have in common which a test compares."""
    return *subjects.context(one.value), (one.value.key or "").rpartition("|")[0], one.value.role


def _test(one: Figure, others: Sequence[Figure], text: str, tally: Tally) -> None:
    claim = one.beside["p"]
    said = f"{claim.title} {claim.name}"
    resampled.lattice(one, text, tally)
    if others and all(_apart(one, other) for other in others):
        _tell_apart(one, others[0], tally)
    given = [other for other in others if _spread(one, other)]
    count = _count(one)
    if count is None or len(given) < len(others) or not given:
        tally.reasons.setdefault(claim, "the means, deviations and n of its test are not printed")
        return
    if _OTHER_TEST.search(said) or CORRECTED.search(said):
        if resampled.named(said) and not CORRECTED.search(said):
            resampled.bounded(one, given, count, tally)
        return
    tally.looked_at(cell for figure in (one, *given) for cell in figure.cells)
    unpaired = _UNPAIRED.search(said) is not None
    told = [_broken(one, other, count, unpaired=unpaired) for other in given]
    if all(told):
        _tell(one, given[0], count, told[0], tally)


def _count(one: Figure) -> int | None:
    """Give the number of values of a test: of the folds, or of a row that prints SD and n."""
    if one.repeats:
        return one.repeats
    apart = any(one.beside[k].at != one.value.at for k in ("sd", "se") if k in one.beside)
    return one.size.n if one.size and apart and one.size.n > 1 else None


def _spread(one: Figure, other: Figure) -> tuple[str, Interval, Interval] | None:
    """Give the deviations of both, or the errors of both."""
    for what in ("sd", "se"):
        first, second = one.span(what), other.span(what)
        if first is not None and second is not None:
            return what, first, second
    return None


def _tell(one: Figure, other: Figure, count: int, worked: str, tally: Tally) -> None:
    claim = one.beside["p"]
    what = "sd" if "sd" in one.beside else "se"
    called = "standard deviations" if what == "sd" else "standard errors"
    unpaired = _UNPAIRED.search(f"{claim.title} {claim.name}") is not None
    kind = "an unpaired t-test" if unpaired else "a paired t-test"
    tally.found(
        "XC926",
        (claim, one.value, one.beside[what], other.value, other.beside[what]),
        f"{named(claim)} cannot come from {listed((one.value, other.value))} with {called} "
        f"{one.beside[what].printed} and {other.beside[what].printed} over {count} values"
        + ("" if unpaired else ", whatever their correlation"),
        "",
        ("another test, or another number of values, stands behind it",),
        worked=worked,
        only_if="" if _OVER.search(claim.title) else f"p is of {kind} over {count} values",
    )


def _broken(one: Figure, other: Figure, count: int, *, unpaired: bool) -> str:
    """Write why no correlation gives this p; empty where one does."""
    p, found = one.span("p"), _spread(one, other)
    number = one.beside["p"].number
    if p is None or found is None or number is None:
        return ""
    what, s, z = found
    n = count if what == "sd" else 1
    gaps = _ends(one.value.interval, other.value.interval)
    narrow, wide = _together(s, z, unpaired=unpaired)
    most = p.high if number.relation != ">" else Fraction(1)
    least = p.low if number.relation != "<" else Fraction(0)
    if narrow[0] and 0 < most < 1:
        needed = quantile(most, 2 * count - 2 if unpaired else count - 1, -1)
        if needed > 0 and n * gaps[-1][0] ** 2 < needed**2 * narrow[0]:
            return _squares(n, gaps[-1][1], needed, narrow[1], "<")
    if 0 < least < 1 and wide[0]:
        allowed = quantile(least, count - 1, 1)
        if n * gaps[0][0] ** 2 > allowed**2 * wide[0]:
            return _squares(n, gaps[0][1], allowed, wide[1], ">")
    return ""


def _together(
    s: Interval, z: Interval, *, unpaired: bool
) -> tuple[tuple[Fraction, str], tuple[Fraction, str]]:
    """Give the least and the most that the differences' variance can be, each with its working."""
    if unpaired:
        low, high = (
            (a**2 + b**2, f"({exact(a)}·{exact(a)} + {exact(b)}·{exact(b)})")
            for a, b in ((s.low, z.low), (s.high, z.high))
        )
        return low, high
    least = _ends(s, z)[0]
    most = s.high + z.high, f"({exact(s.high)} + {exact(z.high)})"
    return (least[0] ** 2, f"{least[1]}·{least[1]}"), (most[0] ** 2, f"{most[1]}·{most[1]}")


def _ends(one: Interval, other: Interval) -> list[tuple[Fraction, str]]:
    """Give the least and the most by which two numbers can differ, each with its working."""
    ends = sorted(
        (abs(a - b), f"({exact(a)} − {exact(b)})")
        for a, b in ((one.low, other.high), (one.high, other.low))
    )
    return [(Fraction(0), "0"), ends[-1]] if one.meets(other) else ends


def _squares(n: int, gap: str, t: Fraction, variance: str, sign: str) -> str:
    times = f"{n}·" if n != 1 else ""
    return f"{times}{gap}·{gap} {sign} {exact(t)}·{exact(t)}·{variance}"


def quantile(p: Fraction, freedom: int, side: int) -> Fraction:
    """Give the |t| of a two-sided test, a little below (−1) or above (1)."""
    from scipy.stats import t as student  # noqa: PLC0415 - a second, and few tables state a test

    exactly = float(student.isf(float(p) / 2, freedom))
    return Fraction(round(exactly * _FINE) + side, _FINE)


def _apart(one: Figure, other: Figure) -> bool:
    """Whether two intervals share nothing, although p is above their level."""
    ends = [figure.span(what) for figure in (one, other) for what in ("low", "high")]
    p, claim = one.span("p"), one.beside["p"]
    if None in ends or p is None or claim.number is None or claim.number.relation == "<":
        return False
    if CORRECTED.search(f"{claim.title} {claim.name}") or one.level != other.level:
        return False
    return _gap(one, other) is not None and p.low > 1 - Fraction(one.level) / 100


def _gap(one: Figure, other: Figure) -> tuple[Fraction, Fraction] | None:
    """Give the top of the lower interval and the bottom of the higher one, if they are apart."""
    for lower, upper in ((one, other), (other, one)):
        top, bottom = lower.span("high"), upper.span("low")
        if top is not None and bottom is not None and top.high < bottom.low:
            return top.high, bottom.low
    return None


def _tell_apart(one: Figure, other: Figure, tally: Tally) -> None:
    gap, claim = _gap(one, other), one.beside["p"]
    if gap is None:
        return
    tally.looked_at(cell for figure in (one, other) for cell in figure.cells)
    ends = [figure.beside[what] for figure in (one, other) for what in ("low", "high")]
    tally.found(
        "XC926",
        (claim, one.value, other.value, *ends),
        f"{named(claim)}, but the intervals of {one.level} % of {listed((one.value, other.value))} "
        "lie apart: whatever the correlation, p is then below "
        f"{exact(1 - Fraction(one.level) / 100)}",
        f"p below {exact(1 - Fraction(one.level) / 100)}",
        ("p is corrected, or of another comparison than these two",),
        worked=f"{exact(gap[0])} < {exact(gap[1])}",
        only_if=f"both intervals are of {one.level} % by one method, and p is of these two systems",
    )
