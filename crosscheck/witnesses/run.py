"""Hear the witnesses: each in a process of its own, side by side, or all in this one.

A witness that raises, dies, is killed or lets one wait too long leaves a `Silence` with its reason
for every case it had not answered; it never takes the others, or the run, with it.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from itertools import islice
from multiprocessing.connection import wait
from typing import TYPE_CHECKING

from crosscheck import system
from crosscheck.config import TIMEOUT
from crosscheck.data.case import Case
from crosscheck.processes import SPAWN, deaf, stay_deaf
from crosscheck.witnesses import Answer, Silence, Testimony, Witness

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from multiprocessing.connection import Connection
    from multiprocessing.context import SpawnProcess

    Progress = Callable[[Witness, Case, str], None]
    """Called with “started”, “answered” or “fell silent”."""
    Meanwhile = Callable[["Heard"], None]
    """Called with what was heard so far, each time that all there is to do is to wait."""

Heard = dict[tuple[str, str, str], Answer]
"""(witness, system, scope) → what it said."""

Task = tuple[Witness, tuple[Case, ...]]

FAREWELL = 10.0
"""Seconds that its process may take to end after the last one."""


def hear(
    tasks: Iterable[Task],
    *,
    processes: bool,
    progress: Progress | None = None,
    meanwhile: Meanwhile | None = None,
    timeout: float = TIMEOUT,
) -> Heard:
    """Ask every witness about its cases.

    The next task is taken when there is a process for it: making it may be work as well. Only a
    process can be ended: in this one, a witness takes as long as it takes.
    """
    report = progress or _quiet
    chosen = (task for task in tasks if task[1])
    if processes:
        return _side_by_side(chosen, report, meanwhile or _idle, timeout)
    return _one_by_one(chosen, report)


def ask(witness: Witness, case: Case) -> Answer:
    """Ask one witness about one case; whatever goes wrong becomes a `Silence`."""
    try:
        return witness.testify(case)
    except Exception as error:  # noqa: BLE001 - a witness may fail in any way it likes
        refused = type(error).__name__ == "InputError"
        text = str(error) if refused else f"{type(error).__name__}: {error}"
        return Silence(text, refused=refused)


def _quiet(witness: Witness, case: Case, event: str) -> None:
    del witness, case, event


def _idle(heard: Heard) -> None:
    del heard


def _one_by_one(tasks: Iterable[Task], report: Progress) -> Heard:
    heard: Heard = {}
    for witness, cases in tasks:
        for case in cases:
            report(witness, case, "started")
            answer = ask(witness, case)
            heard[witness.name, case.system, case.scope] = answer
            report(witness, case, _event(answer))
    return heard


@dataclass(slots=True)
class _Hearing:
    """A witness in its process, what it has still to answer, and since when one waits for it."""

    witness: Witness
    process: SpawnProcess
    connection: Connection
    pending: list[Case]
    since: float


def _side_by_side(
    tasks: Iterator[Task], report: Progress, meanwhile: Meanwhile, timeout: float
) -> Heard:
    heard: Heard = {}
    running: list[_Hearing] = []
    try:
        while True:
            for witness, cases in islice(tasks, max(2, system.cores()) - len(running)):
                running.append(_start(witness, cases))
                report(witness, cases[0], "started")
            if not running:
                return heard
            meanwhile(heard)
            due = min(hearing.since for hearing in running) + timeout
            ready = wait(
                [hearing.connection for hearing in running], max(0.0, due - time.monotonic())
            )
            for hearing in list(running):
                if hearing.connection in ready:
                    done = _listen(hearing, heard, report)
                else:
                    done = _interrupted(hearing, heard, report, timeout)
                if done:
                    running.remove(hearing)
    finally:
        for hearing in running:
            hearing.process.kill()


def _start(witness: Witness, cases: tuple[Case, ...]) -> _Hearing:
    receiver, sender = SPAWN.Pipe(duplex=False)
    process = SPAWN.Process(target=_serve, args=(sender, witness, cases), daemon=True)
    with deaf():
        process.start()
    sender.close()
    return _Hearing(witness, process, receiver, list(cases), time.monotonic())


def _serve(connection: Connection, witness: Witness, cases: tuple[Case, ...]) -> None:
    stay_deaf()
    for case in cases:
        connection.send(ask(witness, case))
    connection.close()


def _listen(hearing: _Hearing, heard: Heard, report: Progress) -> bool:
    """Take the next answer; say whether it was the last."""
    witness = hearing.witness
    try:
        answer: Answer = hearing.connection.recv()
    except EOFError:
        hearing.process.join()
        _fell_silent(hearing, heard, report, _death(hearing.process.exitcode))
        return True
    case = hearing.pending.pop(0)
    heard[witness.name, case.system, case.scope] = answer
    report(witness, case, _event(answer))
    hearing.since = time.monotonic()
    if hearing.pending:
        return False
    # Everything is said; what it left running must not keep us.
    hearing.process.join(FAREWELL)
    hearing.process.kill()
    return True


def _interrupted(hearing: _Hearing, heard: Heard, report: Progress, timeout: float) -> bool:
    """End a witness that took too long; say whether it did."""
    if time.monotonic() - hearing.since < timeout:
        return False
    hearing.process.kill()
    hearing.process.join()
    reason = f"it was ended after {timeout:g} seconds without an answer; --timeout allows more"
    _fell_silent(hearing, heard, report, reason)
    return True


def _fell_silent(hearing: _Hearing, heard: Heard, report: Progress, reason: str) -> None:
    for case in hearing.pending:
        heard[hearing.witness.name, case.system, case.scope] = Silence(reason)
        report(hearing.witness, case, "fell silent")


def _event(answer: Answer) -> str:
    return "answered" if isinstance(answer, Testimony) else "fell silent"


def _death(code: int | None) -> str:
    return f"its process {system.ended(code)} before it answered"
