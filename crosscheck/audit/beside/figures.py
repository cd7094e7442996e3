"""A value or a change with what stands beside it: in its cell, or in columns at its right."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

from crosscheck.audit.rates import interval
from crosscheck.audit.sizes import Size, Sizes, folds_in
from crosscheck.notation.interval import Interval
from crosscheck.notation.metric_names import folded

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from crosscheck.notation.claim import Claim

NAMES: Mapping[str, frozenset[str]] = {
    "sd": frozenset(("sd", "std", "stdev", "stddev", "standarddeviation", "stddeviation", "σ")),
    "se": frozenset(("se", "sem", "stderr", "stderror", "standarderror", "standarderrorofthemean")),
    "p": frozenset(("p", "pvalue", "pval", "pvalues", "pttest", "sigp")),
    "ci": frozenset(
        ("ci", "95%ci", "ci95", "ci95%", "95%confidenceinterval", "confidenceinterval")
    ),
}
"""What a column speaks of → its folded names."""
_ROLES = {"std": "sd", "ci_low": "low", "ci_high": "high", "p_value": "p"}
_ERROR = re.compile(r"standard errors?\b|\bSEM?\b|std\.? ?err", re.IGNORECASE)
_LEVEL = re.compile(r"(?P<level>\d\d(?:\.\d+)?) ?(?:%|per cent) ?(?:CI|confidence)", re.IGNORECASE)
_USUAL = "95"


@dataclass(slots=True)
class Figure:
    """One value or change; `beside` has its sd, se, low, high and p, as far as they are printed."""

    value: Claim
    beside: dict[str, Claim] = field(default_factory=dict)
    size: Size | None = None
    """How many queries it is over."""
    repeats: int | None = None
    """Over how many folds or seeds it is a mean."""

    def span(self, what: str) -> Interval | None:
        """Give what one of them can have been, on the scale of the value."""
        claim = self.beside.get(what)
        if claim is None or claim.number is None:
            return None
        if what == "p":
            return claim.number.interval
        known = claim.role != "unknown"
        span = interval(claim) if known else claim.number.scaled(percent=bool(self.value.percent))
        # A deviation that is printed as 0.000 is not below 0.
        return Interval(max(span.low, Fraction(0)), span.high) if what in {"sd", "se"} else span

    @property
    def level(self) -> str:
        """The percentage of its interval: what is said, else the usual."""
        low = self.beside.get("low")
        said = _LEVEL.search(f"{low.name} {low.label} {low.title}") if low else None
        return said["level"] if said else _USUAL

    @property
    def cells(self) -> tuple[Claim, ...]:
        """The value and all that stands beside it."""
        return (self.value, *self.beside.values())


def figures(claims: Sequence[Claim], sizes: Sizes, folds: int | None = None) -> list[Figure]:
    """Gather every value and change with its companions."""
    found: dict[tuple[object, ...], Figure] = {}
    lines: dict[tuple[object, ...], list[Figure]] = defaultdict(list)
    for claim in claims:
        if claim.key and claim.role in {"value", "improvement"} and claim.readable:
            repeats = folds or folds_in(claim)
            one = Figure(claim, size=sizes.behind(claim), repeats=repeats)
            found.setdefault((claim.role, *_place(claim)), one)
            for axis in (0, 1):
                lines[claim.file, claim.table, axis, claim.at[axis]].append(one)
    for claim in claims:
        _inside(claim, found)
    for claim in claims:
        _column(claim, lines, claims)
    return list(found.values())


def _place(claim: Claim) -> tuple[object, ...]:
    return claim.file, claim.table, claim.place, claim.at, claim.metric, claim.subject


def _inside(claim: Claim, found: Mapping[tuple[object, ...], Figure]) -> None:
    """Take what one cell prints with its number; a spread may be called an error."""
    what = _ROLES.get(claim.role)
    owner = found.get(("value", *_place(claim))) or found.get(("improvement", *_place(claim)))
    if what is None or owner is None or claim.number is None or claim.percent is None:
        return
    if what == "sd" and _ERROR.search(f"{claim.title} {claim.name}"):
        what = "se"
    owner.beside.setdefault(what, claim)


def _column(
    claim: Claim, lines: Mapping[tuple[object, ...], list[Figure]], claims: Sequence[Claim]
) -> None:
    """Take a column, or a row, that is called SD, SE, CI or p: it is of the metric before it."""
    name = folded(claim.name)
    what = next((kind for kind, names in NAMES.items() if name in names), "")
    if claim.role != "unknown" or not what or claim.number is None:
        return
    same = [
        c
        for c in claims
        if c.table == claim.table and c.file == claim.file and c.name == claim.name
    ]
    axis = 0 if len({c.at[1] for c in same}) == 1 else 1
    line = lines.get((claim.file, claim.table, axis, claim.at[axis]), ())
    before = [one for one in line if one.value.at[1 - axis] < claim.at[1 - axis]]
    if not before:
        return
    owner = max(before, key=lambda one: one.value.at[1 - axis])
    if what != "ci":
        owner.beside.setdefault(what, claim)
        return
    pair = [c for c in same if c.at == claim.at and c.number is not None]
    if len(pair) == 2:  # noqa: PLR2004 - an interval has two ends
        owner.beside.setdefault("low", pair[0])
        owner.beside.setdefault("high", pair[1])
