"""What it costs to ask: `crosscheck claims` on fifty rows, against `python -c "import numpy"`.

Both are started anew each time, in turns; the best of each counts, so that a busy machine spoils
neither. Prints seconds, CPU seconds and the ratio of both.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

TURNS = 10
TABLE = Path(__file__).parent / "speed" / "table.md"
COMMANDS = {
    "import numpy": [sys.executable, "-c", "import numpy"],
    "crosscheck claims": [str(Path(sys.executable).with_name("crosscheck")), "claims", str(TABLE)],
}


def once(command: list[str]) -> tuple[float, float]:
    """Run a command; seconds, and CPU seconds."""
    begin = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{' '.join(command)} ended with {process.returncode}")
    return seconds, used.ru_utime + used.ru_stime


def main() -> None:
    """Take turns, and print the best of each."""
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in COMMANDS}
    for _ in range(TURNS):
        for name, command in COMMANDS.items():
            taken[name].append(once(command))
    best = {
        name: [min(column) for column in zip(*some, strict=True)] for name, some in taken.items()
    }
    for name, (seconds, cpu) in best.items():
        print(f"{name:20} {seconds:6.2f} s {cpu:6.2f} CPU")
    wall, cpu = (b / a for a, b in zip(*best.values(), strict=True))
    print(f"{'ratio':20} {wall:6.1f}   {cpu:6.1f}")


if __name__ == "__main__":
    main()
