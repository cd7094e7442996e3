"""Is there an average of possible queries that prints as this table? Linear programming decides.

The unknown is how common each possible query is (`space`). Each printed cell bounds one average.
Queries enter the program as they turn out useful (column generation). Two answers are final:
a mixture that fits, or a **certificate**: weights for the cells such that every possible query
stays below what the printed cells add up to. The certificate is checked here in plain
arithmetic, so no alarm depends on the solver's own tolerance.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from crosscheck.audit.nearest import nearest
from crosscheck.audit.space import Space

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from fractions import Fraction

    import numpy.typing as npt

    from crosscheck.audit.space import Query
    from crosscheck.notation.interval import Interval
    from crosscheck.notation.measure import Measure

    Floats = npt.NDArray[np.float64]

MARGIN = 1e-9
"""By how much a certificate must clear the bound, relative to its weights; floats err less."""
_ROUNDS = 300
_ADDED_A_ROUND = 30
_FIT = 1e-9
_PENALTY = 1e3
_MOST_QUERIES = 5000
_STEPS = 400


@dataclass(frozen=True, slots=True)
class Certificate:
    """Weights of the cells; the most that any query reaches; the least that the cells print."""

    weights: dict[Measure, float]
    possible: float
    printed: float


@dataclass(frozen=True, slots=True)
class Answer:
    """`possible` True with a mixture, False with a certificate, None if undecided."""

    possible: bool | None
    certificate: Certificate | None = None


@dataclass(frozen=True, slots=True)
class _Box:
    """The printed cells as bounds on rows of the program."""

    rows: npt.NDArray[np.int_]
    low: Floats
    high: Floats
    size: int

    def spread(self, duals: Floats) -> Floats:
        """Place the cells' weights among all measures."""
        full = np.zeros(self.size)
        full[self.rows] = duals
        return full

    def least(self, duals: Floats) -> float:
        """Give the least weighted sum that the printed cells allow."""
        return float(np.where(duals > 0, duals * self.low, duals * self.high).sum())


class Program:
    """The linear program over one set of measures; queries found once serve every question."""

    def __init__(self, measures: Sequence[Measure]) -> None:
        """Start with a few queries that are always useful."""
        self.space = Space(sorted(set(measures)))
        self._row = {measure: i for i, measure in enumerate(self.space.measures)}
        self._seen: set[Query] = set()
        self._columns: list[Floats] = []
        self._seed()

    def _forget(self) -> None:
        """Start afresh when so many tables have passed that the queries found slow each other."""
        self._seen.clear()
        self._columns.clear()
        self._seed()

    def _seed(self) -> None:
        size = len(self.space.measures)
        directions = [np.ones(size), -np.ones(size), *np.eye(size), *-np.eye(size)]
        for direction in directions:
            self._extend(self.space.best(direction)[1])

    def _extend(self, queries: Sequence[Query]) -> int:
        new = [query for query in queries if query not in self._seen][:_ADDED_A_ROUND]
        self._seen.update(new)
        self._columns += [self.space.values(query) for query in new]
        return len(new)

    def check(self, cells: Mapping[Measure, Interval]) -> Answer:
        """Say whether these cells can stand together."""
        if len(self._columns) > _MOST_QUERIES:
            self._forget()
        box = self._box(cells)
        if self._fits_at_once(box):
            return Answer(possible=True)
        for _ in range(_ROUNDS):
            slack, duals = self._mix(box, np.zeros(len(self._columns)), 1.0)
            if slack <= _FIT:
                return Answer(possible=True)
            reach, queries = self.space.best(box.spread(duals))
            printed = box.least(duals)
            if printed - reach > MARGIN * max(1.0, float(np.abs(duals).sum())):
                weights = {m: float(w) for m, w in zip(cells, duals, strict=True) if w}
                return Answer(possible=False, certificate=Certificate(weights, reach, printed))
            if not self._extend(queries):
                # Nothing new helps, and what is left is below what a proof must clear.
                return Answer(possible=True if slack <= MARGIN * len(cells) else None)
        return Answer(possible=None)

    def most(self, weights: Mapping[Measure, Fraction]) -> float:
        """Give the most that any query reaches under these weights."""
        full = np.zeros(len(self.space.measures))
        for measure, weight in weights.items():
            full[self._row[measure]] = float(weight)
        return self.space.best(full)[0]

    def _fits_at_once(self, box: _Box) -> bool:
        """Try the mixture nearest to the cells' middles: most true tables need no more."""
        half = (box.high - box.low) / 2
        if not half.all():
            return False
        columns = np.array(self._columns)[:, box.rows].T
        middle = (box.low + box.high) / 2
        heavy = 10 * _PENALTY
        shares = nearest(
            np.vstack([columns / half[:, None], np.full((1, columns.shape[1]), heavy)]),
            np.append(middle / half, heavy),
            most=_STEPS,
        )
        total = shares.sum()
        if not total:
            return False
        return bool((np.abs(columns @ shares / total - middle) <= half).all())

    def reach(self, target: Measure, cells: Mapping[Measure, Interval]) -> tuple[float, float]:
        """Give bounds that the other cells put on one: no query mixture lies outside."""
        box = self._box({m: i for m, i in cells.items() if m != target})
        row = self._row[target]
        return -self._most(row, box, -1.0), self._most(row, box, 1.0)

    def _most(self, target: int, box: _Box, sign: float) -> float:
        """Push one average as far as the cells allow; the bound holds at every round."""
        bound = 1.0 if sign > 0 else 0.0
        for _ in range(_ROUNDS):
            cost = -sign * np.array(self._columns)[:, target]
            value, duals = self._mix(box, cost, _PENALTY)
            weights = box.spread(duals)
            weights[target] += sign
            reach, queries = self.space.best(weights)
            bound = min(bound, reach - box.least(duals))
            if bound + value <= _FIT or not self._extend(queries):
                break
        return bound

    def _box(self, cells: Mapping[Measure, Interval]) -> _Box:
        return _Box(
            np.array([self._row[m] for m in cells], dtype=int),
            np.array([float(i.low) for i in cells.values()]),
            np.array([float(i.high) for i in cells.values()]),
            len(self.space.measures),
        )

    def _mix(self, box: _Box, cost: Floats, penalty: float) -> tuple[float, Floats]:
        """Mix the known queries at least cost; leaving a cell costs. The cost, and cell weights."""
        columns = np.array(self._columns)[:, box.rows].T
        count, known = columns.shape
        eye = np.eye(count)
        equal = np.zeros((count + 1, known + 3 * count))
        equal[:count] = np.hstack([columns, -eye, eye, -eye])
        equal[count, :known] = 1
        costs = np.concatenate([cost, np.zeros(count), np.full(2 * count, penalty)])
        free = (0.0, None)
        bounds = [free] * known + list(zip(box.low, box.high, strict=True)) + [free] * (2 * count)
        right = np.concatenate([np.zeros(count), [1.0]])
        from scipy.optimize import linprog  # noqa: PLC0415 - heavy

        found = linprog(
            costs,
            A_eq=equal,
            b_eq=right,
            bounds=bounds,
            method="highs",
            options={"presolve": False},  # twice as fast for programs of this size
        )
        if found.fun is None:
            raise RuntimeError(f"the linear program was not solved: {found.message}")
        return float(found.fun), np.asarray(found.eqlin.marginals[:count], dtype=float)
