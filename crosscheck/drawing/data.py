"""What the figures of one system are drawn from: the verified ledger, and two data columns."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from crosscheck.contract import load
from crosscheck.drawing.plot import NotDrawnError
from crosscheck.drawing.words import count, label_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    Ledger = Mapping[str, int | float]


@dataclass(frozen=True, slots=True)
class FigureData:
    """One system's numbers; every figure takes this and nothing else.

    `ledgers` has every witness's statement by name, `primary` among them; interval keys are part
    of the primary's where they were computed. `label` and `prob` are the EVAL rows' columns.
    """

    system: str
    ledgers: Mapping[str, Ledger]
    facts: Mapping[str, Any]
    settings: Mapping[str, Any] = field(default_factory=dict)
    label: NDArray[np.bool_] | None = None
    prob: NDArray[np.float64] | None = None
    roc_band: Mapping[str, Mapping[str, Sequence[float]]] = field(default_factory=dict)
    truth: NDArray[np.int64] | None = None
    """The true class of each EVAL row, as its place among the classes."""
    class_probs: NDArray[np.float64] | None = None
    """The probabilities of the classes, a row each."""
    tolerance: float = 0.01
    resamples: int = 0

    @property
    def ledger(self) -> Ledger:
        """The primary's statement."""
        return self.ledgers["primary"]

    def value(self, metric: str, population: str, cut: str, statistic: str) -> float | None:
        """One number of the ledger, if it is there; `cut` is the key's slice."""
        found = self.ledger.get(f"{metric}|{population}|{cut}|{statistic}")
        return None if found is None else float(found)

    def need(self, metric: str, population: str, cut: str, statistic: str, *, lack: str) -> float:
        """One number that a figure cannot do without; `lack` says what the data lack if so."""
        found = self.value(metric, population, cut, statistic)
        if found is None:
            raise NotDrawnError(lack)
        return found

    def interval(self, metric: str, population: str, cut: str) -> tuple[float, float] | None:
        """Give the 95 % percentile interval, by post where there are posts (section 10)."""
        for unit in ("post", "query"):
            low = self.value(metric, population, cut, f"ci_low/{unit}/percentile")
            high = self.value(metric, population, cut, f"ci_high/{unit}/percentile")
            if low is not None and high is not None:
                return low, high
        return None

    def settings_of(self, prefix: str) -> list[str]:
        """List what follows `prefix` in the ledger's metric ids without variant, numbers ascending.

        `settings_of("ndcg@")` is `["1", "3", …, "all"]`.
        """
        metrics = {key.split("|", 1)[0] for key in self.ledger if key.startswith(prefix)}
        tails = (name[len(prefix) :] for name in metrics)
        return sorted((tail for tail in tails if "/" not in tail), key=_numbers)

    @property
    def name(self) -> str:
        """The system's name as figures write it."""
        return label_of(self.system, 40)

    @property
    def unit(self) -> str:
        """The unit of the intervals that are shown."""
        return "post" if self.facts.get("posts") else "query"

    @property
    def folds(self) -> list[int]:
        """Folds of the EVAL rows."""
        return list(self.facts.get("folds") or [])

    @property
    def criteria(self) -> list[str]:
        """Criterion ids of the EVAL rows."""
        return list(self.facts.get("criteria") or [])

    @property
    def classes(self) -> list[str]:
        """The classes in their order."""
        return list(self.facts.get("classes") or [])

    @property
    def seeds(self) -> list[str]:
        """Seeds of the EVAL rows."""
        return list(self.facts.get("seeds") or [])

    @property
    def slices(self) -> dict[str, list[str]]:
        """Declared slices and their values."""
        return dict(self.facts.get("slices") or {})

    @property
    def of_field(self) -> bool:
        """Whether the data are of another kind than the study that the documents are about."""
        return load().words(self.facts).id != "evidence"

    def variants_of(self, prefix: str, suffix: str) -> list[str]:
        """List what stands between `prefix` and `suffix` in metric ids, numbers ascending."""
        metrics = {key.split("|", 1)[0] for key in self.ledger if key.startswith(prefix)}
        tails = (name[len(prefix) : -len(suffix)] for name in metrics if name.endswith(suffix))
        return sorted(tails, key=_numbers)

    def counts(self) -> tuple[int, int]:
        """How many queries there are, and how many have evidence."""
        queries = self.facts["queries"]
        positive = queries.get("has_evidence")
        return queries["all_queries"], queries["positives_only"] if positive is None else positive

    @property
    def size(self) -> str:
        """How many queries stand behind a figure, as subtitles say it."""
        total, positive = self.counts()
        return f"n = {count(total)} queries, {count(positive)} with evidence"

    def about(self, text: str) -> str:
        """Write a figure's subtitle: whose it is and what stands behind it."""
        return f"{self.name} · {text}"


def _numbers(text: str) -> tuple[list[float], str]:
    parts = text.rstrip("%").split(",")
    return [math.inf if part == "all" else float(part) for part in parts], text
