"""Every config below a folder, each gated by a command of its own, side by side within the cores.

A config is gated from its own folder, so that it is one that was found and not one that was named:
code of its own is not run unless it is allowed, and a policy may refuse it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from crosscheck import system
from crosscheck.config import FILE
from crosscheck.errors import BAD_INPUT, FAILED, OUR_ERROR, PASS, UserError
from crosscheck.report.names import MACHINE, REPORT
from crosscheck.workspace.cached import TOLD

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

SKIPPED = ("node_modules", "site-packages", "__pycache__")
A_REPORT = {REPORT, MACHINE}
"""Files that every report has, and so every bundle."""
OWN = "this"
"""Where, below --out, the report of a config goes that has others below it."""
A_GATE = 2
"""Processes that a gate keeps busy at least."""
WORST = (OUR_ERROR, BAD_INPUT, FAILED, PASS)
"""Exit codes: of several runs the first of these is the code of all."""


@dataclass(frozen=True, slots=True)
class Ran:
    """How the gate of one config went."""

    folder: Path
    code: int
    said: str
    """The verdict in one line, or what was wrong."""
    report: Path | None
    cached: bool = False
    """Whether the report is one that was made before, as nothing has changed."""

    @property
    def word(self) -> str:
        """Pass, fail, or what else it was."""
        return {PASS: "PASS", FAILED: "FAIL"}.get(self.code, "ERROR")


def configs_below(folder: Path) -> list[Path]:
    """Find every folder with a config; bundles, reports and hidden folders are none of ours.

    A file that only has the name of a report hides no config: neither one beside it nor one below.
    """
    found = []
    for at, folders, names in os.walk(folder):
        if {*names} >= A_REPORT and FILE not in names:
            folders.clear()
            continue
        folders[:] = sorted(one for one in folders if one[0] != "." and one not in SKIPPED)
        if FILE in names:
            found.append(Path(at))
    if not found:
        raise UserError(f"{folder}: no {FILE} below it; `crosscheck init FOLDER` writes one")
    return found


def gate_every(
    folder: Path, words: Sequence[str], out: Path | None, told: Callable[[Ran], None]
) -> list[Ran]:
    """Gate every config below a folder with these words; `told` hears of each as it ends."""
    places = configs_below(folder)
    beside = max(1, system.cores() // A_GATE)
    ran = []
    with ThreadPoolExecutor(beside) as pool:
        targets = (_target(folder, out, place, places) for place in places)
        for one in pool.map(partial(_gate, words), places, targets):
            told(one)
            ran.append(one)
    return ran


def code_of(ran: Sequence[Ran]) -> int:
    """Give one exit code for all: the worst."""
    codes = {one.code if one.code in WORST else OUR_ERROR for one in ran}
    return next((code for code in WORST if code in codes), BAD_INPUT)


def _target(root: Path, out: Path | None, folder: Path, places: Sequence[Path]) -> Path:
    """Say where a report goes, never into the folder of another one."""
    if out is None:
        return Path("reports") / "latest"
    others = [out.resolve() / each.relative_to(root) for each in places if each != folder]
    plain = target = out.resolve() / folder.relative_to(root)
    name = OWN
    while any(target in (each, *each.parents) for each in others):
        target, name = plain / name, f"{name}_"
    return target


def _gate(words: Sequence[str], folder: Path, target: Path) -> Ran:
    # Annotations name files from the root of the repository: they are written for all at once.
    environment = {name: held for name, held in os.environ.items() if name != "GITHUB_ACTIONS"}
    ended = subprocess.run(  # noqa: S603 - this very command
        [sys.executable, "-m", "crosscheck", "gate", "-q", "--out", str(target), *words],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    lines = [*_lines(ended.stderr), *_lines(ended.stdout)]
    report = folder / target
    written = ended.returncode in (PASS, FAILED) and (report / REPORT).is_file()
    said = lines[-1] if ended.returncode in (PASS, FAILED) and lines else "\n".join(lines)
    made_before = written and TOLD in lines
    return Ran(folder, ended.returncode, said, report if written else None, made_before)


def _lines(text: str) -> Iterator[str]:
    return (line for line in text.splitlines() if line.strip())


def as_data(ran: Sequence[Ran]) -> str:
    """Write how each went as JSON."""
    told = [
        {
            "folder": one.folder.as_posix(),
            "verdict": one.word.lower(),
            "code": one.code,
            "summary": one.said,
            "report": one.report.as_posix() if one.report else None,
            "cached": one.cached,
        }
        for one in ran
    ]
    return json.dumps({"code": code_of(ran), "configs": told}, indent=2, ensure_ascii=False)
