"""What a process does that works on a stranger's bytes: one task after the other, within bounds.

It is handed JSON and a folder of its own, and answers by JSON and text: nothing that it says is
ever unpickled. Bad input is told in the command line's own words.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crosscheck import system
from crosscheck.errors import BAD_INPUT
from crosscheck.limits import limits
from crosscheck.processes import attend, lead

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.connection import Connection

    from crosscheck.serve.bounds import Bounds

    Say = Callable[[str], None]

QUICK, LONG = "quick", "long"
WARM = {
    QUICK: ("crosscheck.serve.tables", "crosscheck.serve.explaining"),
    LONG: ("crosscheck.serve.gating", "crosscheck.serve.explaining"),
}
"""What a process loads before it is needed."""
TASKS = {
    "audit": "crosscheck.serve.tables",
    "define": "crosscheck.serve.explaining",
    "explain": "crosscheck.serve.explaining",
    "look": "crosscheck.serve.gating",
    "gate": "crosscheck.serve.gating",
}
"""Task → the module whose function of that name does it: (task, say) → what to show."""
ROOM = 8 * 2**30
"""Address space beyond the memory of a job: libraries reserve far more than they ever hold."""


def serve(channel: Connection, kind: str, bounds: Bounds, home: str) -> None:
    """Do tasks until nobody asks any more; called in a process of its own."""
    attend()
    lead()
    _quiet()
    os.environ.update(bounds.environment())
    system.keep_caches()
    bounded = replace(limits(), memory=bounds.memory + ROOM, written=2 * bounds.upload)
    system.bound(bounded, bounds.seconds * 16)
    for module in WARM[kind]:
        import_module(module)
    _answer(channel, {"ready": True})
    while True:
        os.chdir(home)
        try:
            task = json.loads(channel.recv_bytes())
        except (EOFError, OSError):
            return
        _do(channel, task)


def _do(channel: Connection, task: dict[str, Any]) -> None:
    """Do one task in its folder, where its scratch files lie too."""
    folder = Path(task["folder"])
    os.chdir(folder / "files")
    tempfile.tempdir = os.environ["TMPDIR"] = str(folder / "scratch")
    try:
        work = getattr(import_module(TASKS[task["what"]]), task["what"])
        told = work(task, lambda line: _answer(channel, {"told": system.harmless(line)}))
        _answer(channel, {"done": told})
    except BaseException as error:  # noqa: BLE001 - a panic of a library is no Exception
        code, words = system.trouble(error)
        _answer(channel, {"refused" if code == BAD_INPUT else "broken": words})


def _answer(channel: Connection, told: dict[str, Any]) -> None:
    with suppress(OSError):  # nobody listens any more, and this process is about to end
        channel.send_bytes(json.dumps(told).encode())


def _quiet() -> None:
    """Let nothing that a library prints reach the operator's terminal."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    os.close(nowhere)
    sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115, PTH123 - for as long as it lives
