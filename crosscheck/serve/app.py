"""The application: three pages, what their scripts ask for, and the API beside them."""

from __future__ import annotations

from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import FastAPI, File, Form, Request, Response, UploadFile
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from fastapi.responses import HTMLResponse, RedirectResponse
from starlette.requests import ClientDisconnect

from crosscheck.contract import load
from crosscheck.report import html as report_html
from crosscheck.serve import api, desks, visits
from crosscheck.serve.api import Whole, settings_of
from crosscheck.serve.guard import Guard, told
from crosscheck.serve.house import House
from crosscheck.serve.pasted import Form as PastedForm
from crosscheck.serve.pasted import name_of
from crosscheck.serve.settings import DataSettings, TableSettings
from crosscheck.serve.view import render
from crosscheck.serve.workers import BusyError, RefusedError, StoppedError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from starlette.types import ASGIApp

    from crosscheck.serve.bounds import Bounds
    from crosscheck.serve.guard import Doors

STATIC = Path(__file__).parent / "static"
ASSETS = {"page.css": "text/css", "page.js": "text/javascript", "icon.svg": "image/svg+xml"}
PAGES = {"table": "Table", "data": "Data and claims", "explain": "Explain"}


def application(home: Path, doors: Doors, bounds: Bounds) -> ASGIApp:
    """Make the application, with the guard around it."""
    house = House(home, bounds)

    @asynccontextmanager
    async def alive(_: FastAPI) -> AsyncIterator[None]:
        await house.start()
        try:
            yield
        finally:
            await house.close()

    app = FastAPI(
        title="metric-crosscheck",
        summary="Double-entry bookkeeping for the numbers in a paper",
        root_path=doors.root,
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=alive,
    )
    _words(app)
    app.include_router(api.routes(house))
    app.openapi = lambda: _described(app)  # type: ignore[method-assign] # as FastAPI's docs extend it
    guard = Guard(app, doors, bounds)
    _pages(app, guard, bounds)
    _tables(app, house)
    visits.add(app, house)
    return guard


FAILURES: dict[type[Exception], int] = {
    RefusedError: 400,
    StoppedError: 504,
    BusyError: 503,
    desks.TooMuchError: 413,
    ClientDisconnect: 400,
}


def _words(app: FastAPI) -> None:
    """Answer every failure with its words, and with nothing that was sent."""

    async def failed(_: Request, error: Exception) -> Response:
        return told(FAILURES[type(error)], str(error))

    async def misformed(_: Request, error: Exception) -> Response:
        found = error.errors() if isinstance(error, RequestValidationError) else []
        said = (f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in found[:10])
        return told(422, "; ".join(said).encode("utf-8", "replace").decode())

    for kind in FAILURES:
        app.add_exception_handler(kind, failed)
    app.add_exception_handler(RequestValidationError, misformed)


def _described(app: FastAPI) -> dict[str, Any]:
    """Describe the API alone: what the pages' own scripts ask for may change."""
    if app.openapi_schema is None:
        found = get_openapi(
            title=app.title,
            version="1",
            summary=app.summary,
            routes=app.routes,
            servers=[{"url": app.root_path or "/"}],
        )
        found["components"]["schemas"] |= api.components()
        app.openapi_schema = found
    return app.openapi_schema


def _pages(app: FastAPI, guard: Guard, bounds: Bounds) -> None:
    @app.get("/", include_in_schema=False)
    async def first() -> Response:
        return RedirectResponse(f"{guard.doors.root}/table", 307)

    @app.post("/enter", include_in_schema=False)
    async def enter(token: Annotated[str, Form(max_length=500)] = "") -> Response:
        return guard.let_in(token)

    for name, title in PAGES.items():
        text = render(
            f"{name}.html", here=name, title=title, pages=PAGES, bounds=bounds, metrics=_metrics()
        )
        app.add_api_route(f"/{name}", _fixed(text.encode(), "text/html"), include_in_schema=False)
    for name, kind in ASSETS.items():
        content = (STATIC / name).read_bytes()
        if name == "page.css":  # the report's own style, and what the pages have besides
            content = (report_html.TEMPLATES / "report.css").read_bytes() + content
        app.add_api_route(f"/static/{name}", _fixed(content, kind), include_in_schema=False)


def _fixed(content: bytes, kind: str) -> Callable[[], Awaitable[Response]]:
    """Make a route that always answers the same."""

    async def answer() -> Response:
        return Response(content, media_type=kind)

    return answer


def _metrics() -> list[str]:
    """Name the metrics as a correction can: with the usual cut-off where there is one."""
    usual = (one.id.replace("@K", "@10") for one in load().metrics)
    return [name for name in usual if set(name).isdisjoint("αγτβ=")]


def _tables(app: FastAPI, house: House) -> None:
    """Add what the pages *Table* and *Explain* ask for."""

    @app.post("/table/audit", include_in_schema=False)
    async def audit(
        request: Request,
        text: Annotated[str, Form(max_length=2_000_000)] = "",
        form: Annotated[PastedForm, Form()] = "auto",
        settings: Whole = "{}",
        document: Annotated[UploadFile | None, File()] = None,
    ) -> Response:
        chosen = settings_of(TableSettings, settings)
        shown = await house.audit(
            request, chosen, text=text, name=name_of(text, form), document=document, api=False
        )
        return HTMLResponse(shown)

    @app.post("/explain/answer", include_in_schema=False)
    async def explain(  # noqa: PLR0917 - as a form has them
        request: Request,
        question: Annotated[str, Form(min_length=1, max_length=500)],
        data: Annotated[UploadFile | None, File()] = None,
        qrels: Annotated[UploadFile | None, File()] = None,
        run: Annotated[UploadFile | None, File()] = None,
        settings: Whole = "{}",
    ) -> Response:
        chosen = settings_of(DataSettings, settings)
        with desks.brief(house.home) as desk:
            await api.taken(house, desk, {"data": data, "qrels": qrels, "run": run})
            answer = await house.explain(request, desk, question, chosen, api=False)
        return HTMLResponse(answer["html"])
