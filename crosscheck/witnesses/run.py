"""Hear the witnesses: each in a process of its own, side by side, or all in this one.

A witness that raises, dies or is killed leaves a `Silence` with its reason for every case it had
not answered; it never takes the others, or the run, with it.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from dataclasses import dataclass
from itertools import islice
from multiprocessing.connection import wait
from typing import TYPE_CHECKING

from crosscheck.witnesses import Answer, Case, Silence, Testimony, Witness

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from multiprocessing.connection import Connection
    from multiprocessing.context import SpawnProcess

    Progress = Callable[[Witness, Case, str], None]
    """Called with “started”, “answered” or “fell silent”."""

Heard = dict[tuple[str, str, str], Answer]
"""(witness, system, scope) → what it said."""

Task = tuple[Witness, tuple[Case, ...]]


def hear(tasks: Iterable[Task], *, processes: bool, progress: Progress | None = None) -> Heard:
    """Ask every witness about its cases.

    The next task is taken when there is a process for it: making it may be work as well.
    """
    report = progress or _quiet
    chosen = (task for task in tasks if task[1])
    return _side_by_side(chosen, report) if processes else _one_by_one(chosen, report)


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


def _one_by_one(tasks: Iterable[Task], report: Progress) -> Heard:
    heard: Heard = {}
    for witness, cases in tasks:
        for case in cases:
            report(witness, case, "started")
            answer = ask(witness, case)
            heard[witness.name, case.system, case.scope] = answer
            report(witness, case, _event(answer))
    return heard


@dataclass(frozen=True, slots=True)
class _Hearing:
    """A witness in its process, and what it has still to answer."""

    witness: Witness
    process: SpawnProcess
    connection: Connection
    pending: list[Case]


def _side_by_side(tasks: Iterator[Task], report: Progress) -> Heard:
    heard: Heard = {}
    running: list[_Hearing] = []
    try:
        while True:
            for witness, cases in islice(tasks, max(2, os.cpu_count() or 1) - len(running)):
                running.append(_start(witness, cases))
                report(witness, cases[0], "started")
            if not running:
                return heard
            ready = wait([hearing.connection for hearing in running])
            for hearing in [one for one in running if one.connection in ready]:
                if _listen(hearing, heard, report):
                    running.remove(hearing)
    finally:
        for hearing in running:
            hearing.process.kill()


def _start(witness: Witness, cases: tuple[Case, ...]) -> _Hearing:
    # Spawned, not forked: polars and numba keep threads that a fork would cut off.
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_serve, args=(sender, witness, cases), daemon=True)
    process.start()
    sender.close()
    return _Hearing(witness, process, receiver, list(cases))


def _serve(connection: Connection, witness: Witness, cases: tuple[Case, ...]) -> None:
    # Ctrl-C reaches the whole group; the parent alone decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
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
        silence = Silence(_death(hearing.process.exitcode))
        for case in hearing.pending:
            heard[witness.name, case.system, case.scope] = silence
            report(witness, case, "fell silent")
        return True
    case = hearing.pending.pop(0)
    heard[witness.name, case.system, case.scope] = answer
    report(witness, case, _event(answer))
    if hearing.pending:
        return False
    hearing.process.join()
    return True


def _event(answer: Answer) -> str:
    return "answered" if isinstance(answer, Testimony) else "fell silent"


def _death(code: int | None) -> str:
    if code is not None and code < 0:
        name = signal.Signals(-code).name
        return f"its process was ended by {name} before it answered"
    return f"its process ended with code {code} before it answered"
