"""Search for disagreements within a budget, and shrink each to the smallest data set.

Data sets are drawn by hypothesis, in rounds with a seed each, so that a run can be repeated. A bug
that is known already (same witness, same metric) is passed over, unless it shows on less.
"""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING

from hypothesis import HealthCheck, Phase, find, settings
from hypothesis.errors import NoSuchExample

from crosscheck.fuzz.dataset import DataSet
from crosscheck.fuzz.disagreement import case_of, disagreements
from crosscheck.fuzz.reduce import reduced
from crosscheck.system import scratch
from crosscheck.witnesses.tasks import ask

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hypothesis import strategies as st

    from crosscheck.fuzz.disagreement import Disagreement
    from crosscheck.witnesses import Answer, Witness

    Signature = tuple[str, str, str]

ROUND = 40
"""Data sets drawn before the next seed; each round begins with small ones."""
AWAKE = DataSet(
    tuple(
        {"query_id": f"q{uid}", "candidates": [uid][:n], "gold": [uid], "prob": 0.5}
        for n, uid in enumerate(("b", "a", "é", "日", "🙂"))
    ),
    {"k": [1]},
)
"""One id of every width: ranx compiles for each of them."""
SHRINKING = 20.0
"""Seconds that one disagreement may be shrunk for."""


@dataclass(frozen=True, slots=True)
class Found:
    """A disagreement and the smallest data set that shows it."""

    data: DataSet
    disagreement: Disagreement


@dataclass(frozen=True, slots=True)
class Budget:
    """How long to search: seconds, data sets, or both."""

    seconds: float | None = None
    count: int | None = None


@dataclass
class Search:
    """A search under way."""

    witnesses: Sequence[Witness]
    strategy: st.SearchStrategy[DataSet]
    budget: Budget
    seed: int = 0
    progress: Callable[[Search], None] = lambda _: None
    examined: int = 0
    found: dict[Signature, Found] = field(default_factory=dict)
    began: float = 0.0

    def run(self) -> tuple[Found, ...]:
        """Search until the budget is spent."""
        self.began = time.monotonic()
        number = 0
        while not self.spent:
            self._round(Random(f"{self.seed}/{number}"))
            number += 1
        return tuple(self.found.values())

    def wake(self) -> list[tuple[Witness, Answer]]:
        """Ask everybody once before the clock starts: libraries are imported, ranx compiles."""
        with scratch("fuzz") as folder:
            case = case_of(AWAKE, folder)
            return [(witness, ask(witness.testify, case)) for witness in self.witnesses]

    @property
    def share(self) -> float:
        """How much of the budget is used, from 0 to 1."""
        parts = [0.0]
        if self.budget.seconds is not None:
            parts.append(self.elapsed / self.budget.seconds)
        if self.budget.count is not None:
            parts.append(self.examined / self.budget.count)
        return min(1.0, max(parts))

    @property
    def spent(self) -> bool:
        """Whether the budget is used up."""
        return self.share >= 1.0

    @property
    def elapsed(self) -> float:
        """Seconds since the search began."""
        return time.monotonic() - self.began

    def _round(self, random: Random) -> None:
        with suppress(NoSuchExample, _Enough):
            find(self.strategy, self._look, settings=_ROUND, random=random)

    def _look(self, data: DataSet) -> bool:
        """Examine one data set; what is new is shrunk and kept, and the search goes on."""
        if self.spent:
            raise _Enough
        self.examined += 1
        for one in disagreements(data, self.witnesses):
            known = self.found.get(one.signature)
            if known is None or size(data) < size(known.data):
                self.found[one.signature] = self._shrunk(Found(data, one))
        self.progress(self)
        return False

    def _shrunk(self, found: Found) -> Found:
        """Give the smallest data set with the same bug; ask only those who have a part in it."""
        best = found
        wanted = found.disagreement
        parties = {wanted.accused, wanted.beside, self.witnesses[0].name}
        asked = [one for one in self.witnesses if one.name in parties]
        end = time.monotonic() + SHRINKING

        def shows(data: DataSet) -> bool:
            nonlocal best
            if time.monotonic() > end:
                return False
            about = wanted.metric if wanted.kind == "value" else None
            for one in disagreements(data, asked, about):
                if one.signature == wanted.signature:
                    best = Found(data, one)
                    return True
            return False

        reduced(found.data, shows)
        return best


def size(data: DataSet) -> int:
    """Give the length of what a reader of the data set has to read."""
    return len(repr((data.rows, data.settings)))


class _Enough(BaseException):
    """The budget is spent; no `Exception`, so that hypothesis lets it through."""


_ROUND = settings(
    max_examples=ROUND,
    deadline=None,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
