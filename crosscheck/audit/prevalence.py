"""One data set has one share of positives, and three rates of a binary classifier tell it.

With prevalence π, sensitivity R, precision P, specificity S and NPV N:
accuracy = 1 − π·(1 − R) − π·R·(1 − P)/P,   π/(1 − π) = P·(1 − S)/(R·(1 − P)),
accuracy = R·π + S·(1 − π),                  π/(1 − π) = S·(1 − N)/(N·(1 − R)).
Two of these in one row must agree; those of several systems on one data set should.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from typing import TYPE_CHECKING

from crosscheck.audit import subjects
from crosscheck.audit.rates import interval
from crosscheck.audit.verdicts import Tally, exact, listed
from crosscheck.notation.interval import UNIT, Interval, short

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from crosscheck.notation.claim import Claim

    Formula = Callable[..., Fraction | None]
    Cells = dict[str, Claim]


_FINE = Fraction(1, 1000)
"""Width of a printed F1 that is too fine to be a harmonic mean by chance."""
_FEW = 2


def _odds(above: Fraction, below: Fraction) -> Fraction | None:
    return above / (above + below) if above + below > 0 else None


def _by_accuracy(a: Fraction, p: Fraction, r: Fraction) -> Fraction | None:
    below = 1 - 2 * r + r / p if p else Fraction(0)
    return (1 - a) / below if below > 0 else None


def _by_specificity(p: Fraction, r: Fraction, s: Fraction) -> Fraction | None:
    return _odds(p * (1 - s), r * (1 - p))


def _by_npv(r: Fraction, s: Fraction, n: Fraction) -> Fraction | None:
    return _odds(s * (1 - n), n * (1 - r))


FORMULAS: dict[tuple[str, ...], tuple[Formula, str]] = {
    ("accuracy", "precision", "sensitivity"): (_by_accuracy, "(1 − {0})/(1 − 2·{2} + {2}/{1})"),
    ("precision", "sensitivity", "specificity"): (
        _by_specificity,
        "{0}·(1 − {2})/({0}·(1 − {2}) + {1}·(1 − {0}))",
    ),
    ("sensitivity", "specificity", "npv"): (
        _by_npv,
        "{1}·(1 − {2})/({1}·(1 − {2}) + {2}·(1 − {0}))",
    ),
}
"""Rates, the prevalence that they imply, and the same in words; monotone in each rate."""


@dataclass(frozen=True, slots=True)
class Share:
    """A prevalence that cells of one row imply, with the arithmetic of both ends."""

    cells: tuple[Claim, ...]
    span: Interval
    least: str
    most: str


def audit(claims: Sequence[Claim]) -> Tally:
    """Work out prevalences, within a row and across the systems of one data set."""
    tally = Tally()
    for some in subjects.of_table(claims).values():
        task = subjects.task(some)
        if task.several:
            continue
        rows = {place: _cells(row) for place, row in subjects.apart(some).items()}
        shares = {place: _shares(row) for place, row in rows.items()}
        for found in shares.values():
            _within(found, tally, binary=task.binary)
        counted = any({"tp", "fn"} <= row.keys() for row in rows.values())
        if not counted and (task.binary or _is_harmonic(list(rows.values()))):
            _across([found for found in shares.values() if found], tally)
    return tally


def _is_harmonic(rows: Sequence[Cells]) -> bool:
    """Whether F1 is the harmonic mean in every row, too often for averages over classes."""
    names = ("precision", "sensitivity", "f1")
    given = [[interval(row[n]) for n in names] for row in rows if all(n in row for n in names)]
    fine = [f for _, _, f in given if f.high - f.low <= _FINE]
    return len(fine) > _FEW and all(
        p.low + r.low > 0
        and 2 * p.low * r.low / (p.low + r.low) <= f.high
        and f.low <= 2 * p.high * r.high / (p.high + r.high)
        for p, r, f in given
    )


def _cells(row: Sequence[Claim]) -> Cells:
    """Give a row's rates; a false positive rate stands in for the specificity."""
    found: Cells = {}
    for claim in row:
        if subjects.is_pooled(claim) and claim.key and claim.key.split("|")[2] == "all":
            found.setdefault(claim.metric, claim)
    return found


def _rate(cells: Cells, name: str) -> tuple[Claim, Interval] | None:
    if name in cells:
        return cells[name], interval(cells[name])
    if name == "specificity" and "fpr" in cells:
        return cells["fpr"], Interval.of(1) - interval(cells["fpr"])
    return None


def _shares(cells: Cells) -> list[Share]:
    if _is_discovery(cells):
        return []
    found = []
    for names, (formula, words) in FORMULAS.items():
        rates = [_rate(cells, name) for name in names]
        given = [rate for rate in rates if rate is not None]
        if len(given) < len(names):
            continue
        share = _share(tuple(c for c, _ in given), [i for _, i in given], formula, words)
        if share is not None:
            found.append(share)
    return found


def _is_discovery(cells: Cells) -> bool:
    """Whether a false positive rate is one minus precision: `decisions` tells of that."""
    if not {"fpr", "precision"} <= cells.keys():
        return False
    return interval(cells["fpr"]).meets(Interval.of(1) - interval(cells["precision"]))


def _share(
    cells: tuple[Claim, ...], rates: list[Interval], formula: Formula, words: str
) -> Share | None:
    """Give the prevalences that the corners of the rates imply; None where one is undefined."""
    inside = [rate.cut(UNIT) for rate in rates]
    if any(rate is None for rate in inside):
        return None
    corners = list(product(*((i.low, i.high) for i in inside if i is not None)))
    values = [(formula(*corner), corner) for corner in corners]
    if any(value is None for value, _ in values):
        return None
    ranked = sorted((value, corner) for value, corner in values if value is not None)
    low, high = ranked[0], ranked[-1]
    span = Interval(max(low[0], Fraction(0)), high[0])
    return Share(cells, span, words.format(*map(exact, low[1])), words.format(*map(exact, high[1])))


def _within(found: list[Share], tally: Tally, *, binary: bool) -> None:
    """Compare the prevalences that one row implies in two ways."""
    for one, other in combinations(found, 2):
        tally.looked_at((*one.cells, *other.cells))
        if one.span.meets(other.span):
            continue
        low, high = sorted((one, other), key=lambda share: share.span.low)
        cells = tuple(dict.fromkeys((*low.cells, *high.cells)))
        tally.found(
            "XC922",
            cells,
            f"{listed(low.cells)} imply that {_percent(low)} are positive, {listed(high.cells)} "
            f"that {_percent(high)} are",
            "one share of positives",
            worked=f"{low.most} < {high.least}",
            only_if="" if binary else "the rates are of the positive class of one classifier",
        )
        return


def _across(rows: list[list[Share]], tally: Tally) -> None:
    """Compare systems that are said to be on one data set, one finding for each of these."""
    places: dict[tuple[str, ...], list[Share]] = defaultdict(list)
    for found in rows:
        places[subjects.context(found[0].cells[0])].append(found[0])
    for some in places.values():
        tally.looked_at(c for share in some for c in share.cells if len(some) > 1)
        common = _common(some)
        odd = [share for share in some if not share.span.meets(common)] if common else []
        if not odd or common is None or not _is_sure(len(some), len(odd), common):
            continue
        one = odd[0]
        near = next(share for share in some if share not in odd and not share.span.meets(one.span))
        low, high = sorted((one, near), key=lambda share: share.span.low)
        tally.found(
            "XC922",
            (*one.cells, *near.cells),
            f"{listed(one.cells)} imply that {_percent(one)} are positive; the other "
            f"{len(some) - len(odd)} rows imply {short(100 * common.low, 2)} to "
            f"{short(100 * common.high, 2)} %"
            if common
            else "",
            "one share of positives for one data set",
            worked=f"{low.most} < {high.least}",
            only_if="all rows are over the same queries, and the rates are of the positive class",
        )


def _is_sure(rows: int, odd: int, common: Interval) -> bool:
    """Whether so many rows agree so closely that they are over the same queries."""
    agreeing = rows - odd
    if agreeing > _FEW:
        return odd * 3 <= rows
    return agreeing == _FEW and odd == 1 and common.high - common.low <= 2 * _FINE


def _common(some: list[Share]) -> Interval | None:
    """Give the prevalences that most rows allow."""
    best: tuple[int, Interval] | None = None
    for share in some:
        point = Interval.of(share.span.low)
        held = [other for other in some if other.span.meets(point)]
        if len(held) > 1 and (best is None or len(held) > best[0]):
            low = max(other.span.low for other in held)
            high = min(other.span.high for other in held)
            best = len(held), Interval(low, high)
    return best[1] if best else None


def _percent(share: Share) -> str:
    return f"{short(100 * share.span.low, 2)} to {short(100 * share.span.high, 2)} %"
