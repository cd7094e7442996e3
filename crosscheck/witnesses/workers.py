"""Workers: processes that are handed one task after the other, so that each imports once.

There are as many as cores. One that dies, or lets one wait too long, costs its own task and no
other: the next task has a new one. Code that is not ours has a process of its own, always.
"""

from __future__ import annotations

import math
import socket
import time
from collections import deque
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Any, Self

from crosscheck import system
from crosscheck.data.readings import Ahead, keeping, read_ahead
from crosscheck.processes import SPAWN, afresh, alone, attend, context, end, lead
from crosscheck.witnesses import Silence, apart
from crosscheck.witnesses.tasks import ask

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess
    from pathlib import Path
    from types import TracebackType

    from crosscheck.data.case import Case
    from crosscheck.witnesses import Testimony
    from crosscheck.witnesses.tasks import Asked, Progress, Task

FAREWELL = 10.0
"""Seconds that a process may take to end after the last answer."""


@dataclass(slots=True)
class _Worker:
    """A process, and how one talks with it."""

    process: BaseProcess
    connection: Connection | socket.socket
    ready: str = ""
    """The implementation that it has loaded beforehand."""
    done: set[str] = field(default_factory=set)
    """The tasks that it has done: what it read for them is at hand."""
    leaving: ExitStack = field(default_factory=ExitStack)
    folder: Path | None = None
    """Where code that is not ours works."""

    def close(self, task: Task[Any, Any] | None = None) -> None:
        """End the process and whatever it started, and tidy up after it."""
        end(self.process)
        self.process.join()
        self.connection.close()
        if self.folder is not None and task is not None:
            task.said.extend(apart.said(self.folder))
        self.leaving.close()


@dataclass(slots=True)
class _Hearing:
    """A task in its process, and since when one waits for its next answer."""

    task: Task[Any, Any]
    worker: _Worker
    report: Progress
    timeout: float
    since: float
    inbox: apart.Inbox | None = None
    """What came so far, where the code is not ours."""

    @property
    def due(self) -> float:
        """When one has waited too long."""
        return math.inf if self.task.patient else self.since + self.timeout

    def fall_silent(self, reason: str) -> None:
        """Take down that nothing more will come."""
        while len(self.task.answers) < len(self.task.subjects):
            self.task.take(Silence(reason), self.report)


class Workers:
    """The processes of one run, the tasks that they are at, and those that wait for one."""

    def __init__(self) -> None:
        self.waiting: deque[Task[Any, Any]] = deque()
        """Tasks that take a process when no witness wants it."""
        self._free: list[_Worker] = []
        self._running: list[_Hearing] = []

    def __enter__(self) -> Self:
        """Begin; processes are started when there is work for them."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End every process."""
        for hearing in self._running:
            hearing.worker.close(hearing.task)
        for worker in self._free:
            worker.close()
        self._running, self._free = [], []

    def begin(self, implementations: Sequence[str]) -> None:
        """Start processes beforehand: they import while the first task is still being made."""
        if alone():  # they are copies: what all of them need is read once
            _common()
        self._free += [_started(name) for name in implementations[: system.cores()]]

    def read_ahead(self, package: str, data: Any, settings: dict[str, Any]) -> None:  # noqa: ANN401 - a path, or TREC's two
        """Let who is loaded for an implementation read data that it will be asked about."""
        asked = Ahead(package, data, settings)
        for worker in self._free:
            if worker.ready == package:
                with suppress(OSError):  # it has died, which is seen when it is asked
                    worker.connection.send((read_ahead, (asked,), False))  # type: ignore[arg-type]
                return

    def hear(
        self,
        tasks: Iterable[Task[Any, Any]],
        report: Progress,
        meanwhile: Callable[[], None] | None,
        timeout: float,
    ) -> None:
        """Have these tasks done; what else waits is begun where there is room, not waited for."""
        upcoming = iter(tasks)
        queue: list[Task[Any, Any]] = []
        wanted: list[Task[Any, Any]] = []
        while True:
            queue.extend(islice(upcoming, not queue))
            while queue and self._room:
                if self._running:
                    # The first is at work before the others are made, which may be work as well.
                    queue.extend(upcoming)
                wanted.append(queue.pop(self._next(queue)))
                self._start(wanted[-1], report, timeout)
                queue.extend(islice(upcoming, not queue))
            if not queue and not any(one.task is task for one in self._running for task in wanted):
                return
            if meanwhile is not None:
                meanwhile()
            self._begin_waiting()
            self._listen()

    def finish(self) -> None:
        """Have everything done that waits."""
        while self.waiting or self._running:
            self._begin_waiting()
            self._listen()

    def _begin_waiting(self) -> None:
        while self.waiting and self._room:
            self._start(self.waiting.popleft(), _quiet, math.inf)

    @property
    def _room(self) -> int:
        return max(0, max(2, system.cores()) - len(self._running))

    def _start(self, task: Task[Any, Any], report: Progress, timeout: float) -> None:
        if task.apart:
            hearing = _apart(task, report, timeout)
        else:
            worker = self._take(task) if self._free else _started()
            hearing = _Hearing(task, worker, report, timeout, time.monotonic())
        self._running.append(hearing)
        if not task.apart:
            with suppress(OSError):  # it has died, which is seen when it is listened to
                hearing.worker.connection.send((task.answer, task.subjects, True))  # type: ignore[arg-type]
        if not task.patient:
            report(task, task.subjects[0], "started")

    def _next(self, queue: Sequence[Task[Any, Any]]) -> int:
        """Choose a task: one whose process is free, else one that has no process to wait for."""
        done = {name for worker in self._free for name in worker.done}
        at_work = {hearing.task.name for hearing in self._running}
        places = range(len(queue))
        at_hand = (place for place in places if queue[place].after in done)
        others = (place for place in places if queue[place].after not in at_work)
        return next(at_hand, next(others, 0))

    def _take(self, task: Task[Any, Any]) -> _Worker:
        """Take a free process: the one that has read what is asked about, or is loaded for it."""
        places = range(len(self._free))
        at_hand = (place for place in places if task.after in self._free[place].done)
        ready = (place for place in places if self._free[place].ready == task.name)
        return self._free.pop(next(at_hand, next(ready, 0)))

    def _listen(self) -> None:
        """Wait for the next answer, or until somebody has taken too long."""
        due = min(hearing.due for hearing in self._running)
        patience = None if math.isinf(due) else max(0.0, due - time.monotonic())
        ready = wait([hearing.worker.connection for hearing in self._running], patience)
        for hearing in list(self._running):
            if hearing.worker.connection in ready:
                done, alive = _taken(hearing)
            else:
                done, alive = _interrupted(hearing), False
            if done:
                self._running.remove(hearing)
                self._let_go(hearing, alive=alive)

    def _let_go(self, hearing: _Hearing, *, alive: bool) -> None:
        if alive and hearing.inbox is None:
            hearing.worker.done.add(hearing.task.name)
            self._free.append(hearing.worker)
            return
        hearing.worker.close(hearing.task)
        if hearing.task.said:
            hearing.report(hearing.task, hearing.task.subjects[-1], "printed")


def _quiet(task: Task[Any, Any], subject: Asked, event: str) -> None:
    del task, subject, event


def _started(ready: str = "") -> _Worker:
    how = context()
    ours, theirs = how.Pipe()
    process = how.Process(target=_serve, args=(theirs, ready), daemon=True)
    with afresh(copied=how is not SPAWN):
        process.start()
    theirs.close()
    return _Worker(process, ours, ready)


def _serve(connection: Connection, ready: str) -> None:
    attend()
    if ready:
        _prepare(ready)
    with keeping(), suppress(EOFError, OSError):
        while True:
            answer, subjects, heard = connection.recv()
            for subject in subjects:
                said = ask(answer, subject)
                if heard:
                    connection.send(said)


def _prepare(name: str) -> None:
    """Import what an implementation needs; whoever lacks any of it says so when it is asked."""
    with suppress(Exception):
        from crosscheck.data import door  # noqa: PLC0415 - in the process that needs it

        _common()
        getattr(door, name)


def _common() -> None:
    """Import what asking any witness needs: nothing of it starts a thread."""
    with suppress(Exception):
        from crosscheck.contract import load  # noqa: PLC0415 - in the process that needs it
        from crosscheck.data import case  # noqa: F401, PLC0415 - the same
        from crosscheck.witnesses import implementations  # noqa: F401, PLC0415 - the same

        load()


def _apart(task: Task[Any, Any], report: Progress, timeout: float) -> _Hearing:
    """Start a process for code that is not ours, in a folder that is its own."""
    leaving = ExitStack()
    folder = leaving.enter_context(system.scratch("witness"))
    receiver, sender = socket.socketpair()
    words = (sender, task.answer, task.subjects, folder, timeout)
    process = SPAWN.Process(target=_serve_apart, args=words)
    with afresh():
        process.start()
    sender.close()
    worker = _Worker(process, receiver, leaving=leaving, folder=folder)
    inbox = apart.Inbox(task.subjects)
    return _Hearing(task, worker, report, timeout, time.monotonic(), inbox)


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


def _taken(hearing: _Hearing) -> tuple[bool, bool]:
    """Take what has come; say whether it was the last, and whether its process lives on."""
    process = hearing.worker.process
    try:
        answers = list(_arrived(hearing))
    except (EOFError, ConnectionError):
        wait([process.sentinel], FAREWELL)
        end(process)
        process.join()
        ended = system.ended(process.exitcode)
        hearing.fall_silent(f"its process {ended} before it answered")
        return True, False
    for answer in answers:
        hearing.task.take(answer, hearing.report)
        hearing.since = time.monotonic()
    if hearing.inbox is not None and hearing.inbox.too_long:
        hearing.fall_silent(apart.endless())
        return True, False
    # Everything is said; what code that is not ours left running must not keep us.
    return len(hearing.task.answers) == len(hearing.task.subjects), True


def _arrived(hearing: _Hearing) -> Iterator[object]:
    """Give the answers that have arrived; what is not ours is never waited for in mid-answer."""
    if hearing.inbox is None:
        yield hearing.worker.connection.recv()  # type: ignore[call-arg]
        return
    content = hearing.worker.connection.recv(1 << 16)  # type: ignore[call-arg]
    if not content:
        raise EOFError
    yield from hearing.inbox.take(content)


def _interrupted(hearing: _Hearing) -> bool:
    """End a witness that took too long; say whether it did."""
    if time.monotonic() < hearing.due:
        return False
    end(hearing.worker.process)
    hearing.fall_silent(
        f"it was ended after {hearing.timeout:g} seconds without an answer; --timeout allows more"
    )
    return True
