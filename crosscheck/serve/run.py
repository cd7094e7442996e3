"""Start the server: where it listens, what it prints, how it ends."""

from __future__ import annotations

import logging
import socket
import tempfile
from typing import TYPE_CHECKING

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from crosscheck import processes, system
from crosscheck.errors import UserError
from crosscheck.serve.app import application

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from crosscheck.serve.bounds import Bounds
    from crosscheck.serve.guard import Doors

WAIT = 15.0
"""Seconds that the head of a request may take."""
FAREWELL = 2
"""Seconds that open requests may take when the server ends."""


class Impatient(H11Protocol):
    """A connection that says nothing, or only half of a request's head, is closed."""

    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as its base has it
        """Begin to wait."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Wait on where the head of a request is not whole yet."""
        super().data_received(data)
        if self._late is not None and self.conn.their_state is not h11.IDLE:
            self._late.cancel()
            self._late = None
        elif self._late is None and self.conn.their_state is h11.IDLE:
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        if self._late is not None:
            self._late.cancel()
        super().connection_lost(exc)

    def _wait(self) -> None:
        self._late = self.loop.call_later(WAIT, self.transport.close)


def listen(host: str, port: int) -> socket.socket:
    """Take the port, or say why that is not possible."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    taken = socket.socket(family, socket.SOCK_STREAM)
    taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        taken.bind((host, port))
    except (OSError, OverflowError) as error:
        taken.close()
        raise UserError(
            f"{host}:{port} cannot be listened on ({error}); name another --port, or --port 0 for "
            "any that is free"
        ) from None
    return taken


def serve(taken: socket.socket, doors: Doors, bounds: Bounds, ready: Callable[[int], None]) -> None:
    """Serve until asked to end; then nothing is left behind."""
    logging.getLogger("crosscheck.serve").addHandler(_Harmless())
    with system.scratch("serve") as home:
        # What is spooled while it arrives lies in the private folder too.
        before, tempfile.tempdir = tempfile.tempdir, str(home)
        try:
            server = uvicorn.Server(
                uvicorn.Config(
                    application(home, doors, bounds),
                    http=Impatient,
                    ws="none",
                    lifespan="on",
                    access_log=False,
                    log_level="warning",
                    server_header=False,
                    proxy_headers=False,
                    limit_concurrency=bounds.connections,
                    timeout_graceful_shutdown=FAREWELL,
                )
            )
            ready(taken.getsockname()[1])
            server.run(sockets=[taken])
        finally:
            tempfile.tempdir = before
            for one in processes.SPAWN.active_children():
                processes.end(one)


class _Harmless(logging.StreamHandler):  # type: ignore[type-arg] # of the stream of errors
    """Show what may hold a stranger's words so that a terminal does not obey it."""

    def format(self, record: logging.LogRecord) -> str:
        return system.one_line(super().format(record), 2_000)
