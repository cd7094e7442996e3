"""Claims against a ledger: a claim holds if the recomputed value rounds to what is printed.

Half-even and half-up are both accepted, percent or fraction, so the test is whether the value
lies within half a unit of the last printed digit. More digits than section 11.3 calls exact
(1e-9) claim no more than that. Interval ends come from somebody else's resamples and may differ
from ours by what resampling itself varies.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Literal

from crosscheck.claims import change
from crosscheck.claims.metric_names import folded
from crosscheck.contract import load
from crosscheck.model.ledgers import relative_difference

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from crosscheck.claims.claim import Claim
    from crosscheck.claims.number import Quantity

    Ledger = Mapping[str, int | float]

NOISE = Fraction(1, 10**12)
"""What the ledger's own arithmetic may be off by."""
RESAMPLING = 0.04
"""Of an interval's width: four standard errors of the difference between two 95 % percentile ends
from 10,000 resamples each (0.0267 σ for one end, width 3.92 σ)."""


@dataclass(frozen=True, slots=True)
class ClaimOutcome:
    """What became of a claim."""

    claim: Claim
    status: Literal["holds", "wrong", "unverified"]
    sentence: str
    key: str | None = None
    claimed: str = ""
    computed: float | None = None
    distance: float | None = None
    """Relative difference, as in section 11.3."""
    tolerated: bool = False
    """Wrong, but inside the contract's tolerance, which would have let it through."""


def verify(
    claims: Sequence[Claim],
    ledger: Ledger,
    *,
    system: str | None = None,
    rankings: Sequence[str] = (),
    ledgers: Mapping[str, Ledger] | None = None,
) -> list[ClaimOutcome]:
    """Check the claims that belong to `system`; `ledgers` of other systems serve improvements."""
    known = list(rankings) or ([system] if system else [])
    named = {folded(claim.system): claim.system for claim in claims if claim.system}
    outcomes = []
    for claim in claims:
        owner = _owner(claim, known, len(named))
        if owner == "other" and (system is None or folded(known[0]) == folded(system)):
            outcomes.append(_stranger(claim, known))
        elif owner != "other" and (owner is None or system is None or owner == folded(system)):
            if owner is None and system and known and folded(known[0]) != folded(system):
                continue  # a claim about no system in particular is checked once, with the first
            outcomes.append(_checked(claim, claims, ledger, ledgers or {}))
    return outcomes


def _owner(claim: Claim, known: list[str], named: int) -> str | None:
    """Give the folded name of the ranking that a claim belongs to; None: to any."""
    if claim.system is None:
        return None
    parts = {folded(part) for part in claim.system.split(" / ")} | {folded(claim.system)}
    for ranking in known:
        if folded(ranking) in parts:
            return folded(ranking)
    # One system in the file and one in the run: they are each other's.
    return None if named == 1 and len(known) <= 1 else "other"


def _stranger(claim: Claim, known: list[str]) -> ClaimOutcome:
    rankings = ", ".join(known) or "none is named"
    return _unverified(
        claim,
        f"belongs to “{claim.system}”, which is no ranking of this run ({rankings}); "
        f"name it with --ranking or under [systems]",
    )


def _checked(
    claim: Claim, claims: Sequence[Claim], ledger: Ledger, ledgers: Mapping[str, Ledger]
) -> ClaimOutcome:
    if claim.role == "setting":
        return _setting(claim)
    if claim.key is None or claim.number is None:
        hint = f"; perhaps {' or '.join(claim.suggestions)}" if claim.suggestions else ""
        return _unverified(claim, f"{claim.problem}{hint}")
    if claim.number.relation == "~":
        return _unverified(claim, "printed as approximate: nothing exact is claimed")
    if claim.role == "improvement":
        return _improvement(claim, claims, ledgers)
    if claim.role in {"ci_low", "ci_high"}:
        return _interval(claim, ledger)
    return _value(claim, claim.key, ledger)


def _value(claim: Claim, key: str, ledger: Ledger) -> ClaimOutcome:
    if key not in ledger:
        return _unverified(claim, f"the data give no {key}; {why_absent(key, ledger)}", key)
    computed = ledger[key]
    if rounds(claim, computed):
        return _holds(claim, key, computed, f" = {claim.printed} holds: {_shown(computed)}")
    return _wrong(claim, key, computed)


def _holds(claim: Claim, key: str | None, computed: float, how: str) -> ClaimOutcome:
    sentence = f"{claim.label}{how}"
    return ClaimOutcome(claim, "holds", sentence, key, claim.printed, computed, 0.0)


def rounds(claim: Claim, computed: float) -> bool:
    """Say whether a recomputed value rounds to what the claim prints."""
    number = claim.number
    if number is None or not math.isfinite(computed):
        return False
    scales = (True, False) if claim.percent is None else (claim.percent,)
    return any(fits(number, computed, percent=scale) for scale in scales)


def fits(number: Quantity, computed: float, *, percent: bool) -> bool:
    """Say whether a value rounds to a printed number."""
    interval = number.scaled(percent=percent)
    value = Fraction(computed)
    slack = NOISE * max(Fraction(1), abs(value))
    if number.relation == "<":
        return value <= interval.high + slack
    if number.relation == ">":
        return value >= interval.low - slack
    return interval.wider(slack).holds(value)


def claimed_value(claim: Claim) -> float:
    """Give the claimed number as a fraction of one where it is in percent."""
    if claim.number is None:
        return math.nan
    return float(claim.number.value) / (100 if claim.percent else 1)


def _wrong(claim: Claim, key: str, computed: float) -> ClaimOutcome:
    distance = relative_difference(claimed_value(claim), computed)
    tolerance = float(load().defaults["tolerance"])
    tolerated = distance < tolerance and load().kind_of(_base(key)) != "integer"
    through = (
        f"; the contract’s tolerance of {tolerance:.0%} between witnesses would have let it through"
        if tolerated
        else ""
    )
    return ClaimOutcome(
        claim,
        "wrong",
        f"{claim.label} is printed as {claim.printed}; the data give {_shown(computed)}, "
        f"{distance:.2%} off{through}",
        key,
        claim.printed,
        computed,
        distance,
        tolerated,
    )


def _base(key: str) -> str:
    return key.replace("|improvement", "|mean")


def _interval(claim: Claim, ledger: Ledger) -> ClaimOutcome:
    """Hold an interval's end against every unit and method that the contract has."""
    prefix = f"{claim.key}/"
    ends = {key: value for key, value in ledger.items() if key.startswith(prefix)}
    if not ends:
        return _unverified(claim, f"the data give no interval {claim.key}", claim.key)
    for key, value in ends.items():
        if rounds(claim, value):
            how = key.rpartition("|")[2].partition("/")[2].replace("/", ", ")
            return _holds(claim, key, value, f": {claim.printed} holds ({how})")
    for key, value in ends.items():
        if _within_resampling(claim, key, value, ledger):
            end = f"{_shown(value)} ({key.rpartition('|')[2]})"
            near = f": {claim.printed} is within what resampling varies of {end}"
            return _holds(claim, key, value, near)
    key = next(iter(ends))
    return _wrong(claim, key, ends[key])


def _within_resampling(claim: Claim, key: str, value: float, ledger: Ledger) -> bool:
    low = "|ci_low/" in key
    other = key.replace("ci_low", "ci_high") if low else key.replace("ci_high", "ci_low")
    if other not in ledger or claim.number is None:
        return False
    width = Fraction(abs(ledger[other] - value)) * Fraction(RESAMPLING)
    return claim.number.scaled(percent=bool(claim.percent)).wider(width).holds(value)


def _improvement(
    claim: Claim, claims: Sequence[Claim], ledgers: Mapping[str, Ledger]
) -> ClaimOutcome:
    """Recompute a relative change from the two systems' ledgers."""
    values = {folded(name): ledger for name, ledger in ledgers.items()}
    pairs = change.pairs(claim, claims)
    tried = []
    for base, new in pairs:
        if base.key is None or base.system is None or new.system is None:
            continue
        old, fresh = values.get(folded(base.system)), values.get(folded(new.system))
        if old is None or fresh is None or base.key not in old or base.key not in fresh:
            continue
        if old[base.key] == 0:
            return _unverified(
                claim, f"the baseline “{base.system}” is 0: no relative change", claim.key
            )
        tried.append(100 * (fresh[base.key] - old[base.key]) / old[base.key])
    if not tried:
        return _unverified(
            claim, "the two systems behind this change are not both in the run", claim.key
        )
    number = claim.number
    for value in tried:
        if number is not None and fits(number, value, percent=False):
            return _holds(claim, claim.key, value, f" = {claim.printed} holds: {value:+.4f} %")
    claimed = float(number.value) if number is not None else math.nan
    return ClaimOutcome(
        claim,
        "wrong",
        f"{claim.label} is printed as {claim.printed}; the data give {tried[0]:+.4f} %",
        claim.key,
        claim.printed,
        tried[0],
        relative_difference(claimed, tried[0]),
    )


def _setting(claim: Claim) -> ClaimOutcome:
    """Check a stated setting against what the numbers beside it are nested under."""
    name, stated = claim.label.lower(), claim.printed.strip().lower()
    said = {
        "skip_no_positives": {"true": "positives_only", "false": "all_queries"},
        "eval_mode": {p: p for p in ("positives_only", "all_queries")} | {"dual": "both"},
        "eval_split": _split_names(),
    }[name].get(stated)
    if said is None:
        return _unverified(claim, f"the setting {name} = {claim.printed} is not one that is known")
    if name == "eval_split":
        holds, meant = said == "EVAL", "every number is over the EVAL (TEST) rows"
    else:
        holds = claim.key is None or said in {"both", claim.key}
        meant = f"the numbers beside it are nested under {claim.key}"
    status: Literal["holds", "wrong"] = "holds" if holds else "wrong"
    verb = "agrees" if holds else "does not agree"
    return ClaimOutcome(
        claim, status, f"the setting {name} = {claim.printed} means {said} and {verb}: {meant}"
    )


def _split_names() -> dict[str, str]:
    return {n.lower(): split.name for split in load().splits for n in (split.name, *split.also)}


def _unverified(claim: Claim, why: str, key: str | None = None) -> ClaimOutcome:
    return ClaimOutcome(
        claim,
        "unverified",
        f"{claim.label} = {claim.printed}: {why}",
        key or claim.key,
        claim.printed,
    )


def why_absent(key: str, ledger: Ledger) -> str:
    """Say why a ledger lacks a key."""
    metric, population, where, _ = key.split("|")
    if where.startswith("fold") and not any("|folds|" in known for known in ledger):
        return "there is no fold column"
    if any(known.startswith(f"{metric}|{population}|") for known in ledger):
        return f"it is known for other slices and statistics than {where}"
    return "its columns are missing, or its parameter is not among the settings"


def _shown(value: float) -> str:
    return f"{value}" if isinstance(value, int) else f"{value:.6f}"
