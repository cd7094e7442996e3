"""The guard against a misreading that both implementations share: who else vouches for a number.

Agreement cannot see an error that both make. So every kind of number has a third opinion: a
library that is asked about it, an answer worked out by hand in `tests/vectors/`, or a naive check
over all small data sets in `tests/property/`.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from crosscheck.contract import load
from crosscheck.errors import UserError
from crosscheck.model.key import Key
from crosscheck.system import scratch

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

VECTORS = Path(__file__).resolve().parents[2] / "tests" / "vectors"
LIBRARIES = ("trec_eval", "scikit-learn", "scipy")
"""ranx answers nothing that trec_eval does not, and takes long to wake."""

Kind = tuple[str, str]
"""Metric with its variant and tie bound, and population; cut-offs and slices share their code."""


@dataclass(frozen=True, slots=True)
class Opinion:
    """Who vouches for one kind of number, besides the two implementations."""

    kind: Kind
    keys: int
    libraries: tuple[str, ...]
    vectors: int
    enumerated: bool

    @property
    def alone(self) -> bool:
        """Whether nobody else does."""
        return not (self.libraries or self.vectors or self.enumerated)


def kind_of(text: str) -> Kind:
    """Give the kind of number that a key holds."""
    key = Key.parse(text)
    found = load().metric(key.metric)
    bound = f"/{found.bound}" if found.bound else ""
    return f"{found.template}{bound}", key.population


def is_enumerated(kind: Kind) -> bool:
    """Tell whether `tests/property/test_every_ranking.py` tries all orders of ties for it."""
    return kind[0].endswith(("/tie_low", "/tie_high"))


def opinions(folder: Path = VECTORS) -> list[Opinion]:
    """Ask, for every kind of number that a whole study owes, who vouches for it."""
    owed, heard = _heard()
    by_hand = [kind_of(key) for key in _worked(folder)]
    return [
        Opinion(
            kind,
            count,
            tuple(name for name, known in heard.items() if kind in known),
            by_hand.count(kind),
            is_enumerated(kind),
        )
        for kind, count in Counter(map(kind_of, owed)).items()
    ]


def _heard() -> tuple[tuple[str, ...], dict[str, set[Kind]]]:
    """Hear the libraries on the excerpt, which owes every kind of number."""
    from crosscheck.faults import excerpt  # noqa: PLC0415 - needs numpy
    from crosscheck.witnesses.registry import BY_NAME  # noqa: PLC0415 - the same

    with scratch("guard") as folder:
        ground = excerpt.ground(folder)
        answered = {name: ground.honest(BY_NAME[name]).ledger for name in LIBRARIES}
    return ground.case.owed, {name: set(map(kind_of, keys)) for name, keys in answered.items()}


def _worked(folder: Path) -> Iterator[str]:
    """Give every key that some vector answers."""
    files = sorted(path for path in folder.glob("*.json") if path.stem != "schema")
    if not files:
        raise UserError(
            f"{folder}: no vectors here; they belong to the source and are not installed. Run this "
            "from a checkout"
        )
    for path in files:
        for case in json.loads(path.read_text(encoding="utf-8"))["cases"]:
            yield from case.get("expect", {})


def lines(found: Iterable[Opinion]) -> Iterator[str]:
    """Write who vouches for what."""
    every = list(found)
    width = max(len(" · ".join(one.kind)) for one in every)
    for one in every:
        named = [*one.libraries, *(["all small data sets"] if one.enumerated else [])]
        others = ", ".join(named) or "–"
        mark = "   NOBODY" if one.alone else ""
        yield f"{' · '.join(one.kind):{width}}  {one.vectors:>4} by hand  {others}{mark}"
    alone = [one for one in every if one.alone]
    outside = sum(bool(one.libraries) for one in every)
    yield (
        f"{len(every)} kinds of numbers: {outside} with an outside witness, "
        f"{sum(bool(one.vectors) for one in every)} with an answer worked out by hand, "
        f"{sum(one.enumerated for one in every)} tried on all small data sets, "
        f"{len(alone)} with none of these"
    )
