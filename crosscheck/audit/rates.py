"""Rates, counts and curves against each other: the contract's identities on printed digits.

Everything but rankings, which `audit_ranking` covers whole. Two bounds come from here: ECE is at
most the root of Brier, and AUROC has room only so far above and below a TPR at a given FPR.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

from crosscheck.audit import subjects
from crosscheck.audit.verdicts import Tally, exact, listed
from crosscheck.contract import instances, load
from crosscheck.notation.interval import Interval, root_above, short

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crosscheck.contract import Instance
    from crosscheck.notation.claim import Claim

    Cells = dict[str, Claim]

UNSEEN = {"every_passed_query_returns", "grades_are_one"}
"""Conditions that a table cannot show: what hangs on them is not asserted."""
POOLED = "the rate is a mean over folds or criteria, the counts are pooled"
_OF_CLASSES = "17"
"""The contract's section on several classes."""
_EXISTENCE = {"negative_exists", "positive_exists", "query_exists"}


def audit(claims: Sequence[Claim]) -> Tally:
    """Audit every system's rates and counts."""
    tally = Tally()
    for some in subjects.of_table(claims).values():
        several = subjects.task(some).several
        for cells in subjects.apart(some).values():
            keys = {claim.key: claim for claim in cells if claim.key}
            for instance in instances(keys):
                if instance.identity.condition not in UNSEEN and not _is_ranking(instance):
                    _judge(instance, keys, tally)
            for place in {key.partition("|")[2] for key in keys}:
                at = {c.metric: c for key, c in keys.items() if key.partition("|")[2] == place}
                _curves(at, tally)
                if not several:
                    _calibration(at, tally)
    return tally


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
    classes = instance.identity.section == _OF_CLASSES
    tally.found(
        "XC928" if classes else "XC916",
        cells,
        f"{listed(cells)}: {instance.identity.text}, which gives {wanted}",
        f"{_target(instance, keys)} between {short(wanted.low)} and {short(wanted.high)}",
        (POOLED,) if instance.identity.nonlinear else (),
        worked=_worked(instance, keys, wanted, total),
        only_if="each row has one class, and all are over the same rows" if classes else "",
    )


def _worked(instance: Instance, keys: Cells, wanted: Interval, total: Interval) -> str:
    """Write the nearest that the identity allows, and the printed number beyond it."""
    above = total.low > wanted.high
    end = exact(total.low if above else total.high)
    sign = "<" if above else ">"
    if instance.kind == "mcc":
        return _squared(instance, keys, end, sign)

    def side(key: str, *, most: bool) -> str:
        return exact(interval(keys[key]).high if most else interval(keys[key]).low)

    text = " + ".join(side(key, most=above) for key in instance.terms)
    if instance.kind == "equal":
        text = exact(wanted.high if above else wanted.low)
    if instance.identity.less:
        text += f" − {instance.identity.less}"
    if instance.kind == "mean":
        text = f"({text})/{len(instance.terms)}"
    if instance.kind == "ratio":
        below = " + ".join(side(key, most=not above) for key in instance.over)
        factor = f"{instance.identity.factor}·" if instance.identity.factor != 1 else ""
        text = f"{factor}({text})/({below})"
    return f"{text} {sign} {end}"


def _squared(instance: Instance, keys: Cells, end: str, sign: str) -> str:
    """Write Matthews' correlation without a root: both sides squared, where both are positive."""
    tp, fp, tn, fn = (int(interval(keys[key]).low) for key in instance.terms)
    if tp * tn <= fp * fn or end.startswith("−"):
        return ""
    above = f"({tp}·{tn} − {fp}·{fn})·({tp}·{tn} − {fp}·{fn})"
    below = f"({tp + fp}·{tp + fn}·{tn + fp}·{tn + fn})"
    return f"{above}/{below} {sign} {end}·{end}"


def _ordered(instance: Instance, keys: Cells, tally: Tally) -> None:
    for smaller, larger in pairwise(instance.terms):
        low, high = keys[smaller], keys[larger]
        if interval(low).low > interval(high).high:
            tally.found(
                "XC916",
                (low, high),
                f"{listed((low, high))}: {instance.identity.text}",
                f"{high.label} at least {short(interval(low).low)}",
                worked=f"{exact(interval(high).high)} < {exact(interval(low).low)}",
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
        return whole - Interval.of(instance.identity.less)
    if instance.kind == "mean":
        return whole.times(Fraction(1, len(terms)))
    if instance.kind == "ratio":
        below = sum((interval(keys[key]) for key in instance.over), Interval.of(0))
        share = whole.over(below)
        return share.times(instance.identity.factor) if share else None
    if instance.kind == "mcc":
        return _mcc(terms)
    return None  # harmonic: see `harmonic`, which also allows for averages


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
                worked=f"(1 − {exact(budget)})·{exact(tpr.low)} > {exact(area.high)}"
                if area.high < least
                else f"1 − {exact(budget)}·(1 − {exact(tpr.high)})/2 < {exact(area.low)}",
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
                worked=f"{exact(interval(cell).low)}·{exact(interval(cell).low)} > "
                f"{exact(interval(at['brier']).high)}",
            )
