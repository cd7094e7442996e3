"""One measured task, in a process of its own: `python task.py TOOL TASK FILE [TIMES]`.

Imports and compilation are not timed; of several times the best counts.
"""

from __future__ import annotations

import importlib
import json
import resource
import sys
import time
from pathlib import Path


def main(tool: str, task: str, file: str, times: str = "1") -> None:
    """Run the task and print seconds, CPU seconds, peak memory in GB, and the answers."""
    module = importlib.import_module(f"by_{tool}")
    module.warm()
    seconds, cpu = [], []
    for _ in range(int(times)):
        begin, worked = time.perf_counter(), time.process_time()
        answers = getattr(module, task)(Path(file))
        seconds.append(time.perf_counter() - begin)
        cpu.append(time.process_time() - worked)
    found = {"seconds": min(seconds), "cpu": min(cpu), "peak_gb": peak_gb(), "answers": answers}
    print(json.dumps(found))


def peak_gb() -> float:
    """Give this process's peak memory; getrusage would also count what its parent held."""
    status = Path("/proc/self/status")
    if status.exists():
        line = next(
            line
            for line in status.read_text(encoding="utf-8").splitlines()
            if line.startswith("VmHWM")
        )
        return int(line.split()[1]) / 1024**2
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2


if __name__ == "__main__":
    main(*sys.argv[1:])
