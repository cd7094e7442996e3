"""Speed and memory, side by side: `make bench` measures, checks, and writes docs/benchmarks.md.

Every task runs in a process of its own, one after the other, on data that it reads from disk.
Answers that several tools give must agree, or nothing is written.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

import before
import commands
import page
import plot
import workloads
from others import Watch
from page import Measured

HERE = Path(__file__).parent
DOCS = HERE.parents[2] / "docs"
AGREE = 1e-9
GROWTH = ("rows10000", "rows100000", "rows1000000", "rows10000000")
PEERS = ("pytrec_eval", "ranx", "ir_measures")
TIMES = 3
"""How often a task is timed; the best counts."""


def measure(tool: str, task: str, path: Path, times: int = TIMES) -> Measured:
    """Run one task in its own process."""
    print(f"{tool:12} {task:10} {path.stem:13}", end=" ", flush=True)
    done = subprocess.run(
        [sys.executable, str(HERE / "task.py"), tool, task, str(path), str(times)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.exit(f"\n{tool} {task} failed:\n{done.stderr}")
    found = Measured(**json.loads(done.stdout.splitlines()[-1]))
    print(f"{found.seconds:9.3f} s {found.cpu:9.3f} CPU {found.peak_gb:6.2f} GB", flush=True)
    return found


def check(ours: Measured, theirs: Measured, peer: str) -> int:
    """Stop if a number that both give differs; tell how many were compared."""
    shared = [name for name in theirs.answers if name in ours.answers]
    wrong = [
        f"{name}: {ours.answers[name]} here, {theirs.answers[name]} by {peer}"
        for name in shared
        if not math.isclose(ours.answers[name], theirs.answers[name], rel_tol=AGREE, abs_tol=AGREE)
    ]
    if wrong or not shared:
        sys.exit("the answers do not agree:\n" + "\n".join(wrong or [f"none shared with {peer}"]))
    return len(shared)


def measure_all(folder: Path) -> page.Found:
    """Measure every task on every workload, and check the answers."""
    a, b, c = (workloads.write(folder, name) for name in "ABC")
    found: page.Found = {
        "A": {"primary": measure("primary", "ranking", a)},
        "B": {"primary": measure("primary", "ranking", b)},
        "C": {"primary": measure("primary", "ranking", c, 1)},
        "ledger": {
            "primary": measure("primary", "ledger", a),
            "pytrec_eval": measure("pytrec_eval", "five", a),
        },
        "trec": {
            tool: measure(tool, "trec", workloads.write(folder, "trec"))
            for tool in ("primary", "pytrec_eval")
        },
        "auc": {"primary": measure("primary", "auc", a), "scipy": measure("scipy", "auc", a)},
        "intervals": {"primary": measure("primary", "intervals", a)},
        "commands": {one.words: commands.measure(one, c) for one in commands.COMMANDS},
        "growth": {},
        "growth pytrec_eval": {},
        **measure_field(folder),
    }
    for name in GROWTH:
        path = workloads.write(folder, name)
        found["growth"][name] = measure("primary", "ranking", path)
        if name != GROWTH[-1]:
            found["growth pytrec_eval"][name] = measure("pytrec_eval", "ranking", path)
    for name, path in (("A", a), ("B", b)):
        for peer in PEERS:
            found[name][peer] = measure(peer, "ranking", path)
    return found


def measure_field(folder: Path) -> page.Found:
    """Measure grades and several classes against the peers that have them."""
    many, fewer = (workloads.write(folder, f"graded{count}") for count in (1_000_000, 100_000))
    rows = workloads.write(folder, "classes1000000")
    return {
        "grades": {
            "graded": measure("primary", "whole", many, 1),
            "binary": measure("primary", "binary_ledger", many, 1),
        },
        "graded": {tool: measure(tool, "graded", fewer) for tool in ("primary", *PEERS)},
        "classes": {tool: measure(tool, "classes", rows) for tool in ("primary", "scikit_learn")},
    }


def compared(found: page.Found) -> int:
    """Check every answer that two tools give; tell how many there were."""
    count = check(found["ledger"]["primary"], found["ledger"]["pytrec_eval"], "pytrec_eval")
    count += check(found["trec"]["primary"], found["trec"]["pytrec_eval"], "pytrec_eval")
    count += check(found["auc"]["primary"], found["auc"]["scipy"], "scikit-learn")
    for name in ("A", "B", "graded"):
        for peer in PEERS:
            count += check(found[name]["primary"], found[name][peer], peer)
    ours, theirs = (found["classes"][tool] for tool in ("primary", "scikit_learn"))
    return count + check(ours, theirs, "scikit-learn")


def targets(found: page.Found) -> list[page.Target]:
    """Hold everything that was measured against what was promised."""
    promised = [
        page.waited(one.words, one.most, one.gb, found["commands"][one.words])
        for one in commands.COMMANDS
    ]
    return page.targets(found) + promised


def main() -> None:
    """Measure, check, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, help="keep the generated data here")
    given = parser.parse_args()
    watch = Watch()
    with tempfile.TemporaryDirectory() as scratch:
        folder = given.folder or Path(scratch)
        found = measure_all(folder)
        costs = before.costs(folder)
    text = page.text(
        found, targets(found), compared(found), AGREE, others=watch.others(), costs=costs
    )
    (DOCS / "benchmarks.md").write_text(text, encoding="utf-8")
    series = {"primary": found["growth"], "pytrec_eval": found["growth pytrec_eval"]}
    plot.growth(
        {
            label: {page.rows_of(name): one.seconds for name, one in points.items()}
            for label, points in series.items()
        },
        DOCS / "benchmarks.svg",
    )
    for one in targets(found):
        print(f"{one.verdict:12} {one.what}: {one.found} ({one.promised})")


if __name__ == "__main__":
    main()
