"""What a user waits for: whole commands, from the first key to the last, imports and all."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from page import Measured

COMMAND = Path(sys.executable).with_name("crosscheck")
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
    with TemporaryDirectory() as folder, (Path(folder) / "said").open("w+") as said:
        begin = time.perf_counter()
        process = subprocess.Popen([COMMAND, *words], cwd=folder, stdout=said, stderr=said)
        # Waited for by hand: this tells what the process and those that it started have used.
        _, status, used = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            said.seek(0)
            sys.exit(f"\ncrosscheck {' '.join(words)} failed:\n{said.read()}")
    return Measured(seconds, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024**2, {})
