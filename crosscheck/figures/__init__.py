"""Figures for the paper and the page, drawn from the verified ledger.

`draw_all` gives every figure of one system as SVG, PDF and inline markup; `draw_comparison` the
ablation's. matplotlib is loaded when the first figure is drawn, not before.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from crosscheck.contract import load
from crosscheck.drawing.plot import NotDrawnError
from crosscheck.report.gallery import Drawn, Gallery

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from crosscheck.drawing.data import FigureData
    from crosscheck.model.comparison import Comparison

__all__ = ["FIGURES", "OF_ALL", "Drawn", "Gallery", "draw_all", "draw_comparison", "due", "joined"]

FIGURES = {
    "roc": "curves",
    "precision_recall": "curves",
    "reliability": "calibration",
    "cutoffs": "ranking",
    "graded": "graded",
    "interpolated": "ranking",
    "confusion_matrix": "confusion_matrix",
    "classes": "classes",
    "one_vs_rest": "class_probs",
    "top_label": "class_probs",
    "criteria": "per_criterion",
    "slices": "slices",
    "folds": "folds",
    "seeds": "seeds",
    "k_histogram": "dynamic_k",
    "state_flow": "states",
    "gamma": "gamma",
    "grid": "grid",
    "agreement": "",
}
"""The figures of one system in the order of the report, each a module with `draw` → the family, or
the fact, without which data have no such figure."""
OF_FIELD = frozenset(
    (
        "graded",
        "interpolated",
        "confusion_matrix",
        "classes",
        "one_vs_rest",
        "top_label",
        "slices",
        "seeds",
    )
)
"""Those of the package `field`: the study of the source documents has them where its data do."""
OF_ALL = ("agreement",)
"""Those that show every witness's numbers; the others show the primary's alone."""


def due(facts: Mapping[str, Any]) -> list[str]:
    """Name the figures that a report of data with these facts has, or says why it has them not."""
    there = {*facts.get("families", ()), *(name for name in facts if facts[name]), ""}
    study = load().words(facts).id == "evidence"
    return [
        name
        for name, needed in FIGURES.items()
        if (name not in OF_FIELD if study else needed in there)
        or (study and name != "interpolated" and needed in there)
    ]


def draw_all(data: FigureData | Comparison, names: Sequence[str] | None = None) -> Gallery:
    """Draw the figures named, or those due, where the data suffice; else with the reason why not.

    Without names, those of a system are drawn that are due.
    """
    from crosscheck.drawing import style  # noqa: PLC0415 - loaded on use
    from crosscheck.drawing.render import render  # noqa: PLC0415 - loaded on use
    from crosscheck.drawing.wording import fitted, worded  # noqa: PLC0415 - the same

    facts = getattr(data, "facts", None)
    drawn: list[Drawn] = []
    not_drawn: dict[str, str] = {}
    with style.applied(), worded(load().words(facts) if facts else None):
        for name in due(facts or {}) if names is None else names:
            module = importlib.import_module(f"{__name__}.{'field.' * (name in OF_FIELD)}{name}")
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
    order = list(FIGURES)
    return Gallery(
        tuple(sorted(drawn, key=lambda one: order.index(one.name))),
        {name: lacking[name] for name in FIGURES if name in lacking},
    )


def draw_comparison(comparison: Comparison) -> Gallery:
    """Draw the ablation's figure."""
    return draw_all(comparison, ("ablation",))
