"""Where the time of a command goes: `python tests/bench/speed/stages.py [COMMIT] -- gate …`.

Prints, by stage, the seconds that the command itself was in it, and the CPU seconds of all its
processes; of this tree, or of a commit.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
EARLIER = "2e4b2cd"
"""The last commit in which every witness had a process of its own."""
START = "Python starts and ends"


@dataclass(frozen=True)
class Profile:
    """Seconds of the command's own process, and CPU seconds of all, by stage."""

    seconds: float
    cpu: float
    processes: int
    stages: dict[str, tuple[float, float]]


def watched(words: list[str], tree: Path = ROOT) -> Profile:
    """Run a command of a tree in an empty folder, and see where its time goes."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "stages"
        place.mkdir()
        paths = [str(HERE / "watch"), str(tree)]
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(paths),
            "CROSSCHECK_STAGES": str(place),
            "XDG_CACHE_HOME": str(Path(folder) / "cache"),
            "NUMBA_CACHE_DIR": os.environ.get("NUMBA_CACHE_DIR", str(ROOT / ".cache" / "numba")),
            "MPLCONFIGDIR": os.environ.get("MPLCONFIGDIR", str(ROOT / ".cache" / "matplotlib")),
        }
        code = "import sys; from crosscheck.cli import main; main(sys.argv[1:])"
        begin = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, "-c", code, *words],
            cwd=folder,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        _, status, used = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in {0, 1}:
            sys.exit(f"crosscheck {' '.join(words)} ended with {process.returncode}")
        told = {int(one.stem): json.loads(one.read_text()) for one in place.glob("*.json")}
    cpu = used.ru_utime + used.ru_stime
    names = dict.fromkeys(stage for one in told.values() for stage in one["spent"])
    stages = {
        name: (
            told[process.pid]["spent"].get(name, (0.0, 0.0))[0],
            sum(one["spent"].get(name, (0.0, 0.0))[1] for one in told.values()),
        )
        for name in names
    }
    seen = [sum(one[place] for one in stages.values()) for place in (0, 1)]
    stages[START] = max(0.0, seconds - seen[0]), max(0.0, cpu - seen[1])
    return Profile(seconds, cpu, len(told), stages)


def checked_out(commit: str, folder: Path) -> Path:
    """Write a commit's packages to disk."""
    packed = subprocess.run(
        ["git", "archive", commit, "primary", "reference", "crosscheck", "pyproject.toml"],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as archive:
        archive.extractall(folder / commit, filter="data")
    return folder / commit


def table(found: Profile) -> list[str]:
    """Give the rows, the dearest first."""
    ordered = sorted(found.stages.items(), key=lambda one: -one[1][1])
    rows = [f"{name:36}{one[0]:8.2f} s {one[1]:8.2f} CPU" for name, one in ordered]
    return [*rows, f"{'in all':36}{found.seconds:8.2f} s {found.cpu:8.2f} CPU"]


def main(words: list[str]) -> None:
    """Print the table of one command."""
    commits, asked = words[: words.index("--")], words[words.index("--") + 1 :]
    with tempfile.TemporaryDirectory() as folder:
        tree = checked_out(commits[0], Path(folder)) if commits else ROOT
        found = watched(asked, tree)
    print("\n".join(table(found)))
    print(f"{found.processes} processes")


if __name__ == "__main__":
    main(sys.argv[1:])
