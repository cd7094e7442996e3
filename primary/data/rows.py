"""The data of one input, checked and typed: what every metric family reads from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from primary.data.lists import Lists

STATES = ("NEG", "UNCERTAIN", "POS")
"""The three states, coded 0, 1, 2."""


@dataclass(frozen=True)
class Tune:
    """What is read of the TUNE rows: enough to choose thresholds."""

    fold: NDArray[np.int64]
    label: NDArray[np.int8]
    score: NDArray[np.float64]
    """The probability, or the score that stands in for it."""
    seed: pl.Series | None = None


@dataclass(frozen=True)
class Data:
    """The EVAL rows in file order; a column that the input lacks is None."""

    rows: Mapping[str, int]
    columns: Mapping[str, str]
    post: pl.Series | None = None
    criterion: pl.Series | None = None
    query: pl.Series | None = None
    fold: NDArray[np.int64] | None = None
    candidates: Lists | None = None
    scores: NDArray[np.float64] | None = None
    node_probs: NDArray[np.float64] | None = None
    gold: Lists | None = None
    selected: Lists | None = None
    has_evidence: NDArray[np.int8] | None = None
    prob: NDArray[np.float64] | None = None
    pred: NDArray[np.int8] | None = None
    state: NDArray[np.int8] | None = None
    tune: Tune | None = None
    seed: pl.Series | None = None
    score: NDArray[np.float64] | None = None
    """An uncalibrated score of the row, read where there is no probability."""
    graded: Lists | None = None
    """The ids of grade 1 and above: the gold of a table, whatever the level in qrels."""
    grades: NDArray[np.int64] | None = None
    """The grade of each of them; None where the graded family is not owed."""
    judged: Lists | None = None
    raw_scores: NDArray[np.float64] | None = None
    """The scores as they were written, where the ranking is by rounded ones."""
    classes: tuple[str, ...] | None = None
    unread_classes: bool = False
    """Whether there are classes that tell the task and that no wanted family reads."""
    label_class: NDArray[np.int64] | None = None
    predicted_class: NDArray[np.int64] | None = None
    """The places in `classes` of the true and the predicted class."""
    class_probs: NDArray[np.float64] | None = None
    """Rows × classes."""
    slices: Mapping[str, pl.Series] = field(default_factory=dict)
    """The values of each declared slice."""
    key: str = "columns"
    """`rows` where the row number stands for the key."""
    strangers: pl.Series | None = None
    """The queries of a run that the qrels lack."""
    answered: NDArray[np.bool_] | None = None
    """Whether a run has the query."""
    duplicates: NDArray[np.int64] | None = None
    """How many uids `dedupe` took out of each ranking."""
    float32_ties: NDArray[np.bool_] | None = None
    """Where `dedupe` took some out: whether different scores were equal in 32 bits before it."""
    place: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """The row of the file that each EVAL row stands in, counted from 0."""
    others: pl.DataFrame = field(default_factory=pl.DataFrame)
    """TUNE and TRAIN rows: place, key, fold, split, label, prob."""

    @property
    def size(self) -> int:
        """How many EVAL queries there are."""
        return self.rows["EVAL"]

    @property
    def label(self) -> NDArray[np.int8] | None:
        """1 where evidence exists: as given, else where there is gold (section 1)."""
        if self.has_evidence is not None:
            return self.has_evidence
        if self.gold is not None:
            return (self.gold.lengths > 0).astype(np.int8)
        return None

    @property
    def positive(self) -> NDArray[np.bool_]:
        """`positives_only`: |G| > 0; without gold, has_evidence = 1 (sections 1 and 2)."""
        found: NDArray[np.bool_] = np.zeros(self.size, dtype=bool)
        if self.gold is not None:
            found = self.gold.lengths > 0
        elif self.has_evidence is not None:
            found = self.has_evidence == 1
        return found
