"""Processes that work for this one: started afresh, and deaf to Ctrl-C.

Spawned, not forked: polars and numba keep threads that a fork would cut off. Ctrl-C reaches the
whole group of processes, and the one that the user started alone decides what it means. None of
them runs the user's script again: nothing that they are handed is defined there.
"""

from __future__ import annotations

import multiprocessing
import signal
import sys
from contextlib import contextmanager
from threading import RLock
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

SPAWN = multiprocessing.get_context("spawn")
MAIN = "__main__"
_ONE_AT_A_TIME = RLock()


@contextmanager
def afresh() -> Iterator[None]:
    """Let processes that are started meanwhile never hear Ctrl-C, nor run the user's script."""
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
    if not hasattr(signal, "pthread_sigmask"):  # Windows, where `stay_deaf` must do
        yield
        return
    # Blocked before the process exists: it would not have the time to see to it by itself.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def stay_deaf() -> None:
    """Ignore Ctrl-C in a process that was just started, on systems that cannot see to it before."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
