"""A user's own function, asked again and again: by the fuzzer, thousands of times.

As everywhere (`apart`), it runs in a process and a folder of its own, within bounds, and what comes
back is data. One process serves for all questions until it dies or lets one wait too long; the
next question then has a new one.
"""

from __future__ import annotations

import math
import socket
from contextlib import ExitStack, suppress
from dataclasses import replace
from functools import partial
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Self, cast

from crosscheck import system
from crosscheck.processes import SPAWN, afresh, attend, end, lead
from crosscheck.witnesses import Silence, apart
from crosscheck.witnesses.tasks import ask

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.connection import Connection
    from pathlib import Path
    from types import TracebackType

    from crosscheck.data.case import Case
    from crosscheck.witnesses import Answer, Testimony, Witness

SECONDS = 30.0
"""How long one answer about a small data set may take."""
SESSION = 24 * 3_600
"""Seconds of the processor that a process may use for all its answers."""
FAREWELL = 5.0


class Interview:
    """A witness whose code is not ours, and the process that it is heard from."""

    def __init__(self, witness: Witness, seconds: float = SECONDS) -> None:
        # Whoever asks a witness takes a `Silence` too.
        heard = cast("Callable[[Case], Testimony]", self.ask)
        self.witness = replace(witness, testify=heard)
        """The same witness, to be asked as any other."""
        self._testify = witness.testify
        self._seconds = seconds
        self._session: _Session | None = None

    def __enter__(self) -> Self:
        """Begin; the process is started with the first question."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the process, and whatever it started."""
        self._end()

    def ask(self, case: Case) -> Answer:
        """Put one question; whatever goes wrong there is a `Silence` here."""
        if self._session is None:
            self._session = _Session(self._testify)
        answer = self._session.ask(case, self._seconds)
        if answer is None or self._session.over:
            self._end()
        return answer or Silence(f"it was ended after {self._seconds:g} seconds without an answer")

    def _end(self) -> None:
        if self._session is not None:
            self._session.close()
        self._session = None


class _Session:
    """One process: questions go to it as they are, answers come back as lines of JSON."""

    def __init__(self, testify: Callable[[Case], Testimony]) -> None:
        self.over = False
        self._leaving = ExitStack()
        folder = self._leaving.enter_context(system.scratch("witness"))
        asked, self._questions = SPAWN.Pipe(duplex=False)
        self._answers, sender = socket.socketpair()
        self._process = SPAWN.Process(target=_serve, args=(asked, sender, testify, folder))
        with afresh():
            self._process.start()
        asked.close()
        sender.close()

    def ask(self, case: Case, seconds: float) -> Answer | None:
        """Wait for an answer; None where it did not come in time."""
        inbox = apart.Inbox([case])
        with suppress(OSError):  # it has died, which is seen below
            self._questions.send(case)
        while not inbox.told:
            if not wait([self._answers], seconds):
                self.over = True
                return None
            content = b""
            with suppress(OSError):
                content = self._answers.recv(1 << 16)
            if not content:
                self.over = True
                wait([self._process.sentinel], FAREWELL)
                end(self._process)
                self._process.join()
                return Silence(f"its process {system.ended(self._process.exitcode)}")
            inbox.take(content)
            if inbox.too_long:
                self.over = True
                return Silence(apart.endless())
        # What it says without being asked is no answer to the next question.
        self.over = bool(inbox.rest) or len(inbox.cases) < inbox.lines
        return inbox.told[0]

    def close(self) -> None:
        end(self._process)
        self._process.join()
        self._questions.close()
        self._answers.close()
        self._leaving.close()


def _serve(
    questions: Connection,
    channel: socket.socket,
    testify: Callable[[Case], Testimony],
    folder: Path,
) -> None:
    attend()
    lead()
    here = apart.enter(folder, math.ceil(SESSION))
    with channel, suppress(EOFError):
        while True:
            apart.answer(channel, partial(ask, testify), questions.recv(), here)
