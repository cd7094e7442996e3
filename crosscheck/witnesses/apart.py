"""A user's own function, heard from afar: its code is not ours, and neither is what it answers.

It runs in a process and a folder of its own, with bounds on memory, processor time and open files
where the system has them; what it prints goes to a log. What comes back is a flat table of
numbers, a line of JSON an answer; nothing that it says is ever unpickled, or more than data here.
"""

from __future__ import annotations

import json
import math
import os
import sys
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crosscheck import system
from crosscheck.errors import UserError
from crosscheck.limits import limits
from crosscheck.model.key import Key
from crosscheck.witnesses import Silence, Testimony, decline

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from socket import socket

    from crosscheck.data.case import Case
    from crosscheck.model.ledgers import Number
    from crosscheck.witnesses import Answer

LOG = "log.txt"
MOST_SAID = 20
"""Lines of its log that are shown."""
LONGEST_REASON = 2_000
"""Characters of a reason for silence."""


def serve(
    channel: socket,
    testify: Callable[[Case], Answer],
    cases: Sequence[Case],
    folder: Path,
    seconds: float,
) -> None:
    """Answer in a process of one's own; called there, before any code of the user's is loaded."""
    here = enter(folder, math.ceil(seconds) * len(cases) * system.cores())
    with channel:
        for case in cases:
            answer(channel, testify, case, here)


def enter(folder: Path, seconds: int) -> Path:
    """Go into a folder of one's own, within bounds; give the one where data are named from."""
    here = Path.cwd()
    # Modules are found where the user started the command, data where they lie.
    sys.path.insert(0, str(here))
    os.environ.pop(system.SAFE_PATH, None)
    os.chdir(folder)
    _log_to(folder / LOG)
    system.bound(limits(), seconds)
    return here


def answer(channel: socket, testify: Callable[[Case], Answer], case: Case, here: Path) -> None:
    """Answer one question."""
    told = written(testify(replace(case, data=_placed(case.data, here))))
    with suppress(Exception):  # whatever it has made of them
        sys.stdout.flush()
        sys.stderr.flush()
    channel.sendall(told)


def _placed(data: Any, here: Path) -> Any:  # noqa: ANN401 - a path, or a path a role
    if isinstance(data, dict):
        return {role: str(here / path) for role, path in data.items()}
    return str(here / data)


def _log_to(path: Path) -> None:
    """Let everything that is printed, by whatever library, end in a file."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for stream in (1, 2):
        os.dup2(handle, stream)
    os.close(handle)


def written(said: Answer) -> bytes:
    """Write an answer as one line: keys and numbers, or the reason for silence."""
    if isinstance(said, Silence):
        told: dict[str, Any] = {"silence": said.reason[:LONGEST_REASON]}
        told["refused"] = said.refused
    else:
        told = {"keys": list(said.ledger), "values": list(said.ledger.values())}
    try:
        return json.dumps(told).encode() + b"\n"
    except (TypeError, ValueError, RecursionError, MemoryError) as error:
        return written(Silence(f"{type(error).__name__}: {error}"))


@dataclass(slots=True)
class Inbox:
    """What came so far of a user's answers: bytes that are read as data, line by line."""

    cases: Sequence[Case]
    rest: bytes = b""
    told: list[Answer] = field(default_factory=list)
    lines: int = 0
    """How many lines came, answers or not."""

    def take(self, content: bytes) -> list[Answer]:
        """Take what has arrived; give the answers that are now complete."""
        *lines, self.rest = (self.rest + content).split(b"\n")
        self.lines += len(lines)
        fresh = [
            read(line, case)
            for line, case in zip(lines, self.cases[len(self.told) :], strict=False)
        ]
        self.told += fresh
        return fresh

    @property
    def too_long(self) -> bool:
        """Whether an answer has no end."""
        return len(self.rest) > limits().answer


def read(line: bytes, case: Case) -> Answer:
    """Read an answer: nothing but keys of the contract's form and plain numbers."""
    if len(line) > limits().answer:
        return Silence(endless())
    try:
        told = json.loads(line)
        if isinstance(told, dict) and told.keys() == {"silence", "refused"}:
            return Silence(str(told["silence"])[:LONGEST_REASON], refused=told["refused"] is True)
        ledger = _ledger(told)
    except (UserError, ValueError, TypeError, KeyError, RecursionError, MemoryError) as error:
        return Silence(f"what it answered is no ledger: {str(error)[:LONGEST_REASON]}")
    return Testimony(ledger, declined=decline(case, ledger, lambda _: "it did not answer"))


def _ledger(told: Any) -> dict[str, Number]:  # noqa: ANN401 - whatever came
    keys, values = told["keys"], told["values"]
    ledger: dict[str, Number] = {}
    for key, value in zip(keys, values, strict=True):
        if not isinstance(key, str) or type(value) not in (int, float):
            raise TypeError("expected keys and numbers")
        Key.parse(key)
        ledger[key] = value
    return ledger


def endless() -> str:
    """Say that an answer has no end."""
    return f"it answered with more than {limits().answer:,} bytes; CROSSCHECK_LIMITS allows more"


def said(folder: Path) -> list[str]:
    """Give the last lines of what it printed."""
    with suppress(OSError):
        path = folder / LOG
        if path.is_symlink() or not path.is_file():
            return []
        with path.open("rb") as file:
            file.seek(-min(path.stat().st_size, limits().config), os.SEEK_END)
            lines = file.read(limits().config).decode("utf-8", "replace").splitlines()
        left = len(lines) - MOST_SAID
        return [f"… {left} lines before", *lines[-MOST_SAID:]] if left > 0 else lines
    return []
