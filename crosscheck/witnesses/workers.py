"""Workers: processes that are handed one task after the other, so that each imports once.

There are as many as cores. One that dies, or lets one wait too long, costs its own task and no
other: the next task has a new one. Code that is not ours has a process of its own, always.
"""

from __future__ import annotations

import math
import pickle
import socket
import threading
import time
from collections import deque
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from itertools import chain, islice
from multiprocessing.connection import wait
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Self

from crosscheck import system
from crosscheck.data.readings import Ahead, keeping, read_ahead
from crosscheck.processes import SPAWN, afresh, alone, attend, context, end, heed, lead
from crosscheck.witnesses import Silence, apart
from crosscheck.witnesses.tasks import ask, asked_here

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
    ready: tuple[str, ...] = ()
    """The tasks for which it loads beforehand what they need."""
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

    def begin(self, needs: Mapping[str, Sequence[str]]) -> None:
        """Start processes beforehand: they load what tasks need while these are still being made.

        The tasks are dealt out to as many processes as there are cores, the most urgent first.
        """
        if alone():  # they are copies: what all of them need is read once
            _common()
        cores = system.cores()
        dealt = [list(needs.items())[first::cores] for first in range(min(cores, len(needs)))]
        for some in dealt:
            self._free.append(_started(dict(some)))  # each is known before the next is tried

    def read_ahead(self, package: str, data: Any, settings: dict[str, Any]) -> None:  # noqa: ANN401 - a path, or TREC's two
        """Let who is loaded for an implementation read data that it will be asked about."""
        asked = Ahead(package, data, settings)
        for worker in self._free:
            if package in worker.ready:
                with suppress(OSError):  # it has died, which is seen when it is asked
                    worker.connection.send((read_ahead, (asked,), False))  # type: ignore[arg-type]
                return

    def hear(
        self,
        tasks: Iterable[Task[Any, Any]],
        report: Progress,
        meanwhile: Callable[[], None] | None,
        timeout: float,
        here: Iterable[Task[Any, Any]] = (),
    ) -> None:
        """Have these tasks done; what else waits is begun where there is room, not waited for.

        Those of `here` are done in this process, one by one, while the others are at work.
        """
        upcoming = iter(tasks)
        queue: list[Task[Any, Any]] = []
        wanted: list[Task[Any, Any]] = []
        ours = asked_here(here, report)
        idle = False
        while True:
            queue.extend(islice(upcoming, not queue))
            while queue and self._room:
                if self._running:
                    # The first is at work before the others are made, which may be work as well.
                    queue.extend(upcoming)
                wanted.append(queue.pop(self._next(queue)))
                self._start(wanted[-1], report, timeout)
                queue.extend(islice(upcoming, not queue))
            idle = idle or next(ours, None) is None
            at_work = any(one.task is task for one in self._running for task in wanted)
            if idle and not queue and not at_work:
                return
            if meanwhile is not None:
                meanwhile()
            self.begin_waiting()
            self._listen(wait_for_it=idle)

    def finish(self) -> None:
        """Have everything done that waits."""
        while self.waiting or self._running:
            self.begin_waiting()
            self._listen()

    def tend(self) -> None:
        """Take what has been answered by now, and let the free begin with what waits."""
        if self._running:
            self._listen(wait_for_it=False)
        self.begin_waiting()

    def begin_waiting(self) -> None:
        """Begin with what waits, where there is room."""
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
        ready = {name for worker in self._free for name in worker.ready}
        at_work = {hearing.task.name for hearing in self._running}
        theirs = {name for hearing in self._running for name in hearing.worker.ready}
        places = range(len(queue))
        at_hand = (place for place in places if queue[place].after in done)
        loaded = (place for place in places if queue[place].name in ready)
        others = (place for place in places if queue[place].after not in at_work)
        nobodys = (place for place in others if queue[place].name not in theirs)
        return next(chain(at_hand, loaded, nobodys, others), 0)

    def _take(self, task: Task[Any, Any]) -> _Worker:
        """Take a free process: the one that has read what is asked about, or is loaded for it."""
        places = range(len(self._free))
        at_hand = (place for place in places if task.after in self._free[place].done)
        ready = (place for place in places if task.name in self._free[place].ready)
        return self._free.pop(next(at_hand, next(ready, 0)))

    def _listen(self, *, wait_for_it: bool = True) -> None:
        """Wait for the next answer, or until somebody has taken too long."""
        heed()
        due = min((hearing.due for hearing in self._running), default=0.0)
        patience = None if math.isinf(due) else max(0.0, due - time.monotonic())
        patience = patience if wait_for_it else 0.0
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


def _started(needs: Mapping[str, Sequence[str]] | None = None) -> _Worker:
    how = context()
    ours, theirs = how.Pipe()
    modules = [module for some in (needs or {}).values() for module in some]
    process = how.Process(target=_serve, args=(theirs, modules), daemon=True)
    with afresh(copied=how is not SPAWN):
        process.start()
    theirs.close()
    return _Worker(process, ours, tuple(needs or ()))


def _serve(connection: Connection, modules: Sequence[str]) -> None:
    attend()
    asked: SimpleQueue[bytes] = SimpleQueue()
    # Whoever asks is never kept waiting, however long the question is and whatever is done here.
    threading.Thread(target=_take_in, args=(connection, asked), daemon=True).start()
    if modules:
        _common()
    for module in modules:
        if not asked.empty():
            break
        _load(module)
    with keeping(), suppress(OSError):
        while question := asked.get():
            answer, subjects, heard = pickle.loads(question)  # noqa: S301 - packed by this program
            for subject in subjects:
                said = ask(answer, subject)
                if heard:
                    connection.send(said)


def _take_in(connection: Connection, asked: SimpleQueue[bytes]) -> None:
    with suppress(EOFError, OSError):
        while True:
            asked.put(connection.recv_bytes())
    asked.put(b"")


def _load(module: str) -> None:
    """Load what a task needs; whoever lacks it says so when it is asked."""
    with suppress(Exception):
        from crosscheck.data import door  # noqa: PLC0415 - in the process that needs it

        if module in door.__all__:
            getattr(door, module)
        else:
            import_module(module)


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
