"""What the page *Data and claims* asks for: a desk, its files, its job, its report."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from typing import TYPE_CHECKING, Annotated

from fastapi import FastAPI, HTTPException, Query, Request, Response
from fastapi.responses import FileResponse, HTMLResponse, StreamingResponse

from crosscheck.report import html as report_html
from crosscheck.serve import desks
from crosscheck.serve.api import refuse_no_data
from crosscheck.serve.desks import Role  # noqa: TC001 - FastAPI reads it at run time
from crosscheck.serve.settings import DataSettings  # noqa: TC001 - the same

if TYPE_CHECKING:
    from crosscheck.serve.desks import Desk
    from crosscheck.serve.house import House

REPORT = {
    "report.html": "text/html",
    "report.json": "application/json",
    "report.md": "text/plain",
    "junit.xml": "application/xml",
    "ledger.csv": "text/csv",
}
"""Files of a report that can be asked for → what they are."""


def add(app: FastAPI, house: House) -> None:
    """Add the routes."""
    _files(app, house)
    _jobs(app, house)


def _found(house: House, desk: str) -> Desk:
    if desk not in house.desks.all:
        raise HTTPException(404, "these files are no longer here: the page was left too long")
    house.desks.all[desk].touch()
    return house.desks.all[desk]


def _files(app: FastAPI, house: House) -> None:
    @app.post("/desk", include_in_schema=False)
    async def opened() -> dict[str, str]:
        return {"id": house.desks.open().id}

    @app.delete("/desk/{desk}", include_in_schema=False)
    async def left(desk: str) -> dict[str, str]:
        await house.desks.close(_found(house, desk))
        return {"id": desk}

    @app.put("/desk/{desk}/{role}", include_in_schema=False)
    async def put(
        request: Request, desk: str, role: Role, name: Annotated[str, Query(max_length=1_000)] = ""
    ) -> dict[str, str]:
        one = _found(house, desk)
        _refuse_at_work(one)
        async with one.taking:
            place = one.place(role, name)
            left = house.bounds.upload - one.held()
            try:
                most = min(left, house.bounds.document) if role == "claims" else left
                await desks.save(place, request.stream(), most)
            except BaseException:
                one.drop(role)
                raise
        return {"name": place.name}

    @app.delete("/desk/{desk}/{role}/file", include_in_schema=False)
    async def dropped(desk: str, role: Role) -> dict[str, str]:
        one = _found(house, desk)
        _refuse_at_work(one)
        one.drop(role)
        return one.files


def _jobs(app: FastAPI, house: House) -> None:
    @app.post("/desk/{desk}/look", include_in_schema=False)
    async def look(request: Request, desk: str, settings: DataSettings) -> Response:
        task = _found(house, desk).task("look", settings)
        return HTMLResponse(await house.during(request, house.long.run(task)))

    @app.post("/desk/{desk}/gate", include_in_schema=False, status_code=202)
    async def gate(desk: str, settings: DataSettings) -> dict[str, str]:
        one = _found(house, desk)
        _refuse_at_work(one)
        refuse_no_data(one)
        one.begin(house.long, one.task("gate", settings))
        return {"id": desk}

    @app.delete("/desk/{desk}/gate/job", include_in_schema=False)
    async def cancelled(desk: str) -> dict[str, str]:
        await _found(house, desk).cancel()
        return {"id": desk}

    @app.get("/desk/{desk}/events", include_in_schema=False)
    async def events(desk: str) -> Response:
        return StreamingResponse(_found(house, desk).events(), media_type="text/event-stream")

    @app.get("/desk/{desk}/report/{file}", include_in_schema=False)
    async def report(desk: str, file: str) -> Response:
        return _part(_found(house, desk), file)


def _refuse_at_work(desk: Desk) -> None:
    if desk.at_work:
        raise HTTPException(409, "the gate is at work on these files; cancel it first")


def _part(desk: Desk, file: str) -> Response:
    """Give a file of a desk's report; the page of it can do nothing but be read."""
    kind = "application/zip" if file == "report.zip" else REPORT.get(file)
    inner = file if file == "report.zip" else f"report/{file}"
    place = desk.folder / "files" / inner
    if kind is None or desk.at_work or not place.is_file():
        raise HTTPException(404, "there is no such part of a report here")
    headers = {"content-security-policy": _sandbox()} if file == "report.html" else {}
    return FileResponse(place, media_type=kind, headers=headers)


@cache
def _sandbox() -> str:
    """Let a report's page run its own script and no other, in an origin of its own."""
    script = (report_html.TEMPLATES / "report.js").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(f"\n{script}\n".encode()).digest()).decode()
    return (
        f"sandbox allow-scripts; default-src 'none'; script-src 'sha256-{digest}'; "
        "style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'self'"
    )
