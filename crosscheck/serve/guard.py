"""Who may ask, and how: hosts, origins, the token, sizes, slowness, and what answers may do.

Around everything else, so that no route can forget it. A page of a stranger's in the same browser
can neither read nor write here: its origin is refused, whatever it sends, and a name that was bent
to this machine is no name of ours.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import secrets
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import RedirectResponse, Response

from crosscheck.serve.view import render

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from crosscheck.serve.bounds import Bounds

SAFE = ("GET", "HEAD", "OPTIONS")
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-store",
}
SILENCE = 20.0
"""Seconds that a body may pause."""
SLOWEST = 16 * 1024
"""Bytes a second that it has to come with on the whole."""
LINGER = 5.0
"""Seconds that the rest of a refused request may take."""
LOOPBACK = ("localhost", "127.0.0.1", "::1")
ENTER = "/enter"


@dataclass(frozen=True, slots=True)
class Doors:
    """Which names this server answers to, and what it asks for."""

    hosts: frozenset[str] = frozenset(LOOPBACK)
    token: str | None = None
    root: str = ""
    """Below which path a proxy shows it; empty: at the top."""
    secret: bytes = field(default_factory=lambda: secrets.token_bytes(32))

    @property
    def pass_word(self) -> str:
        """What the cookie holds: nobody can tell the token by it."""
        return hmac.new(self.secret, (self.token or "").encode(), hashlib.sha256).hexdigest()

    def opened_by(self, token: str) -> bool:
        """Whether a token is the right one."""
        return hmac.compare_digest(token.encode(), (self.token or "").encode())


COOKIE = "crosscheck"


class Guard:
    """The outermost layer."""

    def __init__(self, app: ASGIApp, doors: Doors, bounds: Bounds) -> None:
        self.app, self.doors, self.bounds = app, doors, bounds
        self.bringing = 0
        """Requests with files that are under way: the disk has to hold them all."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request pass, or say why not."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        files = _brings_files(scope, headers)
        body = Body(receive, self.bounds.text + (self.bounds.upload if files else 0))
        body.whole = headers.get("content-length", "0") == "0" and "chunked" not in headers.get(
            "transfer-encoding", ""
        )
        answer = Answer(send, body)
        refusal = self._refusal(scope, headers, body)
        if refusal is None and files and self.bringing >= self.bounds.desks:
            refusal = told(503, "too many files are under way; try again in a minute")
        if refusal is not None:
            await refusal(scope, receive, answer)
            return
        self.bringing += files
        try:
            await self.app(scope, body, answer)
        finally:
            self.bringing -= files

    def _refusal(self, scope: Scope, headers: Headers, body: Body) -> Response | None:
        host = host_of(f"//{headers.get('host', '')}")
        if host not in self.doors.hosts:
            return told(421, "this server does not go by that name; see --allowed-host")
        if scope["method"] not in SAFE and not self._ours(headers):
            return told(403, "a page of another site asked for this, and is not heard")
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > body.most:
            return told(413, body.too_much())
        if self.doors.token is None or self._knows(headers):
            return None
        return self._asked_in(scope, headers)

    def _ours(self, headers: Headers) -> bool:
        """Whether a request that changes something comes from a page of ours, or from no page."""
        origin = headers.get("origin")
        if origin is not None:
            return host_of(origin) in self.doors.hosts
        return headers.get("sec-fetch-site", "none") in ("same-origin", "none")

    def _knows(self, headers: Headers) -> bool:
        scheme, _, word = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and self.doors.opened_by(word.strip()):
            return True
        cookie = SimpleCookie()
        try:
            cookie.load(headers.get("cookie", ""))
        except CookieError:
            return False
        found = cookie[COOKIE].value if COOKIE in cookie else ""
        return hmac.compare_digest(found.encode(), self.doors.pass_word.encode())

    def _asked_in(self, scope: Scope, headers: Headers) -> Response | None:
        """Let in whoever brings the token; ask a person for it; refuse a program."""
        path = scope["path"].removeprefix(self.doors.root)
        if (path == ENTER and scope["method"] == "POST") or path.startswith("/static/"):
            return None
        brought = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        if brought and scope["method"] == "GET":
            return self.let_in(brought)
        if "text/html" not in headers.get("accept", ""):
            return told(401, "the token is missing or wrong: Authorization: Bearer TOKEN")
        return Response(render("enter.html", wrong=False), 401, media_type="text/html")

    def let_in(self, token: str) -> Response:
        """Answer to a token: a cookie and the way in, or the question once more."""
        if self.doors.token is None or not self.doors.opened_by(token):
            return Response(render("enter.html", wrong=True), 401, media_type="text/html")
        answer = RedirectResponse(f"{self.doors.root}/table", 303)
        answer.set_cookie(
            COOKIE,
            self.doors.pass_word,
            path=self.doors.root or "/",
            httponly=True,
            samesite="strict",
        )
        return answer


def _brings_files(scope: Scope, headers: Headers) -> bool:
    kind = headers.get("content-type", "").lower()
    return scope["method"] == "PUT" or kind.startswith("multipart/")


def host_of(address: str) -> str:
    """Give the host of an address without its port; empty where there is none."""
    try:
        return (urlsplit(address).hostname or "").lower()
    except ValueError:
        return ""


def told(status: int, words: str) -> Response:
    """Answer a refusal, as every part of the API does."""
    return Response(json.dumps({"detail": words}), status, media_type="application/json")


class Body:
    """What a request brings: no more than it may, and not slower."""

    def __init__(self, receive: Receive, most: int) -> None:
        self.receive, self.most = receive, most
        self.read = 0
        self.began = asyncio.get_running_loop().time()
        self.whole = False
        self.refusal: Response | None = None

    async def __call__(self) -> Message:
        """Give the next piece."""
        if self.refusal is not None:
            return {"type": "http.disconnect"}
        if self.whole:
            return await self.receive()
        late = self.began + SILENCE + self.read / SLOWEST
        try:
            async with asyncio.timeout_at(min(late, asyncio.get_running_loop().time() + SILENCE)):
                message = await self.receive()
        except TimeoutError:
            return self._over(told(408, "the request came too slowly, and was not waited for"))
        self.read += len(message.get("body", b""))
        if self.read > self.most:
            return self._over(told(413, self.too_much()))
        self.whole = not message.get("more_body", False)
        return message

    def _over(self, refusal: Response) -> Message:
        """Let the application end as if the visitor had gone; the answer is the guard's."""
        self.refusal = refusal
        return {"type": "http.disconnect"}

    async def drain(self) -> None:
        """Let go by what still comes, for a moment: who is sending hears no answer before."""
        try:
            async with asyncio.timeout(LINGER):
                while not self.whole:
                    message = await self.receive()
                    self.whole = not message.get("more_body", False)
        except TimeoutError:
            return

    def too_much(self) -> str:
        """Say how much may come."""
        return f"more than the {self.most:,} bytes that are taken here; run the command yourself"


class Answer:
    """What is answered: with the headers that hold for all, or the guard's own refusal."""

    def __init__(self, send: Send, body: Body) -> None:
        self.send, self.body = send, body
        self.replaced = False

    async def __call__(self, message: Message) -> None:
        """Pass a part of the answer on."""
        if self.replaced:
            return
        if message["type"] == "http.response.start":
            await self.body.drain()
            if self.body.refusal is not None:
                self.replaced = True
                await self._refuse(self.body.refusal)
                return
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
            if not self.body.whole:
                # What was not read is not waited for either.
                headers["connection"] = "close"
        await self.send(message)

    async def _refuse(self, refusal: Response) -> None:
        raw = [*refusal.raw_headers, (b"connection", b"close")]
        raw += [(name.encode(), value.encode()) for name, value in HEADERS.items()]
        start: dict[str, Any] = {"type": "http.response.start", "status": refusal.status_code}
        await self.send({**start, "headers": raw})
        await self.send({"type": "http.response.body", "body": refusal.body})
