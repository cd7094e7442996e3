"""Which mistake gives the claimed digits? Search known mistakes, alone and in pairs, and rank them.

Every mistake of the catalogue that the data can show is computed; those whose value rounds to what
is printed explain the claim. A match can be chance: with N values tried and a printed interval that
holds a share p of them, N·p chance matches are to be expected. So each explanation says how many of
the hypotheses at least as plausible as itself would have matched by chance: the smaller, the
stronger. Pairs are tried where no single mistake fits.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from crosscheck.claims.verify import fits
from crosscheck.diagnose import transforms
from crosscheck.diagnose.moves import moves
from crosscheck.errors import UserError
from crosscheck.mistakes.catalogue import SEARCHED, searched
from crosscheck.mistakes.formulas import FORMULAS
from crosscheck.mistakes.worlds import WORLDS
from crosscheck.model.findings import Explanation

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crosscheck.claims.verify import ClaimOutcome
    from crosscheck.diagnose.scene import Scene
    from crosscheck.notation.claim import Claim
    from crosscheck.notation.number import Quantity

SHOWN = 5
_NEIGHBOURHOOD = 0.05
_COMBINED = {
    "definition", "population", "pooled", "macro", "spread", "cutoff", "another-metric",
    "tie-bound", "slice", "statistic", "interval",
}  # fmt: skip
MOVED = _COMBINED | {
    "system", "scale", "complement", "truncated", "standard-error", "exchanged-digits", "one-digit",
}  # fmt: skip
"""What is no computation: a number from another place, or changed on its way into print."""
_WITH_FORMULAS = {"population", "pooled", "cutoff"}


@dataclass(frozen=True, slots=True)
class Suspect:
    """A value that one or two mistakes lead to."""

    mistakes: tuple[tuple[str, str], ...]
    value: float

    @property
    def typed(self) -> bool:
        """Whether it is about digits, and says nothing about where values lie."""
        return any(searched()[name].kind == "typing" for name, _ in self.mistakes)

    @property
    def weight(self) -> int:
        """How common the mistakes are, taken together; small is common."""
        return sum(searched()[name].weight for name, _ in self.mistakes)


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What explains a claim, best first, of how many hypotheses tried."""

    key: str
    printed: str
    right: float
    suspects: tuple[Suspect, ...]
    explanations: tuple[Explanation, ...]
    tried: int

    @property
    def sentence(self) -> str:
        """Say how sure it is."""
        if not self.explanations:
            return (
                f"none of the {self.tried:,} definitions and mistakes tried gives {self.printed}, "
                "alone or in pairs"
            )
        first = self.explanations[0]
        several = len(self.suspects)
        if several == 1:
            return f"{first.title}: {first.sentence}; nothing else of {self.tried:,} tried fits"
        best = f"{first.title}: {first.sentence}"
        return f"{several} of {self.tried:,} tried fit; the likeliest is {best}"


def explain_claim(claim: Claim, case: Scene, key: str | None = None) -> Diagnosis | None:
    """Explain a wrong claim; None where it has no key or number to explain."""
    wanted = key or claim.key
    if wanted is None or claim.number is None or wanted not in case.ledger:
        return None
    return explain(wanted, claim.number, case, percent=bool(claim.percent))


def explanations_of(outcome: ClaimOutcome, case: Scene) -> list[Explanation]:
    """Explain what verification found wrong; nothing for a claim that holds or has no key."""
    if outcome.status != "wrong":
        return []
    diagnosis = explain_claim(outcome.claim, case, outcome.key)
    return list(diagnosis.explanations) if diagnosis else []


def explain(key: str, number: Quantity, case: Scene, *, percent: bool = False) -> Diagnosis:
    """Search for what gives the printed number in place of the key's own value."""
    if key not in case.ledger:
        raise UserError(f"the data give no {key}: nothing to hold {number.text} against")
    right = float(case.ledger[key])
    singles = list(_singles(key, case, number, percent=percent))
    found = [one for one in singles if _matches(one, number, percent=percent)]
    tried, values = len(singles), [one.value for one in singles if not one.typed]
    ordered = sorted(singles, key=lambda one: one.weight)
    if not found:
        pairs = list(_pairs(key, case, number, percent=percent))
        found = [one for one in pairs if _matches(one, number, percent=percent)]
        ordered = ordered + sorted(pairs, key=lambda one: one.weight)
        values += [one.value for one in pairs]
        tried += len(pairs)
    chance = _chance(number, values, percent=percent)
    place = {one: i for i, one in enumerate(ordered, 1)}
    ranked = _distinct(sorted(found, key=lambda one: place[one]))
    explanations = tuple(_explained(key, one, place[one] * chance) for one in ranked[:SHOWN])
    return Diagnosis(key, number.text, right, tuple(ranked), explanations, tried)


def _distinct(suspects: Sequence[Suspect]) -> list[Suspect]:
    """Leave out a second telling of the same thing: same value, same title."""
    kept: dict[tuple[str, float], Suspect] = {}
    for one in suspects:
        titles = " and ".join(searched()[name].title for name, _ in one.mistakes)
        kept.setdefault((titles, round(one.value, 12)), one)
    return list(kept.values())


def _matches(one: Suspect, number: Quantity, *, percent: bool) -> bool:
    if not math.isfinite(one.value):
        return False
    if any(name == "bootstrap-unpaired" for name, _ in one.mistakes):
        claimed = float(number.value) / (100 if percent else 1)
        return abs(one.value - claimed) <= transforms.RESAMPLED
    return fits(number, one.value, percent=percent)


def _chance(number: Quantity, values: Sequence[float], *, percent: bool) -> float:
    """Estimate how likely an unrelated hypothesis is to print the same digits."""
    interval = number.scaled(percent=percent)
    centre, width = float(interval.low + interval.high) / 2, float(interval.high - interval.low)
    reach = max(_NEIGHBOURHOOD * max(1.0, abs(centre)), width)
    near = sum(abs(value - centre) <= reach for value in values)
    return min(1.0, (near + 1) / (len(values) + 1) * width / (2 * reach))


def _explained(key: str, one: Suspect, surprise: float) -> Explanation:
    known = [(searched()[name], detail) for name, detail in one.mistakes]
    says = ", and ".join(mistake.told(detail) for mistake, detail in known)
    shown = f"{one.value:.6f}".rstrip("0").rstrip(".")
    return Explanation(
        title=" and ".join(dict.fromkeys(mistake.title for mistake, _ in known)),
        value=one.value,
        surprise=surprise,
        sentence=f"{key.partition('|')[0]} comes out as {shown} {says}",
    )


def _singles(key: str, case: Scene, number: Quantity, *, percent: bool) -> Iterator[Suspect]:
    """Compute every single mistake."""
    for move in moves(key, case.index):
        yield Suspect(((move.mistake, move.detail),), float(case.ledger[move.key]))
    yield from _in_systems(key, case)
    yield from _computed(key, case)
    right = float(case.ledger[key])
    for name, detail, value in transforms.of(key, right, case.ledger, number, percent=percent):
        yield Suspect(((name, detail),), value)


def _computed(key: str, case: Scene, *, worlds_only: bool = False) -> Iterator[Suspect]:
    """Compute the key as each mistake of metric code and reading makes it."""
    for mistake in searched().values():
        if mistake.family == SEARCHED:
            continue
        for particulars, name in mistake.forms.items():
            if worlds_only and name not in WORLDS:
                continue
            value = FORMULAS[name].at(case.bench, key)
            if value is not None and value != case.ledger[key]:
                yield Suspect(((mistake.id, particulars),), float(value))


def _pairs(key: str, case: Scene, number: Quantity, *, percent: bool) -> Iterator[Suspect]:
    """Compute combinations of two: a move with anything else."""
    for first in moves(key, case.index):
        if first.mistake not in _COMBINED:
            continue
        step = (first.mistake, first.detail)
        for second in moves(first.key, case.index):
            if second.mistake != first.mistake and second.key != key:
                value = float(case.ledger[second.key])
                yield Suspect((step, (second.mistake, second.detail)), value)
        worlds_only = first.mistake not in _WITH_FORMULAS
        computed = _computed(first.key, case, worlds_only=worlds_only)
        for one in (*_in_systems(first.key, case), *computed):
            yield Suspect((step, *one.mistakes), one.value)
        right = float(case.ledger[first.key])
        for name, detail, value in transforms.plain(first.key, right, number, percent=percent):
            yield Suspect((step, (name, detail)), value)
    yield from _changed_after(key, case, number, percent=percent)


def _in_systems(key: str, case: Scene) -> Iterator[Suspect]:
    for name, other in case.others.items():
        if key in other.ledger:
            yield Suspect((("system", name),), float(other.ledger[key]))


def _changed_after(key: str, case: Scene, number: Quantity, *, percent: bool) -> Iterator[Suspect]:
    """Combine a computed mistake or another system with a change of the finished number."""
    for first in [*_in_systems(key, case), *_computed(key, case)]:
        for name, detail, value in transforms.plain(key, first.value, number, percent=percent):
            yield Suspect((*first.mistakes, (name, detail)), value)
