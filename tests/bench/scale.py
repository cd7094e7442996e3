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
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parent))
import scale_data

from crosscheck import system
from crosscheck.data import door
from crosscheck.engine.connect import connect, files_of
from crosscheck.engine.evaluate import evaluate
from crosscheck.engine.limits import memory as memory_limit

if TYPE_CHECKING:
    from collections.abc import Iterator

FAMILIES = {
    "ranking": ["ranking"],
    "curves": ["curves", "calibration"],
    "pairs": ["pairs"],
    "everything": None,
}
MOST_OF_PRIMARY = 20_000_000
"""Rows that the primary, and Spark beside it, are asked about."""
BY_SPARK = ("ranking", "everything")
"""Of all in one session, as it is used; a start of Java is in both."""
MOST = (1.5, 0.25, 12, 1.2, 20, *(12 for _ in BY_SPARK))
"""What the ratios of `reach` may be at most, in their order."""
Found = dict[tuple[int, str, str], dict[str, float]]
"""Rows, family, who was asked → what it took."""
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


def others(rows: int, family: str, lacking: str | None) -> list[str]:
    """Name who is asked beside DuckDB."""
    if rows > MOST_OF_PRIMARY:
        return []
    spark = ["local[2]"] if family in BY_SPARK and not lacking else []
    return spark if family == "everything" else ["primary", *spark]


def lacking() -> str | None:
    """Say what Spark needs that this machine lacks."""
    if not (SPARK / ".installed").is_file():
        return "it is not installed (`make spark`)"
    return None if shutil.which("java") else "there is no Java"


def reach(found: Found, low: int, high: int) -> Iterator[str]:
    """Write the ratios of the run beside the most that each may be."""
    ratios = (
        ("ranking ÷ primary", "seconds", (low, "ranking", "duckdb"), (low, "ranking", "primary")),
        ("ranking ÷ primary", "gigabytes", (low, "ranking", "duckdb"), (low, "ranking", "primary")),
        *(
            (
                f"{family}, {high:,} ÷ {low:,} rows",
                one,
                (high, family, "duckdb"),
                (low, family, "duckdb"),
            )
            for family, one in (
                ("ranking", "seconds"),
                ("ranking", "gigabytes"),
                ("pairs", "seconds"),
            )
        ),
        *(
            (
                f"{family}, Spark ÷ DuckDB",
                "seconds",
                (low, family, "local[2]"),
                (low, family, "duckdb"),
            )
            for family in BY_SPARK
        ),
    )
    for (name, unit, above, below), most in zip(ratios, MOST, strict=True):
        if above in found and below in found and above != below:
            ratio = found[above][unit] / found[below][unit]
            yield f"{name}, {unit}: {ratio:.2f}, at most {most}"
    if (high, "pairs", "duckdb") in found:
        size = found[high, "pairs", "duckdb"]["gigabytes"]
        yield f"pairs, {high:,} rows: {size} GB resident, at the limit {memory_limit()}"


def main(sizes: list[int]) -> None:
    """Write the data and print a line for each measurement."""
    without, found = lacking(), Found()
    if without:
        print(f"Spark is not measured: {without}")
    with system.scratch("bench") as folder:
        for rows in sizes:
            place = folder / str(rows)
            scale_data.write(place, rows)
            for family in FAMILIES:
                for who in (*others(rows, family, without), "duckdb"):
                    found[rows, family, who] = asked(who, place, family)
                    print(f"{rows:,} rows, {family}, {who}: {found[rows, family, who]}", flush=True)
            print(f"{rows:,} rows:", flush=True)
            gate(place)
    print(*reach(found, min(sizes), max(sizes)), sep="\n")


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "gate":
        gate(Path(sys.argv[2]))
    elif len(sys.argv) == 4:  # one measurement
        print(json.dumps(measure(*sys.argv[1:])))
    else:
        main([int(one) for one in sys.argv[1:]] or [MOST_OF_PRIMARY, 200_000_000])
