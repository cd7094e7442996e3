"""Where a printed change between two systems comes from, or a printed p-value."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from crosscheck.diagnose.forensics import diagnosed
from crosscheck.diagnose.moves import moves
from crosscheck.diagnose.suspects import SAME, Suspect, counted
from crosscheck.notation.metric_names import folded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from crosscheck.data.rows import Floats
    from crosscheck.diagnose.forensics import Diagnosis
    from crosscheck.diagnose.scene import Scene
    from crosscheck.model.comparison import Comparison
    from crosscheck.notation.claim import Claim
    from crosscheck.notation.number import Quantity

    Reading = Callable[[float, float], float]

READINGS: dict[str, Reading] = {
    "change-relative": lambda old, new: 100 * (new - old) / old,
    "change-in-points": lambda old, new: 100 * (new - old),
    "change-as-difference": lambda old, new: new - old,
    "change-of-the-new": lambda old, new: 100 * (new - old) / new,
    "change-of-the-error": lambda old, new: 100 * (new - old) / (1 - old),
    "change-as-share": lambda old, new: 100 * new / old,
    "change-backwards": lambda old, new: 100 * (old - new) / new,
}
"""Mistake → what is made of the old and the new value."""
ROUNDED = (2, 3, 4)
"""Decimals to which the values may have been rounded before their change was taken."""
_MOVED = {"cutoff", "definition", "population", "pooled", "another-metric"}


def explain_change(
    claim: Claim, computed: float | None, case: Scene, system: str
) -> Diagnosis | None:
    """Search for what gives a printed change; None where no other system has the metric."""
    scenes = {folded(name): (name, one) for name, one in case.others.items()}
    scenes[folded(system)] = (system, case)
    mine = scenes.get(folded(claim.system or system))
    key = _base(claim.key or "", case)
    if mine is None or key is None or claim.number is None or computed is None:
        return None
    tried = counted(
        one
        for name, (shown, other) in scenes.items()
        if name != folded(mine[0])
        for one in _changes(key, mine[1], other, shown, named=_is_named(claim, shown))
        if abs(one.value - computed) > SAME
    )
    number = claim.number
    found = [one for one in tried if _fits(number, one.value)]
    return diagnosed(claim.metric, number, computed, tried, found)


def _is_named(claim: Claim, name: str) -> bool:
    return not claim.against or folded(claim.against) == folded(name)


def _base(key: str, case: Scene) -> str | None:
    """Give the ledger's key whose change is printed."""
    stem = key.rpartition("|")[0]
    return next(
        (f"{stem}|{one}" for one in ("mean", "value") if f"{stem}|{one}" in case.ledger), None
    )


def _changes(key: str, mine: Scene, other: Scene, name: str, *, named: bool) -> Iterator[Suspect]:
    """List the changes against one other system, read in every way."""
    if key not in other.ledger:
        return
    against = () if named else (("change-against-another", name),)
    old, new = float(other.ledger[key]), float(mine.ledger[key])
    for mistake, value in _read(old, new):
        yield Suspect(((mistake, ""), *against), value)
    for places in ROUNDED:
        for _, value in _read(round(old, places), round(new, places), only="change-relative"):
            yield Suspect((("change-of-rounded", str(places)), *against), value)
    for move in moves(key, mine.index):
        if move.mistake in _MOVED and move.key in other.ledger:
            before, after = float(other.ledger[move.key]), float(mine.ledger[move.key])
            for mistake, value in _read(before, after, only="change-relative"):
                yield Suspect(((move.mistake, move.detail), (mistake, ""), *against), value)


def _read(old: float, new: float, only: str = "") -> Iterator[tuple[str, float]]:
    for mistake, reading in READINGS.items():
        if only and mistake != only:
            continue
        try:
            value = reading(old, new)
        except ZeroDivisionError:
            continue
        if math.isfinite(value):
            yield mistake, value


def _fits(number: Quantity, value: float) -> bool:
    exact = Fraction(value)
    interval = number.interval.wider(Fraction(1, 10**10))
    return interval.holds(exact) or (not number.signed and interval.holds(-exact))


def explain_p(
    claim: Claim, computed: float | None, case: Scene, system: str, comparison: Comparison | None
) -> Diagnosis | None:
    """Search for the test that gives a printed p-value; None where there is nothing to try."""
    number = claim.number
    if number is None or number.relation or computed is None or comparison is None:
        return None
    tried = counted(
        [*_compared(claim, comparison), *_tested(claim, case, system, len(comparison.metrics))]
    )
    tried = [one for one in tried if abs(one.value - computed) > 1e-12]  # noqa: PLR2004 - the right one
    found = [one for one in tried if number.interval.holds(Fraction(one.value))]
    return diagnosed(claim.metric, number, computed, tried, found)


def _compared(claim: Claim, comparison: Comparison) -> Iterator[Suspect]:
    """List the permutation test's own p-values: not corrected, halved, and of other metrics."""
    stem = "|".join((claim.key or "").split("|")[:2])
    for row in comparison.rows:
        if row.p is None or row.p_holm is None:
            continue
        mine = row.key.startswith(f"{stem}|")
        whose = folded(row.system) == folded(claim.system or row.system)
        if mine and whose:
            yield Suspect((("p-not-corrected", ""),), row.p)
            yield Suspect((("p-one-sided", ""),), row.p / 2)
            yield Suspect((("p-bonferroni", ""),), min(1.0, row.p * len(comparison.metrics)))
        else:
            yield Suspect((("p-of-another", f"{row.name}, {row.system}"),), row.p_holm)
            yield Suspect(
                (("p-of-another", f"{row.name}, {row.system}"), ("p-not-corrected", "")), row.p
            )


def _tested(claim: Claim, case: Scene, system: str, metrics: int) -> Iterator[Suspect]:
    """List what other tests give for the queries' own values."""
    from scipy import stats  # noqa: PLC0415 - heavy, and only asked of wrong p-values

    mine = next(
        (one for name, one in case.others.items() if folded(name) == folded(claim.system or "")),
        case,
    )
    for name, other in {**case.others, system: case}.items():
        if other is mine or not _is_named(claim, name):
            continue
        a, b = (_values(one, claim) for one in (other, mine))
        if a is None or b is None or len(a) != len(b) or (a == b).all():
            continue
        found = {
            "a paired t-test": stats.ttest_rel(b, a).pvalue,
            "an unpaired t-test": stats.ttest_ind(b, a).pvalue,
            "Welch's t-test": stats.ttest_ind(b, a, equal_var=False).pvalue,
            "a Wilcoxon signed-rank test": stats.wilcoxon(b, a).pvalue,
            "a sign test": stats.binomtest(int((b > a).sum()), int((b != a).sum())).pvalue,
        }
        for test, p in found.items():
            yield Suspect((("p-of-another-test", test),), float(p))
            yield Suspect((("p-of-another-test", test), ("p-one-sided", "")), float(p) / 2)
            yield Suspect(
                (("p-of-another-test", test), ("p-bonferroni", "")), min(1.0, float(p) * metrics)
            )


def _values(scene: Scene, claim: Claim) -> Floats | None:
    column = scene.bench.columns.get(claim.metric)
    if column is None:
        return None
    return column[scene.bench.rows.mask(claim.population, "all")]
