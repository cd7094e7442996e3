"""The studio: figures drawn by the run's processes, as soon as what they show is known."""

from __future__ import annotations

import math
import pickle
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, zip_longest
from typing import TYPE_CHECKING

import numpy as np

from crosscheck import extras
from crosscheck.figures import OF_ALL, draw_all, due, joined
from crosscheck.report.gallery import Gallery
from crosscheck.report.write import COMPARISON
from crosscheck.system import cores
from crosscheck.witnesses import Silence
from crosscheck.witnesses.resampling import Intervals
from crosscheck.witnesses.tasks import Task

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

    from numpy.typing import NDArray

    from crosscheck.checks import Evidence
    from crosscheck.data.rows import Rows
    from crosscheck.drawing.data import FigureData
    from crosscheck.model.comparison import Comparison
    from crosscheck.report.gallery import Galleries
    from crosscheck.witnesses.workers import Workers

EXTRA = "figures"
"""The extra of the package that drawing needs."""
LEFT_OUT = "left out with --no-figures"


@dataclass(frozen=True, slots=True)
class _Sheet:
    """One figure to be drawn, from data that are packed once for all figures of a system."""

    name: str
    packed: bytes
    scope: str = ""


def _draw(sheet: _Sheet) -> Gallery:
    return draw_all(_unpacked(sheet.packed), [sheet.name])


@lru_cache(maxsize=1)
def _unpacked(packed: bytes) -> FigureData | Comparison:
    data: FigureData | Comparison = pickle.loads(packed)  # noqa: S301 - packed by this program
    return data


class Studio:
    """Has the figures drawn where no witness is at work, as soon as what they show is known."""

    def __init__(
        self,
        workers: Workers,
        *,
        draws: bool = True,
        hidden: bool = False,
        later: Callable[[], None] | None = None,
    ) -> None:
        self.later = later
        """What else can be done while one has but to wait."""
        self.absent = extras.told(EXTRA) if hidden else extras.lacking(EXTRA)
        """Why nothing is drawn; `hidden`: as where a report was made without."""
        self.workers = workers
        self.draws = draws
        self.drawn: dict[str, list[Task[_Sheet, Gallery]]] = {}

    @property
    def undrawn(self) -> str:
        """Why there will be no figures; nothing where there will."""
        return self.absent if self.draws else LEFT_OUT

    def idle(self) -> None:
        """Do what else there is to do; once is enough."""
        later, self.later = self.later, None
        if later is not None:
            later()

    def tend(self) -> None:
        """Let whoever has drawn its share take the next."""
        self.workers.tend()

    def spoken(self, one: Evidence) -> None:
        """Begin with the figures that show the primary's numbers alone."""
        if self.draws and "primary" in one.ledgers():
            self.drawn[one.system] = []
            self._begin(one, [name for name in due(one.facts) if name not in OF_ALL])

    def gathered(self, one: Evidence) -> None:
        """Draw the figures that show everybody's numbers."""
        if one.system in self.drawn:
            self._begin(one, OF_ALL)

    def _begin(self, one: Evidence, names: Sequence[str]) -> None:
        if self.absent:
            lacking = Gallery((), dict.fromkeys(names, self.absent))
            self.drawn[one.system].append(Task("figures", _draw, (), answers=[lacking]))
            return
        data = pickle.dumps(figure_data(one))
        self.drawn[one.system] += [self._asked(some, data) for some in shares(names)]
        self.workers.begin_waiting()

    def _asked(self, names: Sequence[str], data: bytes) -> Task[_Sheet, Gallery]:
        return self._begun(*(_Sheet(name, data) for name in names))

    def _begun(self, *sheets: _Sheet) -> Task[_Sheet, Gallery]:
        task = Task("figures", _draw, sheets, patient=True)
        self.workers.waiting.append(task)
        return task

    @property
    def left(self) -> int:
        """How many figures are still to be drawn."""
        tasks = [task for some in self.drawn.values() for task in some]
        return sum(len(task.subjects[len(task.answers) :]) for task in tasks)

    def galleries(self, comparison: Comparison | None) -> Galleries:
        """Give the figures, once they are drawn; the comparison's too, if anything is drawn."""
        found: dict[str | None, Gallery] = {}
        compared = None
        if self.drawn and comparison is not None and not self.absent:
            compared = self._asked(["ablation"], pickle.dumps(comparison))
        self.workers.finish()
        self._draw_again([*chain(*self.drawn.values()), *([compared] if compared else [])])
        if compared is not None:
            [found[COMPARISON]] = _given(compared)
        for name, figures in self.drawn.items():
            found[name] = joined([each for one in figures for each in _given(one)])
        return found

    def _draw_again(self, tasks: Sequence[Task[_Sheet, Gallery]]) -> None:
        """Draw once more what a process did not live to draw: all else of the report is there."""
        lost = [
            (task, place)
            for task in tasks
            for place, answer in enumerate(task.answers)
            if isinstance(answer, Silence)
        ]
        again = [self._begun(task.subjects[place]) for task, place in lost]
        self.workers.finish()
        for (task, place), one in zip(lost, again, strict=True):
            [task.answers[place]] = one.answers


def shares(names: Sequence[str]) -> Iterator[Sequence[str]]:
    """Deal figures out by fewer and fewer: one need not listen all the time, and all end soon."""
    while names:
        some = math.ceil(len(names) / (cores() + 1))
        yield names[:some]
        names = names[some:]


def _given(task: Task[_Sheet, Gallery]) -> Iterator[Gallery]:
    """Give what was drawn; that it could not be is an error of ours."""
    for sheet, answer in zip_longest(task.subjects, task.answers):
        if isinstance(answer, Silence):
            raise RuntimeError(  # noqa: TRY004 - nothing is wrong with its type
                f"the figure {sheet.name} was not drawn: {answer.reason}; nothing was written, "
                "and --no-figures does without"
            )
        yield answer


def figure_data(evidence: Evidence) -> FigureData:
    """Give what the figures are drawn from."""
    from crosscheck.drawing.data import FigureData  # noqa: PLC0415 - loaded on use

    rows = evidence.rows
    labelled = rows.has("has_evidence") or rows.has("gold")
    heard = evidence.intervals
    return FigureData(
        system=evidence.system,
        ledgers=evidence.ledgers(),
        facts=evidence.facts,
        settings=evidence.case.settings,
        label=rows.label if labelled else None,
        prob=rows.prob if rows.has("prob") else None,
        truth=_truth(rows, evidence.facts),
        class_probs=_class_probs(rows, evidence.facts),
        roc_band=heard.roc_band if isinstance(heard, Intervals) else {},
        tolerance=evidence.tolerance,
        resamples=evidence.resamples,
    )


def _truth(rows: Rows, facts: Mapping[str, Any]) -> NDArray[np.int64] | None:
    """Give each row's true class as its place among the classes."""
    if not facts.get("classes") or not rows.has("label"):
        return None
    places = {name: place for place, name in enumerate(facts["classes"])}
    return np.array([places[label] for label in rows.frame["label"]], dtype=np.int64)


def _class_probs(rows: Rows, facts: Mapping[str, Any]) -> NDArray[np.float64] | None:
    if "class_probs" not in facts["families"] or not rows.has("class_probs"):
        return None
    return np.array(rows.frame["class_probs"].to_list(), dtype=np.float64)
