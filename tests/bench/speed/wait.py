"""One command, timed from outside: `python wait.py WORDS …` runs `crosscheck WORDS …`.

Prints the seconds, the CPU seconds of all its processes and the peak of the largest, in GB; or, if
the command fails, what it said.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path


def main(words: list[str]) -> int:
    """Run the command in this folder, and wait for it."""
    command = Path(sys.executable).with_name("crosscheck")
    with Path("said").open("w+", encoding="utf-8") as said:
        begin = time.perf_counter()
        process = subprocess.Popen([command, *words], stdout=said, stderr=said)
        _, status, used = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        cpu, peak = used.ru_utime + used.ru_stime, used.ru_maxrss / 1024**2
        found = json.dumps({"seconds": seconds, "cpu": cpu, "peak_gb": peak})
        print(said.read() if process.returncode else found)
    return process.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
