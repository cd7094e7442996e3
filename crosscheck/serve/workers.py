"""Processes that wait for work: a few warm ones, bounded in time and memory, ended with their page.

A quick one is used again, so that the audit follows whoever types; one that touches data is used
once. Whoever finds all at work waits in a queue of a stated length, or is told that it is full.
"""

from __future__ import annotations

import asyncio
import json
import logging
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from crosscheck import processes, system
from crosscheck.processes import SPAWN, afresh
from crosscheck.serve import work

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from crosscheck.serve.bounds import Bounds

LOG = logging.getLogger("crosscheck.serve")
USES = 50
"""Tables that one process audits before it makes room for a fresh one."""
LOOK = 0.5
"""Seconds between two looks at how much memory a job holds."""
LONGEST = 256 * 2**20
"""Bytes of one answer."""
LATE = 2.0
"""Seconds that an audit may go on when its page has gone: another letter was typed."""


class RefusedError(Exception):
    """The visitor's input is bad: the words are those of the command line."""


class StoppedError(Exception):
    """A bound was reached, or a process died: the words say which."""


class BusyError(Exception):
    """The queue is full."""


class Worker:
    """One process, its channel, and how often it was used."""

    def __init__(self, kind: str, bounds: Bounds, home: Path, threads: ThreadPoolExecutor) -> None:
        self.bounds, self.threads = bounds, threads
        self.uses = 0
        self.channel, theirs = SPAWN.Pipe()
        arguments = (theirs, kind, bounds, str(home))
        self.process = SPAWN.Process(target=work.serve, args=arguments, daemon=False)
        with afresh():
            self.process.start()
        theirs.close()
        self.ready = False
        self.idle = True

    async def ask(self, task: dict[str, Any], say: Callable[[str], None]) -> Any:  # noqa: ANN401 - JSON
        """Have a task done; `say` hears what is told meanwhile."""
        self.uses += 1
        self.idle = False
        try:
            self.channel.send_bytes(json.dumps(task).encode())
            while True:
                told = await self.heard()
                if "told" in told:
                    say(str(told["told"]))
                elif "done" in told:
                    self.idle = True
                    return told["done"]
                elif "refused" in told:
                    self.idle = True
                    raise RefusedError(str(told["refused"]))
                elif "broken" in told:
                    LOG.error("%s", told["broken"])
                    raise StoppedError(str(told["broken"]))
        except (EOFError, OSError, ValueError):
            raise StoppedError(self._died()) from None

    async def heard(self) -> dict[str, Any]:
        """Wait for the next message, and look at the memory meanwhile."""
        loop = asyncio.get_running_loop()
        reading = loop.run_in_executor(self.threads, self.channel.recv_bytes, LONGEST)
        reading.add_done_callback(_heard_out)
        while not (await asyncio.wait({reading}, timeout=LOOK))[0]:
            held = system.group_memory(self.process.pid or 0)
            if held > self.bounds.memory:
                self.end()
                with suppress(EOFError, OSError):
                    await reading
                raise StoppedError(
                    f"needs more memory than the {self.bounds.memory / 2**30:.1f} GB that one job "
                    "may use here; gate a part of the data, or run the command on a machine of "
                    "your own"
                )
        found: dict[str, Any] = json.loads(reading.result())
        return found

    def _died(self) -> str:
        self.process.join(1)
        how = system.ended(self.process.exitcode)
        return f"the process that worked on it {how}; try again, or run the command yourself"

    def end(self) -> None:
        """End the process, and all that it started."""
        processes.end(self.process)

    @property
    def fit(self) -> bool:
        """Whether it can be asked again."""
        return self.idle and self.process.is_alive() and self.uses < USES


def _heard_out(reading: asyncio.Future[bytes]) -> None:
    """Take note of how a reading ended, though nobody may wait for it any more."""
    if not reading.cancelled():
        reading.exception()


@dataclass(slots=True)
class Turn:
    """A place in the queue."""

    before: int = 0


class Pool:
    """The processes of one kind, and who waits for them."""

    def __init__(self, kind: str, bounds: Bounds, home: Path) -> None:
        self.kind, self.bounds, self.home = kind, bounds, home
        self.seconds = bounds.quick if kind == work.QUICK else bounds.seconds
        self.again = kind == work.QUICK
        self.room = asyncio.Semaphore(bounds.jobs)
        self.waiting: list[Turn] = []
        self.spare: list[Worker] = []
        self.busy: set[Worker] = set()
        self.asked: set[asyncio.Task[Any]] = set()
        self.threads = ThreadPoolExecutor(4 * bounds.jobs + 4, f"crosscheck-{kind}")
        self.closed = False

    def warm(self) -> None:
        """Start processes before they are needed: as many as work side by side, or one."""
        wanted = self.bounds.jobs if self.again else 1
        while not self.closed and len(self.spare) + (len(self.busy) * self.again) < wanted:
            self.spare.append(Worker(self.kind, self.bounds, self.home, self.threads))

    async def run(
        self,
        task: dict[str, Any],
        say: Callable[[str], None] = lambda _: None,
        turn: Callable[[int], None] = lambda _: None,
    ) -> Any:  # noqa: ANN401 - JSON
        """Do a task when there is room; cancelled, it is ended."""
        if self.room.locked() and len(self.waiting) >= self.bounds.queue:
            raise BusyError(
                f"{self.bounds.jobs} jobs are at work and {len(self.waiting)} wait, which is as "
                "many as may; try again in a minute"
            )
        mine = Turn(len(self.waiting))
        self.waiting.append(mine)
        try:
            if self.room.locked():
                turn(mine.before)
            await self.room.acquire()
        finally:
            self.waiting.remove(mine)
        worker = self._taken()
        asked = asyncio.create_task(self._asked(worker, task, say))
        self.asked.add(asked)
        asked.add_done_callback(self._forget)
        try:
            return await asyncio.shield(asked)
        except asyncio.CancelledError:
            if not self.again:
                worker.end()
                await asyncio.gather(asked, return_exceptions=True)
            else:
                asyncio.get_running_loop().call_later(LATE, self._too_late, asked, worker)
            raise

    def _taken(self) -> Worker:
        worker = self.spare.pop() if self.spare else None
        if worker is None or not worker.process.is_alive():
            worker = Worker(self.kind, self.bounds, self.home, self.threads)
        self.busy.add(worker)
        return worker

    async def _asked(self, worker: Worker, task: dict[str, Any], say: Callable[[str], None]) -> Any:  # noqa: ANN401 - JSON
        try:
            if not worker.ready:
                await worker.heard()  # the first word of a new process
                worker.ready = True
            async with asyncio.timeout(self.seconds):
                return await worker.ask(task, say)
        except TimeoutError:
            raise StoppedError(
                f"took longer than the {self.seconds} seconds that it may take here; give less, or "
                "run the command on a machine of your own"
            ) from None
        except (EOFError, OSError):
            raise StoppedError("the process for it did not start; try again") from None
        finally:
            self.busy.discard(worker)
            if self.again and worker.fit and not self.closed:
                self.spare.append(worker)
            else:
                worker.end()
                await asyncio.shield(self._reaped(worker))
            self.room.release()
            self.warm()

    async def _reaped(self, worker: Worker) -> None:
        """Wait until a process is gone, so that its folder can be removed."""
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(self.threads, worker.process.join)
        with suppress(OSError):
            worker.channel.close()

    def _too_late(self, asked: asyncio.Task[Any], worker: Worker) -> None:
        if not asked.done():
            worker.end()

    def _forget(self, asked: asyncio.Task[Any]) -> None:
        self.asked.discard(asked)
        if not asked.cancelled():
            asked.exception()  # whoever waited has heard it; if nobody did, nobody minds

    async def close(self) -> None:
        """End every process."""
        self.closed = True
        for worker in (*self.busy, *self.spare):
            worker.end()
        await asyncio.gather(*self.asked, return_exceptions=True)
        for worker in self.spare:
            await self._reaped(worker)
        self.spare.clear()
        self.threads.shutdown(wait=False, cancel_futures=True)
