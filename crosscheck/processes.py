"""Processes that work for this one: deaf to Ctrl-C, and gone when it is.

Started afresh, or copied from this one before it has any thread but its own (`context`): polars,
BLAS and numba keep threads that a copy would lack, and locks that nobody would open. Ctrl-C
reaches the whole group of processes, and the one that the user started alone decides what it
means; being asked to end means the same to it. However it ends, no process that works for it stays
behind. None of them runs the user's script again: nothing that they are handed is defined there.
"""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
import sys
import threading
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from threading import RLock
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from multiprocessing.context import ForkContext, SpawnContext
    from multiprocessing.process import BaseProcess
    from types import FrameType

TIMEOUT = 3600.0
"""Seconds that one may take for an answer, unless told."""
SPAWN = multiprocessing.get_context("spawn")
MAIN = "__main__"
_ONE_AT_A_TIME = RLock()


def context() -> ForkContext | SpawnContext:
    """Say how a process of ours is best started: as a copy where that is safe, else afresh."""
    return multiprocessing.get_context("fork") if alone() else SPAWN


def alone() -> bool:
    """Whether no thread but this one runs here, whoever started it; known on Linux alone."""
    try:
        return sys.platform == "linux" and len(os.listdir(THREADS)) == 1  # noqa: PTH208 - names alone
    except OSError:
        return False


THREADS = "/proc/self/task"


@contextmanager
def afresh(*, copied: bool = False) -> Iterator[None]:
    """Let processes that are started meanwhile never hear Ctrl-C, nor run the user's script."""
    if not copied and hasattr(signal, "pthread_sigmask"):
        # Python begins it with the first process that is no copy, and hears Ctrl-C again then.
        resource_tracker.ensure_running()
    with _ONE_AT_A_TIME, _no_script(), _deaf():
        yield


@contextmanager
def _no_script() -> Iterator[None]:
    """Hide the script that is being run: a spawned process would import what it finds here.

    A script that calls us without `if __name__ == "__main__"` would run itself again in each.
    """
    script = sys.modules.get(MAIN)
    sys.modules[MAIN] = ModuleType(MAIN)
    try:
        yield
    finally:
        if script is None:
            del sys.modules[MAIN]
        else:
            sys.modules[MAIN] = script


@contextmanager
def _deaf() -> Iterator[None]:
    """Let Ctrl-C wait for this process, and never reach those that it starts."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows, where `attend` must do
        yield
        return
    # Blocked before the process exists: it would not have the time to see to it by itself.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def attend() -> None:
    """Do what every process does first that works for another: be deaf, and end when it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for name in ENDING:  # a copy would tidy up what is another's
        signal.signal(name, signal.SIG_DFL)
    if sys.platform == "linux":
        # The kernel sees to it even while a library keeps every thread of Python waiting.
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_follow, args=(parent,), daemon=True).start()


PR_SET_PDEATHSIG = 1


def _follow(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)


def lead() -> None:
    """Let this process and whatever it starts be one group, which can be ended as a whole."""
    with suppress(AttributeError, OSError):  # Windows has no such thing
        os.setsid()


def end(process: BaseProcess) -> None:
    """End a process, and those of its group where it leads one."""
    pid = process.pid
    with suppress(AttributeError, OSError):
        if pid is not None and os.getpgid(pid) == pid:
            os.killpg(pid, signal.SIGKILL)
    process.kill()


def end_all() -> None:
    """End every process that works for this one: nobody waits for what they do any more."""
    for one in multiprocessing.active_children():
        one.kill()


class Ended(KeyboardInterrupt):
    """This process was asked to end, by a signal other than Ctrl-C."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


def end_cleanly() -> None:
    """Let Ctrl-C, and being asked to end (SIGTERM, a closed terminal), be clean at any time."""

    def asked(number: int, _: FrameType | None) -> None:
        # A second one must not cut short the tidying up that the first began.
        for name in ENDING:
            signal.signal(name, signal.SIG_IGN)
        _ASKED.append(Ended(number))
        raise _ASKED[-1]

    def interrupted(_: int, __: FrameType | None) -> None:
        _ASKED.append(KeyboardInterrupt())
        raise _ASKED[-1]

    if threading.current_thread() is threading.main_thread():
        for name in ENDING:
            if signal.getsignal(name) == signal.SIG_DFL:
                signal.signal(name, asked)
        if signal.getsignal(signal.SIGINT) == signal.default_int_handler:
            signal.signal(signal.SIGINT, interrupted)


def heed() -> None:
    """End if this was asked for and Python lost it: what a destructor raises ends nothing."""
    if _ASKED:
        raise _ASKED[-1]


_ASKED: list[KeyboardInterrupt] = []
ENDING = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
