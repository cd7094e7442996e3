"""Hear the witnesses: each in a process of its own, side by side, or all in this one.

A witness that raises, dies, is killed or lets one wait too long leaves a `Silence` with its reason
for every question it had not answered; it never takes the others, or the run, with it. One whose
code is the user's is never heard in this process, and never as anything but data (`apart`).
"""

from __future__ import annotations

import socket
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from crosscheck import system
from crosscheck.config import TIMEOUT
from crosscheck.processes import SPAWN, afresh, attend, end, lead
from crosscheck.witnesses import Silence, Testimony, apart

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from multiprocessing.connection import Connection
    from multiprocessing.context import SpawnProcess
    from pathlib import Path

    from crosscheck.data.case import Case
    from crosscheck.witnesses import Witness

    Progress = Callable[["Task[Any, Any]", "Asked", str], None]
    """Called with “started”, “answered”, “fell silent”, or “printed” where `said` has lines."""


class Asked(Protocol):
    """What a question is about: a case, or two of them that are compared."""

    @property
    def name(self) -> str:
        """How it is called in messages."""

    @property
    def scope(self) -> str:
        """Empty for all rows; else the words that say which sample."""


Subject = TypeVar("Subject", bound=Asked)
Told = TypeVar("Told")


@dataclass(frozen=True, slots=True)
class Task(Generic[Subject, Told]):
    """Work for one process: a question about several subjects, and the answers so far."""

    name: str
    answer: Callable[[Subject], Told]
    """A function of a module, so that another process finds it."""
    subjects: tuple[Subject, ...]
    waiting: str = ""
    """What one is waiting for, when it takes long."""
    answers: list[Told | Silence] = field(default_factory=list)
    """In the order of the subjects."""
    apart: bool = False
    """Its code is not ours."""
    said: list[str] = field(default_factory=list)
    """The last lines of what it printed, where it is."""

    def heard(self) -> Iterator[tuple[Subject, Told | Silence]]:
        """Give what was answered by now."""
        return zip(self.subjects, self.answers, strict=False)

    def about(self, name: str) -> Told | Silence | None:
        """Give what was answered about the subject of that name, over all rows."""
        found = (told for one, told in self.heard() if one.name == name and not one.scope)
        return next(found, None)


def task_of(witness: Witness, cases: Iterable[Case]) -> Task[Case, Testimony]:
    """Make the task of hearing a witness; of one that is not installed, all is said at once."""
    subjects, answer = tuple(cases), witness.testify
    why = witness.absent
    said = [_not_installed(one, why) for one in subjects] if why else []
    return Task(witness.name, answer, subjects, witness.waiting, list(said), apart=witness.apart)


def _not_installed(case: Case, why: str) -> Testimony:
    return Testimony({}, declined=dict.fromkeys(case.owed, why), note=why, absent=True)


FAREWELL = 10.0
"""Seconds that its process may take to end after the last one."""


def hear(
    tasks: Iterable[Task[Any, Any]],
    *,
    processes: bool,
    progress: Progress | None = None,
    meanwhile: Callable[[], None] | None = None,
    timeout: float = TIMEOUT,
) -> None:
    """Have every task's questions answered; `meanwhile` is called when one has but to wait.

    The next task is taken when there is a process for it: making it may be work as well. Only a
    process can be ended: in this one, a witness takes as long as it takes.
    """
    report = progress or _quiet
    chosen = (task for task in tasks if len(task.answers) < len(task.subjects))
    if processes:
        _side_by_side(chosen, report, meanwhile, timeout)
        return
    for task in chosen:
        if task.apart:
            _side_by_side(iter([task]), report, meanwhile, timeout)
        else:
            _here(task, report)


def ask(answer: Callable[[Subject], Told], subject: Subject) -> Told | Silence:
    """Put one question; whatever goes wrong becomes a `Silence`."""
    try:
        return answer(subject)
    except (KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException as error:  # noqa: BLE001 - a witness may fail in any way; a panic of polars is no Exception
        refused = type(error).__name__ == "InputError"
        text = str(error) if refused else f"{type(error).__name__}: {error}"
        return Silence(text, refused=refused)


def _quiet(task: Task[Any, Any], subject: Asked, event: str) -> None:
    del task, subject, event


def _here(task: Task[Any, Any], report: Progress) -> None:
    for subject in task.subjects:
        report(task, subject, "started")
        _take(task, ask(task.answer, subject), report)


def _take(task: Task[Any, Any], answer: object, report: Progress) -> None:
    """Take down the next answer of a task."""
    subject = task.subjects[len(task.answers)]
    task.answers.append(answer)
    report(task, subject, "fell silent" if isinstance(answer, Silence) else "answered")


@dataclass(slots=True)
class _Hearing:
    """A task in its process, and since when one waits for its next answer."""

    task: Task[Any, Any]
    process: SpawnProcess
    connection: Connection | socket.socket
    since: float
    inbox: apart.Inbox | None = None
    """What came so far, where the code is not ours."""
    leaving: ExitStack = field(default_factory=ExitStack)
    folder: Path | None = None

    def close(self) -> None:
        """End the process and whatever it started, and tidy up after it."""
        end(self.process)
        self.process.join()
        self.connection.close()
        if self.folder is not None:
            self.task.said.extend(apart.said(self.folder))
        self.leaving.close()


def _side_by_side(
    tasks: Iterator[Task[Any, Any]],
    report: Progress,
    meanwhile: Callable[[], None] | None,
    timeout: float,
) -> None:
    running: list[_Hearing] = []
    try:
        while True:
            for task in islice(tasks, max(2, system.cores()) - len(running)):
                running.append(_apart(task, timeout) if task.apart else _start(task))
                report(task, task.subjects[0], "started")
            if not running:
                return
            if meanwhile is not None:
                meanwhile()
            due = min(hearing.since for hearing in running) + timeout
            ready = wait(
                [hearing.connection for hearing in running], max(0.0, due - time.monotonic())
            )
            for hearing in list(running):
                if hearing.connection in ready:
                    done = _listen(hearing, report)
                else:
                    done = _interrupted(hearing, report, timeout)
                if done:
                    running.remove(hearing)
                    hearing.close()
                    if hearing.task.said:
                        report(hearing.task, hearing.task.subjects[-1], "printed")
    finally:
        for hearing in running:
            hearing.close()


def _start(task: Task[Any, Any]) -> _Hearing:
    receiver, sender = SPAWN.Pipe(duplex=False)
    process = SPAWN.Process(target=_serve, args=(sender, task), daemon=True)
    with afresh():
        process.start()
    sender.close()
    return _Hearing(task, process, receiver, time.monotonic())


def _apart(task: Task[Any, Any], timeout: float) -> _Hearing:
    """Start a process for code that is not ours, in a folder that is its own."""
    leaving = ExitStack()
    folder = leaving.enter_context(system.scratch("witness"))
    receiver, sender = socket.socketpair()
    words = (sender, task.answer, task.subjects, folder, timeout)
    process = SPAWN.Process(target=_serve_apart, args=words)
    with afresh():
        process.start()
    sender.close()
    inbox = apart.Inbox(task.subjects)
    return _Hearing(task, process, receiver, time.monotonic(), inbox, leaving, folder)


def _serve(connection: Connection, task: Task[Any, Any]) -> None:
    attend()
    for subject in task.subjects:
        connection.send(ask(task.answer, subject))
    connection.close()


def _serve_apart(
    channel: socket.socket,
    answer: Callable[[Case], Testimony],
    cases: tuple[Case, ...],
    folder: Path,
    timeout: float,
) -> None:
    attend()
    lead()
    apart.serve(channel, partial(ask, answer), cases, folder, timeout)


def _listen(hearing: _Hearing, report: Progress) -> bool:
    """Take what has come; say whether it was the last."""
    try:
        answers = _arrived(hearing)
    except (EOFError, ConnectionError):
        wait([hearing.process.sentinel], FAREWELL)
        end(hearing.process)
        hearing.process.join()
        _fell_silent(hearing, report, _death(hearing.process.exitcode))
        return True
    for answer in answers:
        _take(hearing.task, answer, report)
        hearing.since = time.monotonic()
    if hearing.inbox is not None and hearing.inbox.too_long:
        _fell_silent(hearing, report, apart.endless())
        return True
    if len(hearing.task.answers) < len(hearing.task.subjects):
        return False
    # Everything is said; what it left running must not keep us. A process that was waited for has
    # no group any more that could be ended, so one that is not ours is not.
    if hearing.inbox is None:
        hearing.process.join(FAREWELL)
    return True


def _arrived(hearing: _Hearing) -> Iterable[object]:
    """Give the answers that have arrived; what is not ours is never waited for in mid-answer."""
    if hearing.inbox is None:
        return [hearing.connection.recv()]  # type: ignore[call-arg]
    content = hearing.connection.recv(1 << 16)  # type: ignore[call-arg]
    if not content:
        raise EOFError
    return hearing.inbox.take(content)


def _interrupted(hearing: _Hearing, report: Progress, timeout: float) -> bool:
    """End a witness that took too long; say whether it did."""
    if time.monotonic() - hearing.since < timeout:
        return False
    end(hearing.process)
    reason = f"it was ended after {timeout:g} seconds without an answer; --timeout allows more"
    _fell_silent(hearing, report, reason)
    return True


def _fell_silent(hearing: _Hearing, report: Progress, reason: str) -> None:
    while len(hearing.task.answers) < len(hearing.task.subjects):
        _take(hearing.task, Silence(reason), report)


def _death(code: int | None) -> str:
    return f"its process {system.ended(code)} before it answered"
