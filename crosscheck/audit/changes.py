"""Printed improvements, recomputed from the two cells they are between."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from typing import TYPE_CHECKING

from crosscheck.audit.verdicts import Tally
from crosscheck.claims.change import READINGS, Step, pairs, span
from crosscheck.notation.interval import Interval, short

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crosscheck.notation.claim import Claim

    Options = dict[tuple[str, str | None, str | None], Step]


def audit(claims: Sequence[Claim]) -> tuple[Tally, dict[Claim, Interval]]:
    """Audit all changes; besides, the cells they speak against with the values they imply."""
    tally = Tally()
    doubted: dict[Claim, Interval] = {}
    for column in _columns(claims):
        options = {claim: _options(claim, claims) for claim in column}
        reading = _reading(options)
        for claim, possible in options.items():
            if not possible:
                tally.reasons[claim] = "the two numbers it is between are not in the table"
                continue
            _judge(claim, possible, reading, tally, doubted)
    return tally, doubted


def _columns(claims: Sequence[Claim]) -> list[list[Claim]]:
    """Gather the changes that one row, one column or one system's brackets print."""
    found: dict[tuple[str, ...], list[Claim]] = defaultdict(list)
    for claim in claims:
        if claim.role == "improvement" and claim.number is not None:
            found[claim.beside].append(claim)
    return list(found.values())


def _options(claim: Claim, claims: Sequence[Claim]) -> Options:
    """List every reading of a change: kind, old system, new system."""
    steps: Options = {}
    for old, new in pairs(claim, claims):
        if old.percent is None or new.percent is None:
            continue
        for reading in READINGS:
            steps.setdefault((reading, old.system, new.system), Step(claim, old, new))
    return steps


def _fits(step: Step, reading: str) -> bool | None:
    """Say whether the printed change can be; None where the old value can be zero."""
    span_of = span(step.old.interval, step.new.interval, reading)
    number = step.claim.number
    if span_of is None or number is None:
        return None
    return number.interval.meets(span_of)


def _reading(options: dict[Claim, Options]) -> tuple[str, str | None, str | None]:
    """Choose the reading that fits most of the column; the contract's own wins when even."""
    scores: dict[tuple[str, str | None, str | None], int] = {}
    for steps in options.values():
        for reading, step in steps.items():
            scores[reading] = scores.get(reading, 0) + (_fits(step, reading[0]) is not False)
    return max(scores, key=lambda one: scores[one], default=("relative", None, None))


def _judge(
    claim: Claim,
    options: Options,
    reading: tuple[str, str | None, str | None],
    tally: Tally,
    doubted: dict[Claim, Interval],
) -> None:
    step = options.get(reading) or next(iter(options.values()))
    fits = _fits(step, reading[0])
    if fits is None:
        tally.reasons[claim] = "the baseline can be zero: a relative change is not defined"
        return
    tally.looked_at((claim, step.old, step.new))
    if fits:
        return
    allowed = span(step.old.interval, step.new.interval, reading[0])
    implied = _implied(step) if reading[0] == "relative" else None
    if implied is not None:
        doubted[step.new] = implied
    others = [
        f"{READINGS[kind]} from “{old}” to “{new}”"
        for (kind, old, new), other in options.items()
        if _fits(other, kind)
    ]
    between = f"{step.old.label} = {step.old.printed} and {step.new.label} = {step.new.printed}"
    unit = "%" if claim.percent else ""
    tally.found(
        "XC915",
        (step.old, step.new, claim),
        f"{claim.label} prints {claim.printed}, but {between} give "
        f"{_middle(allowed)}{unit} ({READINGS[reading[0]]})",
        f"{claim.label} between {_ends(allowed)}{unit}",
        tuple(others),
    )


def _implied(step: Step) -> Interval | None:
    """Give the new value that the old one and the printed change imply."""
    number = step.claim.number
    if number is None:
        return None
    return step.old.interval * (number.interval + Interval.of(100)).times(Fraction(1, 100))


def _middle(one: Interval | None) -> str:
    return "" if one is None else f"{float(one.low + one.high) / 2:+.2f}"


def _ends(one: Interval | None) -> str:
    return "" if one is None else f"{short(one.low, 3)} and {short(one.high, 3)}"
