"""Every mistake that is computed, by its name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crosscheck.mistakes import (
    aggregation,
    averages,
    calibration,
    classes,
    classification,
    field,
    labels,
    ranking,
    readings,
    selection,
    worlds,
)

if TYPE_CHECKING:
    from crosscheck.mistakes.formula import Formula

FORMULAS: dict[str, Formula] = {
    **ranking.MISTAKES,
    **classification.MISTAKES,
    **calibration.MISTAKES,
    **selection.MISTAKES,
    **labels.MISTAKES,
    **field.MISTAKES,
    **aggregation.MISTAKES,
    **averages.MISTAKES,
    **classes.MISTAKES,
    **worlds.MISTAKES,
    **readings.MISTAKES,
}
WORLDS = {**worlds.WORLDS, **readings.WORLDS}
"""Those that change rows or settings: mistake → the families it can change, and its world."""
