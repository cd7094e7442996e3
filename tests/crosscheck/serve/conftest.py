"""A real server, one for all tests of a process, and what it leaves behind."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

CHROMIUM = shutil.which("chromium")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
PATIENCE = httpx.Timeout(None)
ANSWERS = "query_id,candidates,gold\nq1,s1|s2|s3|s4,s1\nq2,s5|s6|s7,s6|s8\nq3,s9|s10,s12\n"
IMPOSSIBLE = "| M | P@1 | Hit@1 |\n|---|---|---|\n| A | 0.661 | 0.650 |\n"


@dataclass(frozen=True)
class Server:
    """A server that runs: its address, its process, and the folder that all its files lie in."""

    address: str
    process: subprocess.Popen[str]
    scratch: Path

    def client(self, **options: Any) -> httpx.Client:
        return httpx.Client(base_url=self.address, timeout=PATIENCE, **options)

    def children(self) -> set[int]:
        """Give every process that works for it, the workers' own included."""
        parents: dict[int, int] = {}
        for place in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = place.read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if fields[0] != "Z":
                parents[int(place.parent.name)] = int(fields[1])
        found = {self.process.pid}
        while more := {pid for pid, parent in parents.items() if parent in found} - found:
            found |= more
        return found - {self.process.pid}

    def memory(self) -> int:
        """Give the bytes that the server's own process holds."""
        pages = Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")

    def files(self) -> list[Path]:
        """Give every file and folder of visitors."""
        return [path for home in self.scratch.glob("crosscheck-serve-*") for path in home.iterdir()]

    def stop(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.process.communicate()


def until(holds: Callable[[], bool]) -> None:
    """Wait for what comes by itself; a minute without it is a failure."""
    for _ in range(600):
        if holds():
            return
        time.sleep(0.1)
    assert holds()


@contextmanager
def served(scratch: Path, *options: str, **environment: str) -> Iterator[Server]:
    """Run the command on a free port."""
    process = subprocess.Popen(
        [sys.executable, "-m", "crosscheck", "serve", "--port", "0", *options],
        env=os.environ | {"TMPDIR": str(scratch), **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=scratch,
    )
    assert process.stdout is not None
    found = re.match(r"Open (http://\S+)/", process.stdout.readline())
    assert found, process.communicate()
    server = Server(found[1], process, scratch)
    try:
        with server.client(transport=httpx.HTTPTransport(retries=20)) as client:
            client.get("/table")
        yield server
    finally:
        if process.poll() is None:
            server.stop()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    scratch = tmp_path_factory.mktemp("serve")
    with served(scratch) as one:
        yield one
        children = one.children()
    until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in children))
    assert list(scratch.iterdir()) == []


@pytest.fixture
def client(server: Server) -> Iterator[httpx.Client]:
    with server.client() as one:
        yield one


@pytest.fixture(scope="module")  # its loop must not run beside that of other tests
def browser() -> Iterator[Any]:
    if CHROMIUM is None:
        pytest.skip("no chromium on this machine: the pages were not tried in a browser")
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - only where there is a browser

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS, timeout=0)
        yield started
        started.close()
