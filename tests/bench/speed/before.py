"""What a change cost: the primary of an earlier commit against this one's, in one run.

`python tests/bench/speed/before.py [COMMIT]` runs each task alternately with either, every time in
a process of its own, and prints the best CPU seconds of both. `make bench` puts the default, the
last commit in which sums came out as the machine added them, on its page.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

import workloads

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
INEXACT = "20d3ddb"
ROUNDS = 3
TASKS = {
    "ranking of A": ("ranking", "A"),
    "ranking of B": ("ranking", "B"),
    "ranking of C": ("ranking", "C"),
    "whole ledger of A": ("ledger", "A"),
    "resamples of AUROC and AUPRC": ("auc", "A"),
    "every headline interval of A": ("intervals", "A"),
}

Costs = dict[str, tuple[float, float]]
"""CPU seconds before and after, by task."""


def checked_out(commit: str, folder: Path) -> Path:
    """Write the primary of a commit to disk."""
    packed = subprocess.run(
        ["git", "archive", commit, "primary"], cwd=ROOT, check=True, capture_output=True
    )
    with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as archive:
        archive.extractall(folder / commit, filter="data")
    return folder / commit


def cpu_seconds(checkout: Path, task: str, file: Path) -> float:
    """Run one task with the primary of a checkout."""
    done = subprocess.run(
        [sys.executable, str(HERE / "task.py"), "primary", task, str(file)],
        env={**os.environ, "PYTHONPATH": str(checkout)},
        check=True,
        capture_output=True,
        text=True,
    )
    return float(json.loads(done.stdout)["cpu"])


def costs(folder: Path, commit: str = INEXACT) -> Costs:
    """Measure every task before and after, in turns."""
    both = (checked_out(commit, folder), ROOT)
    found: Costs = {}
    for name, (task, workload) in TASKS.items():
        file = workloads.write(folder, workload)
        rounds = [[cpu_seconds(tree, task, file) for tree in both] for _ in range(ROUNDS)]
        before, after = map(min, zip(*rounds, strict=True))
        found[name] = before, after
        print(f"{name:30}{before:8.2f}{after:8.2f}{after / before:7.2f}×", flush=True)
    return found


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        costs(Path(scratch), *sys.argv[1:])
