"""The committed example report still holds, on this machine and on one of another kind.

Every number is computed again: ours must come out the same to the bit.
"""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("machine", ["this machine", "another machine"])
def test_the_example_report_reruns_to_the_same(
    machine: str, root: Path, another_machine: dict[str, str]
) -> None:
    report = root / "reports" / "example" / "report.json"
    done = subprocess.run(
        [sys.executable, "-m", "crosscheck", "rerun", str(report)],
        check=False,
        capture_output=True,
        text=True,
        env=another_machine if machine == "another machine" else os.environ,
    )
    assert done.returncode == 0, done.stdout
    assert "bit by bit: primary, reference; " in done.stdout
    assert ("computed on another kind of machine: " in done.stdout) or machine == "this machine"
