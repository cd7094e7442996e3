"""Printed improvements, recomputed from the two cells they are between."""

from __future__ import annotations

from collections import defaultdict
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

from crosscheck.audit.subjects import direction
from crosscheck.audit.verdicts import Tally, exact
from crosscheck.claims.change import READINGS, Step, change, pairs, span
from crosscheck.notation.abbreviation import meant
from crosscheck.notation.interval import Interval, short
from crosscheck.notation.metric_names import folded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crosscheck.notation.claim import Claim

    Reading = tuple[str, str | None, str | None]
    Options = dict[Reading, Step]

OWN = "its own"
"""The new system of a change that stands beside it."""
_SHOWN = 4
_WORDS = {
    "relative": "100·({new} − {old})/{old}",
    "points": "100·({new} − {old})",
    "difference": "{new} − {old}",
    "of the new value": "100·({new} − {old})/{new}",
    "error reduction": "100·({new} − {old})/(1 − {old})",
}


def audit(claims: Sequence[Claim]) -> tuple[Tally, dict[Claim, Interval]]:
    """Audit all changes; besides, the cells they speak against with the values they imply."""
    tally = Tally()
    doubted: dict[Claim, Interval] = {}
    for column in _columns(claims):
        options = {claim: _options(claim, claims) for claim in column}
        reading = _reading(options)
        known = _known(options, reading)
        for claim, possible in options.items():
            if not possible:
                tally.reasons[claim] = (
                    "the two numbers it is between are not in the table, or one of them may be a "
                    "fraction or a percentage"
                )
            elif known is None:
                tally.reasons[claim] = (
                    "no two numbers of the table give this row or column of changes: they may be "
                    "against a number that stands elsewhere"
                )
            else:
                sure = known and not _is_abbreviated(claim, possible)
                _judge(claim, possible, reading, tally, doubted if sure else {}, known=sure)
    return tally, doubted


def _columns(claims: Sequence[Claim]) -> list[list[Claim]]:
    """Gather the changes that one row, one column or one system's brackets print."""
    found: dict[tuple[object, ...], list[Claim]] = defaultdict(list)
    for claim in claims:
        if claim.role == "improvement" and claim.number is not None:
            name = claim.name if claim.said and claim.said.change else ""
            found[claim.file, claim.table, claim.condition, name, *_line(claim)].append(claim)
    return list(found.values())


def _line(claim: Claim) -> tuple[object, ...]:
    """Tell changes apart that are not of one row or column: by their system where they have one."""
    return () if claim.system else (claim.at[0],)


def _options(claim: Claim, claims: Sequence[Claim]) -> Options:
    """List every reading of a change: kind, from what, to what.

    Where it stands beside a system, it is to that one; `from` is a name or a place in the table.
    """
    steps: Options = {}
    every = pairs(claim, claims)
    if any(None in (old.percent, new.percent) for old, new in every):
        return {}  # a cell that may be a fraction or a percentage can be the one that is meant
    if claim.against:
        named = meant(claim.against, (o.system for o, _ in every if o.system))
        every = [(o, n) for o, n in every if o.system == named]
    sizes = sorted({new.at for _, new in every})
    for reading in READINGS:
        for old, new in every:
            to = OWN if claim.system else new.system
            steps.setdefault((reading, old.system, to), Step(claim, old, new))
        for at in sizes:
            olds = [(old, new) for old, new in every if new.at == at]
            to = OWN if claim.system else olds[0][1].system
            best = max(olds, key=lambda pair: _worth(pair[0]))
            steps.setdefault((reading, "the best other", to), Step(claim, *best))
            before = [pair for pair in olds if pair[0].at < at]
            if before:
                last = max(before, key=lambda pair: pair[0].at)
                steps.setdefault((reading, "the previous", to), Step(claim, *last))
    return steps


def _is_abbreviated(claim: Claim, options: Options) -> bool:
    """Whether the system that a change is said to be against is called otherwise in the table."""
    return claim.against is not None and not any(
        folded(step.old.system or "") == folded(claim.against) for step in options.values()
    )


def _worth(claim: Claim) -> Decimal:
    return claim.number.value * (direction(claim) or 1) if claim.number else Decimal(0)


def _fits(step: Step, reading: str) -> bool | None:
    """Say whether the printed change can be; None where the old value can be zero."""
    span_of = span(step.old.interval, step.new.interval, reading)
    number = step.claim.number
    if span_of is None or number is None:
        return None
    return number.interval.meets(span_of)


def _reading(options: dict[Claim, Options]) -> Reading:
    """Choose the reading that fits most of the column; the contract's own wins when even."""
    scores: dict[Reading, int] = {}
    for steps in options.values():
        for reading, step in steps.items():
            scores[reading] = scores.get(reading, 0) + (_fits(step, reading[0]) is not False)
    return max(scores, key=lambda one: scores[one], default=("relative", None, None))


def _known(options: dict[Claim, Options], reading: Reading) -> bool | None:
    """Say whether the column is known to be read so; None where it fits too few to say anything.

    A lone change is known where only two cells can be meant, or its label names one of them.
    """
    given = [steps[reading] for steps in options.values() if reading in steps]
    right = sum(_fits(step, reading[0]) is not False for step in given)
    two = all(len({frozenset((s.old.at, s.new.at)) for s in steps.values()}) == 1
              for steps in options.values() if steps)  # fmt: skip
    if right * 2 > len(given) and right > 1:
        return True
    if two and right * 2 >= len(given) - 1:
        return True
    return False if two or any(claim.against for claim in options) else None


def _judge(
    claim: Claim,
    options: Options,
    reading: Reading,
    tally: Tally,
    doubted: dict[Claim, Interval],
    *,
    known: bool,
) -> None:
    step = options.get(reading) or next(iter(options.values()))
    fits = _fits(step, reading[0])
    if fits is None:
        tally.reasons[claim] = "the baseline can be zero: a relative change is not defined"
        return
    tally.looked_at((claim, step.old, step.new))
    allowed = span(step.old.interval, step.new.interval, reading[0])
    if fits or allowed is None or claim.number is None:
        return
    implied = _implied(step) if reading[0] == "relative" else None
    if implied is not None:
        doubted[step.new] = implied
    others = dict.fromkeys(
        f"{READINGS[kind]} from “{other.old.system}” to “{other.new.system}”"
        for (kind, _, _), other in options.items()
        if _fits(other, kind)
    )
    between = f"{step.old.label} = {step.old.printed} and {step.new.label} = {step.new.printed}"
    unit = "%" if claim.percent else ""
    tally.found(
        "XC915",
        (step.old, step.new, claim),
        f"{claim.label} prints {claim.printed}, but {between} give "
        f"{_middle(allowed)}{unit} ({READINGS[reading[0]]})",
        f"{claim.label} between {_ends(allowed)}{unit}",
        tuple(others)[:_SHOWN],
        worked=_worked(step, reading[0], above=claim.number.interval.low > allowed.high),
        only_if=""
        if known
        else f"it is the change from “{step.old.system}” to "
        f"“{step.new.system}”, counted as {READINGS[reading[0]]}",
    )


def _worked(step: Step, reading: str, *, above: bool) -> str:
    """Write the end of what the two cells allow, and the printed change beyond it."""
    number = step.claim.number
    if number is None:
        return ""
    old, new = step.old.interval, step.new.interval
    corners = [
        (_WORDS[reading].format(old=exact(o), new=exact(n)), change(o, n, reading))
        for o in (old.low, old.high)
        for n in (new.low, new.high)
    ]
    pick = max if above else min
    text, _ = pick(corners, key=lambda one: one[1])
    end = number.interval.low if above else number.interval.high
    return f"{text} {'<' if above else '>'} {exact(end)}"


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
