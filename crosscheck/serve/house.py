"""The house: the private folder, the processes and the desks of one server, from start to end."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

from starlette.requests import ClientDisconnect

from crosscheck.serve import desks
from crosscheck.serve.work import LONG, QUICK
from crosscheck.serve.workers import Pool

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Coroutine
    from pathlib import Path

    from fastapi import Request, UploadFile

    from crosscheck.serve.bounds import Bounds
    from crosscheck.serve.desks import Desk
    from crosscheck.serve.settings import DataSettings, TableSettings

Told = TypeVar("Told")
PIECE = 1 << 20


class House:
    """What all routes share."""

    def __init__(self, home: Path, bounds: Bounds) -> None:
        self.home, self.bounds = home, bounds
        self.desks = desks.Desks(home, bounds)

    async def start(self) -> None:
        """Start the processes; called when there is a loop."""
        self.quick = Pool(QUICK, self.bounds, self.home)
        self.long = Pool(LONG, self.bounds, self.home)
        self.quick.warm()
        self.long.warm()
        self.sweeper = asyncio.create_task(self.desks.sweep())

    async def close(self) -> None:
        """End every job and process, and remove every file."""
        self.sweeper.cancel()
        with suppress(asyncio.CancelledError):
            await self.sweeper
        for desk in list(self.desks.all.values()):
            await self.desks.close(desk)
        await self.quick.close()
        await self.long.close()

    async def during(self, request: Request, work: Coroutine[Any, Any, Told]) -> Told:
        """Work for as long as the visitor waits for it."""
        working = asyncio.create_task(work)
        leaving = asyncio.create_task(_left(request))
        try:
            await asyncio.wait({working, leaving}, return_when=asyncio.FIRST_COMPLETED)
            if not working.done():
                raise ClientDisconnect
            return working.result()
        finally:
            for task in (working, leaving):
                task.cancel()
            await asyncio.gather(working, leaving, return_exceptions=True)

    async def audit(
        self,
        request: Request,
        settings: TableSettings,
        *,
        text: str = "",
        name: str | None = None,
        document: UploadFile | None = None,
        api: bool,
    ) -> str:
        """Audit a text or a document."""
        with desks.brief(self.home) as desk:
            if document is not None:
                place = desk.place("claims", document.filename)
                await desks.save(place, pieces(document), self.bounds.document)
            else:
                desk.place("claims", name).write_text(text, encoding="utf-8", newline="")
            task = desk.task("audit", settings, api=api)
            told: str = await self.during(request, self.quick.run(task))
            return told

    async def explain(
        self, request: Request, desk: Desk, question: str, settings: DataSettings, *, api: bool
    ) -> dict[str, Any]:
        """Explain a number on data; a metric alone needs none, and is only defined."""
        what, pool = ("explain", self.long) if desk.files or "=" in question else (
            "define", self.quick,
        )  # fmt: skip
        task = desk.task(what, settings, api=api, question=question)
        told: dict[str, Any] = await self.during(request, pool.run(task))
        return told


async def _left(request: Request) -> None:
    """Wait until the visitor goes."""
    while (await request.receive())["type"] != "http.disconnect":
        continue


async def pieces(upload: UploadFile) -> AsyncIterator[bytes]:
    """Give an uploaded file piece by piece."""
    while piece := await upload.read(PIECE):
        yield piece
