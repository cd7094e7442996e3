"""What several test folders share."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

# Nothing may fail because the machine is busy.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")

ROOT = Path(__file__).resolve().parents[1]

SLOW = (
    "crosscheck/ablation/test_compare_command.py",
    "crosscheck/ablation/test_judge.py",
    "crosscheck/ablation/test_table.py",
    "crosscheck/audit/test_false_alarms.py",
    "crosscheck/checks/test_data.py",
    "crosscheck/checks/test_numbers.py",
    "crosscheck/claims/test_fuzz.py",
    "crosscheck/diagnose/test_forensics.py",
    "crosscheck/faults/test_guard.py",
    "crosscheck/figures/test_figures.py",
    "crosscheck/gate/test_gate_command.py",
    "crosscheck/gate/test_gate_run.py",
    "crosscheck/report/test_browser.py",
    "crosscheck/report/test_html.py",
    "crosscheck/report/test_paper.py",
    "crosscheck/rerun",
    "crosscheck/study",
    "crosscheck/test_hostile.py",
    "crosscheck/test_other_machines.py",
    "crosscheck/witnesses/test_libraries.py",
    "faults/test_selftest.py",
    "property",
    "reference/test_properties.py",
    "test_additions.py",
    "test_docs.py",
    "test_example.py",
    "test_extensions.py",
    "test_same_bits.py",
    "vectors/test_new.py",
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
