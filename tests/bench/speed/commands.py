"""What a user waits for: whole commands, from the first key to the last, imports and all."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

import workloads
from common import BY_ENGINE
from page import Measured

HERE = Path(__file__).resolve().parent
WIDE = "C.parquet"
"""Stands for the path of workload C."""
TABLE = "table.md"
"""Stands for the path of a published table of fifty rows."""
SMALL = "200-rows.csv"
"""Stands for the first 200 rows of the built-in study."""
FEW = 200
ANEW = "--no-cache"
QUERIES = (1_000, 10_000, 100_000, 1_000_000, 10_000_000)
"""Of the growth table, each with 20 candidates."""


@dataclass(frozen=True)
class Command:
    """A command, and how long it may take: seconds, or times what the reference alone takes."""

    words: str
    most: float
    gb: float | None = None
    """The most that its largest process may hold."""
    times: int = 1
    """How often it is timed; the best counts."""
    ratio: bool = False


COMMANDS = (
    Command("--help", 0.3, times=3),
    Command(f"claims {TABLE}", 1.0, times=5),
    Command(f"gate --no-intervals --witness primary {ANEW}", 1.25, times=3, ratio=True),
    Command(f"gate --no-intervals {ANEW}", 2.2, gb=1.0, times=2, ratio=True),
    Command(f"gate {ANEW}", 4, gb=1.0, times=2, ratio=True),
    # The first of them computes; the best is one that need not.
    Command("gate", 0.3, times=3, ratio=True),
    Command(f"gate {SMALL} --witness scikit-learn --witness trec_eval {ANEW}", 1.5, times=3),
    Command("selftest", 60),
    Command(f"gate {WIDE} {ANEW}", 45, gb=3.0),
)


def measure(one: Command, wide: Path, small: Path) -> Measured:
    """Run a command as often as it says, in one folder: a report is kept by where it was asked."""
    print(f"crosscheck {one.words:37}", end=" ", flush=True)
    words = one.words.replace(WIDE, str(wide)).replace(SMALL, str(small))
    words = words.replace(TABLE, str(HERE / TABLE))
    with TemporaryDirectory() as folder:
        return _best([_once(words.split(), folder) for _ in range(one.times)])


def reference(folder: Path, tree: Path | None = None, times: int = 3) -> Measured:
    """Time the reference alone, ours or a tree's, on the built-in study: what the ratios are to."""
    print(f"{'python -m reference' + (f', {tree.name}' if tree else ''):48}", end=" ", flush=True)
    data = _study(folder) / "full.csv"
    words = [PYTHON, "-m", "reference", str(data), "--system", "full"]
    return _best([_once(words, str(folder), tree) for _ in range(times)])


PYTHON = "--python"
"""Instead of a command of ours."""


def small(folder: Path) -> Path:
    """Write the first rows of the built-in study."""
    place = folder / SMALL
    with (_study(folder) / "full.csv").open(encoding="utf-8") as lines:
        place.write_text("".join(islice(lines, FEW + 1)), encoding="utf-8")
    return place


def grown(folder: Path, size: int) -> Measured:
    """Time the gate, every witness and no figures, on so many queries."""
    words = ["gate", "--no-figures", ANEW]
    if size < BY_ENGINE:
        words.append(str(workloads.write(folder, f"rows{20 * size}")))
    else:
        words += [str(workloads.parts(folder, size)), "--engine", "duckdb"]
    print(f"crosscheck gate, {f'{size:,} queries':31}", end=" ", flush=True)
    with TemporaryDirectory() as place:
        return _best([_once(words, place)])


def _study(folder: Path) -> Path:
    place = folder / "study"
    if not place.exists():
        command = Path(sys.executable).with_name("crosscheck")
        subprocess.run([command, "demo", place], check=True, capture_output=True)
    return place


def _best(tried: list[Measured]) -> Measured:
    found = min(tried, key=lambda each: each.seconds)
    print(f"{found.seconds:9.3f} s {found.cpu:9.3f} CPU {found.peak_gb:6.2f} GB", flush=True)
    return found


def _once(words: list[str], folder: str, tree: Path | None = None) -> Measured:
    # From a process that holds nothing: what a parent held counts as its child's peak.
    script = [sys.executable, str(HERE / "wait.py"), *words]
    environment = {**os.environ, "PYTHONPATH": str(tree)} if tree else None
    done = subprocess.run(
        script, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"\ncrosscheck {' '.join(words)} failed:\n{done.stdout}{done.stderr}")
    return Measured(**json.loads(done.stdout), answers={})
