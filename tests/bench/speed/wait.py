"""One command, timed from outside: `python wait.py WORDS …` runs `crosscheck WORDS …`.

`--python WORDS …` runs Python instead. Prints the seconds to the verdict and to the end, the CPU
seconds of all its processes and the peak of the largest, in GB; or, if it fails, what it said.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

VERDICTS = ("P A S S", "F A I L")
FAILED = 1
"""A gate that failed has done its work."""


def main(words: list[str]) -> int:
    """Run the command in this folder, and wait for its verdict and for its end."""
    python = words[:1] == ["--python"]
    command = sys.executable if python else str(Path(sys.executable).with_name("crosscheck"))
    verdict, lines = None, []
    with Path("said").open("w+", encoding="utf-8") as said:
        begin = time.perf_counter()
        process = subprocess.Popen(
            [command, *words[python:]], stdout=subprocess.PIPE, stderr=said, text=True
        )
        for line in process.stdout or ():
            lines.append(line)
            if verdict is None and any(word in line for word in VERDICTS):
                verdict = time.perf_counter() - begin
        _, status, used = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        cpu, peak = used.ru_utime + used.ru_stime, used.ru_maxrss / 1024**2
        found = {"seconds": seconds, "cpu": cpu, "peak_gb": peak, "verdict": verdict}
        done = process.returncode == 0 or (process.returncode == FAILED and verdict is not None)
        print(json.dumps(found) if done else said.read() + "".join(lines[-40:]))
    return 0 if done else process.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
