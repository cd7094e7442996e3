"""How the processes of a run are started: copied where nothing but this runs, else afresh."""

from __future__ import annotations

import errno
import subprocess
import sys
import threading
from types import SimpleNamespace

import pytest

from crosscheck import processes
from crosscheck.witnesses import workers

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="known on Linux alone")
ASKED = """
import os, signal, sys, threading
from crosscheck import processes
from crosscheck.processes import end_cleanly
from crosscheck.witnesses.tasks import Task
from crosscheck.witnesses.workers import Workers
import {module} as module

end_cleanly()
held = threading.Event()
if {busy}:
    threading.Thread(target=held.wait, daemon=True).start()
tasks = [Task("primary", module.{function}, ({subject},)), Task("reference", os.getpid, ())]
with Workers() as workers:
    workers.begin({{"primary": ("primary",), "reference": ("reference",)}})
    how = processes.context().get_start_method()
    workers.hear(tasks[:1], lambda *_: None, None, 60)
print(how, *tasks[0].answers)
held.set()
"""


def told(module: str, function: str, subject: str, *, busy: bool) -> list[str]:
    """Ask a worker of a fresh process, which has another thread or none; how, and what it said."""
    code = ASKED.format(module=module, function=function, subject=subject, busy=busy)
    words = [sys.executable, "-c", code]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()


@LINUX
@pytest.mark.parametrize(("busy", "how"), [(False, "fork"), (True, "spawn")])
def test_a_process_is_copied_only_where_no_other_thread_runs(how: str, *, busy: bool) -> None:
    assert told("math", "sqrt", "16", busy=busy) == [how, "4.0"]


@LINUX
@pytest.mark.parametrize("busy", [False, True])
def test_a_worker_that_is_asked_to_end_ends_without_a_word(*, busy: bool) -> None:
    _, *said = told("signal", "raise_signal", "signal.SIGTERM", busy=busy)
    assert " ".join(said).startswith("Silence(reason='its process was ended by SIGTERM")


def test_where_threads_cannot_be_counted_processes_are_started_afresh(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(processes, "THREADS", "nowhere")
    assert processes.context() is processes.SPAWN


@LINUX
def test_a_process_with_a_second_thread_is_not_alone() -> None:
    over = threading.Event()
    other = threading.Thread(target=over.wait)
    other.start()
    try:
        assert not processes.alone()
    finally:
        over.set()
        other.join()


def test_where_a_second_process_cannot_be_started_the_first_is_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun, ended = [], []

    def started(_: object) -> SimpleNamespace:
        if begun:
            raise OSError(errno.EMFILE, "Too many open files")
        begun.append(SimpleNamespace(close=lambda: ended.append("first")))
        return begun[0]

    monkeypatch.setattr(workers, "_started", started)
    monkeypatch.setattr(workers.system, "cores", lambda: 2)
    with pytest.raises(OSError, match="Too many"), workers.Workers() as some:
        some.begin({"reference": (), "figures": ()})
    assert ended == ["first"]
