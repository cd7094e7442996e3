"""A desk: one visitor's files and one job, in a private folder that goes when the page does.

The page holds a stream of events open. When it is closed for longer than a moment, the job is ended
with all its processes, and the folder is removed. No name in it is a path of the visitor's.
"""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import shutil
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING, Any, Literal, get_args

from crosscheck.serve import names
from crosscheck.serve.workers import BusyError, RefusedError, StoppedError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

    from crosscheck.serve.bounds import Bounds
    from crosscheck.serve.settings import Settings
    from crosscheck.serve.workers import Pool

Role = Literal["data", "qrels", "run", "claims"]
ROLES: tuple[Role, ...] = get_args(Role)
SWEEP = 1.0
"""Seconds between two looks for desks that were left."""
BEAT = 10.0
"""Seconds between two signs of life on a stream."""
MOST_TOLD = 2_000
"""Lines of progress that are kept."""


class TooMuchError(Exception):
    """More bytes than a visitor may bring."""


@dataclass(slots=True)
class Desk:
    """One visitor's files, and what happens to them."""

    id: str
    folder: Path
    files: dict[str, str] = field(default_factory=dict)
    """Role → name."""
    told: list[tuple[str, Any]] = field(default_factory=list)
    """What was told of the job: kind, and what."""
    taking: asyncio.Lock = field(default_factory=asyncio.Lock)
    """One file after the other, so that all together stay within their bound."""
    news: asyncio.Event = field(default_factory=asyncio.Event)
    listeners: int = 0
    seen: float = field(default_factory=monotonic)
    job: asyncio.Task[None] | None = None
    closed: bool = False

    @property
    def at_work(self) -> bool:
        """Whether its job still runs, or waits."""
        return self.job is not None and not self.job.done()

    def touch(self) -> None:
        """Take note that somebody is there."""
        self.seen = monotonic()

    def place(self, role: str, name: str | None) -> Path:
        """Say where a file of that role goes; one that had the role before is gone."""
        self.drop(role)
        others = {each.lower() for each in self.files.values()}
        self.files[role] = names.plain(name, role, others)
        return self.folder / "files" / self.files[role]

    def drop(self, role: str) -> None:
        """Remove the file of a role."""
        old = self.files.pop(role, None)
        if old is not None:
            (self.folder / "files" / old).unlink(missing_ok=True)

    def held(self) -> int:
        """Count the bytes of its files."""
        places = (self.folder / "files" / name for name in self.files.values())
        return sum(place.stat().st_size for place in places if place.is_file())

    def task(
        self, what: str, settings: Settings, *, api: bool = False, **more: object
    ) -> dict[str, Any]:
        """Write a task about its files."""
        task = {"what": what, "folder": str(self.folder), "files": self.files, "api": api, **more}
        return task | {"settings": settings.model_dump(mode="json", exclude_unset=True)}

    def begin(self, pool: Pool, task: dict[str, Any]) -> None:
        """Begin a job; what the one before it left is removed."""
        shutil.rmtree(self.folder / "files" / "report", ignore_errors=True)
        self.told.clear()
        self.job = asyncio.create_task(self._work(pool, task))

    async def _work(self, pool: Pool, task: dict[str, Any]) -> None:
        try:
            answer = await pool.run(task, lambda line: self.tell("told", line), self._waits)
            self.tell("done", answer)
        except RefusedError as error:
            self.tell("refused", str(error))
        except (StoppedError, BusyError) as error:
            self.tell("stopped", str(error))
        except asyncio.CancelledError:
            self.tell("stopped", "cancelled")
            raise

    def _waits(self, before: int) -> None:
        self.tell("waiting", before)

    def tell(self, kind: str, what: Any) -> None:  # noqa: ANN401 - JSON
        """Tell whoever listens."""
        if len(self.told) < MOST_TOLD or kind != "told":
            self.told.append((kind, what))
        self.news.set()

    async def cancel(self) -> None:
        """End the job, and wait until nothing of it is left."""
        if self.job is not None:
            self.job.cancel()
            with suppress(asyncio.CancelledError):
                await self.job

    async def events(self) -> AsyncIterator[str]:
        """Give the stream of what is told, from the beginning of the job."""
        self.listeners += 1
        at, job = 0, self.job
        try:
            yield ": here\n\n"
            while not self.closed:
                if self.job is not job:
                    at, job = 0, self.job
                self.news.clear()
                while at < len(self.told):
                    kind, what = self.told[at]
                    at += 1
                    yield f"event: {kind}\ndata: {json.dumps(what)}\n\n"
                try:
                    async with asyncio.timeout(BEAT):
                        await self.news.wait()
                except TimeoutError:
                    yield ": here\n\n"
        finally:
            self.listeners -= 1
            self.touch()


class Desks:
    """All desks, and the look for those that were left."""

    def __init__(self, home: Path, bounds: Bounds) -> None:
        self.home, self.bounds = home, bounds
        self.all: dict[str, Desk] = {}

    def open(self) -> Desk:
        """Make a desk."""
        if len(self.all) >= self.bounds.desks:
            raise BusyError(
                f"{len(self.all)} visitors have files here, which is as many as may; try again in "
                "a minute"
            )
        name = secrets.token_urlsafe(18)
        desk = Desk(name, made(self.home))
        self.all[name] = desk
        return desk

    async def close(self, desk: Desk) -> None:
        """End a desk's job and remove its folder."""
        self.all.pop(desk.id, None)
        desk.closed = True
        desk.news.set()
        await desk.cancel()
        remove(desk.folder)

    async def sweep(self) -> None:
        """Close the desks that were left, for as long as the server runs."""
        while True:
            await asyncio.sleep(SWEEP)
            now = monotonic()
            for desk in list(self.all.values()):
                still = now - desk.seen
                left = not desk.listeners and still > self.bounds.grace
                if left or (still > self.bounds.idle and not desk.at_work):
                    await self.close(desk)


def made(home: Path) -> Path:
    """Make a private folder, with room for files and for what is made of them."""
    folder = home / secrets.token_hex(12)
    for place in (folder, folder / "files", folder / "scratch"):
        place.mkdir(mode=0o700)
    return folder


def remove(folder: Path) -> None:
    """Remove a folder with all that is in it."""
    shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def brief(home: Path) -> Iterator[Desk]:
    """Give a desk for one request."""
    desk = Desk("", made(home))
    try:
        yield desk
    finally:
        remove(desk.folder)


async def save(place: Path, pieces: AsyncIterator[bytes], most: int) -> None:
    """Write a file that comes in pieces; never over one that is there, never through a link."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    size = 0
    with os.fdopen(os.open(place, flags, 0o600), "wb") as file:
        async for piece in pieces:
            size += len(piece)
            if size > most:
                raise TooMuchError(
                    f"more than the {most:,} bytes that are left for files here; run the command "
                    "on a machine of your own"
                )
            file.write(piece)
