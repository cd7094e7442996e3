"""Changes of a finished number: percent, complement, rounding, standard error, mistyped digits."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from itertools import pairwise
from typing import TYPE_CHECKING

from crosscheck.contract import load

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from crosscheck.notation.number import Quantity

    Changed = tuple[str, str, float]

RESAMPLED = 0.003
"""What somebody else's resamples may differ by from ours."""
_Z = 1.96


def of(
    key: str,
    right: float,
    ledger: Mapping[str, int | float],
    number: Quantity,
    *,
    percent: bool,
) -> Iterator[Changed]:
    """List every change of a right value: which mistake, its particulars, the value."""
    yield from plain(key, right)
    yield from _rounded(right, number, percent=percent)
    yield from _standard_errors(key, right, ledger)
    yield from _mistyped(right, number, percent=percent)


def plain(key: str, right: float) -> Iterator[Changed]:
    """List the changes that also happen to a value that is wrong already."""
    shown = f"{right:.6g}"
    if right and load().kind_of(key) != "integer":
        yield "scale", shown, right / 100
        yield "scale", shown, right * 100
    span = load().range_of(key)
    if (span.low, span.high) == (0.0, 1.0):
        yield "complement", shown, 1 - right


def _rounded(right: float, number: Quantity, *, percent: bool) -> Iterator[Changed]:
    """Round in other ways: down, up, and first to one digit more."""
    if not math.isfinite(right):
        return
    shown, unit = f"{right:.6g}", 100 if percent else 1
    plain_print = _printed(right, number, ROUND_HALF_EVEN, percent=percent)
    longer = Decimal(repr(right * unit)).quantize(number.step / 10, rounding=ROUND_HALF_UP)
    ways = {
        "truncated": _printed(right, number, ROUND_FLOOR, percent=percent),
        "rounded-twice": longer.quantize(number.step, rounding=ROUND_HALF_UP),
        "rounded-up": _printed(right, number, ROUND_CEILING, percent=percent),
    }
    for name, value in ways.items():
        if value != plain_print:
            yield name, shown, float(value) / unit


def _printed(right: float, number: Quantity, rounding: str, *, percent: bool) -> Decimal:
    if not math.isfinite(right):
        return Decimal(0)
    exact = Decimal(repr(right * 100 if percent else right))
    return exact.quantize(number.step, rounding=rounding)


def _standard_errors(
    key: str, right: float, ledger: Mapping[str, int | float]
) -> Iterator[Changed]:
    """Turn a standard deviation into a standard error, a half-width or a variance."""
    metric, population, where, statistic = key.split("|")
    if statistic not in {"std", "std/population"}:
        return
    stem = f"{metric}|{population}|fold="
    folds = len({k.split("|")[2] for k in ledger if k.startswith(stem)})
    count = folds if where == "folds" else ledger.get(f"queries|{population}|{where}|n", 0)
    if count:
        error = right / math.sqrt(count)
        yield "standard-error", f"the standard error (std / √{count})", error
        yield "standard-error", f"1.96 standard errors (std / √{count})", _Z * error
    yield "standard-error", "the variance", right**2


def _mistyped(right: float, number: Quantity, *, percent: bool) -> Iterator[Changed]:
    """Mistype the right digits in every way: two neighbours exchanged, or one changed."""
    if not math.isfinite(right):
        return
    unit = 100 if percent else 1
    true = f"{_printed(right, number, ROUND_HALF_EVEN, percent=percent):f}"
    places = [i for i, char in enumerate(true) if char.isdigit()]
    for i, j in pairwise(places):
        if j == i + 1 and true[i] != true[j]:
            typed = true[:i] + true[j] + true[i] + true[j + 1 :]
            yield "exchanged-digits", true, float(typed) / unit
    for i in places:
        for digit in "0123456789".replace(true[i], ""):
            yield "one-digit", true, float(true[:i] + digit + true[i + 1 :]) / unit
