"""Every mistake that is computed, by its name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crosscheck.mistakes import (
    aggregation,
    calibration,
    classification,
    field,
    labels,
    ranking,
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
    **worlds.MISTAKES,
}
