"""One printed number: its digits, what they can mean, and the interval of values that round to it.

A number stays text and decimal, so `0.7330` and `0.733` are different statements.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import lru_cache
from typing import Literal

from crosscheck.notation.interval import Interval

EXACT = Fraction(1, 10**9)
"""Below this, section 11.3 of the contract calls two values exact: no print can claim more."""
LONGEST = 60
"""Digits of a number that is read; a longer one is no result of a measurement."""

_MAX_EXPONENT = 30
_RELATIONS = {"≤": "<", "≥": ">", "≈": "~", "<=": "<", ">=": ">", "∼": "~", "≃": "~", "≅": "~"}
_RELATIONS |= {"⩽": "<", "⩾": ">", "≲": "<", "≳": ">", "ca.": "~", "about": "~", "approx.": "~"}
_GROUP = "\u00a0\u2009\u202f'’"
NUMBER = (
    r"(?P<{0}relation>[<>]=?|[≤≥~≈∼≃≅⩽⩾≲≳]|ca\.|about|approx\.)? ?"
    r"(?P<{0}sign>[+−\-–])? ?"
    rf"(?P<{{0}}digits>\d{{{{1,3}}}}(?:[,{_GROUP}]\d{{{{3}}}})+(?:\.\d+)?(?!\d)"
    r"|\d+(?:[.,·٫]\d+)?|[.·]\d+)"
    r"(?P<{0}exponent>[eE][+\-−]?\d{{1,4}}(?!\d)"
    r"| ?[×x·] ?10(?:\^[{{(]?[+\-−]?|[+\-−])\d{{1,4}}[)}}]?(?!\d))?"
    r"(?: ?(?P<{0}unit>%(?: ?points?\b)?|percent\b|‰|pp\b|p\.p\.|pts?\b|points?\b|[×x] ?100\b))?"
)
"""A number; white space around its parts is one blank at most. `{0}` begins the groups' names."""

Comma = Literal["decimal", "group"] | None
"""What a comma between digits is in this file; None where the file does not tell."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """One printed number."""

    text: str
    value: Decimal
    step: Decimal
    percent: bool = False
    signed: bool = False
    relation: Literal["", "<", ">", "~"] = ""
    span: tuple[int, int] = (0, 0)
    """Where it stands in the cell's text."""
    points: bool = False
    """Whether it is in percentage points: a difference."""
    unsure: bool = False
    """Whether its comma can be either: `58,333` where nothing else in the file tells."""

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


def quantity(found: re.Match[str], group: str, comma: Comma) -> Quantity | None:
    """Make a number of what the pattern found; None where it is too long or out of all bounds."""
    written = found[group + "digits"]
    digits = _plain_digits(written, comma)
    exponent = _exponent(found[group + "exponent"])
    if exponent is None or abs(exponent) > _MAX_EXPONENT or len(digits) > LONGEST:
        return None
    sign = found[group + "sign"] or ""
    try:
        value = Decimal(("-" if sign in {"-", "−", "–"} else "") + digits).scaleb(exponent)
    except InvalidOperation:
        return None
    step = Decimal(1).scaleb(exponent - len(digits.partition(".")[2]))
    unit = (found[group + "unit"] or "").replace(" ", "")
    if unit == "‰":
        value, step = value.scaleb(-1), step.scaleb(-1)
    start, end = _bounds(found, group)
    relation = found[group + "relation"] or ""
    points = unit.startswith(("pp", "p.p.", "pt", "point", "%point"))
    return Quantity(
        text=found.string[start:end].strip(),
        value=value,
        step=step,
        percent=bool(unit),
        signed=bool(sign),
        relation=_RELATIONS.get(relation, relation),  # type: ignore[arg-type] # as the pattern allows
        span=(start, end),
        points=points,
        unsure=comma is None and _is_open(written),
    )


def _bounds(found: re.Match[str], group: str) -> tuple[int, int]:
    start = min(
        at for one in ("relation", "sign", "digits") if (at := found.start(group + one)) >= 0
    )
    return start, max(found.end(group + one) for one in ("digits", "exponent", "unit"))


def _is_open(digits: str) -> bool:
    """Whether a comma may be a decimal one or group thousands: `58,333`, and not `0,733`."""
    head, comma, tail = digits.partition(",")
    return bool(comma) and tail.isdigit() and len(tail) == 3 and head.lstrip("0") == head != ""  # noqa: PLR2004 - digits of a group


def _plain_digits(digits: str, comma: Comma) -> str:
    """Undo digit grouping, and a decimal comma where it is one (`0,733`, `73,3`)."""
    digits = re.sub("[·٫]", ".", digits)
    digits = re.sub(f"[{_GROUP}]", "" if "," in digits else ",", digits)
    head, mark, tail = digits.partition(",")
    single = bool(mark) and tail.isdigit()
    if single and (comma == "decimal" or head in {"0", "00"} or len(tail) != 3):  # noqa: PLR2004 - digits of a group
        return f"{head}.{tail}"
    return digits.replace(",", "")


def _exponent(text: str | None) -> int | None:
    if not text:
        return 0
    found = re.search(r"([+\-−]?)(\d{1,4})[)}]?$", text)
    if found is None:
        return None
    return -int(found[2]) if found[1] in {"-", "−"} else int(found[2])


_POINT = re.compile(r"(?<![\d.,])\d{1,6}\.\d+(?![\d.,]*[.,]\d)|(?<![\d.,\w])\.\d+")
_COMMA = re.compile(r"(?<![\d.,])(?:0,\d+|\d{1,4},(?:\d{1,2}|\d{4,}))(?![\d.,]*\d)")


def convention(texts: list[str]) -> Comma:
    """Tell what a comma is from all numbers of a file: those that only one reading allows."""
    points = sum(_POINT.search(text) is not None for text in texts)
    commas = sum(_COMMA.search(text) is not None for text in texts)
    if points == commas:
        return None
    return "decimal" if commas > points else "group"
