"""Rates, counts and curves against each other: the contract's identities on printed digits.

Everything but rankings, which `audit_ranking` covers whole. Two bounds come from here: ECE is at
most the root of Brier, and AUROC has room only so far above and below a TPR at a given FPR.
"""

from __future__ import annotations

import math
from collections import defaultdict
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

from crosscheck.audit.verdicts import Tally, listed
from crosscheck.contract import instances, load
from crosscheck.notation.interval import UNIT, Interval, root_above, short

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crosscheck.contract import Instance
    from crosscheck.notation.claim import Claim

    Cells = dict[str, Claim]

UNSEEN = {"every_passed_query_returns"}
"""Conditions that a table cannot show: what hangs on them is not asserted."""
POOLED = "the rate is a mean over folds or criteria, the counts are pooled"
_EXISTENCE = {"negative_exists", "positive_exists", "query_exists"}


def audit(claims: Sequence[Claim]) -> Tally:
    """Audit every system's rates and counts."""
    tally = Tally()
    for cells in _groups(claims).values():
        keys = {claim.key: claim for claim in cells if claim.key}
        for instance in instances(keys):
            if instance.identity.condition not in UNSEEN and not _is_ranking(instance):
                _judge(instance, keys, tally)
        for place in {key.partition("|")[2] for key in keys}:
            at = {c.metric: c for key, c in keys.items() if key.partition("|")[2] == place}
            _f1(at, tally)
            _curves(at, tally)
            _calibration(at, tally)
    return tally


def _groups(claims: Sequence[Claim]) -> dict[tuple[str, ...], list[Claim]]:
    found: dict[tuple[str, ...], list[Claim]] = defaultdict(list)
    for claim in claims:
        if claim.role in {"value", "count"} and claim.key and claim.readable:
            found[claim.beside].append(claim)
    return found


def _is_ranking(instance: Instance) -> bool:
    found = load().find(instance.terms[0].partition("|")[0])
    return found is not None and found.metric.family == "ranking"


def interval(claim: Claim) -> Interval:
    """Give what a cell can have been: counts are exact, rates rounded."""
    if claim.number is None or claim.key is None:
        raise ValueError(claim)
    if load().kind_of(claim.key) == "integer" and claim.number.step <= 1:
        return Interval.of(Fraction(claim.number.value))
    return claim.interval


def _judge(instance: Instance, keys: Cells, tally: Tally) -> None:
    used = (*instance.terms, *instance.over, instance.total)
    cells = tuple(dict.fromkeys(keys[key] for key in used if key in keys))
    terms = [interval(keys[key]) for key in instance.terms]
    if instance.identity.condition in _EXISTENCE and all(term.holds(0) for term in terms):
        return  # nothing of that kind: every rate is 0 by convention
    tally.looked_at(cells)
    if instance.kind == "le":
        _ordered(instance, keys, tally)
        return
    wanted = _computed(instance, keys, terms)
    total = _total(instance, keys, terms)
    if wanted is None or total is None or wanted.meets(total):
        return
    tally.found(
        "XC916",
        cells,
        f"{listed(cells)}: {instance.identity.text}, which gives {wanted}",
        f"{_target(instance, keys)} between {short(wanted.low)} and {short(wanted.high)}",
        (POOLED,) if instance.identity.nonlinear else (),
    )


def _ordered(instance: Instance, keys: Cells, tally: Tally) -> None:
    for smaller, larger in pairwise(instance.terms):
        low, high = keys[smaller], keys[larger]
        if interval(low).low > interval(high).high:
            tally.found(
                "XC916",
                (low, high),
                f"{listed((low, high))}: {instance.identity.text}",
                f"{high.label} at least {short(interval(low).low)}",
            )


def _total(instance: Instance, keys: Cells, terms: list[Interval]) -> Interval | None:
    if instance.kind == "equal":
        return terms[0]
    if instance.total == "1":
        return Interval.of(1)
    return interval(keys[instance.total]) if instance.total in keys else None


def _target(instance: Instance, keys: Cells) -> str:
    if instance.total in keys:
        return keys[instance.total].label
    return "the sum" if instance.kind == "sum" else keys[instance.terms[0]].label


def _computed(instance: Instance, keys: Cells, terms: list[Interval]) -> Interval | None:
    """Work out the other side of an identity; None where it cannot be."""
    if instance.kind == "equal":
        common: Interval | None = terms[0]
        for term in terms[1:]:
            common = common.cut(term) if common else None
        return common or terms[1]
    whole = sum(terms, Interval.of(0))
    if instance.kind == "sum":
        return whole
    if instance.kind == "mean":
        return whole.times(Fraction(1, len(terms)))
    if instance.kind == "ratio":
        below = sum((interval(keys[key]) for key in instance.over), Interval.of(0))
        share = whole.over(below)
        return share.times(instance.identity.factor) if share else None
    if instance.kind == "mcc":
        return _mcc(terms)
    return None  # harmonic: see _f1, which also allows for averages


def _mcc(terms: list[Interval]) -> Interval | None:
    """Compute Matthews' correlation of exact counts; None where they are rounded or degenerate."""
    if any(term.low != term.high for term in terms):
        return None
    tp, fp, tn, fn = (int(term.low) for term in terms)
    below = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    if not below:
        return Interval.of(0)
    value = Fraction((tp * tn - fp * fn) / math.sqrt(below))
    return Interval(value, value).wider(Fraction(1, 10**12))


def _f1(at: Cells, tally: Tally) -> None:
    """F1 against precision and recall: a mean of F1s lies below the harmonic mean of the means."""
    for precision, recall, f1 in (
        ("precision", "sensitivity", "f1"),
        ("deployment_precision", "deployment_recall", "deployment_f1"),
    ):
        if not {precision, recall, f1} <= at.keys():
            continue
        cells = (at[precision], at[recall], at[f1])
        tally.looked_at(cells)
        p, r, printed = (interval(cell).cut(UNIT) for cell in cells)
        if p is None or r is None or printed is None or p.low + r.low == 0:
            return
        most, least = 2 * p.high * r.high / (p.high + r.high), 2 * p.low * r.low / (p.low + r.low)
        least_mean = max(p.low + r.low - 1, Fraction(0))
        if printed.low > most or printed.high < least_mean:
            tally.found(
                "XC916",
                cells,
                f"{listed(cells)}: F1 is the harmonic mean of precision and recall, and an "
                "average of F1s is never above that of the averages",
                f"{cells[2].label} between {short(least_mean)} and {short(most)}",
            )
        elif printed.high < least:
            tally.found(
                "XC920",
                cells,
                f"{listed(cells)}: their harmonic mean is {short(least)} to {short(most)}",
                f"{cells[2].label} between {short(least)} and {short(most)}",
                ("F1 is an average over folds, classes or queries (macro)",),
                severity="advice",
            )


def _curves(at: Cells, tally: Tally) -> None:
    """AUROC against TPR at an FPR: the curve passes through that point."""
    if "auroc" not in at:
        return
    area = interval(at["auroc"])
    for metric, cell in at.items():
        found = load().find(metric)
        if found is None or found.template != "tpr@fpr=α":
            continue
        budget = Fraction(found.parameters["α"]) / 100
        tpr = interval(cell)
        tally.looked_at((at["auroc"], cell))
        least, most = (1 - budget) * tpr.low, 1 - budget * (1 - tpr.high) / 2
        if area.high < least or area.low > most:
            tally.found(
                "XC916",
                (at["auroc"], cell),
                f"{listed((at['auroc'], cell))}: the area under a curve through that point",
                f"{at['auroc'].label} between {short(least)} and {short(most)}",
            )


def _calibration(at: Cells, tally: Tally) -> None:
    """ECE is at most the root of Brier, in every bin and so in all."""
    if "brier" not in at:
        return
    most = root_above(interval(at["brier"]).high)
    for metric, cell in at.items():
        if not metric.startswith("ece@"):
            continue
        tally.looked_at((cell, at["brier"]))
        if interval(cell).low > most:
            tally.found(
                "XC916",
                (cell, at["brier"]),
                f"{listed((cell, at['brier']))}: ECE is at most the square root of Brier",
                f"{cell.label} at most {short(most)}",
            )
