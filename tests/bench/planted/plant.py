"""A planted mistake: a number computed wrongly by plain code, printed, and put to the search."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from statistics import mean
from typing import TYPE_CHECKING, Any

from crosscheck.claims.number import parse
from crosscheck.diagnose.forensics import explain

if TYPE_CHECKING:
    from collections.abc import Callable

    from crosscheck.diagnose.forensics import Diagnosis
    from crosscheck.diagnose.scene import Scene

FULL = 12
"""Digits of a number that is printed in full, as programs write them into JSON."""
DIGITS = (4, 4, 3, 4, FULL, 4, 4, 4)
"""How the plants of a study are printed, in turn."""
NOWHERE = 99


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

    def but(self, **changed: Any) -> Query:  # noqa: ANN401 - any field
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
    return abs(values[0] - values[place - 1]) <= 1e-9  # noqa: PLR2004 - the same number


def judged(plants: list[Plant], study: Study) -> list[Verdict]:
    """Put every plant of a study to the search, printed in turn with other digits."""
    return [
        judge(plant, study, plant.digits or DIGITS[i % len(DIGITS)])
        for i, plant in enumerate(plants)
    ]


def over(queries: list[Query], value: Callable[[Query], float]) -> float:
    """Take the mean over queries."""
    return mean(value(query) for query in queries)
