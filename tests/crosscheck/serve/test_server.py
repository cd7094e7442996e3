"""The server under attack and under load: what it refuses, and that nothing is left behind."""

from __future__ import annotations

import json
import os
import signal
import socket
import threading
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from click.testing import CliRunner

from crosscheck import extras
from crosscheck.commands.serve import command
from crosscheck.errors import UserError
from crosscheck.serve.settings import DataSettings

from .conftest import ANSWERS, IMPOSSIBLE, served, until

if TYPE_CHECKING:
    from pathlib import Path

    from .conftest import Server

FAST = {"witnesses": ["trec_eval"], "figures": False}


def desk_of(client: httpx.Client, **files: tuple[str, str]) -> str:
    """Open a desk and put files on it."""
    desk: str = client.post("/desk").json()["id"]
    for role, (name, text) in files.items():
        client.put(f"/desk/{desk}/{role}", params={"name": name}, content=text.encode())
    return desk


class Listener:
    """A page's open stream of events, as a browser holds it."""

    def __init__(self, server: Server, desk: str) -> None:
        self.told: list[tuple[str, Any]] = []
        self.client = server.client()
        self.thread = threading.Thread(target=self._listen, args=(desk,), daemon=True)
        self.thread.start()

    def _listen(self, desk: str) -> None:
        kind = ""
        try:
            with self.client.stream("GET", f"/desk/{desk}/events") as answer:
                for line in answer.iter_lines():
                    if line.startswith("event: "):
                        kind = line.removeprefix("event: ")
                    elif line.startswith("data: "):
                        self.told.append((kind, json.loads(line.removeprefix("data: "))))
        except (httpx.HTTPError, RuntimeError):
            return

    def has(self, kind: str, text: str = "") -> bool:
        return any(one == kind and text in str(what) for one, what in list(self.told))


def test_a_name_that_was_bent_to_this_machine_is_refused(client: httpx.Client) -> None:
    for host in ("evil.example", "127.0.0.1.evil.example", "", "localhost@evil.example"):
        assert client.get("/table", headers={"host": host}).status_code == 421
    assert client.get("/table", headers={"host": "localhost:1"}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1.evil.example"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_a_page_of_another_site_changes_nothing(
    headers: dict[str, str], client: httpx.Client
) -> None:
    for method, path in (("POST", "/desk"), ("POST", "/api/audit"), ("POST", "/table/audit")):
        answer = client.request(method, path, headers=headers, data={"text": IMPOSSIBLE})
        assert answer.status_code == 403
    assert client.post("/desk", headers={"origin": "http://localhost:9"}).status_code == 200


def test_every_answer_says_what_a_browser_may_do_with_it(client: httpx.Client) -> None:
    for path in ("/table", "/static/page.js", "/api/openapi.json", "/nothing", "/desk/x/events"):
        headers = client.get(path).headers
        assert "script-src 'self'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"
        assert "server" not in headers


@pytest.mark.parametrize(
    "name",
    [
        "../../x.csv",
        "/etc/passwd",
        "..",
        "a/../../b.csv",
        "crosscheck.toml",
        "\\..\\x.csv",
        "\0.csv",
    ],
)
def test_no_name_of_a_visitors_leads_anywhere(
    name: str, client: httpx.Client, server: Server
) -> None:
    desk = client.post("/desk").json()["id"]
    answer = client.put(f"/desk/{desk}/data", params={"name": name}, content=b"query_id\n")
    placed = [one for home in server.files() for one in (home / "files").iterdir()]
    assert answer.json()["name"] in {one.name for one in placed}
    assert answer.json()["name"] not in {"crosscheck.toml", "pyproject.toml"}
    assert client.delete(f"/desk/{desk}").status_code == 200


def test_a_report_has_no_other_files(client: httpx.Client) -> None:
    desk = desk_of(client, data=("answers.csv", ANSWERS))
    for file in ("..%2fanswers.csv", "%2e%2e%2fx", "answers.csv", "report.html", "%2e%2e"):
        assert client.get(f"/desk/{desk}/report/{file}").status_code == 404
    assert client.get("/desk/nobody/report/report.html").status_code == 404
    client.delete(f"/desk/{desk}")


def test_a_config_of_a_visitors_names_no_file_and_no_code(client: httpx.Client) -> None:
    for text, said in {
        'data = "/etc/passwd"': "names files of the machine",
        'claims = { file = "/etc/passwd" }': "names files of the machine",
        '[systems.a]\ndata = "x.csv"': "names files of the machine",
        'witnesses = ["os:system"]': "names code",
        "timeout = 1000000": "the operator's to say",
        "a = [": "is not valid TOML",
    }.items():
        with pytest.raises(UserError, match=said):
            DataSettings(config=text).table()
    named = {"settings": json.dumps({"config": 'data = "/etc/passwd"'})}
    answer = client.post("/api/gate", files={"data": ("a.csv", ANSWERS)}, data=named)
    assert (answer.status_code, "names files" in answer.json()["detail"]) == (400, True)
    wrong = json.dumps({"witnesses": ["os:system"]})
    answer = client.post("/api/gate", files={"data": ("a.csv", ANSWERS)}, data={"settings": wrong})
    assert answer.status_code == 422


def test_too_much_is_refused_before_it_is_taken(client: httpx.Client, tmp_path: Path) -> None:
    def endless() -> Any:
        for _ in range(8):
            yield b" " * 2**20

    text = client.post("/api/audit", json={"text": "x" * 5_000_000})
    assert text.status_code == 413
    streamed = client.post("/api/audit", content=endless())
    assert streamed.status_code == 413
    with served(tmp_path, "--upload", "1") as small, small.client() as one:
        desk = desk_of(one, data=("a.csv", "x" * 900_000))
        more = one.put(f"/desk/{desk}/run", content=b"y" * 300_000)
        assert (more.status_code, "bytes that are left" in more.text) == (413, True)
        assert len(list((small.files()[0] / "files").iterdir())) == 1


def test_a_token_is_asked_for(server: Server) -> None:
    known = "correct-horse-battery"
    options = ("--token", "--root-path", "/crosscheck", "--allowed-host", "review.example.org")
    with served(server.scratch, *options, CROSSCHECK_TOKEN=known) as one, one.client() as client:
        assert client.post("/api/audit", json={"text": IMPOSSIBLE}).status_code == 401
        asked = client.get("/table", headers={"accept": "text/html"})
        assert (asked.status_code, "A token, please" in asked.text) == (401, True)
        assert client.post("/enter", data={"token": "wrong-token"}).status_code == 401
        proxied = {"host": "review.example.org", "origin": "https://review.example.org"}
        entered = client.post("/enter", data={"token": known}, headers=proxied)
        assert (entered.status_code, entered.headers["location"]) == (303, "/crosscheck/table")
        assert "HttpOnly" in entered.headers["set-cookie"]
        assert "SameSite=strict" in entered.headers["set-cookie"]
        assert known not in entered.headers["set-cookie"]
        cookie = {"cookie": entered.headers["set-cookie"].partition(";")[0]}
        assert client.get("/table", headers=cookie).status_code == 200
        bearer = {"authorization": f"Bearer {known}"}
        assert client.get("/api/openapi.json", headers=bearer).status_code == 200
        assert client.get(f"/?token={known}").status_code == 303


def test_without_its_libraries_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda _: None)
    told = CliRunner().invoke(command, [], standalone_mode=False)
    assert "pip install 'metric-crosscheck[serve]'" in str(told.exception)


def test_it_does_not_listen_to_the_world_without_a_token() -> None:
    told = CliRunner().invoke(command, ["--host", "0.0.0.0"], standalone_mode=False)  # noqa: S104 - refused
    assert "add --token" in str(told.exception)


def test_two_jobs_run_side_by_side_and_a_left_page_takes_its_files_along(server: Server) -> None:
    with server.client() as client:
        desks = [desk_of(client, data=(f"{name}.csv", ANSWERS)) for name in ("a", "b")]
        heard = [Listener(server, desk) for desk in desks]
        for desk in desks:
            assert client.post(f"/desk/{desk}/gate", json=FAST).status_code == 202
        assert client.post(f"/desk/{desks[0]}/gate", json=FAST).status_code == 409
        until(lambda: all(one.has("told", "primary is asked") for one in heard))
        assert not any(one.has("done") for one in heard) or all(one.told for one in heard)
        client.delete(f"/desk/{desks[0]}")
        until(lambda: heard[1].has("done"))
        page = client.get(f"/desk/{desks[1]}/report/report.html")
        assert "sandbox allow-scripts" in page.headers["content-security-policy"]
        summary = client.get(f"/desk/{desks[1]}/report/report.json").json()["summary"]
        assert summary.startswith("PASS")
        assert client.get(f"/desk/{desks[1]}/report/report.zip").content.startswith(b"PK")
    for one in heard:
        one.client.close()
    until(lambda: not server.files())


def test_thirty_uploads_leave_nothing_and_the_memory_is_flat(server: Server) -> None:
    content = b"query_id,candidates,gold\n" + b"q,a|b,a\n" * 250_000
    with server.client() as client:

        def upload() -> None:
            desk = client.post("/desk").json()["id"]
            client.put(f"/desk/{desk}/data", params={"name": "a.csv"}, content=content)
            form = {"document": ("paper.md", IMPOSSIBLE)}
            client.post("/table/audit", files=form)
            client.delete(f"/desk/{desk}")

        for _ in range(5):
            upload()
        before = server.memory()
        for _ in range(30):
            upload()
        assert server.memory() - before < 20 * 2**20
    until(lambda: not server.files())


def test_a_worker_that_is_killed_is_replaced(server: Server) -> None:
    with server.client() as client:
        client.post("/table/audit", data={"text": IMPOSSIBLE})
        for pid in server.children():
            if b"spawn_main" in _line(pid):
                os.kill(pid, signal.SIGKILL)
        answers = [client.post("/api/audit", json={"text": IMPOSSIBLE}) for _ in range(3)]
        assert answers[-1].json()["audit"]["verdict"] == "impossible"


def _line(pid: int) -> bytes:
    from pathlib import Path  # noqa: PLC0415 - at run time here alone

    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def test_a_request_that_never_ends_is_not_waited_for(server: Server) -> None:
    port = int(server.address.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port)) as silent:
        silent.sendall(b"GET /table HTTP/1.1\r\nHost: loc")
        with server.client() as client:
            assert client.get("/table").status_code == 200
        assert silent.recv(1) == b""


def test_a_server_that_is_stopped_mid_job_leaves_nothing(tmp_path: Path) -> None:
    with served(tmp_path) as one, one.client() as client:
        desk = desk_of(client, data=("answers.csv", ANSWERS))
        heard = Listener(one, desk)
        client.post(f"/desk/{desk}/gate", json=FAST)
        until(lambda: heard.has("told", "primary is asked"))
        children = one.children()
        assert len(children) > 4
        one.stop()
    until(lambda: not any(_line(pid) for pid in children))
    assert list(tmp_path.iterdir()) == []
    heard.client.close()
