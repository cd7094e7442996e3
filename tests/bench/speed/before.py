"""What a change cost: the primary of another checkout against this one's, in one run.

`python tests/bench/speed/before.py CHECKOUT [TASK …]` runs each task alternately with either, every
time in a process of its own, and prints the best CPU seconds of both and their ratio.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import workloads

HERE = Path(__file__).parent
ROUNDS = 3
TASKS = {
    "A ranking": ("ranking", "A"),
    "B ranking": ("ranking", "B"),
    "C ranking": ("ranking", "C"),
    "A ledger": ("ledger", "A"),
    "auc": ("auc", "A"),
    "intervals": ("intervals", "A"),
}


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


def main(checkout: Path, names: list[str]) -> None:
    """Print before, after and their ratio for each task."""
    both = (checkout, HERE.parents[2])
    print(f"{'task':12}{'before':>9}{'after':>9}{'ratio':>7}   CPU seconds, best of {ROUNDS}")
    with tempfile.TemporaryDirectory() as folder:
        for name in names or TASKS:
            task, workload = TASKS[name]
            file = workloads.write(Path(folder), workload)
            rounds = [[cpu_seconds(tree, task, file) for tree in both] for _ in range(ROUNDS)]
            before, after = map(min, zip(*rounds, strict=True))
            print(f"{name:12}{before:9.2f}{after:9.2f}{after / before:7.2f}", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), sys.argv[2:])
