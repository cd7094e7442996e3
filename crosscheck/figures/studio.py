"""The studio: figures drawn in processes of their own, as soon as what they show is known."""

from __future__ import annotations

from concurrent.futures import Future, ProcessPoolExecutor
from typing import TYPE_CHECKING

import numpy as np

from crosscheck import extras, system
from crosscheck.figures import OF_ALL, draw_all, draw_comparison, due, joined
from crosscheck.processes import SPAWN, afresh, attend, end_all
from crosscheck.report.gallery import Gallery
from crosscheck.report.write import COMPARISON
from crosscheck.witnesses.resampling import Intervals

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Self

    from numpy.typing import NDArray

    from crosscheck.checks import Evidence
    from crosscheck.data.rows import Rows
    from crosscheck.drawing.data import FigureData
    from crosscheck.model.comparison import Comparison
    from crosscheck.report.gallery import Galleries

EXTRA = "figures"
"""The extra of the package that drawing needs."""


class Studio:
    """Draws the figures in processes of their own, as soon as what they show is known."""

    def __init__(self, *, hidden: bool = False) -> None:
        self.absent = extras.told(EXTRA) if hidden else extras.lacking(EXTRA)
        """Why nothing is drawn; `hidden`: as where a report was made without."""
        self.pool = ProcessPoolExecutor(system.cores(), SPAWN, attend)
        self.drawn: dict[str, list[Future[Gallery]]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            end_all()
        self.pool.shutdown(cancel_futures=True)

    def spoken(self, one: Evidence) -> None:
        """Begin with the figures that show the primary's numbers alone."""
        if "primary" in one.ledgers():
            self.drawn[one.system] = []
            self._begin(one, [name for name in due(one.facts) if name not in OF_ALL])

    def gathered(self, one: Evidence) -> None:
        """Draw the figures that show everybody's numbers."""
        if one.system in self.drawn:
            self._begin(one, OF_ALL)

    def _begin(self, one: Evidence, names: Sequence[str]) -> None:
        if self.absent:
            left: Future[Gallery] = Future()
            left.set_result(Gallery((), dict.fromkeys(names, self.absent)))
            self.drawn[one.system].append(left)
            return
        # One by one: whoever is free takes the next, and Ctrl-C waits for two at most.
        data = figure_data(one)
        with afresh():
            self.drawn[one.system] += [self.pool.submit(draw_all, data, [name]) for name in names]

    def galleries(self, comparison: Comparison | None) -> Galleries:
        """Give the figures, once they are drawn; the comparison's too, if anything is drawn."""
        found: dict[str | None, Gallery] = {}
        if self.drawn and comparison is not None and not self.absent:
            with afresh():
                compared = self.pool.submit(draw_comparison, comparison)
            found[COMPARISON] = compared.result()
        for name, figures in self.drawn.items():
            found[name] = joined([one.result() for one in figures])
        return found


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
