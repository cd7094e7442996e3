"""`crosscheck serve`: a page for reviewers, and an API beside it."""

from __future__ import annotations

import os
import re
import secrets

import click

from crosscheck import extras
from crosscheck.errors import PASS, UserError
from crosscheck.system import say

EXAMPLES = """\b
Examples:
  crosscheck serve
  crosscheck serve --token
  crosscheck serve --root-path /crosscheck --allowed-host review.example.org
"""
LOOPBACK = ("127.0.0.1", "::1", "localhost")
VARIABLE = "CROSSCHECK_TOKEN"
MB = 2**20
EXTRA = "serve"


@click.command(epilog=EXAMPLES)
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option(
    "--port",
    type=click.IntRange(0, 65_535),
    default=8080,
    show_default=True,
    help="0: any that is free.",
)
@click.option(
    "--token",
    "wants_token",
    is_flag=True,
    help=f"Let in only who knows a token: a new one, which is printed, or that of {VARIABLE}.",
)
@click.option(
    "--root-path", default="", metavar="PATH", help="Below which path a proxy shows the page."
)
@click.option(
    "--allowed-host",
    "hosts",
    multiple=True,
    metavar="NAME",
    help="A further name that the server goes by, such as that of a proxy; repeatable.",
)
@click.option(
    "--jobs", type=click.IntRange(1, 64), default=2, show_default=True, help="Side by side."
)
@click.option(
    "--queue", type=click.IntRange(0, 1_000), default=8, show_default=True, help="Jobs that wait."
)
@click.option(
    "--upload",
    type=click.IntRange(1, 100_000),
    default=200,
    show_default=True,
    help="MB that a visitor may bring.",
)
@click.option(
    "--seconds",
    type=click.IntRange(5, 86_400),
    default=600,
    show_default=True,
    help="How long a job on data may take.",
)
@click.option(
    "--memory",
    type=click.IntRange(512, 1_000_000),
    default=4096,
    show_default=True,
    help="MB that a job may hold.",
)
def command(
    *,
    host: str,
    port: int,
    wants_token: bool,
    root_path: str,
    hosts: tuple[str, ...],
    jobs: int,
    queue: int,
    upload: int,
    seconds: int,
    memory: int,
) -> int:
    """Open a page: paste a table or drop files, and see what holds.

    It listens on this machine alone. Nothing that is brought is kept: files, jobs and reports go
    when their page does. docs/serve.md tells how to host it for others.
    """
    if lacking := extras.lacking(EXTRA):
        raise UserError(f"the page: {lacking}")
    from crosscheck.serve import run  # noqa: PLC0415 - `--help` answers at once
    from crosscheck.serve.bounds import Bounds  # noqa: PLC0415 - the same
    from crosscheck.serve.guard import Doors  # noqa: PLC0415 - the same

    token = _token(wants_token=wants_token)
    _refuse_open(host, token)
    doors = Doors(
        hosts=frozenset({*LOOPBACK, host.lower(), *map(str.lower, hosts)} - {"0.0.0.0", "::"}),  # noqa: S104 - no name
        token=token,
        root=_path(root_path),
    )
    bounds = Bounds(upload=upload * MB, seconds=seconds, memory=memory * MB, jobs=jobs, queue=queue)

    def ready(taken: int) -> None:
        shown = f"[{host}]" if ":" in host else host
        address = f"http://{shown}:{taken}/"
        say(f"Open {address}{f'?token={token}' if token else ''}  (Ctrl-C ends it)")

    try:
        run.serve(run.listen(host, port), doors, bounds, ready)
    except KeyboardInterrupt:
        say("ended; nothing was left behind", err=True)
    return PASS


def _token(*, wants_token: bool) -> str | None:
    named = os.environ.get(VARIABLE, "")
    if named and not re.fullmatch(r"[\w.~+/=-]{8,200}", named):
        raise UserError(f"{VARIABLE}: expected 8 to 200 letters, digits or . ~ + / = - _")
    return named or (secrets.token_urlsafe(18) if wants_token else None)


def _refuse_open(host: str, token: str | None) -> None:
    if host.lower() not in LOOPBACK and token is None:
        raise UserError(
            f"--host {host} can be reached from other machines; add --token, or listen on "
            "127.0.0.1 and let a proxy decide who comes in (docs/serve.md)"
        )


def _path(text: str) -> str:
    path = text.rstrip("/")
    if path and not re.fullmatch(r"(/[\w.~-]+)+", path):
        raise UserError(f"--root-path {text}: expected a path such as /crosscheck")
    return path
