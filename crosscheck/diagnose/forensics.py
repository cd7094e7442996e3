"""Which mistake gives the claimed digits? Search known mistakes, alone and in pairs, and rank them.

Every mistake of the catalogue that the data can show is computed; those whose value rounds to what
is printed explain the claim, the commonest first. A match can be chance: each explanation says how
many of the hypotheses at least as plausible as itself would have matched by accident, and above
`CHANCE` none is offered as the reason. Pairs are tried where no single mistake fits. What could not
be tried is counted and named.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from crosscheck.claims.verify import fits
from crosscheck.diagnose import transforms
from crosscheck.diagnose.chance import CHANCE, Chance
from crosscheck.diagnose.suspects import MOVED, SAME, Suspect, pairs, singles
from crosscheck.errors import UserError
from crosscheck.mistakes.catalogue import searched
from crosscheck.model.findings import Explanation

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from crosscheck.claims.verify import ClaimOutcome
    from crosscheck.diagnose.scene import Scene
    from crosscheck.notation.claim import Claim
    from crosscheck.notation.number import Quantity

__all__ = [
    "MOVED",
    "Diagnosis",
    "Suspect",
    "diagnosed",
    "explain",
    "explain_claim",
    "explanations_of",
]

SHOWN = 5
NAMED = 3
"""Mistakes that are named of those that could not be tried."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What explains a claim, best first, of how many hypotheses tried."""

    key: str
    printed: str
    right: float
    suspects: tuple[Suspect, ...]
    explanations: tuple[Explanation, ...]
    tried: int
    untried: Mapping[str, str] = field(default_factory=dict)
    """Mistake → why it could not be tried."""

    @property
    def sentence(self) -> str:
        """Say how sure it is, and what could not be tried."""
        return f"{self._found()}{self._left()}"

    def _found(self) -> str:
        if not self.explanations:
            return (
                f"none of the {self.tried:,} definitions and mistakes tried gives {self.printed}, "
                "alone or in pairs"
            )
        first, several = self.explanations[0], len(self.suspects)
        best = f"{first.title}: {first.sentence}"
        chance = f"{first.surprise:.2g} expected by chance"
        if first.surprise > CHANCE:
            return (
                f"{several} of {self.tried:,} tried fit, but {chance}: the digits do not tell "
                f"the reason; the commonest of them is {best}"
            )
        if several == 1:
            return f"{best}; nothing else of {self.tried:,} tried fits ({chance})"
        if all(one.typed for one in self.suspects[1:]):
            rest = "the others are slips of the pen"
            return (
                f"{several} of {self.tried:,} tried fit; {rest}; the likeliest is {best} ({chance})"
            )
        same = all(abs(one.value - self.suspects[0].value) <= SAME for one in self.suspects)
        what = "are this very number on these data, which do" if same else "fit, and the digits do"
        return (
            f"{several} of {self.tried:,} tried {what} not tell which it was; the likeliest is "
            f"{best} ({chance})"
        )

    def _left(self) -> str:
        if not self.untried:
            return ""
        named = [f"{name} ({why})" for name, why in list(self.untried.items())[:NAMED]]
        more = len(self.untried) - len(named)
        named += [f"{more} more"] if more else []
        return f"; {len(self.untried)} could not be tried: {', '.join(named)}"


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
    case.untried.clear()
    tried = singles(key, case, number, percent=percent)
    fitting = [one for one in tried if _matches(one, number, percent=percent)]
    if all(one.typed for one in fitting):
        more = pairs(key, case)
        fitting += [one for one in more if _matches(one, number, percent=percent)]
        tried += more
    right = float(case.ledger[key])
    found = diagnosed(key, number, right, tried, fitting, ledger=case.ledger, percent=percent)
    return replace(found, untried=dict(sorted(case.untried.items())))


def diagnosed(
    key: str,
    number: Quantity,
    right: float,
    tried: Sequence[Suspect],
    fitting: Sequence[Suspect],
    *,
    ledger: Mapping[str, int | float] = MappingProxyType({}),
    percent: bool = False,
) -> Diagnosis:
    """Rank the hypotheses that fit, and say what chance would make fit; `ledger` tells of rows."""
    ranked = _distinct(sorted(fitting, key=lambda one: one.weight))
    chance = Chance(number, key, ledger, percent=percent)
    chance.crowded(one.value for one in tried if not one.typed)
    told = tuple(_explained(key, one, _surprise(one, tried, chance)) for one in ranked[:SHOWN])
    return Diagnosis(key, number.text, right, tuple(ranked), told, len(tried))


def _surprise(one: Suspect, tried: Sequence[Suspect], chance: Chance) -> float:
    """Give how many hypotheses at least as plausible would match by chance."""
    plausible = [other.value for other in tried if other.weight <= one.weight and not other.typed]
    typed = sum(other.typed for other in tried if other.weight <= one.weight) if one.typed else 0
    return chance.expected(plausible) + typed * chance.of_one


def _distinct(suspects: Sequence[Suspect]) -> list[Suspect]:
    """Leave out a second telling of the same thing: same value, same title."""
    kept: dict[tuple[str, float], Suspect] = {}
    for one in suspects:
        titles = " and ".join(searched()[name].title for name, _ in one.mistakes)
        kept.setdefault((titles, round(one.value, 12)), one)
    return list(kept.values())


def _matches(one: Suspect, number: Quantity, *, percent: bool) -> bool:
    if "bootstrap-unpaired" in one.names:
        claimed = float(number.value) / (100 if percent else 1)
        return abs(one.value - claimed) <= transforms.RESAMPLED
    return fits(number, one.value, percent=percent)


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
