"""What may have led to a claimed value: every known mistake on these data, alone and in pairs."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from crosscheck.diagnose import parts, transforms
from crosscheck.diagnose.moves import moves
from crosscheck.mistakes.catalogue import SEARCHED, searched
from crosscheck.mistakes.formulas import FORMULAS, WORLDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from crosscheck.diagnose.scene import Scene
    from crosscheck.notation.number import Quantity

SAME = 1e-12
"""Values no further apart are one number."""
FORMS = 3.0
"""What a mistake's weight grows by where it was tried in twice as many forms: each is rarer."""
_COMBINED = {
    "definition", "population", "pooled", "macro", "spread", "cutoff", "another-metric",
    "tie-bound", "slice", "statistic", "interval",
}  # fmt: skip
BETWEEN = {
    "change-relative", "change-in-points", "change-as-difference", "change-of-the-new",
    "change-of-the-error", "change-as-share", "change-backwards", "change-of-rounded",
    "change-against-another", "p-not-corrected", "p-bonferroni", "p-one-sided",
    "p-of-another-test", "p-of-another",
}  # fmt: skip
"""What is tried of a change between two systems, and of its p-value (`changes`)."""
MOVED = _COMBINED | BETWEEN | {
    "system", "other-cutoff", "scale", "complement", "truncated", "rounded-up", "rounded-twice",
    "standard-error", "exchanged-digits", "one-digit", "part-left-out", "one-class-alone",
    "class-left-out",
}  # fmt: skip
"""What is no computation: a number from another place, or changed on its way into print."""
_WITH_FORMULAS = {"population", "pooled", "cutoff"}


@dataclass(frozen=True, slots=True)
class Suspect:
    """A value that one or two mistakes lead to."""

    mistakes: tuple[tuple[str, str], ...]
    value: float
    forms: int = 1
    """In how many forms, with other values each, these mistakes were tried."""

    @property
    def names(self) -> tuple[str, ...]:
        """The mistakes, without their particulars."""
        return tuple(name for name, _ in self.mistakes)

    @property
    def typed(self) -> bool:
        """Whether it is about digits, and says nothing about where values lie."""
        return any(searched()[name].kind == "typing" for name, _ in self.mistakes)

    @property
    def weight(self) -> float:
        """How uncommon the mistakes are, taken together, in this form of all they can have."""
        return sum(searched()[name].weight for name, _ in self.mistakes) + FORMS * math.log2(
            self.forms
        )


def singles(key: str, case: Scene, number: Quantity, *, percent: bool) -> list[Suspect]:
    """Compute every single mistake."""
    return counted(_singles(key, case, number, percent=percent))


def pairs(key: str, case: Scene) -> list[Suspect]:
    """Compute combinations of two: a move with anything else."""
    return counted(_pairs(key, case))


def counted(found: Iterable[Suspect]) -> list[Suspect]:
    """Say of each suspect in how many forms its mistakes were tried."""
    every = [one for one in found if math.isfinite(one.value)]
    forms: dict[tuple[str, ...], set[float]] = defaultdict(set)
    for one in every:
        forms[one.names].add(round(one.value, 12))
    return [replace(one, forms=len(forms[one.names])) for one in every]


def _singles(key: str, case: Scene, number: Quantity, *, percent: bool) -> Iterator[Suspect]:
    for move in moves(key, case.index):
        yield Suspect(((move.mistake, move.detail),), float(case.ledger[move.key]))
    yield from _in_systems(key, case)
    yield from _computed(key, case)
    for name, detail, value in (*parts.of(key, case), *case.elsewhere(key)):
        yield Suspect(((name, detail),), value)
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
            value = _value(name, mistake.id, key, case)
            if value is not None and abs(value - case.ledger[key]) > SAME:
                yield Suspect(((mistake.id, particulars),), value)


def _value(name: str, mistake: str, key: str, case: Scene) -> float | None:
    """Give what a mistake makes of a key; what could not be tried is noted, with its reason."""
    try:
        value = FORMULAS[name].at(case.bench, key)
    except Exception as error:  # noqa: BLE001 - one hypothesis less is told, never an answer lost
        case.untried[mistake] = f"{type(error).__name__}: {error}"
        return None
    refused = case.bench.refused.get(FORMULAS[name])
    if refused is not None:
        case.untried[mistake] = refused
    return None if value is None else float(value)


def _pairs(key: str, case: Scene) -> Iterator[Suspect]:
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
        for name, detail, value in transforms.plain(first.key, right):
            yield Suspect((step, (name, detail)), value)
    yield from _changed_after(key, case)


def _in_systems(key: str, case: Scene) -> Iterator[Suspect]:
    for name, other in case.others.items():
        if key in other.ledger:
            yield Suspect((("system", name),), float(other.ledger[key]))


def _changed_after(key: str, case: Scene) -> Iterator[Suspect]:
    """Combine a computed mistake or another system with a change of the finished number."""
    for first in [*_in_systems(key, case), *_computed(key, case)]:
        for name, detail, value in transforms.plain(key, first.value):
            yield Suspect((*first.mistakes, (name, detail)), value)
