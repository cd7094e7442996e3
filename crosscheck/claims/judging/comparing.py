"""Claims about two systems or more, against the ledgers and the comparison.

Changes, p-values, “significantly better”, “the best”: what a table or a sentence says about one
system beside another. Significance is judged by the permutation test after Holm's correction.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from crosscheck.claims import change
from crosscheck.claims.judging.outcome import ClaimOutcome, holds, unverified
from crosscheck.contract import load
from crosscheck.model.ledgers import relative_difference
from crosscheck.notation.interval import Interval
from crosscheck.notation.metric_names import folded

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from crosscheck.model.comparison import Comparison, ComparisonRow
    from crosscheck.notation.claim import Claim

    Ledger = Mapping[str, int | float]
    Reading = tuple[str, str]

LEVEL = 0.05
"""Below this, a difference is called significant."""
SLACK = Fraction(1, 10**12)


def improvement(
    claim: Claim, claims: Sequence[Claim], ledgers: Mapping[str, Ledger]
) -> ClaimOutcome:
    """Recompute a change, read in the way that fits most changes of its row or column."""
    own = _options(claim, claims, ledgers)
    if not own:
        return unverified(
            claim, "the two systems behind this change are not both in the run", claim.key
        )
    beside = [
        other
        for other in claims
        if other.role == "improvement" and other.beside == claim.beside and other.number is not None
    ]
    votes: dict[Reading, int] = {}
    for other in beside:
        for reading, value in _options(other, claims, ledgers).items():
            votes[reading] = votes.get(reading, 0) + _fits(other, value)
    order = list(own)
    best = max(order, key=lambda one: (votes.get(one, 0), -order.index(one)))
    kind, how = best
    value = own[best]
    said = f"{value:+.4f} ({change.READINGS[kind]}, against the {how})"
    if _fits(claim, value):
        if claim.prose and value * _direction(claim.metric) < 0:
            return unverified(claim, f"only its size fits: the data give {said}", claim.key)
        return holds(claim, claim.key, value, f" = {claim.printed} holds: {said}")
    claimed = float(claim.number.value) if claim.number is not None else math.nan
    return ClaimOutcome(
        claim,
        "wrong",
        f"{claim.label} is printed as {claim.printed}; the data give {said}",
        claim.key,
        claim.printed,
        value,
        relative_difference(claimed, value),
    )


def _options(
    claim: Claim, claims: Sequence[Claim], ledgers: Mapping[str, Ledger]
) -> dict[Reading, float]:
    """Give what each reading of a change comes out as."""
    values = {folded(name): ledger for name, ledger in ledgers.items()}
    found: dict[Reading, float] = {}
    for how, key, before, after in _pairs(claim, claims, ledgers):
        first, second = values.get(folded(before)), values.get(folded(after))
        if first is None or second is None or key not in first or key not in second:
            continue
        for kind in change.kinds(claim):
            span = change.span(Interval.of(first[key]), Interval.of(second[key]), kind)
            if span is not None:
                found.setdefault((kind, how), float(span.low))
    return found


def _pairs(
    claim: Claim, claims: Sequence[Claim], ledgers: Mapping[str, Ledger]
) -> list[tuple[str, str, str, str]]:
    """List how, key, old and new system of a change: from its table, or from its sentence."""
    if not claim.prose:
        return [
            (how, old.key or "", old.system or "", new.system or "")
            for how, old, new in change.rivals(claim, claims)
        ]
    others = [name for name in ledgers if folded(name) != folded(claim.system or "")]
    old = claim.against or (others[0] if len(others) == 1 else "")
    stem = (claim.key or "").rpartition("|")[0]
    return [("other", f"{stem}|{one}", old, claim.system or "") for one in ("mean", "value")]


def _fits(claim: Claim, value: float) -> bool:
    number = claim.number
    if number is None:
        return False
    exact = Fraction(value)
    slack = SLACK * max(Fraction(1), abs(exact))
    interval = number.interval.wider(slack)
    if number.relation == "<":
        return exact <= interval.high
    if number.relation == ">":
        return exact >= interval.low
    # A drop is often printed without its sign.
    return interval.holds(exact) or (not number.signed and interval.holds(-exact))


def p_value(claim: Claim, comparison: Comparison | None) -> ClaimOutcome:
    """Hold a printed p-value against the permutation test, after Holm's correction."""
    row, why = _row(claim, comparison)
    if row is None or row.p is None or row.p_holm is None or claim.number is None:
        return unverified(claim, why or "no test was made of this difference", claim.key)
    printed = claim.number
    said = f"p = {row.p_holm:.4f} after Holm’s correction (p = {row.p:.4f} without)"
    if printed.relation == "<":
        fits = row.p_holm < float(printed.value)
    elif printed.relation == ">":
        fits = row.p_holm > float(printed.value)
    else:
        resamples = comparison.resamples if comparison else 0
        fits = any(_near(printed.interval, p, resamples) for p in (row.p_holm, row.p))
    if fits:
        return holds(claim, claim.key, row.p_holm, f": p {claim.printed} holds: {said}")
    sentence = f"{claim.label}: p {claim.printed} is claimed; the data give {said}"
    return ClaimOutcome(claim, "wrong", sentence, claim.key, claim.printed, row.p_holm, None)


def _near(printed: Interval, p: float, resamples: int) -> bool:
    """Whether a p-value can come from other permutations of the same test: four standard errors."""
    error = 4 * math.sqrt(max(p * (1 - p), 0.0) / resamples) if resamples else 0.0
    return printed.wider(Fraction(error)).holds(Fraction(p))


def significant(claim: Claim, comparison: Comparison | None) -> ClaimOutcome:
    """Judge “significantly better”: the right direction, and p below 0.05 after Holm."""
    row, why = _row(claim, comparison)
    if row is None or row.p_holm is None or row.difference is None:
        return unverified(claim, why or "no test was made of this difference", claim.key)
    better = row.difference * _direction(claim.metric) > 0
    said = f"difference {row.difference:+.4f} against {row.baseline}, p = {row.p_holm:.4f}"
    if better and row.p_holm < LEVEL:
        return holds(claim, claim.key, row.p_holm, f": “{claim.printed}” holds: {said}")
    sentence = f"“{claim.printed}” is claimed; the data give a {said} after Holm’s correction"
    return ClaimOutcome(claim, "wrong", sentence, claim.key, claim.printed, row.p_holm, None)


def best(claim: Claim, ledgers: Mapping[str, Ledger]) -> ClaimOutcome:
    """Judge who is best, or second: among all systems of the run."""
    key = claim.key or ""
    among = {folded(name) for name in claim.rivals or ledgers}
    values = {
        name: ledger[key]
        for name, ledger in ledgers.items()
        if key in ledger and folded(name) in among
    }
    own = next((name for name in values if folded(name) == folded(claim.system or "")), None)
    if own is None or len(values) < 2:  # noqa: PLR2004 - nobody to be better than
        return unverified(claim, "there are no two systems of the run to compare", claim.key)
    sign = _direction(claim.metric)
    if not sign:
        return unverified(claim, f"neither more nor less {claim.metric} is better", claim.key)
    # Two that print alike are equally good.
    step = float(claim.number.step) / (100 if claim.percent else 1) if claim.number else 0.0
    others = {sign * value for name, value in values.items() if name != own}
    ahead = sum(value > sign * values[own] + step for value in others)
    near = sum(value > sign * values[own] - step for value in others)
    wanted = 2 if claim.role == "second" else 1
    ordered = sorted(values.items(), key=lambda one: -sign * one[1])
    said = ", ".join(f"{name} {value:.6f}" for name, value in ordered)
    if 1 + ahead <= wanted <= 1 + max(near, ahead):
        return holds(claim, claim.key, values[own], f": “{claim.printed}” holds: {said}")
    sentence = f"{claim.label}: “{claim.printed}” is claimed of {own}; the data give {said}"
    return ClaimOutcome(claim, "wrong", sentence, claim.key, claim.printed, values[own], None)


def better(claim: Claim, ledgers: Mapping[str, Ledger]) -> ClaimOutcome:
    """Judge “better than X”: the sign of the difference alone."""
    key = claim.key or ""
    values = {folded(name): ledger[key] for name, ledger in ledgers.items() if key in ledger}
    own, other = values.get(folded(claim.system or "")), values.get(folded(claim.against or ""))
    if own is None or other is None:
        return unverified(claim, "the two systems are not both in the run", claim.key)
    said = f"{own:.6f} against {other:.6f}"
    if (own - other) * _direction(claim.metric) > 0:
        return holds(claim, claim.key, own, f": “{claim.printed}” holds: {said}")
    sentence = f"“{claim.printed}” is claimed; the data give {said}"
    return ClaimOutcome(claim, "wrong", sentence, claim.key, claim.printed, own, None)


def _row(claim: Claim, comparison: Comparison | None) -> tuple[ComparisonRow | None, str]:
    """Find the comparison that a claim speaks of, or say why there is none."""
    if comparison is None:
        return None, "no systems are compared in this run: give both under [systems]"
    stem = "|".join((claim.key or "").split("|")[:2])
    rows = [
        row
        for row in comparison.rows
        if row.key.startswith(f"{stem}|")
        and row.difference is not None
        and folded(row.system) == folded(claim.system or row.system)
        and (not claim.against or folded(row.baseline) == folded(claim.against))
    ]
    if len(rows) == 1:
        return rows[0], ""
    if not rows:
        named = claim.system or "these systems"
        return None, f"the run does not compare {named} by {claim.metric}"
    return None, "it is not said which of the compared systems is meant"


def _direction(metric: str) -> int:
    """Say whether more of a metric is better (1), or less (-1), or neither (0)."""
    found = load().find(metric)
    return {"higher": 1, "lower": -1}.get(found.metric.direction, 0) if found else 0
