"""What several test folders share."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from collections.abc import Callable

# Nothing may fail because the machine is busy.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")

# What a test gates is computed in that test.
os.environ["CROSSCHECK_CACHE"] = "0"

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("crosscheck", "primary", "reference")

SLOW = (
    "crosscheck/ablation/test_compare_command.py",
    "crosscheck/ablation/test_judge.py",
    "crosscheck/ablation/test_table.py",
    "crosscheck/attacks",
    "crosscheck/audit/test_false_alarms.py",
    "crosscheck/audit/test_truthful_documents.py",
    "crosscheck/checks/test_data.py",
    "crosscheck/checks/test_numbers.py",
    "crosscheck/claims/test_fuzz.py",
    "crosscheck/diagnose/test_forensics.py",
    "crosscheck/diagnose/test_planted.py",
    "crosscheck/engine/test_engine.py",
    "crosscheck/engine/test_intervals.py",
    "crosscheck/engine/test_on_spark.py",
    "crosscheck/faults/test_guard.py",
    "crosscheck/figures/test_figures.py",
    "crosscheck/gate/test_gate_command.py",
    "crosscheck/gate/test_gate_run.py",
    "crosscheck/report/test_browser.py",
    "crosscheck/report/test_html.py",
    "crosscheck/report/test_paper.py",
    "crosscheck/rerun",
    "crosscheck/serve",
    "crosscheck/study",
    "crosscheck/test_hostile.py",
    "crosscheck/test_other_machines.py",
    "crosscheck/witnesses/test_libraries.py",
    "faults/test_selftest.py",
    "property",
    "reference/test_properties.py",
    "test_additions.py",
    "test_core.py",
    "test_docs.py",
    "test_example.py",
    "test_extensions.py",
    "test_same_bits.py",
    "vectors/test_new.py",
    "test_site.py",
)
"""Files and folders of more than four seconds of processor time: marked `slow`."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the slow tests, so that `make check` can leave them out."""
    slow = [ROOT / "tests" / name for name in SLOW]
    for item in items:
        if any(item.path.is_relative_to(place) for place in slow):
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def root() -> Path:
    """Give the project's folder."""
    return ROOT


@dataclass(frozen=True)
class Copy:
    """A copy of the packages, to which something is added, and a folder to work in."""

    tree: Path
    folder: Path

    def sources(self) -> dict[str, bytes]:
        """Give every source file of the copy."""
        return sources(self.tree)

    def put(self, file: str, place: str, before: str = "", after: str = "") -> None:
        """Put lines before and after a text that stands once in a file."""
        text = (self.tree / file).read_text(encoding="utf-8")
        assert text.count(place) == 1, f"{file} has changed: adapt this test to it: {place}"
        (self.tree / file).write_text(text.replace(place, before + place + after), encoding="utf-8")

    def run(self, *arguments: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
        """Run the command on the copy, and nothing but the copy."""
        return subprocess.run(
            [sys.executable, "-m", "crosscheck", *arguments],
            cwd=folder or self.folder,
            # Compiled files are kept: each command starts several processes.
            env=os.environ | {"PYTHONPATH": str(self.tree), "PYTHONDONTWRITEBYTECODE": ""},
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )

    def written(self, name: str) -> str:
        """Give a file of the report in `out`."""
        return (self.folder / "out" / name).read_text(encoding="utf-8")

    @property
    def report(self) -> dict[str, Any]:
        """The report in `out` as data."""
        return dict(json.loads(self.written("report.json")))


def sources(tree: Path) -> dict[str, bytes]:
    found = (
        path
        for package in PACKAGES
        for path in (tree / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    )
    return {path.relative_to(tree).as_posix(): path.read_bytes() for path in found}


@pytest.fixture(scope="session")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Copy]:
    """Give a function that copies the packages."""

    def make() -> Copy:
        tree, folder = (tmp_path_factory.mktemp(name) for name in ("tree", "work"))
        for package in PACKAGES:
            leave = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / package, tree / package, ignore=leave)
        return Copy(tree, folder)

    return make


@pytest.fixture(scope="session")
def another_machine() -> dict[str, str]:
    """Give the environment in which libraries compute as on a processor of twenty years ago.

    The oldest kernel that OpenBLAS has, none of the vector units that numpy can do without, one
    thread, and on Linux a C library that knows of no fused operations.
    """
    simd = np.show_config(mode="dicts").get("SIMD Extensions", {})
    return os.environ | {
        "OPENBLAS_CORETYPE": "Prescott",
        "OPENBLAS_NUM_THREADS": "1",
        "NPY_DISABLE_CPU_FEATURES": " ".join(simd.get("found", ())),
        "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-AVX512F",
        "PYTHONHASHSEED": "1",
    }


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Give the folder of real data with known answers, which lies beside the project, if at all."""
    folder = ROOT.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("needs the real data in ../shared/data, which is not here")
    return folder
