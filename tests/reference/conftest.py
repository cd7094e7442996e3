"""What the tests of the reference share: writing data files."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def jsonl(tmp_path: Path) -> Callable[[list[dict[str, Any]]], Path]:
    """Write rows as JSON Lines and say where."""

    def write(rows: list[dict[str, Any]]) -> Path:
        path = tmp_path / "data.jsonl"
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
        return path

    return write


@pytest.fixture
def csv_file(tmp_path: Path) -> Callable[[str], Path]:
    """Write CSV text and say where."""

    def write(text: str) -> Path:
        path = tmp_path / "data.csv"
        path.write_text(text, encoding="utf-8", newline="")
        return path

    return write
