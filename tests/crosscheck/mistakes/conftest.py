"""A bench on a small data set."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from crosscheck.faults.grounds import small

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from crosscheck.mistakes.bench import Bench


@pytest.fixture
def bench(tmp_path: Path) -> Callable[[str], Bench]:
    """Give the bench of a named small data set."""
    return lambda name: small(name, tmp_path).bench
