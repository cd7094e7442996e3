"""A small report, gated once, and copies of it to tamper with."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from crosscheck.cli import run
from crosscheck.errors import PASS

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture(scope="session")
def gated(tmp_path_factory: pytest.TempPathFactory, save: Callable[..., Path]) -> Path:
    """Gate the small data once; tests work on copies."""
    folder = tmp_path_factory.mktemp("gated")
    rows = [
        {
            "query_id": f"q{n}",
            "candidates": ["a", "b", "c"],
            "gold": ["b"] if n % 3 else [],
            "has_evidence": int(bool(n % 3)),
            "prob": round((n * 37 % 100) / 100, 2),
        }
        for n in range(30)
    ]
    save(rows, folder / "data.csv")
    (folder / "crosscheck.toml").write_text("threshold = 0.4\nk = [1, 3]\n")
    words = ["gate", str(folder / "data.csv"), "--out", str(folder / "report"), "-q"]
    assert run([*words, "--witness", "trec_eval", "--no-figures"]) == PASS
    return folder


@pytest.fixture
def report(gated: Path, tmp_path: Path) -> Path:
    """Give a copy of the report beside a copy of its inputs."""
    for name in ("data.csv", "crosscheck.toml"):
        shutil.copy(gated / name, tmp_path / name)
    return Path(shutil.copytree(gated / "report", tmp_path / "report"))
