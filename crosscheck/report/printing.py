"""Numbers as people read them: fixed decimals, counts, intervals, and values with uncertainty.

Rounding starts from the decimal that the number's shortest form shows (contract, section 1), half
to even, so that the printed digits never depend on binary fractions.
"""

from __future__ import annotations

import math
from decimal import ROUND_HALF_EVEN, Context, Decimal
from typing import TYPE_CHECKING

from crosscheck.model.ledgers import EXACT

if TYPE_CHECKING:
    from collections.abc import Iterable

    from crosscheck.model.findings import Finding
    from crosscheck.report.view import Report, RowView

DIGITS = 4
"""Decimals of a metric in tables, as the source documents print them."""

NEVER = "∞"
"""A threshold that never fires; a difference from what is infinite."""

ROOM = Context(prec=400)
"""Digits enough for every number of 64 bits."""

WITHIN = f"within {EXACT:g}".replace("e-0", "e−")
"""How far apart values are that count as exact: more would not be the same on every machine."""


def rounded(value: float, digits: int) -> Decimal:
    """Round to so many decimals; negative zero is zero."""
    exact = Decimal(repr(value)) if isinstance(value, float) else Decimal(int(value))
    result = exact.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_EVEN, ROOM)
    return abs(result) if result == 0 else result


def number(value: float, digits: int = DIGITS) -> str:
    """`0.8972`; a typographic minus for negatives."""
    if value == math.inf:
        return NEVER
    return f"{rounded(value, digits):f}".replace("-", "−")


def count(value: float) -> str:
    """`14,770`."""
    return f"{int(value):,}"


def percent(value: float, digits: int = 0) -> str:
    """Write a share as `62 %`."""
    return f"{rounded(value * 100, digits):f} %".replace("-", "−")


def signed(value: float, digits: int = DIGITS) -> str:
    """`+0.0876`, `−0.0031`."""
    text = number(value, digits)
    return text if text.startswith("−") or not float(rounded(value, digits)) else f"+{text}"


def tiny(value: float) -> str:
    """Write a relative difference: `0`, `3.2e-16`, `0.8 %`, `∞` where one of two is infinite."""
    if value == 0:
        return "0"
    if math.isinf(value * 100):
        return NEVER
    if value < 1e-4:  # noqa: PLR2004 - below a hundredth of a percent an exponent reads better
        mantissa, exponent = f"{value:.1e}".split("e")
        return f"{mantissa}e{int(exponent)}".replace("-", "−")
    return f"{rounded(value * 100, 2):f} %"


def value_text(value: float) -> str:
    """Write a ledger value for a table: counts whole, everything else to four decimals."""
    return count(value) if isinstance(value, int) else number(value)


def bracket(low: float, high: float, digits: int = DIGITS) -> str:
    """`[0.8941, 0.9003]`."""
    return f"[{number(low, digits)}, {number(high, digits)}]"


def places(uncertainty: float, *, most: int = 6) -> int:
    """Decimals that show two significant digits of an uncertainty; four if there is none."""
    if not uncertainty or not math.isfinite(uncertainty):
        return DIGITS
    exponent = Decimal(repr(abs(uncertainty))).adjusted()
    digits = max(0, 1 - exponent)
    # 0.00996 shows as 0.0100: rounding up to the next power gives a digit back.
    if rounded(abs(uncertainty), digits).adjusted() > exponent:
        digits = max(0, digits - 1)
    return min(digits, most)


def titled(text: str) -> str:
    """Begin with a capital, and leave the rest (K, TUNE) as it is written."""
    return text[:1].upper() + text[1:] if text[:1].isascii() else text


def summary(report: Report) -> str:
    """Give the report's sentence without the verdict, where a stamp says it already."""
    return titled(report.summary.removeprefix(f"{report.verdict.upper()}: "))


def worst_first(findings: Iterable[Finding]) -> list[Finding]:
    """Order findings for people: errors, drift, advice, then what was waived."""
    order = {"error": 0, "drift": 1, "advice": 2}
    return sorted(findings, key=lambda found: (found.waived is not None, order[found.severity]))


def tally(findings: Iterable[Finding]) -> dict[str, int]:
    """Count findings by severity, waived ones apart; one that sums up others counts for them."""
    counts = dict.fromkeys(("error", "drift", "advice", "waived"), 0)
    for found in findings:
        counts["waived" if found.waived is not None else found.severity] += found.stands_for
    return counts


def plus_minus(mean: float, std: float, digits: int = DIGITS) -> str:
    """`0.8972 ± 0.0015`."""
    return f"{number(mean, digits)} ± {number(std, digits)}"


def statement(row: RowView, digits: int = DIGITS) -> str:
    """Say a result as the documents ask (S4 10.1).

    `AUROC = 0.8972 ± 0.0015 (95 % CI [0.8941, 0.9003])`: mean over folds, their standard deviation
    and the interval of that mean; without folds the value and its own interval.
    """
    if row.folds_mean is not None and row.folds_std is not None:
        text, intervals = plus_minus(row.folds_mean, row.folds_std, digits), row.folds_intervals
    else:
        text, intervals = value_text(row.value), row.intervals
    if intervals:
        text += f" (95 % CI {bracket(intervals[0].low, intervals[0].high, digits)})"
    return f"{row.name} = {text}"
