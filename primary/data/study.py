"""The data under the settings: decisions, states, families and slices, worked out once."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from primary.arithmetic.decimals import shortest
from primary.data.rows import STATES, Data
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

    @cached_property
    def remembered(self) -> dict[Hashable, Any]:
        """What was worked out for one question and may serve the next, by what it is."""
        return {}

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

    @property
    def curve_score(self) -> NDArray[np.float64] | None:
        """What the curves sort by: the probability, else the score (section 14)."""
        return self.data.score if self.data.prob is None else self.data.prob

    @cached_property
    def decided(self) -> NDArray[np.int8] | None:
        """Probability or score ≥ operating threshold; a score needs a stated one."""
        score, threshold = self.curve_score, self.settings.threshold
        if score is None or (self.data.prob is None and threshold is None):
            return None
        half = Fraction(1, 2)
        at = self.per_row(half if threshold is None else threshold, "threshold")
        return (score >= at).astype(np.int8)

    @cached_property
    def grade_max(self) -> int:
        """The largest grade of all EVAL rows, unless a setting says so; of no grade 1."""
        if self.settings.grade_max is not None:
            return self.settings.grade_max
        return 1 if self.data.grades is None else int(self.data.grades.max(initial=1))

    @property
    def multiclass(self) -> bool:
        """Whether several classes are the one task of this file."""
        if self.settings.task is not None:
            return self.settings.task == "multiclass"
        return self.data.classes is not None or self.data.unread_classes

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
        """Every EVAL row, then each seed's."""
        every = [Slice("all", np.arange(self.size))]
        return every + _by_value("seed", self.seed_values, self.seed_code)

    @cached_property
    def fold_values(self) -> list[int]:
        """The folds of the EVAL rows, ascending."""
        return [] if self.data.fold is None else np.unique(self.data.fold).tolist()

    @cached_property
    def plain_folds(self) -> list[Slice]:
        """One slice per fold."""
        if self.data.fold is None:
            return []
        fold = self.data.fold
        return [Slice(f"fold={one}", np.flatnonzero(fold == one)) for one in self.fold_values]

    @cached_property
    def cells(self) -> dict[str, list[Slice]]:
        """The folds of each seed: what means over seeds are made of, and no slice of the ledger."""
        if not self.seed_values or self.data.fold is None:
            return {}
        found: dict[str, list[Slice]] = {}
        for code, seed in enumerate(self.seed_values):
            own = self.seed_code == code
            folds = np.unique(self.data.fold[own]).tolist()
            found[seed] = [
                Slice(cell_name(seed, fold), np.flatnonzero(own & (self.data.fold == fold)))
                for fold in folds
            ]
        return found

    @cached_property
    def folds(self) -> list[Slice]:
        """One slice per fold, then the folds of each seed."""
        return self.plain_folds + [one for cells in self.cells.values() for one in cells]

    @cached_property
    def seed_values(self) -> list[str]:
        """The seeds of the EVAL rows, sorted."""
        return [] if self.data.seed is None else sorted(self.data.seed.unique().to_list())

    @cached_property
    def seed_code(self) -> NDArray[np.int64]:
        """Each row's place in `seed_values`."""
        if self.data.seed is None:
            return np.zeros(self.size, dtype=np.int64)
        return codes_of(self.data.seed, self.seed_values)

    @property
    def seed_parts(self) -> list[list[str]]:
        """Name what a mean over seeds is made of: each seed's folds, without folds its slice."""
        if self.cells:
            return [[cell.name for cell in cells] for cells in self.cells.values()]
        return [[f"seed={escaped(seed)}"] for seed in self.seed_values]

    @cached_property
    def declared_values(self) -> dict[str, list[str]]:
        """The values of every declared slice, sorted."""
        return {name: sorted(one.unique().to_list()) for name, one in self.data.slices.items()}

    @cached_property
    def declared(self) -> list[Slice]:
        """One slice for each value of every declared slice."""
        found: list[Slice] = []
        for name, values in self.declared_values.items():
            found += _by_value(name, values, codes_of(self.data.slices[name], values))
        return found

    @property
    def by_query(self) -> list[Slice]:
        """The slices of `queries` and of the ranking metrics."""
        return [
            *(*self.all, *self.folds, *self.criteria, *self.declared),
            *(*self.states, *self.views),
        ]

    @property
    def by_row(self) -> list[Slice]:
        """The slices of curves, calibration and confusion."""
        return [*self.all, *self.folds, *self.criteria, *self.declared, *self.views]

    @cached_property
    def criterion_values(self) -> list[str]:
        """The criteria of the EVAL rows, sorted."""
        return [] if self.data.criterion is None else sorted(self.data.criterion.unique().to_list())

    @cached_property
    def criterion_code(self) -> NDArray[np.int64]:
        """Each row's place in `criterion_values`."""
        if self.data.criterion is None:
            raise LookupError("there are no criteria")
        return codes_of(self.data.criterion, self.criterion_values)

    @cached_property
    def criteria(self) -> list[Slice]:
        """One slice per criterion."""
        if self.data.criterion is None:
            return []
        return _by_value("criterion", self.criterion_values, self.criterion_code)

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
        units = ["post", "query"] if by_post else ["query"]
        return [*units, "seed"] if len(self.seed_values) > 1 else units

    @cached_property
    def post_code(self) -> NDArray[np.int64]:
        """Number the distinct (fold, post), with seeds the posts, by their first row."""
        if self.data.post is None:
            raise LookupError("there are no posts")
        return numbered({"post": self.data.post} | ({} if self.seed_values else self._fold))

    @cached_property
    def query_code(self) -> NDArray[np.int64]:
        """Number the units `query`: every row, with seeds every key."""
        if not self.seed_values:
            return np.arange(self.size)
        data = self.data
        if data.post is not None and data.criterion is not None:
            return numbered({"post": data.post, "criterion": data.criterion})
        return numbered({"query": data.query})

    @cached_property
    def matrix_row(self) -> NDArray[np.int64]:
        """Number the rows of the per-post matrices: the distinct (seed, fold, post)."""
        if self.data.post is None:
            raise LookupError("there are no posts")
        seed = {} if self.data.seed is None else {"seed": self.data.seed}
        return numbered({"post": self.data.post} | self._fold | seed)

    @property
    def _fold(self) -> dict[str, object]:
        return {} if self.data.fold is None else {"fold": self.data.fold}


def numbered(columns: Mapping[str, object]) -> NDArray[np.int64]:
    """Give each row the number of its first equal, counted by first appearance."""
    frame = pl.DataFrame(columns)
    placed = frame.with_row_index("row")
    first = placed.select(pl.col("row").min().over(frame.columns)).to_series().to_numpy()
    codes: NDArray[np.int64] = (np.cumsum(first == np.arange(len(first))) - 1)[first]
    return codes


def codes_of(series: pl.Series, values: list[str]) -> NDArray[np.int64]:
    """Give each row's place in `values`."""
    return series.replace_strict(values, list(range(len(values)))).to_numpy()


def _by_value(name: str, values: list[str], code: NDArray[np.int64]) -> list[Slice]:
    """Give one slice for each value; however many there are, the rows are sorted once."""
    order = np.argsort(code, kind="stable")
    ends = np.searchsorted(code[order], np.arange(len(values) + 1))
    return [
        Slice(f"{name}={escaped(value)}", order[ends[place] : ends[place + 1]])
        for place, value in enumerate(values)
    ]


CELL = "%"
"""How names of cells begin: no slice's does, as `%` is escaped in them."""


def cell_name(seed: str, fold: int) -> str:
    """Name the rows of a seed in a fold."""
    return f"{CELL}{escaped(seed)}{CELL}{fold}"


def escaped(name: str) -> str:
    """Percent-escape `%` and `|` in a name that stands in a key (section 13)."""
    return name.replace("%", "%25").replace("|", "%7C")
