"""Truthful tables raise no alarm: 1,000 random ones, rounded as papers round."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from crosscheck.audit import audit
from crosscheck.claims.reading import read_text

if TYPE_CHECKING:
    from collections.abc import Callable

STYLES = ("2", "3", "4", "percent", "percent sign")
TABLES = 1000
PARTS = 10


@pytest.mark.parametrize("part", range(PARTS))
def test_a_truthful_table_gives_no_finding(
    part: int, study_of: Callable[[int], Any], table_of: Callable[..., str]
) -> None:
    alarms = []
    for seed in range(part * TABLES // PARTS, (part + 1) * TABLES // PARTS):
        study = study_of(seed)
        text = table_of(study, STYLES[seed % 5], spreads=seed % 3 == 0, maps=seed % 20 == 0)
        found = audit(read_text(text, "table.md", "markdown"))
        alarms += [(seed, one.rule, one.sentence) for one in found.findings]
        assert found.checked
    assert alarms == []
