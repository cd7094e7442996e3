"""Intervals (contract, section 10): recomputed resamples, fall-backs, scipy's own draws."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from crosscheck.checks import Evidence, Result, result
from crosscheck.model.findings import finding
from crosscheck.witnesses import Silence, Testimony
from crosscheck.witnesses.resampling import Intervals, Replicate, distance

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crosscheck.model.findings import Finding

STANDARD_ERRORS = 5
"""How many standard errors off chance alone will not take an interval's end."""
END = 2.67
"""√(0.025·0.975)/φ(1.96): the standard error of a 95 % interval's end, times √B, in σ."""
WIDTH = 3.92
"""Width of a 95 % interval, in σ."""


def check(evidence: Evidence) -> Result:
    """Judge what was recomputed exactly, and what scipy drew by itself."""
    heard = evidence.intervals
    if heard is None:
        return Result(0, (), "intervals were not asked for (--intervals)")
    if isinstance(heard, Silence):
        silent = finding(
            "XC991", f"no intervals were computed: {heard.reason}", system=evidence.system
        )
        return Result(0, (silent,))
    drawn = list(_drawn_by_others(evidence))
    findings = [
        *(_replicate(evidence, one) for one in heard.differing),
        *_fallbacks(evidence, heard),
        *(one for one in drawn if one is not None),
    ]
    return result(heard.recomputed + len(heard.flags) + len(drawn), findings)


def _replicate(evidence: Evidence, one: Replicate) -> Finding:
    what = "resample" if one.kind == "replicates" else f"leaving out {one.unit}"
    return finding(
        "XC403" if one.wrong else "XC402",
        f"{one.key} by {one.unit}, {what} {one.index}: primary {one.primary:.12g}, "
        f"reference {one.reference:.12g}",
        system=evidence.system,
        key=one.key,
        values={"primary": one.primary, "reference": one.reference},
        difference=distance(one),
    )


def _fallbacks(evidence: Evidence, heard: Intervals) -> Iterator[Finding]:
    for key in sorted(heard.flags ^ heard.reference_flags):
        who = "primary" if key in heard.flags else "reference"
        yield finding(
            "XC404",
            f"{key}: only the {who} fell back to the percentile interval",
            system=evidence.system,
            key=key,
        )


def _drawn_by_others(evidence: Evidence) -> Iterator[Finding | None]:
    """Compare ends that a library drew with resamples of its own, within chance."""
    ours = evidence.ledger
    for one in evidence.statements:
        if not isinstance(one.answer, Testimony):
            continue
        for key, (value, resamples) in one.answer.drawn.items():
            if not set(ends(key)) <= ours.keys():
                continue
            limit = chance(evidence, key, resamples)
            if abs(value - ours[key]) <= limit:
                yield None
                continue
            yield finding(
                "XC503",
                f"{key}: primary {ours[key]:.6g}, {one.name} {value:.6g} from {resamples:,} "
                f"resamples of its own; chance explains {limit:.2g}",
                system=evidence.system,
                key=key,
                values={"primary": ours[key], one.name: value},
            )


def ends(key: str) -> tuple[str, str]:
    """Give both ends of the interval that one end's key belongs to."""
    return key.replace("|ci_high/", "|ci_low/"), key.replace("|ci_low/", "|ci_high/")


def chance(evidence: Evidence, key: str, resamples: int) -> float:
    """Say how far apart two draws of an interval's end may lie."""
    low, high = ends(key)
    sigma = abs(evidence.ledger[high] - evidence.ledger[low]) / WIDTH
    spread = STANDARD_ERRORS * END * sigma * math.sqrt(1 / resamples + 1 / evidence.resamples)
    # Few queries make few possible values: the two ends may also lie one such step apart.
    return spread + 1 / max(1, int(evidence.facts["queries"]["positives_only"]))
