"""A rerun in a sandbox: no network, nothing to write to, nothing to see but what it needs.

Bubblewrap (`bwrap`) makes it of Linux's namespaces. Where it is not installed, or may not make any,
that is said, and nothing is run without it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from crosscheck.errors import UserError
from crosscheck.limits import VARIABLE
from crosscheck.rerun.folder import SUMS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

PROGRAM = "bwrap"
SYSTEM = ("/usr", "/lib", "/lib32", "/lib64", "/bin", "/sbin", "/nix/store")
SINGLE = ("/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime")
KEPT = ("PATH", "LANG", "LC_ALL", "TERM", "COLUMNS", "NO_COLOR", VARIABLE)
"""Variables that are handed on; whatever else stands in the environment stays outside."""
ROOM = "/tmp"  # noqa: S108 - a file system of its own, in memory
ALIVE = 42


def run(words: Sequence[str], reports: Sequence[Path], within: Iterable[Path]) -> int:
    """Run the command on these reports in a sandbox; the exit code."""
    program = shutil.which(PROGRAM)
    if program is None:
        raise UserError(
            "--sandbox needs bubblewrap, and there is no bwrap here; install it (on Linux, the "
            "package bubblewrap), or leave --sandbox out"
        )
    line = [program, *walls([*reports, *within], around=_around(reports))]
    _refuse_unless_it_holds(line)
    command = [sys.executable, "-P", "-m", "crosscheck", *words]
    return subprocess.run([*line, *command], check=False).returncode  # noqa: S603 - our own words


def _around(reports: Sequence[Path]) -> list[Path]:
    """Give the folders in which inputs are sought: none for bundles, which hold their own."""
    folders = [one if one.is_dir() else one.parent for one in reports]
    loose = [
        folder
        for one, folder in zip(reports, folders, strict=True)
        if not (folder / SUMS).is_file() and one.suffix != ".zip"
    ]
    return [*(folder.resolve().parent for folder in loose), *([Path.cwd()] if loose else [])]


def walls(seen: Iterable[Path], around: Iterable[Path] = ()) -> Iterator[str]:
    """Write bubblewrap's options: a new root in which these alone are seen, and nothing written."""
    yield from ("--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL")
    yield from ("--proc", "/proc", "--dev", "/dev", "--tmpfs", ROOM)
    for place in (*SYSTEM, *SINGLE):
        yield from ("--ro-bind-try", place, place)
    ours = Path(__file__).resolve().parents[2]
    python = map(Path, (sys.prefix, sys.base_prefix))
    above = Path(sys.executable).resolve().parents[1]
    for one in dict.fromkeys(str(one.resolve()) for one in (*python, above, ours, *around, *seen)):
        if Path(one).parent != Path(one):  # nobody means the whole machine
            yield from ("--ro-bind", one, one)
    # A virtual environment is found by the name that it was called by.
    if sys.prefix != str(Path(sys.prefix).resolve()):
        yield from ("--ro-bind", sys.prefix, sys.prefix)
    yield from ("--remount-ro", "/")
    yield "--clearenv"
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    for name, value in {**kept, "HOME": ROOM, "TMPDIR": ROOM, "PYTHONPATH": str(ours)}.items():
        yield from ("--setenv", name, value)
    here = Path.cwd()
    visible = any(here.is_relative_to(one.resolve()) for one in around)
    yield from ("--chdir", str(here) if visible else ROOM)


def _refuse_unless_it_holds(line: Sequence[str]) -> None:
    """Try the sandbox with a Python that does nothing: whether it may be made is seen only then."""
    trial = [*line, sys.executable, "-I", "-c", f"raise SystemExit({ALIVE})"]
    tried = subprocess.run(trial, check=False, capture_output=True, text=True)  # noqa: S603 - the same
    if tried.returncode != ALIVE:
        told = tried.stderr.strip().splitlines()[-1:] or [f"it ended with {tried.returncode}"]
        raise UserError(
            f"--sandbox: bubblewrap may not be used here ({told[0]}); many containers allow no "
            "namespaces. Allow them, or leave --sandbox out"
        )
