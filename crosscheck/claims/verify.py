"""Claims against a ledger: a claim holds if the recomputed value rounds to what is printed.

Half-even and half-up are both accepted, percent or fraction, so the test is whether the value
lies within half a unit of the last printed digit. More digits than section 11.3 calls exact
(1e-9) claim no more than that; so few that half of all values round to them claim nothing.
Interval ends come from somebody else's resamples and may differ from ours by what resampling itself
varies.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Literal

from crosscheck.claims.judging import comparing
from crosscheck.claims.judging.belonging import File, located, owner, split_of, spoken, unknown
from crosscheck.claims.judging.outcome import ClaimOutcome, holds, shown, unverified
from crosscheck.claims.judging.plain import not_plain
from crosscheck.contract import load
from crosscheck.model.ledgers import relative_difference
from crosscheck.notation import word_lists as lists
from crosscheck.notation.metric_names import folded

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from crosscheck.model.comparison import Comparison
    from crosscheck.notation.claim import Claim
    from crosscheck.notation.quantity import Quantity

    Ledger = Mapping[str, int | float]

__all__ = ["ClaimOutcome", "Run", "claimed_value", "fits", "rounds", "verify", "why_absent"]

NOISE = Fraction(1, 10**12)
"""What the ledger's own arithmetic may be off by."""
RESAMPLING = 0.04
"""Of an interval's width: four standard errors of the difference between two 95 % percentile ends
from 10,000 resamples each (0.0267 σ for one end, width 3.92 σ)."""
COARSEST = Fraction(1, 2)
"""Of a metric's range: a print whose last digit is worth as much claims nothing."""


@dataclass(frozen=True)
class Run:
    """What a run knows besides one system's ledger."""

    ledgers: Mapping[str, Ledger] = field(default_factory=dict)
    comparison: Comparison | None = None
    has_splits: bool = True
    """Whether the data say which rows are EVAL."""


def verify(
    claims: Sequence[Claim],
    ledger: Ledger,
    *,
    system: str | None = None,
    rankings: Sequence[str] = (),
    ledgers: Mapping[str, Ledger] | None = None,
    run: Run | None = None,
    own: bool = False,
) -> list[ClaimOutcome]:
    """Check the claims that belong to `system`; `ledgers` of other systems serve improvements.

    `own`: the claims are this system's alone, so one that names no system is about it.
    """
    known = list(rankings) or ([system] if system else [])
    run = run or Run(ledgers or {})
    claims = [unknown(spoken(claim, known)) for claim in claims]
    bench = _Bench(claims, ledger, run, File.of(claims), known)
    first = system is None or not known or folded(known[0]) == folded(system)
    outcomes = []
    rankings_known = {folded(name) for name in known}
    for claim in claims:
        if any(folded(name) not in rankings_known for name in claim.rivals):
            continue  # who is best among systems that the run does not have, it cannot say
        whose = owner(claim, known, bench.file)
        if whose.why:
            if own or first:
                outcomes.append(_passed(claim) or unverified(claim, whose.why))
        elif whose.system is None or system is None:
            # A claim about no system in particular is checked once, with the first.
            if own or first:
                outcomes.append(bench.checked(claim))
        elif folded(whose.system) == folded(system):
            outcomes.append(bench.checked(claim))
        elif own:
            outcomes.append(unverified(claim, f"it is about {whose.system}, in a file of {system}"))
    return outcomes


def _passed(claim: Claim) -> ClaimOutcome | None:
    if not claim.passed:
        return None
    sentence = f"{claim.label} = {claim.printed}: {claim.passed}"
    return ClaimOutcome(claim, "ignored", sentence, claim.key, claim.printed)


@dataclass(frozen=True)
class _Bench:
    """What the claims of one file are held against."""

    claims: Sequence[Claim]
    ledger: Ledger
    run: Run
    file: File
    known: Sequence[str]

    def checked(self, claim: Claim) -> ClaimOutcome:
        """Check one claim that belongs here."""
        let_pass = _passed(claim)
        if let_pass is not None:
            return let_pass
        if claim.role == "setting":
            return _setting(claim, has_splits=self.run.has_splits)
        unclear = not_plain(claim, self.known)
        if unclear:
            return unverified(claim, unclear)
        claim = self._repeated(self._only_reading(claim))
        claim, strange = located(claim, self.ledger, self.file, self.known)
        why, advice = split_of(claim, self.file, has_splits=self.run.has_splits)
        if strange or why:
            return unverified(claim, strange or why)
        return replace(self._judged(claim), advice=advice)

    def _only_reading(self, claim: Claim) -> Claim:
        """Take an ambiguous name for the one thing that it can mean on these data."""
        there = [key for key in claim.candidates if key in self.ledger]
        if claim.key is not None or len(there) != 1 or claim.number is None:
            return claim
        return replace(claim, key=there[0], role="value")

    def _repeated(self, claim: Claim) -> Claim:
        """Settle which repetitions are meant, where the claim does not say and the data do.

        A spread is over seeds where the data have seeds and no folds; the one seed that a file
        names is a setting of the run where the data have none.
        """
        key = claim.key or ""
        over_seeds = key.replace("|folds|", "|seeds|")
        if not claim.over and key not in self.ledger and over_seeds in self.ledger:
            return replace(claim, key=over_seeds, over="seeds")
        where = key.split("|")[2] if key else ""
        alone = where.startswith("seed=") and self.file.seeds == {where}
        if alone and not any("|seed=" in known for known in self.ledger):
            return replace(claim, key=key.replace(f"|{where}|", "|all|"))
        return claim

    def _judged(self, claim: Claim) -> ClaimOutcome:
        if claim.role in {"best", "second"}:
            return comparing.best(claim, self.run.ledgers)
        if claim.role == "better":
            return comparing.better(claim, self.run.ledgers)
        if claim.role == "significant":
            return comparing.significant(claim, self.run.comparison)
        if claim.key is None or claim.number is None:
            hint = f"; perhaps {' or '.join(claim.suggestions)}" if claim.suggestions else ""
            return unverified(claim, f"{claim.problem}{hint}")
        if claim.number.relation == "~":
            return unverified(claim, "printed as approximate: nothing exact is claimed")
        if claim.role == "improvement":
            return comparing.improvement(claim, self.claims, self.run.ledgers)
        if claim.role == "p_value":
            return comparing.p_value(claim, self.run.comparison)
        if claim.role in {"ci_low", "ci_high"}:
            return _interval(claim, self.ledger)
        return _value(claim, claim.key, self.ledger)


def _value(claim: Claim, key: str, ledger: Ledger) -> ClaimOutcome:
    if key not in ledger:
        why = f"the data give no {key}; {why_absent(key, ledger)}"
        return unverified(replace(claim, suggestions=_variants(key, ledger)), why, key)
    computed = ledger[key]
    if not rounds(claim, computed):
        return _open(claim, key, ledger) or _wrong(claim, key, computed)
    if _is_coarse(claim, key) and claimed_value(claim) != computed:
        return unverified(
            claim,
            "it is printed with so few digits that half of all possible values round to it; "
            f"print more (the data give {shown(computed)})",
            key,
        )
    return holds(claim, key, computed, f" = {claim.printed} holds: {shown(computed)}")


def _is_coarse(claim: Claim, key: str) -> bool:
    """Whether the last printed digit is worth half the metric's range, or more."""
    span = load().range_of(key)
    if claim.number is None or not math.isfinite(span.high - span.low) or span.high <= span.low:
        return False
    step = Fraction(claim.number.step) / (100 if claim.percent else 1)
    return step >= COARSEST * Fraction(span.high - span.low)


def _open(claim: Claim, key: str, ledger: Ledger) -> ClaimOutcome | None:
    """Leave a number open that may be of something else: an n beside a metric, a bare spread."""
    if claim.role == "count" and claim.said is not None and claim.said.metric:
        said = f"the data have {shown(ledger[key])} ({key.split('|')[1]})"
        return unverified(claim, f"what this n counts is not said; {said}", key)
    seeds = key.replace("|folds|", "|seeds|")
    if claim.over or seeds == key or seeds not in ledger:
        return None
    why = "whether it is over folds or over seeds is not said, and the data have both"
    return unverified(claim, why, key)


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
    tolerated = distance < tolerance and load().kind_of(key) != "integer"
    through = (
        f"; the contract’s tolerance of {tolerance:.0%} between witnesses would have let it through"
        if tolerated
        else ""
    )
    return ClaimOutcome(
        claim,
        "wrong",
        f"{claim.label} is printed as {claim.printed}; the data give {shown(computed)}, "
        f"{distance:.2%} off{through}",
        key,
        claim.printed,
        computed,
        distance,
        tolerated,
    )


def _interval(claim: Claim, ledger: Ledger) -> ClaimOutcome:
    """Hold an interval's end against every unit and method that the contract has.

    Where the numbers around it are means over folds, it may be of the mean or of the pooled value.
    """
    pooled = f"{claim.key}/"
    over = pooled.replace("|all|", f"|{claim.over or 'folds'}|") if claim.over_folds else pooled
    ends = {
        key: value
        for prefix in dict.fromkeys((over, pooled))
        for key, value in ledger.items()
        if key.startswith(prefix)
    }
    if not ends:
        return unverified(claim, f"the data give no interval {claim.key}", claim.key)
    for key, value in ends.items():
        if rounds(claim, value):
            how = key.rpartition("|")[2].partition("/")[2].replace("/", ", ")
            return holds(claim, key, value, f": {claim.printed} holds ({how})")
    for key, value in ends.items():
        if _within_resampling(claim, key, value, ledger):
            end = f"{shown(value)} ({key.rpartition('|')[2]})"
            near = f": {claim.printed} is within what resampling varies of {end}"
            return holds(claim, key, value, near)
    key = next(iter(ends))
    return _wrong(claim, key, ends[key])


def _within_resampling(claim: Claim, key: str, value: float, ledger: Ledger) -> bool:
    low = "|ci_low/" in key
    other = key.replace("ci_low", "ci_high") if low else key.replace("ci_high", "ci_low")
    if other not in ledger or claim.number is None:
        return False
    width = Fraction(abs(ledger[other] - value)) * Fraction(RESAMPLING)
    return claim.number.scaled(percent=bool(claim.percent)).wider(width).holds(value)


def _setting(claim: Claim, *, has_splits: bool) -> ClaimOutcome:
    """Check a stated setting against what the numbers beside it are nested under."""
    name, stated = claim.label.lower(), folded(claim.printed)
    if name in {"eval_split", "split"}:
        return _split(claim, lists.splits().get(stated), has_splits=has_splits)
    over = {p: p for p in ("positives_only", "all_queries")}
    said = {
        "skip_no_positives": {"true": "positives_only", "false": "all_queries"},
        "eval_mode": {folded(p): p for p in over} | {"dual": "both"},
    }[name].get(stated)
    if said is None:
        return unverified(claim, f"the setting {name} = {claim.printed} is not one that is known")
    agrees = claim.key is None or said in {"both", claim.key}
    status: Literal["holds", "wrong"] = "holds" if agrees else "wrong"
    verb = "agrees" if agrees else "does not agree"
    meant = f"the numbers beside it are nested under {claim.key}"
    return ClaimOutcome(
        claim, status, f"the setting {name} = {claim.printed} means {said} and {verb}: {meant}"
    )


def _split(claim: Claim, said: str | None, *, has_splits: bool) -> ClaimOutcome:
    """Check a stated split: of data without a split column it says which their rows are."""
    setting = f"the setting {claim.label} = {claim.printed}"
    if said is None:
        return unverified(claim, f"{setting} is not one that is known")
    if said == "EVAL":
        meant = "every number is over the EVAL (TEST) rows"
        return ClaimOutcome(claim, "holds", f"{setting} means {said} and agrees: {meant}")
    if has_splits:
        meant = "every number is over the EVAL (TEST) rows"
        return ClaimOutcome(claim, "wrong", f"{setting} means {said} and does not agree: {meant}")
    advice = f"{setting} says that these are {said} rows; the data have no split column"
    return ClaimOutcome(claim, "holds", advice, advice=advice)


def why_absent(key: str, ledger: Ledger) -> str:
    """Say why a ledger lacks a key."""
    metric, population, where, _ = key.split("|")
    if where.startswith("per-query=") and f"{metric}|{population}|all|mean" in ledger:
        return "no single row of the data is that query"
    for kind in ("fold", "seed"):
        if where.startswith(kind) and not any(f"|{kind}s|" in known for known in ledger):
            return f"there is no {kind} column"
    variants = _variants(key, ledger)
    if variants:
        return f"of several classes there are {', '.join(variants)}: say which is meant"
    if any(known.startswith(f"{metric}|{population}|") for known in ledger):
        return f"it is known for other slices and statistics than {where}"
    return "its columns are missing, or its parameter is not among the settings"


USUAL = ("ovr_macro", "macro", "multiclass")
"""Which of several definitions is mostly meant: it is offered first."""


def _variants(key: str, ledger: Ledger) -> tuple[str, ...]:
    """Name the other definitions of a key's metric by which the ledger has the same number."""
    found = {known.partition("|")[0] for known in ledger if _varies(known, key)}
    return tuple(sorted(found, key=lambda one: (one.partition("/")[2] not in USUAL, one)))


def _varies(known: str, key: str) -> bool:
    """Whether a key is the same number by another definition of its metric."""
    metric, _, rest = key.partition("|")
    return known.startswith(f"{metric}/") and known.partition("|")[2] == rest
