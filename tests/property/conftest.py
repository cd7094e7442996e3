"""How the enumeration tests ask both implementations, and judge their answers."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import pytest

import primary
import reference

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from fractions import Fraction
    from pathlib import Path

CLOSE = 1e-12
PACKAGES = {"primary": primary, "reference": reference}


@pytest.fixture
def evaluate(tmp_path: Path) -> Callable[..., dict[str, Any]]:
    """Ask one implementation for the ledger of some rows."""

    def ask(package: str, rows: Iterable[dict[str, Any]], settings: Any) -> dict[str, Any]:
        return PACKAGES[package].evaluate(written(tmp_path, rows), settings)

    return ask


@pytest.fixture
def per_query(tmp_path: Path) -> Callable[..., dict[str, list[float]]]:
    """Ask one implementation for the per-query values of some rows."""

    def ask(package: str, rows: Iterable[dict[str, Any]], settings: Any) -> dict[str, list[float]]:
        columns = PACKAGES[package].per_query(written(tmp_path, rows), settings)
        return {name: list(columns[name]) for name in columns}

    return ask


def written(folder: Path, rows: Iterable[dict[str, Any]]) -> Path:
    path = folder / "data.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture
def wrong() -> Callable[..., dict[str, str]]:
    """Give the keys on which a ledger does not say what the naive check does."""

    def judge(
        expected: Mapping[str, Fraction | float], ledger: Mapping[str, Any]
    ) -> dict[str, str]:
        return {
            key: f"expected {value}, got {ledger.get(key)!r}"
            for key, value in expected.items()
            if not close(ledger.get(key), float(value))
        }

    return judge


def close(got: float | None, value: float) -> bool:
    if got is None or math.isnan(got):
        return False
    return got == value or abs(got - value) <= CLOSE * max(1.0, abs(value))
