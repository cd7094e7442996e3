"""The data under the settings: decisions, states, families and slices, worked out once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from primary.data import STATES, Data
from primary.decimals import shortest
from primary.errors import refuse

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from primary.settings import PerFold, Settings

Rows = np.ndarray[tuple[int], np.dtype[np.int64]]


@dataclass(frozen=True)
class Slice:
    """A part of the EVAL rows under its name in the keys; `rows` are in file order."""

    name: str
    rows: Rows


@dataclass(frozen=True)
class Study:
    """Everything that several families need to know about the EVAL rows."""

    data: Data
    settings: Settings

    @property
    def size(self) -> int:
        """How many EVAL queries there are."""
        return self.data.size

    @cached_property
    def label(self) -> NDArray[np.int8]:
        """has_evidence, as given or from gold; asked for only where it is known."""
        label = self.data.label
        if label is None:
            raise LookupError("the label is not known")
        return label

    @cached_property
    def has_evidence(self) -> NDArray[np.bool_]:
        """Rows with label 1; without labels no row is known to be one."""
        label = self.data.label
        return np.zeros(self.size, dtype=bool) if label is None else label == 1

    @cached_property
    def positive(self) -> NDArray[np.bool_]:
        """Rows of `positives_only`."""
        return self.data.positive

    @cached_property
    def pred(self) -> NDArray[np.int8] | None:
        """The gate's decision: as given, else prob ≥ operating threshold (section 1)."""
        return self.data.pred if self.data.pred is not None else self.decided

    @cached_property
    def decided(self) -> NDArray[np.int8] | None:
        """Prob ≥ operating threshold."""
        if self.data.prob is None:
            return None
        return (self.data.prob >= self.per_row(self.settings.threshold, "threshold")).astype(
            np.int8
        )

    @cached_property
    def state(self) -> NDArray[np.int8] | None:
        """The gate's state: from τ where τ and prob are there, else as given (sections 1 and 7)."""
        return self.assigned if self.assigned is not None else self.data.state

    @cached_property
    def assigned(self) -> NDArray[np.int8] | None:
        """The state that τ gives."""
        low, high = self.settings.tau_neg, self.settings.tau_pos
        prob = self.data.prob
        if low is None or high is None or prob is None:
            return None
        above = (prob >= self.per_row(low, "tau_neg")).astype(np.int8)
        return above + (prob >= self.per_row(high, "tau_pos")).astype(np.int8)

    def per_row(self, value: PerFold, name: str) -> NDArray[np.float64]:
        """Spread one number, or one per fold, over the EVAL rows."""
        if not isinstance(value, Mapping):
            return np.full(self.size, float(value))
        if self.data.fold is None:
            raise refuse(
                f"{name} is given by fold, but the data has no fold column",
                f"Give one {name}, or map the fold column.",
            )
        folds, codes = np.unique(self.data.fold, return_inverse=True)
        lacking = [str(fold) for fold in folds.tolist() if str(fold) not in value]
        if lacking:
            raise refuse(
                f"{name} has no number for fold {', '.join(lacking)}; found "
                + ", ".join(f"{fold}: {shortest(one)}" for fold, one in value.items()),
                f"Give {name} for every fold of the EVAL rows.",
            )
        return np.array([float(value[str(fold)]) for fold in folds.tolist()])[codes]

    # --- slices ---------------------------------------------------------------------------------

    @cached_property
    def all(self) -> list[Slice]:
        """Every EVAL row."""
        return [Slice("all", np.arange(self.size))]

    @cached_property
    def fold_values(self) -> list[int]:
        """The folds of the EVAL rows, ascending."""
        return [] if self.data.fold is None else np.unique(self.data.fold).tolist()

    @cached_property
    def folds(self) -> list[Slice]:
        """One slice per fold."""
        if self.data.fold is None:
            return []
        fold = self.data.fold
        return [Slice(f"fold={one}", np.flatnonzero(fold == one)) for one in self.fold_values]

    @cached_property
    def criterion_values(self) -> list[str]:
        """The criteria of the EVAL rows, sorted."""
        return [] if self.data.criterion is None else sorted(self.data.criterion.unique().to_list())

    @cached_property
    def criterion_code(self) -> NDArray[np.int64]:
        """Each row's place in `criterion_values`."""
        if self.data.criterion is None:
            raise LookupError("there are no criteria")
        return self.data.criterion.replace_strict(
            self.criterion_values, list(range(len(self.criterion_values)))
        ).to_numpy()

    @cached_property
    def criteria(self) -> list[Slice]:
        """One slice per criterion."""
        return [
            Slice(f"criterion={escaped(name)}", np.flatnonzero(self.criterion_code == code))
            for code, name in enumerate(self.criterion_values)
        ]

    @cached_property
    def views(self) -> list[Slice]:
        """One slice per declared view; a view may be empty."""
        if self.data.criterion is None:
            return []
        code = {name: number for number, name in enumerate(self.criterion_values)}
        return [
            Slice(
                f"view={escaped(name)}",
                np.flatnonzero(
                    np.isin(self.criterion_code, [code[one] for one in ids if one in code])
                ),
            )
            for name, ids in self.settings.views.items()
        ]

    @cached_property
    def states(self) -> list[Slice]:
        """One slice per state, empty ones included."""
        state = self.state
        if state is None or "state_slices" not in self.settings.families:
            return []
        return [
            Slice(f"state={name}", np.flatnonzero(state == code))
            for code, name in enumerate(STATES)
        ]

    @cached_property
    def evidence(self) -> list[Slice]:
        """One slice for each label."""
        if self.data.label is None or "has_evidence_slices" not in self.settings.families:
            return []
        return [
            Slice(f"has_evidence={label}", np.flatnonzero(self.label == label)) for label in (0, 1)
        ]

    # --- units of resampling and of section 8 ---------------------------------------------------

    @property
    def units(self) -> list[str]:
        """The units of resampling, the one that is shown first in front."""
        by_post = self.data.post is not None and "posts" in self.settings.families
        return ["post", "query"] if by_post else ["query"]

    @cached_property
    def post_code(self) -> NDArray[np.int64]:
        """Number the distinct (fold, post) in the order of their first row."""
        if self.data.post is None:
            raise LookupError("there are no posts")
        frame = pl.DataFrame({"post": self.data.post})
        if self.data.fold is not None:
            frame = frame.with_columns(fold=pl.Series(self.data.fold))
        numbered = frame.with_row_index("row")
        first = numbered.select(pl.col("row").min().over(frame.columns)).to_series().to_numpy()
        codes: NDArray[np.int64] = (np.cumsum(first == np.arange(len(first))) - 1)[first]
        return codes


def escaped(name: str) -> str:
    """Percent-escape `%` and `|` in a name that stands in a key (section 13)."""
    return name.replace("%", "%25").replace("|", "%7C")
