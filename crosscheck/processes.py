"""Processes that work for this one: started afresh, and deaf to Ctrl-C.

Spawned, not forked: polars and numba keep threads that a fork would cut off. Ctrl-C reaches the
whole group of processes, and the one that the user started alone decides what it means.
"""

from __future__ import annotations

import multiprocessing
import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

SPAWN = multiprocessing.get_context("spawn")


@contextmanager
def deaf() -> Iterator[None]:
    """Let processes that are started meanwhile never hear Ctrl-C; for this one it waits."""
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
