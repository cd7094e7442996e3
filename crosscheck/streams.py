"""Where this process prints: any character, and whether or not anybody reads it."""

from __future__ import annotations

import io
import os
import select
import sys
from typing import Any

from crosscheck.errors import INTERRUPTED, UserError
from crosscheck.system import STDERR


class Told(io.FileIO):
    """Where a process prints: what nobody reads, or nothing takes, ends no more than it must."""

    unread = False
    """Whether work goes on when whoever read has gone; that of errors need not be read at all."""

    def write(self, words: Any) -> int:  # noqa: ANN401 - what any buffer is
        """Write; from the first failure on, nothing more."""
        try:
            while (written := super().write(words)) is None:
                # Whoever shares the pipe wants no waiting, and its reader is slow: we wait.
                select.select((), (self,), ())
        except OSError as error:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.fileno())
            os.close(nowhere)
            gone = isinstance(error, BrokenPipeError)
            if self.fileno() == STDERR or (gone and self.unread):
                return len(words)
            if gone:  # click would end with 1, which says that a gate failed
                raise SystemExit(INTERRUPTED) from None
            raise UserError(f"what is printed cannot be written ({error.strerror})") from None
        return written


def print_without_readers() -> None:
    """Let the streams of this process be of that kind, where they are Python's own.

    One that is closed leads nowhere: the next file that is opened would get its number.
    """
    while (opened := os.open(os.devnull, os.O_RDWR)) <= STDERR:
        pass
    os.close(opened)
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        raw = getattr(getattr(stream, "buffer", None), "raw", getattr(stream, "buffer", None))
        if isinstance(stream, io.TextIOWrapper) and isinstance(raw, io.FileIO):
            stream.flush()
            told = io.TextIOWrapper(
                io.BufferedWriter(Told(stream.fileno(), "w", closefd=False)),
                stream.encoding,
                stream.errors,
                line_buffering=stream.line_buffering,
                write_through=stream.write_through,
            )
            setattr(sys, name, told)


def finish_unread() -> None:
    """Let this command end its work although whoever read what it prints has gone."""
    raw = getattr(getattr(sys.stdout, "buffer", None), "raw", None)
    if isinstance(raw, Told):
        raw.unread = True


def print_anything() -> None:
    """Let no character of ours be one that cannot be printed.

    What goes into a file or a pipe is UTF-8 on every system, as are our other files; a terminal, or
    whoever asked for an encoding, gets the number of a character that it does not have.
    """
    asked = os.environ.get("PYTHONIOENCODING")
    for stream in (sys.stdout, sys.stderr):
        if not isinstance(stream, io.TextIOWrapper):
            continue
        if not asked and not stream.isatty():
            stream.reconfigure(encoding="utf-8")
        if stream.errors == "strict":
            stream.reconfigure(errors="backslashreplace")
