"""The API beside the page: `/api/audit`, `/api/gate`, `/api/explain`, described by OpenAPI.

Each request brings what it is about and takes its answer along; nothing is kept.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from fastapi import APIRouter, File, Form, Request, Response, UploadFile
from fastapi.exceptions import RequestValidationError
from pydantic import Field, ValidationError

from crosscheck.model.frozen import Model
from crosscheck.report.json import SCHEMA_FILE
from crosscheck.serve import desks
from crosscheck.serve.house import pieces
from crosscheck.serve.pasted import Form as PastedForm
from crosscheck.serve.pasted import name_of
from crosscheck.serve.settings import DataSettings, TableSettings, Text
from crosscheck.serve.workers import RefusedError

if TYPE_CHECKING:
    from crosscheck.serve.desks import Desk, Role
    from crosscheck.serve.house import House


class Refusal(Model):
    """Why a request was not answered, in words."""

    detail: str


REFUSALS: dict[int | str, dict[str, Any]] = {
    400: {"model": Refusal, "description": "The input is bad: the command line's own words"},
    401: {"model": Refusal, "description": "The token is missing or wrong"},
    403: {"model": Refusal, "description": "Asked by a page of another site"},
    408: {"model": Refusal, "description": "The request came too slowly"},
    413: {"model": Refusal, "description": "More bytes than are taken here"},
    421: {"model": Refusal, "description": "The server does not go by that name"},
    422: {"model": Refusal, "description": "The request is not of the form described here"},
    503: {"model": Refusal, "description": "The queue is full"},
    504: {"model": Refusal, "description": "A bound on time or memory was reached"},
}


class Pasted(TableSettings):
    """A table as text, and what is known of it."""

    text: Annotated[Text, Field(min_length=1, max_length=2_000_000)]
    form: PastedForm = "auto"


Kind = TypeVar("Kind", TableSettings, DataSettings)
Whole = Annotated[str, Form(max_length=200_000)]
Upload = Annotated[UploadFile | None, File()]


def routes(house: House) -> APIRouter:
    """Make the routes of the API."""
    api = APIRouter(prefix="/api", tags=["api"], responses=REFUSALS)
    from crosscheck.serve.tables import AuditAnswer  # noqa: PLC0415 - what it answers, for OpenAPI

    @api.post("/audit", responses={200: {"model": AuditAnswer}}, response_class=Response)
    async def audit(request: Request, pasted: Pasted) -> Response:
        """Audit a pasted table by its own digits, cell by cell."""
        settings = TableSettings.model_validate(pasted.model_dump(exclude={"text", "form"}))
        text = await house.audit(
            request, settings, text=pasted.text, name=name_of(pasted.text, pasted.form), api=True
        )
        return Response(text, media_type="application/json")

    @api.post("/audit/document", responses={200: {"model": AuditAnswer}}, response_class=Response)
    async def audit_document(
        request: Request, document: Annotated[UploadFile, File()], settings: Whole = "{}"
    ) -> Response:
        """Audit a document: Markdown, LaTeX, HTML, CSV, JSON, a notebook, DOCX, XLSX, PDF."""
        chosen = settings_of(TableSettings, settings)
        text = await house.audit(request, chosen, document=document, api=True)
        return Response(text, media_type="application/json")

    @api.post("/gate", responses={200: _report()}, response_class=Response)
    async def gate(  # noqa: PLR0917 - as a form has them
        request: Request,
        data: Upload = None,
        qrels: Upload = None,
        run: Upload = None,
        claims: Upload = None,
        settings: Whole = "{}",
    ) -> Response:
        """Gate data, with claims or without; the answer is the report.json of the command."""
        chosen = settings_of(DataSettings, settings)
        with desks.brief(house.home) as desk:
            given: dict[Role, UploadFile | None] = {
                "data": data, "qrels": qrels, "run": run, "claims": claims,
            }  # fmt: skip
            await taken(house, desk, given)
            refuse_no_data(desk)
            task = desk.task("gate", chosen, api=True)
            answer = await house.during(request, house.long.run(task))
        return Response(answer["json"], media_type="application/json")

    @api.post("/explain", responses={200: {"model": dict[str, Any]}}, response_class=Response)
    async def explain(  # noqa: PLR0917 - as a form has them
        request: Request,
        question: Annotated[str, Form(min_length=1, max_length=500)],
        data: Upload = None,
        qrels: Upload = None,
        run: Upload = None,
        settings: Whole = "{}",
    ) -> Response:
        """Explain a metric, `nDCG@10`, or a number, `nDCG@10=0.8206`; without data, define it."""
        chosen = settings_of(DataSettings, settings)
        with desks.brief(house.home) as desk:
            await taken(house, desk, {"data": data, "qrels": qrels, "run": run})
            answer = await house.explain(request, desk, question, chosen, api=True)
        return Response(json.dumps(answer), media_type="application/json")

    return api


def settings_of(kind: type[Kind], text: str) -> Kind:
    """Read settings that came as JSON in a field of a form."""
    try:
        return kind.model_validate_json(text.encode())
    except ValidationError as error:
        raise RequestValidationError(_within(error)) from None
    except UnicodeEncodeError:
        raise RequestValidationError([{"loc": ("settings",), "msg": "is no text"}]) from None


def _within(error: ValidationError) -> list[dict[str, Any]]:
    return [{"loc": ("settings", *one["loc"]), "msg": one["msg"]} for one in error.errors()]


async def taken(house: House, desk: Desk, given: dict[Role, UploadFile | None]) -> None:
    """Put the files of a form on a desk."""
    for role, upload in given.items():
        if upload is not None:
            place = desk.place(role, upload.filename)
            await desks.save(place, pieces(upload), house.bounds.upload - desk.held())


def refuse_no_data(desk: Desk) -> None:
    """Refuse to gate nothing: the built-in study is for the command line."""
    if not {"data", "run"} & desk.files.keys():
        raise RefusedError("no data: bring predictions, or judgements and a run")


def _report() -> dict[str, Any]:
    """Describe the report by its own schema, whose definitions become components."""
    return {
        "description": "The report",
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Report"}}},
    }


def components() -> dict[str, Any]:
    """Give the definitions of report.schema.json by the names that OpenAPI finds them under."""
    text = SCHEMA_FILE.read_text(encoding="utf-8")
    schema = json.loads(text.replace("#/$defs/", "#/components/schemas/Report-"))
    schema.pop("$id", None)
    inner = {f"Report-{name}": one for name, one in schema.pop("$defs", {}).items()}
    return {"Report": schema, **inner}
