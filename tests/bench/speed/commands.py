"""What a user waits for: whole commands, from the first key to the last, imports and all."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from page import Measured

HERE = Path(__file__).resolve().parent
WIDE = "C.parquet"
"""Stands for the path of workload C."""


@dataclass(frozen=True)
class Command:
    """A command, and the seconds that it may take."""

    words: str
    most: float
    gb: float | None = None
    """The most that its largest process may hold."""
    times: int = 1
    """How often it is timed; the best counts."""


COMMANDS = (
    Command("--help", 0.3, times=3),
    Command("gate --no-intervals --witness primary", 10, times=3),
    Command("gate --no-intervals", 25, gb=1.5, times=2),
    Command("gate", 60, times=2),
    Command("selftest", 60),
    Command(f"gate {WIDE}", 300),
)


def measure(one: Command, wide: Path) -> Measured:
    """Run a command as often as it says, in a folder of its own."""
    print(f"crosscheck {one.words:37}", end=" ", flush=True)
    tried = [_once(one.words.replace(WIDE, str(wide)).split()) for _ in range(one.times)]
    found = min(tried, key=lambda each: each.seconds)
    print(f"{found.seconds:9.3f} s {found.cpu:9.3f} CPU {found.peak_gb:6.2f} GB", flush=True)
    return found


def _once(words: list[str]) -> Measured:
    # From a process that holds nothing: what a parent held counts as its child's peak.
    with TemporaryDirectory() as folder:
        script = [sys.executable, str(HERE / "wait.py"), *words]
        done = subprocess.run(script, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"\ncrosscheck {' '.join(words)} failed:\n{done.stdout}{done.stderr}")
    return Measured(**json.loads(done.stdout), answers={})
