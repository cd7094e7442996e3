"""Numbers that stand beside a metric and are none: deviations, errors, intervals, p-values, ranks.

A column “SD”, “SE”, “95% CI” or “p” speaks of the metric at its left, as the parts of one cell do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from crosscheck.audit.beside import errors, intervals, p_values, ranks
from crosscheck.audit.beside.figures import figures
from crosscheck.audit.beside.recast import recast
from crosscheck.audit.sizes import Sizes
from crosscheck.audit.verdicts import Tally

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crosscheck.notation.claim import Claim

__all__ = ["audit", "recast"]


def audit(
    claims: Sequence[Claim], folds: int | None = None, n: int | None = None, text: str = ""
) -> Tally:
    """Audit everything that stands beside the metrics of a document."""
    tally = Tally()
    found = figures(claims, Sizes.of(claims, n, text), folds)
    for part in (
        intervals.audit(found),
        errors.audit(found),
        p_values.audit(found, text),
        ranks.audit(claims),
    ):
        tally.add(part)
    return tally
