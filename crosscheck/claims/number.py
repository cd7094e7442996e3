"""Printed numbers: from a table's cell to the interval of values that round to it.

A number stays text and decimal, so `0.7330` and `0.733` are different statements. A cell can
hold a number, its spread (`± 0.031`), an interval (`(0.894–0.900)`) and a change (`(+1.7%)`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import lru_cache
from typing import Literal

from crosscheck.claims.interval import Interval

EXACT = Fraction(1, 10**9)
"""Below this, section 11.3 of the contract calls two values exact: no print can claim more."""

_MAX_EXPONENT = 30
_BLANK = re.compile(
    r"(?:[-–—−‐*.…\s]*|n\s*/?\s*a\.?|nan|none|null|tba|tbd|not reported)", re.IGNORECASE
)
_RELATIONS = str.maketrans("≤≥≈", "<>~")
_GROUP_SPACES = "\u00a0\u2009\u202f"
_NUMBER = (
    r"(?P<{0}relation>[<>≤≥~≈])?\s*"
    r"(?P<{0}sign>[+−\-–])?\s*"
    rf"(?P<{{0}}digits>\d{{{{1,3}}}}(?:[,{_GROUP_SPACES}]\d{{{{3}}}})+(?:\.\d+)?|\d+(?:[.,]\d+)?|\.\d+)"
    r"(?P<{0}exponent>[eE][+\-−]?\d{{1,3}}|\s*[×x·]\s*10\^?[{{(]?[+\-−]?\d{{1,3}}[)}}]?)?"
    r"\s*(?P<{0}percent>%|percent\b|‰)?"
)
_PLAIN = re.compile(_NUMBER.format("a"))
_SPREAD = re.compile(r"\s*(?:±|\+\s*/\s*[-−–]|\+[-−–])\s*" + _NUMBER.format("a"))
_RANGE = re.compile(
    r"\s*,?\s*(?:95\s*%?\s*)?(?:CI)?\s*[:=]?\s*(?P<open>[(\[])\s*(?:95\s*%?\s*CI\s*[:=]?\s*)?\[?\s*"
    + _NUMBER.format("a")
    + r"\s*(?:–|—|−|-|to|,|;|\.\.)\s*"
    + _NUMBER.format("b")
    + r"\s*\]?\s*[)\]]",
    re.IGNORECASE,
)
_BRACKET = re.compile(r"\s*[(\[]\s*" + _NUMBER.format("a") + r"\s*[)\]]")
_MARKS = re.compile(r"(?:[\s*†‡§¶↑↓▲▼✓★]|\^?[a-d]\b)*")
_LEADING_MARKS = re.compile(r"^[\s*†‡§¶↑↓▲▼✓★=:]*")


@dataclass(frozen=True, slots=True)
class Quantity:
    """One printed number."""

    text: str
    value: Decimal
    step: Decimal
    percent: bool = False
    signed: bool = False
    relation: Literal["", "<", ">", "~"] = ""

    @property
    def interval(self) -> Interval:
        """The values that round to what is printed, in printed units; both halves included."""
        centre, half = Fraction(self.value), Fraction(self.step) / 2
        return Interval(centre - half, centre + half)

    def scaled(self, *, percent: bool) -> Interval:
        """Give the same as fractions of one; never narrower than what floats can tell apart."""
        return _scaled(self.value, self.step, percent)


@lru_cache(maxsize=65536)
def _scaled(value: Decimal, step: Decimal, percent: bool) -> Interval:
    unit = Fraction(1, 100) if percent else Fraction(1)
    centre, half = Fraction(value) * unit, Fraction(step) * unit / 2
    half = max(half, EXACT * max(Fraction(1), abs(centre)))
    return Interval(centre - half, centre + half)


@dataclass(frozen=True, slots=True)
class Cell:
    """What one cell says: at most a number, its spread, an interval and a change."""

    text: str
    number: Quantity | None = None
    spread: Quantity | None = None
    bracket: Quantity | None = None
    low: Quantity | None = None
    high: Quantity | None = None
    change: Quantity | None = None

    @property
    def blank(self) -> bool:
        """Whether the cell says that there is nothing to say."""
        return _BLANK.fullmatch(self.text.strip()) is not None


def parse(text: str) -> Cell:
    """Read a cell; one that holds anything but a number has `number` None."""
    plain = _LEADING_MARKS.sub("", text).strip()
    whole = re.fullmatch(r"\((?P<inner>[^()]*)\)\s*%", plain)
    if whole:
        plain = whole["inner"] + "%"
    span = _RANGE.fullmatch(plain)
    if span and span["open"]:
        low, high = _quantity(span, "a"), _quantity(span, "b")
        return Cell(text) if low is None or high is None else Cell(text, low=low, high=high)
    found = _PLAIN.match(plain)
    number = _quantity(found, "a") if found else None
    if found is None or number is None:
        return Cell(text)
    rest = plain[found.end() :]
    parts: dict[str, Quantity] = {}
    while rest and not _MARKS.fullmatch(rest):
        step = _part(rest, parts)
        if step is None:
            return Cell(text)
        rest = rest[step:]
    return _finished(text, number, parts)


def _part(rest: str, parts: dict[str, Quantity]) -> int | None:
    """Read one addition after the number into `parts`; how long it was, None if not understood."""
    spread = _SPREAD.match(rest)
    if spread and "spread" not in parts:
        return _keep(parts, {"spread": _quantity(spread, "a")}, spread.end())
    span = _RANGE.match(rest)
    if span and "low" not in parts:
        ends = {"low": _quantity(span, "a"), "high": _quantity(span, "b")}
        return _keep(parts, ends, span.end())
    bracket = _BRACKET.match(rest)
    if bracket and "bracket" not in parts and "change" not in parts:
        inside = _quantity(bracket, "a")
        name = "change" if inside is not None and inside.signed else "bracket"
        return _keep(parts, {name: inside}, bracket.end())
    return None


def _keep(parts: dict[str, Quantity], found: dict[str, Quantity | None], end: int) -> int | None:
    for name, quantity in found.items():
        if quantity is None:
            return None
        parts[name] = quantity
    return end


def _finished(text: str, number: Quantity, parts: dict[str, Quantity]) -> Cell:
    """Share a percent sign that stands once at the end (`73.3 ± 3.1%`) with the whole cell."""
    related = [parts[name] for name in ("spread", "low", "high") if name in parts]
    if number.percent or any(one.percent for one in related):
        number = _as_percent(number)
        for name in ("spread", "low", "high", "bracket"):
            if name in parts:
                parts[name] = _as_percent(parts[name])
    return Cell(text, number, **parts)


def _as_percent(one: Quantity) -> Quantity:
    return Quantity(one.text, one.value, one.step, True, one.signed, one.relation)  # noqa: FBT003


def _quantity(found: re.Match[str], group: str) -> Quantity | None:
    digits = _plain_digits(found[group + "digits"])
    exponent = _exponent(found[group + "exponent"])
    if exponent is None or abs(exponent) > _MAX_EXPONENT:
        return None
    sign = found[group + "sign"] or ""
    try:
        value = Decimal(("-" if sign in {"-", "−", "–"} else "") + digits).scaleb(exponent)
    except InvalidOperation:
        return None
    decimals = len(digits.partition(".")[2])
    step = Decimal(1).scaleb(exponent - decimals)
    percent = found[group + "percent"]
    if percent == "‰":
        value, step = value.scaleb(-1), step.scaleb(-1)
    relation = (found[group + "relation"] or "").translate(_RELATIONS)
    return Quantity(
        text=found.string[_start(found, group) : _end(found, group)].strip(),
        value=value,
        step=step,
        percent=bool(percent),
        signed=bool(sign),
        relation=relation,  # type: ignore[arg-type] # the pattern allows nothing else
    )


def _start(found: re.Match[str], group: str) -> int:
    parts = ("relation", "sign", "digits")
    return min(at for part in parts if (at := found.start(group + part)) >= 0)


def _end(found: re.Match[str], group: str) -> int:
    return max(found.end(group + part) for part in ("digits", "exponent", "percent"))


def _plain_digits(digits: str) -> str:
    """Undo digit grouping, and a decimal comma where it cannot be grouping (`0,733`, `73,3`)."""
    digits = re.sub(f"[{_GROUP_SPACES}]", ",", digits)
    head, comma, tail = digits.partition(",")
    if comma and "," not in tail and "." not in tail and (head == "0" or len(tail) != 3):  # noqa: PLR2004 - digits of a group
        return f"{head}.{tail}"
    return digits.replace(",", "")


def _exponent(text: str | None) -> int | None:
    if not text:
        return 0
    found = re.search(r"([+\-−]?)(\d+)[)}]?$", text)
    if found is None:
        return None
    return -int(found[2]) if found[1] in {"-", "−"} else int(found[2])
