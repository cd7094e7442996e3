"""Speed and memory, side by side: `make bench` measures, checks, and writes docs/benchmarks.md.

Every task runs in a process of its own, one after the other, on data that it reads from disk.
Answers that several tools give must agree, or nothing is written.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import math
import subprocess
import sys
import tempfile
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import before
import commands
import page
import plot
import stages
import workloads
from others import Watch
from page import Measured

if TYPE_CHECKING:
    from collections.abc import Callable

HERE = Path(__file__).parent
DOCS = HERE.parents[2] / "docs"
AGREE = 1e-9
GROWTH = ("rows10000", "rows100000", "rows1000000", "rows10000000")
PEERS = ("pytrec_eval", "ranx", "ir_measures")
TORCH = ("torchmetrics",) if importlib.util.find_spec("torchmetrics") else ()
"""No lock names it: its CPU build is installed by `make bench`, where there is one."""

LOOSER = {"torchmetrics": 1e-5}
"""How far the answers of a tool that works in 32 bits may be off."""

KEPT = HERE.parents[2] / ".cache" / "bench.json"
"""What was measured last: `make bench ONLY=…` renews a part of it."""
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
    agree = LOOSER.get(peer, AGREE)
    wrong = [
        f"{name}: {ours.answers[name]} here, {theirs.answers[name]} by {peer}"
        for name in shared
        if not math.isclose(ours.answers[name], theirs.answers[name], rel_tol=agree, abs_tol=agree)
    ]
    if wrong or not shared:
        sys.exit("the answers do not agree:\n" + "\n".join(wrong or [f"none shared with {peer}"]))
    return len(shared)


def _ranking(name: str, folder: Path) -> page.Found:
    path = workloads.write(folder, name)
    tools = ("primary", *PEERS) if name != "C" else ("primary",)
    times = TIMES if name != "C" else 1
    return {name: {tool: measure(tool, "ranking", path, times) for tool in tools}}


def _against(name: str, folder: Path, file: str, tasks: dict[str, str]) -> page.Found:
    """Measure the tools that answer one question on one file."""
    path = workloads.write(folder, file)
    return {name: {tool: measure(tool, task, path) for tool, task in tasks.items()}}


def _grades(folder: Path) -> page.Found:
    path = workloads.write(folder, "graded1000000")
    tasks = {"graded": "whole", "binary": "binary_ledger"}
    return {"grades": {kind: measure("primary", task, path, 1) for kind, task in tasks.items()}}


def _commands(folder: Path) -> page.Found:
    wide, small = workloads.write(folder, "C"), commands.small(folder)
    earlier = stages.checked_out(stages.EARLIER, folder)
    return {
        "T": {
            "reference": commands.reference(folder),
            "earlier": commands.reference(folder, earlier),
        },
        "commands": {one.words: commands.measure(one, wide, small) for one in commands.COMMANDS},
    }


def _gates(folder: Path) -> page.Found:
    """Time the gate itself on more and more queries."""
    return {"gates": {str(size): commands.grown(folder, size) for size in commands.QUERIES}}


def _stages(folder: Path) -> page.Found:
    """Say where the time of a gate goes, before and now."""
    trees = {"before": stages.checked_out(stages.EARLIER, folder), "now": stages.ROOT}
    words = {
        "before": ["gate", "--out", "report"],
        "now": ["gate", commands.ANEW, "--out", "report"],
    }
    found: page.Found = {}
    for when, tree in trees.items():
        seen = stages.watched(words[when], tree)
        print(f"stages {when:41} {seen.seconds:9.3f} s {seen.cpu:9.3f} CPU", flush=True)
        found[f"stages {when}"] = {
            **{name: Measured(wall, cpu, 0.0, {}) for name, (wall, cpu) in seen.stages.items()},
            "in all": Measured(seen.seconds, seen.cpu, 0.0, {}),
        }
    return found


def _growth(folder: Path) -> page.Found:
    found: page.Found = {"growth": {}, "growth pytrec_eval": {}}
    for name in GROWTH:
        path = workloads.write(folder, name)
        found["growth"][name] = measure("primary", "ranking", path)
        if name != GROWTH[-1]:
            found["growth pytrec_eval"][name] = measure("pytrec_eval", "ranking", path)
    return found


def _costs(folder: Path) -> page.Found:
    """Measure the primary before sums were exact, and now."""
    return {
        f"cost {task}": {
            "before": Measured(then, then, 0.0, {}),
            "now": Measured(now, now, 0.0, {}),
        }
        for task, (then, now) in before.costs(folder).items()
    }


FIVE = {"primary": "ledger", "pytrec_eval": "five"}
GROUPS: dict[str, Callable[[Path], page.Found]] = {
    **{name: partial(_ranking, name) for name in "ABC"},
    "ledger": partial(_against, "ledger", file="A", tasks=FIVE),
    "trec": partial(
        _against, "trec", file="trec", tasks=dict.fromkeys(("primary", "pytrec_eval"), "trec")
    ),
    "auc": partial(_against, "auc", file="A", tasks=dict.fromkeys(("primary", "scipy"), "auc")),
    "intervals": partial(_against, "intervals", file="A", tasks={"primary": "intervals"}),
    "grades": _grades,
    "graded": partial(
        _against,
        "graded",
        file="graded100000",
        tasks=dict.fromkeys(("primary", *PEERS), "graded"),
    ),
    "classes": partial(
        _against,
        "classes",
        file="classes1000000",
        tasks=dict.fromkeys(("primary", "scikit_learn", *TORCH), "classes"),
    ),
    "growth": _growth,
    "gates": _gates,
    "stages": _stages,
    "commands": _commands,
    "costs": _costs,
}
"""What `ONLY` can name: tools that are held against each other are measured in one go."""

CHECKED = ("A", "B", "ledger", "trec", "auc", "graded", "classes")
"""The groups in which several tools give the same numbers."""


def compared(found: page.Found) -> int:
    """Check every answer that two tools give; tell how many there were."""
    return sum(
        check(found[name]["primary"], theirs, peer)
        for name in CHECKED
        if name in found
        for peer, theirs in found[name].items()
        if peer != "primary"
    )


def targets(found: page.Found) -> list[page.Target]:
    """Hold everything that was measured against what was promised."""
    promised = [
        page.waited_for(one.words, one.most, one.gb, found["commands"][one.words], found["T"])
        if one.ratio
        else page.waited(one.words, one.most, one.gb, found["commands"][one.words])
        for one in commands.COMMANDS
    ]
    return page.targets(found) + promised


def stored() -> dict[str, Any]:
    """Give what earlier runs measured."""
    return json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}


def renewed(only: list[str], folder: Path) -> dict[str, Any]:
    """Measure some groups, or all; those that are left out stay as they were."""
    kept = stored() if only else {}
    for name in only or GROUPS:
        watch = Watch()
        answers = GROUPS[name](folder)
        compared(answers)
        kept[name] = {
            "others": watch.others(),
            "found": {
                part: {tool: asdict(one) for tool, one in tools.items()}
                for part, tools in answers.items()
            },
        }
        KEPT.parent.mkdir(exist_ok=True)
        KEPT.write_text(json.dumps(kept), encoding="utf-8")
    return kept


def found_in(kept: dict[str, Any]) -> page.Found:
    """Give the measured figures of all groups."""
    return {
        part: {tool: Measured(**one) for tool, one in tools.items()}
        for group in kept.values()
        for part, tools in group["found"].items()
    }


def write(kept: dict[str, Any], found: page.Found) -> None:
    """Write the page and its picture."""
    shares = [group["others"] for group in kept.values()]
    others = None if None in shares else max(shares)
    costs = {
        part.removeprefix("cost "): (one["before"].cpu, one["now"].cpu)
        for part, one in found.items()
        if part.startswith("cost ")
    }
    held = targets(found)
    text = page.text(found, held, compared(found), AGREE, others=others, costs=costs)
    (DOCS / "benchmarks.md").write_text(text, encoding="utf-8")
    series = {"primary": found["growth"], "pytrec_eval": found["growth pytrec_eval"]}
    plot.growth(
        {
            label: {page.rows_of(name): one.seconds for name, one in points.items()}
            for label, points in series.items()
        },
        DOCS / "benchmarks.svg",
    )
    for one in held:
        print(f"{one.verdict:12} {one.what}: {one.found} ({one.promised})")


def main() -> None:
    """Measure, check, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("only", nargs="*", metavar="GROUP", help=f"of {', '.join(GROUPS)}")
    parser.add_argument("--folder", type=Path, help="keep the generated data here")
    given = parser.parse_args()
    if unknown := [name for name in given.only if name not in GROUPS]:
        parser.error(f"{', '.join(unknown)} is none of {', '.join(GROUPS)}")
    with tempfile.TemporaryDirectory() as scratch:
        kept = renewed(given.only, given.folder or Path(scratch))
    if lacking := [name for name in GROUPS if name not in kept]:
        print(f"the page stays as it is until these are measured too: {', '.join(lacking)}")
        return
    write(kept, found_in(kept))


if __name__ == "__main__":
    main()
