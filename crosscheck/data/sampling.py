"""Large data: a declared sample, chosen by hash, on which the slow witnesses testify."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from crosscheck.data.case import Case

SAMPLE_ROWS = 50_000
"""About how many EVAL rows the sample has."""
FEWEST = 20
"""Posts that a sample has to be expected to hold: of fewer, chance might choose none at all."""


def sampled(case: Case, rows_limits: Iterable[int | None]) -> dict[str, Any] | None:
    """Give the settings of the sample, or None where every witness sees all rows."""
    rows = case.facts["rows"]["EVAL"]
    limits = [limit for limit in rows_limits if limit is not None]
    if not limits or rows <= min(limits):
        return None
    # A whole number, so that anyone can choose the same posts again from their ids alone.
    one_in = max(2, round(rows / SAMPLE_ROWS))
    if (case.facts["posts"] or rows) < FEWEST * one_in:
        return None
    return {**case.settings, "sample": one_in}
