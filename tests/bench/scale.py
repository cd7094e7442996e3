"""Time and memory of an engine against the primary on made-up data (`make bench-scale`).

Each measurement is a process of its own, so that peaks are its own; ratios within one run count.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import scale_data

from crosscheck import system
from crosscheck.data import door
from crosscheck.engine.connect import connect, files_of
from crosscheck.engine.evaluate import evaluate

FAMILIES = {"ranking": ["ranking"], "curves": ["curves", "calibration"], "pairs": ["pairs"]}


def measure(who: str, folder: str, family: str) -> dict[str, float]:
    """Let one of them answer one family of keys."""
    settings: dict[str, object] = {"families": FAMILIES[family]}
    begun = time.monotonic()
    if who == "primary":
        door.primary.evaluate(folder, settings)
    else:
        with closing(connect(who)) as engine:
            evaluate(engine, files_of(folder), settings)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return {"seconds": round(time.monotonic() - begun, 1), "gigabytes": round(peak, 2)}


def gate(folder: Path) -> dict[str, object]:
    """Gate the data by DuckDB; give the time, and the peak of the whole tree of processes."""
    program = Path(sys.executable).with_name("crosscheck")
    words = [program, "gate", f"{folder}/*.parquet", "--engine", "duckdb", "--no-intervals"]
    begun, peak = time.monotonic(), 0
    with subprocess.Popen([*words, "--out", f"{folder}-report"], stdout=subprocess.PIPE) as run:
        while run.poll() is None:
            peak = max(peak, memory(run.pid))
            time.sleep(0.5)
        told = run.stdout.read().decode() if run.stdout else ""
    seconds = round(time.monotonic() - begun, 1)
    print(told)
    return {"seconds": seconds, "gigabytes": round(peak / 2**20, 2), "exit": run.returncode}


def memory(process: int) -> int:
    """Add up the resident kilobytes of a process and its children, shared pages in part."""
    try:
        rolled = Path(f"/proc/{process}/smaps_rollup").read_text(encoding="utf-8")
        tasks = [*Path(f"/proc/{process}/task").glob("*/children")]
        children = [int(one) for task in tasks for one in task.read_text().split()]
    except OSError:  # it ended meanwhile
        return 0
    own = next((int(line.split()[1]) for line in rolled.splitlines() if line.startswith("Pss:")), 0)
    return own + sum(map(memory, children))


def main(sizes: list[int]) -> None:
    """Write the data and print a line for each measurement."""
    with system.scratch("bench") as folder:
        for rows in sizes:
            place = folder / str(rows)
            scale_data.write(place, rows)
            for family in FAMILIES:
                for who in ("primary", "duckdb") if rows <= 20_000_000 else ("duckdb",):
                    words = [sys.executable, __file__, who, str(place), family]
                    told = subprocess.run(words, capture_output=True, text=True, check=True)
                    print(f"{rows:,} rows, {family}, {who}: {json.loads(told.stdout)}", flush=True)
            print(f"{rows:,} rows, crosscheck gate: {gate(place)}", flush=True)


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "gate":
        print(gate(Path(sys.argv[2])))
    elif len(sys.argv) == 4:  # one measurement
        print(json.dumps(measure(*sys.argv[1:])))
    else:
        main([int(one) for one in sys.argv[1:]] or [20_000_000, 200_000_000])
