"""The GitHub action, the GitLab template and the hooks: parsed, and their scripts really run.

What GitHub itself does (the steps that `uses:` names, uploading) cannot be run here.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / ".github" / "action"
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS = ACTION["runs"]["steps"]
DATA = "query_id,candidates,gold\nq1,s1|s2,s1\nq2,s3|s4,s4\n"
TABLE = "\\begin{tabular}{lc}\nMetric & Ours \\\\\nMRR & 0.950 \\\\\n\\end{tabular}\n"


class FakeGitHub(BaseHTTPRequestHandler):
    """Keeps the comments of one pull request."""

    comments: list[dict[str, Any]]
    refuse = False

    def _answer(self, answer: object) -> None:
        content = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def _body(self) -> str:
        length = int(self.headers["Content-Length"])
        return str(json.loads(self.rfile.read(length))["body"])

    def do_GET(self) -> None:
        assert self.headers["Authorization"] == "Bearer secret"
        page = int(self.path.rpartition("=")[2])
        self._answer(self.comments if page == 1 else [])

    def do_POST(self) -> None:
        if self.refuse:
            self.send_error(403)
            return
        assert self.path == "/repos/lab/paper/issues/7/comments"
        self.comments.append({"id": len(self.comments) + 1, "body": self._body()})
        self._answer(self.comments[-1])

    def do_PATCH(self) -> None:
        number = int(self.path.removeprefix("/repos/lab/paper/issues/comments/"))
        [one] = [each for each in self.comments if each["id"] == number]
        one["body"] = self._body()
        self._answer(one)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def github() -> Iterator[tuple[str, type[FakeGitHub]]]:
    class Mine(FakeGitHub):
        comments = [{"id": 1, "body": "Nice paper!"}]  # noqa: RUF012 - one for each test

    server = ThreadingHTTPServer(("127.0.0.1", 0), Mine)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", Mine
    server.shutdown()
    thread.join()
    server.server_close()


def _comment(folder: Path, address: str) -> subprocess.CompletedProcess[str]:
    event = folder / "event.json"
    event.write_text(json.dumps({"pull_request": {"number": 7}}), encoding="utf-8")
    return subprocess.run(
        [sys.executable, SCRIPTS / "comment.py"],
        env=os.environ
        | {
            "GITHUB_API_URL": address,
            "GITHUB_EVENT_PATH": str(event),
            "GITHUB_REPOSITORY": "lab/paper",
            "GITHUB_JOB": "numbers",
            "TOKEN": "secret",
            "REPORT": str(folder / "report"),
        },
        capture_output=True,
        text=True,
        check=False,
    )


def test_every_script_of_the_action_is_there_and_may_be_run() -> None:
    named = [
        name
        for step in STEPS
        for name in re.findall(r"\.github/action/([\w.]+)", step.get("run", ""))
    ]
    assert named == ["install.sh", "gate.sh", "comment.py"]
    assert all(os.access(SCRIPTS / name, os.X_OK) for name in named if name.endswith(".sh"))


def test_no_input_is_pasted_into_a_script() -> None:
    assert not [step["run"] for step in STEPS if "${{" in step.get("run", "")]


def test_every_input_that_is_used_is_declared() -> None:
    used = set(re.findall(r"inputs\.([\w-]+)", (ROOT / "action.yml").read_text(encoding="utf-8")))
    assert used == set(ACTION["inputs"])


def test_a_comment_is_written_once_and_changed_from_then_on(
    tmp_path: Path, github: tuple[str, type[FakeGitHub]]
) -> None:
    address, server = github
    (tmp_path / "report").mkdir()
    page = tmp_path / "report" / "report.md"
    page.write_text("# FAIL", encoding="utf-8")
    first = _comment(tmp_path, address)
    page.write_text("# PASS", encoding="utf-8")
    second = _comment(tmp_path, address)
    assert (first.stdout, second.stdout) == (
        "the comment was written\n",
        "the comment was changed\n",
    ), first.stderr + second.stderr
    assert [one["body"] for one in server.comments] == [
        "Nice paper!",
        "<!-- metric-crosscheck: numbers -->\n# PASS",
    ]


def test_a_comment_that_may_not_be_written_fails_nothing(
    tmp_path: Path, github: tuple[str, type[FakeGitHub]]
) -> None:
    address, server = github
    server.refuse = True
    (tmp_path / "report").mkdir()
    (tmp_path / "report" / "report.md").write_text("# PASS", encoding="utf-8")
    told = _comment(tmp_path, address)
    assert told.returncode == 0
    assert told.stdout.startswith("::warning title=crosscheck::the comment could not be written")


@pytest.mark.slow
def test_the_gate_step_annotates_the_claim_and_keeps_its_exit_code(tmp_path: Path) -> None:
    (tmp_path / "answers.csv").write_text(DATA, encoding="utf-8")
    (tmp_path / "paper.tex").write_text(TABLE, encoding="utf-8")
    (tmp_path / "output").touch()
    ran = subprocess.run(
        [SCRIPTS / "gate.sh"],
        cwd=tmp_path,
        env=os.environ
        | {
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "GITHUB_ACTIONS": "true",
            "GITHUB_OUTPUT": str(tmp_path / "output"),
            "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"),
            "DATA": "answers.csv",
            "CLAIMS": "paper.tex\n",
            "ARGS": "--witness trec_eval --no-figures",
            "OUT": "out",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    [error] = [line for line in ran.stdout.splitlines() if line.startswith("::error ")]
    assert ",file=paper.tex,line=3,col=7::" in error
    told = (tmp_path / "output").read_text(encoding="utf-8")
    assert told == "code=1\nverdict=fail\nreport=out\n"
    assert "FAIL" in (tmp_path / "summary").read_text(encoding="utf-8")


def test_the_install_step_installs_this_checkout_with_the_extras(tmp_path: Path) -> None:
    fake = tmp_path / "python"
    fake.write_text(
        '#!/bin/sh\nmkdir -p "$3/bin"\n'
        'printf \'#!/bin/sh\\necho "$@"\\n\' > "$3/bin/pip"\nchmod +x "$3/bin/pip"\n',
        encoding="utf-8",
    )
    fake.chmod(0o755)
    runner = {
        "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}",
        "RUNNER_TEMP": str(tmp_path / "temp"),
        "GITHUB_ACTION_PATH": "/the/action",
        "GITHUB_PATH": str(tmp_path / "path"),
        "GITHUB_ENV": str(tmp_path / "env"),
    }
    for extras, what in (("figures,ranx", "/the/action[figures,ranx]"), ("", "/the/action")):
        ran = subprocess.run(
            [SCRIPTS / "install.sh"],
            env=runner | {"EXTRAS": extras},
            capture_output=True,
            text=True,
            check=True,
        )
        assert ran.stdout == f"install --quiet {what}\n"
    bad = subprocess.run(
        [SCRIPTS / "install.sh"],
        env=runner | {"EXTRAS": "x]; rm"},
        capture_output=True,
        check=False,
    )
    assert bad.returncode == 2


def test_the_gitlab_job_hands_over_the_reports_that_the_gate_writes() -> None:
    job = yaml.safe_load((ROOT / ".gitlab" / "crosscheck.yml").read_text(encoding="utf-8"))
    reports = job["crosscheck"]["artifacts"]["reports"]
    from crosscheck.report.formats import formats  # noqa: PLC0415 - loaded on use

    assert {kind: Path(path).name in formats() for kind, path in reports.items()} == {
        "codequality": True,
        "junit": True,
    }


def test_the_hooks_name_commands_that_exist() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    entries = {one["id"]: one["entry"].split() for one in hooks}
    assert set(entries) == {"crosscheck-claims", "crosscheck-gate"}
    from crosscheck.cli import COMMANDS, LazyGroup  # noqa: PLC0415 - loaded on use

    for program, name, *words in entries.values():
        assert program == "crosscheck"
        assert name in COMMANDS
        command = LazyGroup().get_command(None, name)  # type: ignore[arg-type]
        assert command is not None
        assert set(words) <= {option for one in command.params for option in one.opts}
