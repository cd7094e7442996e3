"""A planted mistake: a number computed wrongly by plain code, printed, and put to the search."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from statistics import mean
from typing import TYPE_CHECKING, Any

from crosscheck.claims.verify import fits
from crosscheck.diagnose.chance import CHANCE
from crosscheck.diagnose.forensics import explain
from crosscheck.notation.number import parse

if TYPE_CHECKING:
    from collections.abc import Callable

    from crosscheck.diagnose.forensics import Diagnosis
    from crosscheck.diagnose.scene import Scene

FULL = 12
"""Digits of a number that is printed in full, as programs write them into JSON."""
DIGITS = (4, 4, 3, 4, FULL, 4, 4, 4)
"""How the plants of a study are printed, in turn."""
NOWHERE = 99
STEPS = 20
KEYS = (
    "ndcg@10|positives_only|all|mean", "map@10|positives_only|all|mean",
    "recall@5|positives_only|all|mean", "mrr@10|positives_only|all|mean",
    "ndcg@10/graded|positives_only|all|mean", "auroc|all_queries|all|value",
    "f1|all_queries|all|value", "accuracy|all_queries|all|value", "f1/macro|all_queries|all|value",
    "auroc/ovr_macro|all_queries|all|value",
)  # fmt: skip
"""Whose values are replaced by numbers that no mistake made, so many times each."""


@dataclass(frozen=True)
class Query:
    """One evaluated row as plain Python sees it."""

    ranking: list[str]
    scores: list[float]
    gold: list[str]
    prob: float = 0.0
    label: int = 0
    pred: int = 0
    fold: int = 0
    post: str = ""
    criterion: str = ""
    selected: tuple[str, ...] = ()
    grades: dict[str, int] | None = None
    judged: tuple[str, ...] = ()

    @cached_property
    def hits(self) -> list[bool]:
        """Whether each place of the ranking holds gold."""
        gold = set(self.gold)
        return [uid in gold for uid in self.ranking]

    def but(self, **changed: Any) -> Query:
        """Give the same query with something else in it."""
        fields = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return Query(**(fields | changed))


@dataclass(frozen=True)
class Study:
    """A data set, as the search sees it and as the plain computations do."""

    name: str
    scene: Scene
    queries: list[Query]
    extra: Any = None

    @property
    def positives(self) -> list[Query]:
        """Queries with gold."""
        return [query for query in self.queries if query.gold]

    def value(self, key: str) -> float:
        """Give the true value of a key."""
        return float(self.scene.ledger[key])


@dataclass(frozen=True)
class Plant:
    """A mistake, the key it was made in, and the names under which the catalogue has it."""

    key: str
    mistake: str
    what: str
    value: Callable[[Study], float]
    digits: int = 0
    percent: bool = False


@dataclass(frozen=True)
class Verdict:
    """What the search made of a plant."""

    plant: Plant
    study: str
    printed: str
    place: int
    fitting: int
    chance: float
    told: bool
    """Whether the answer says that the digits do not tell which of several it was."""
    alike: bool
    """Whether another that fits has the very same value on these data."""
    first: str
    sentence: str


def printed(value: float, digits: int) -> str:
    """Print a number as a paper would, or in full."""
    return repr(round(value, FULL)) if digits == FULL else f"{value:.{digits}f}"


def judge(plant: Plant, study: Study, digits: int) -> Verdict:
    """Put a plant to the search."""
    value = plant.value(study)
    text = printed(100 * value if plant.percent else value, digits)
    number = parse(text).number
    if number is None:
        raise ValueError(text)
    if fits(number, study.value(plant.key), percent=plant.percent):
        raise ValueError(f"{plant.what} leaves {plant.key} as it is: {text}")
    diagnosis = explain(plant.key, number, study.scene, percent=plant.percent)
    names = [tuple(name for name, _ in one.mistakes) for one in diagnosis.suspects]
    places = [i for i, some in enumerate(names, 1) if some == tuple(plant.mistake.split(" + "))]
    place = places[0] if places else NOWHERE
    return Verdict(
        plant,
        study.name,
        text,
        place,
        len(names),
        diagnosis.explanations[0].surprise if diagnosis.explanations else 0.0,
        told=_told(diagnosis),
        alike=_alike(diagnosis, place),
        first=" + ".join(names[0]) if names else "nothing",
        sentence=diagnosis.sentence,
    )


def _told(diagnosis: Diagnosis) -> bool:
    return "do not tell" in diagnosis.sentence


def _alike(diagnosis: Diagnosis, place: int) -> bool:
    if not 1 < place < NOWHERE:
        return False
    values = [one.value for one in diagnosis.suspects]
    return abs(values[0] - values[place - 1]) <= 1e-9


def judged(plants: list[Plant], study: Study) -> list[Verdict]:
    """Put every plant of a study to the search, printed in turn with other digits."""
    return [
        judge(plant, study, plant.digits or DIGITS[i % len(DIGITS)])
        for i, plant in enumerate(plants)
    ]


def thin_air(study: Study) -> list[bool]:
    """Ask about numbers that no mistake made: whether each was given a reason."""
    ledger = study.scene.ledger
    wanted = [key for key in KEYS if key in ledger and float(ledger[key])]
    given = []
    for i, key in enumerate(wanted):
        for step in range(1, STEPS + 1):
            # Golden steps: spread evenly, and the same on every machine.
            share = (i * STEPS + step) * 0.6180339887498949 % 1
            value = float(ledger[key]) + 0.1 * (share - 0.5)
            number = parse(f"{value:.4f}").number
            if number is None or fits(number, float(ledger[key]), percent=False):
                continue
            found = explain(key, number, study.scene)
            given.append(bool(found.explanations) and found.explanations[0].surprise <= CHANCE)
    return given


def over(queries: list[Query], value: Callable[[Query], float]) -> float:
    """Take the mean over queries."""
    return mean(value(query) for query in queries)
