"""Figures for the paper and the page, drawn from the verified ledger.

`draw_all` gives every figure of one system as SVG, PDF and inline markup; `draw_comparison` the
ablation's. matplotlib is loaded when the first figure is drawn, not before.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from crosscheck.contract import load
from crosscheck.figures.plot import NotDrawnError
from crosscheck.report.gallery import Drawn, Gallery

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crosscheck.figures.data import FigureData
    from crosscheck.model.comparison import Comparison

__all__ = ["FIGURES", "OF_ALL", "Drawn", "Gallery", "draw_all", "draw_comparison", "joined"]

FIGURES = (
    "roc",
    "precision_recall",
    "reliability",
    "cutoffs",
    "criteria",
    "folds",
    "k_histogram",
    "state_flow",
    "gamma",
    "grid",
    "agreement",
)
"""The figures of one system, in the order of the report; each is a module with `draw`."""
OF_ALL = ("agreement",)
"""Those that show every witness's numbers; the others show the primary's alone."""


def draw_all(data: FigureData | Comparison, names: Sequence[str] = FIGURES) -> Gallery:
    """Draw every figure that the data suffice for; the others with the reason why not."""
    from crosscheck.figures import style  # noqa: PLC0415 - loaded on use
    from crosscheck.figures.render import render  # noqa: PLC0415 - loaded on use
    from crosscheck.figures.wording import fitted, worded  # noqa: PLC0415 - the same

    facts = getattr(data, "facts", None)
    drawn: list[Drawn] = []
    not_drawn: dict[str, str] = {}
    with style.applied(), worded(load().words(facts) if facts else None):
        for name in names:
            module = importlib.import_module(f"crosscheck.figures.{name}")
            try:
                plot = module.draw(data)
            except NotDrawnError as lack:
                not_drawn[name] = str(lack)
            else:
                drawn.append(render(name, fitted(plot)))
    return Gallery(tuple(drawn), not_drawn)


def joined(galleries: Sequence[Gallery]) -> Gallery:
    """Put figures that were drawn apart into the order of the report."""
    drawn = [one for gallery in galleries for one in gallery.figures]
    lacking = {name: why for gallery in galleries for name, why in gallery.not_drawn.items()}
    return Gallery(
        tuple(sorted(drawn, key=lambda one: FIGURES.index(one.name))),
        {name: lacking[name] for name in FIGURES if name in lacking},
    )


def draw_comparison(comparison: Comparison) -> Gallery:
    """Draw the ablation's figure."""
    return draw_all(comparison, ("ablation",))
