"""Time and memory of engines against the primary on made-up data (`make bench-scale`).

Each measurement is a process of its own, so that peaks are its own; ratios within one run count.
Spark is asked where it is installed (`make spark`).
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from contextlib import closing, suppress
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import scale_data

from crosscheck import system
from crosscheck.data import door
from crosscheck.engine.connect import connect, files_of
from crosscheck.engine.evaluate import evaluate

FAMILIES = {
    "ranking": ["ranking"],
    "curves": ["curves", "calibration"],
    "pairs": ["pairs"],
    "everything": None,
}
MOST_OF_PRIMARY = 20_000_000
"""Rows that the primary, and Spark beside it, are asked about."""
SPARK = Path(sys.prefix) / "spark"
TICKS = os.sysconf("SC_CLK_TCK")


def measure(who: str, folder: str, family: str) -> dict[str, float]:
    """Let one of them answer one family of keys."""
    settings: dict[str, object] = {"families": FAMILIES[family]} if FAMILIES[family] else {}
    begun = time.monotonic()
    if who == "primary":
        door.primary.evaluate(folder, settings)
    else:
        with closing(connect(who)) as engine:
            evaluate(engine, files_of(folder), settings)
    return {"seconds": round(time.monotonic() - begun, 1), "gigabytes": round(own_peak(), 3)}


def own_peak() -> float:
    """Give this process's peak; `getrusage` would begin with that of the one that started it."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    [kilobytes] = [line.split()[1] for line in status.splitlines() if line.startswith("VmHWM:")]
    return int(kilobytes) / 2**20


def watch(words: list[str]) -> tuple[str, dict[str, float]]:
    """Run a command; give what it prints, and time and peak of its whole tree of processes."""
    begun, peak, spent = time.monotonic(), 0, dict[int, float]()
    path = os.pathsep.join([str(SPARK), os.environ.get("PYTHONPATH", "")])
    own = {"PYTHONPATH": path, "SPARK_LOCAL_IP": "127.0.0.1"} if "local[2]" in words else {}
    with (
        system.scratch("printed") as folder,
        (folder / "printed").open("w+", encoding="utf-8") as printed,
        subprocess.Popen(words, stdout=printed, env={**os.environ, **own}) as run,
    ):
        while run.poll() is None:
            peak = max(peak, memory(run.pid, spent))
            time.sleep(0.2)
        printed.seek(0)
        told = printed.read()
    if run.returncode:
        raise SystemExit(f"{' '.join(words)}: ended with {run.returncode}\n{told}")
    return told, {
        "seconds": round(time.monotonic() - begun, 1),
        "processor": round(sum(spent.values())),
        "gigabytes": round(peak / 2**20, 3),
    }


def memory(process: int, spent: dict[int, float]) -> int:
    """Add up the resident kilobytes of a process and its children, shared pages in part.

    `spent` gets the processor seconds of each so far.
    """
    place = Path(f"/proc/{process}")
    try:
        rolled = (place / "smaps_rollup").read_text(encoding="utf-8")
        used = (place / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()[11:13]
    except OSError:  # it ended meanwhile
        return 0
    spent[process] = sum(map(int, used)) / TICKS
    own = next((int(line.split()[1]) for line in rolled.splitlines() if line.startswith("Pss:")), 0)
    return own + sum(memory(one, spent) for one in children(place))


def children(place: Path) -> set[int]:
    """Name the processes that one has started."""
    found: set[int] = set()
    for task in place.glob("task/*/children"):
        with suppress(OSError):  # a thread that ended meanwhile
            found |= {int(one) for one in task.read_text(encoding="utf-8").split()}
    return found


def asked(who: str, folder: Path, family: str) -> dict[str, float]:
    """Measure in a process of its own: its own peak is exact, that of the tree is looked at."""
    told, tree = watch([sys.executable, __file__, who, str(folder), family])
    own = json.loads(told.splitlines()[-1])
    largest = max(own["gigabytes"], tree["gigabytes"])
    return {**own, "processor": tree["processor"], "gigabytes": largest}


def gate(folder: Path) -> None:
    """Gate the data by DuckDB; print its report, and what it took."""
    program = str(Path(sys.executable).with_name("crosscheck"))
    words = [program, "gate", f"{folder}/*.parquet", "--engine", "duckdb", "--no-intervals"]
    told, tree = watch([*words, "--out", f"{folder}-report"])
    print(told)
    print(f"crosscheck gate: {tree}", flush=True)


def others(rows: int, family: str) -> list[str]:
    """Name who is asked beside DuckDB; Spark about everything in one session, as it is used."""
    if rows > MOST_OF_PRIMARY:
        return []
    if family != "everything":
        return ["primary"]
    if shutil.which("java") is None or not (SPARK / ".installed").is_file():
        print("Spark is not measured: it is not installed (`make spark`), or there is no Java")
        return []
    return ["local[2]"]


def main(sizes: list[int]) -> None:
    """Write the data and print a line for each measurement."""
    with system.scratch("bench") as folder:
        for rows in sizes:
            place = folder / str(rows)
            scale_data.write(place, rows)
            for family in FAMILIES:
                for who in (*others(rows, family), "duckdb"):
                    found = asked(who, place, family)
                    print(f"{rows:,} rows, {family}, {who}: {found}", flush=True)
            print(f"{rows:,} rows:", flush=True)
            gate(place)


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "gate":
        gate(Path(sys.argv[2]))
    elif len(sys.argv) == 4:  # one measurement
        print(json.dumps(measure(*sys.argv[1:])))
    else:
        main([int(one) for one in sys.argv[1:]] or [MOST_OF_PRIMARY, 200_000_000])
