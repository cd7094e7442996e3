"""A user's own witness that is hostile: it runs apart, and nothing but numbers comes back."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from crosscheck.cli import run
from crosscheck.data.case import Case
from crosscheck.errors import FAILED
from crosscheck.limits import VARIABLE
from crosscheck.witnesses import Silence, Testimony
from crosscheck.witnesses.apart import Inbox, read
from crosscheck.witnesses.own import witness as own
from crosscheck.witnesses.run import hear, task_of

if TYPE_CHECKING:
    from collections.abc import Callable

KEY = "auroc|all_queries|all|value"


@pytest.fixture
def heard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Hear a function of this text, in a hearing that has no processes of its own."""
    monkeypatch.chdir(tmp_path)
    told = []

    def hear_it(text: str, timeout: float = 60) -> tuple[Any, list[str]]:
        told.append(text)
        module = f"hostile_{len(told)}"
        (tmp_path / f"{module}.py").write_text(text)
        task = task_of(own(f"{module}:f"), [Case("s", "data.csv", {}, {}, (KEY,))])
        hear([task], processes=False, timeout=timeout)
        return task.answers[0], task.said

    return hear_it


REDUCE = """
import os
class Number(float):
    def __reduce__(self):
        return (os.mkdir, ({mark!r},))
def f(data, settings):
    return {{"auroc|all_queries|all|value": Number(0.5)}}
"""


def test_what_it_answers_is_never_unpickled(heard: Callable[..., Any], tmp_path: Path) -> None:
    answer, _ = heard(REDUCE.format(mark=str(tmp_path / "mark")))
    assert answer.ledger == {KEY: 0.5}
    assert type(answer.ledger[KEY]) is float
    assert not (tmp_path / "mark").exists()


def test_it_can_send_no_pickle_past_its_ledger(heard: Callable[..., Any], tmp_path: Path) -> None:
    answer, _ = heard(
        "import gc, os, pickle, socket\n"
        "class Evil:\n"
        f"    def __reduce__(self):\n        return (os.mkdir, ({str(tmp_path / 'mark')!r},))\n"
        "def f(data, settings):\n"
        "    for one in gc.get_objects():\n"
        "        if isinstance(one, socket.socket):\n"
        "            one.sendall(pickle.dumps(Evil()) + b'\\n')\n"
        "    return {}\n"
    )
    assert isinstance(answer, Silence)
    assert not (tmp_path / "mark").exists()


def test_what_it_prints_ends_in_a_log(heard: Callable[..., Any], capfd: Any) -> None:
    answer, said = heard(
        "import os\n"
        "def f(data, settings):\n"
        "    print('from Python', flush=True)\n"
        "    os.write(1, b'from below\\n')\n"
        "    os.write(2, b'an error\\n')\n"
        f"    return {{'{KEY}': 1}}\n"
    )
    assert answer.ledger == {KEY: 1}
    assert said == ["from Python", "from below", "an error"]
    shown = capfd.readouterr()
    assert (shown.out, shown.err) == ("", "")


def test_it_works_in_a_folder_of_its_own(heard: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text("x")
    answer, said = heard(
        "import pathlib\n"
        "def f(data, settings):\n"
        "    pathlib.Path('left').write_text(pathlib.Path(data).read_text())\n"
        "    print(pathlib.Path.cwd())\n"
        "    return {}\n"
    )
    assert isinstance(answer, Testimony)
    assert Path(said[0]) != tmp_path
    assert not Path(said[0]).exists()
    assert not (tmp_path / "left").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="other systems bound other things")
@pytest.mark.parametrize(
    ("limit", "body", "told"),
    [
        ("memory=2GB", "bytearray(3 * 2**30)", "MemoryError"),
        ("opened=64", "[open('/dev/null') for _ in range(99)]", "OSError"),
        ("written=1MB", "open('large', 'wb').write(bytes(2**21))", "OSError"),
    ],
)
def test_what_it_may_use_is_bounded(
    heard: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, limit: str, body: str, told: str
) -> None:
    monkeypatch.setenv(VARIABLE, limit)
    answer, _ = heard(f"def f(data, settings):\n    x = {body}\n    return {{}}\n")
    assert isinstance(answer, Silence)
    assert answer.reason.startswith(told)


def test_an_answer_that_never_ends_is_cut_off(
    heard: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, "answer=1MB")
    endless = (
        "import gc, socket\n"
        "def f(data, settings):\n"
        "    [one] = [one for one in gc.get_objects() if isinstance(one, socket.socket)]\n"
        "    while True:\n"
        "        one.sendall({})\n"
    )
    answer, _ = heard(endless.format("bytes(2**16)"))
    assert "more than 1,048,576 bytes" in answer.reason


def test_half_an_answer_does_not_keep_the_run(heard: Callable[..., Any]) -> None:
    answer, _ = heard(
        "import gc, socket, threading\n"
        "def f(data, settings):\n"
        "    [one] = [one for one in gc.get_objects() if isinstance(one, socket.socket)]\n"
        "    one.sendall(b'{')\n"
        "    threading.Event().wait()\n",
        timeout=3,
    )
    assert "ended after 3 seconds" in answer.reason


def test_what_it_started_ends_with_it(heard: Callable[..., Any]) -> None:
    _, said = heard(
        "import subprocess, sys\n"
        "def f(data, settings):\n"
        "    made = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        "    print(made.pid, flush=True)\n"
        "    return {}\n"
    )
    with pytest.raises(ProcessLookupError):
        wait_for_end(int(said[0]))


def wait_for_end(pid: int) -> None:
    """Ask until the process is gone; a killed one may be listed for a moment."""
    for _ in range(100_000):
        os.kill(pid, 0)
        if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
            raise ProcessLookupError


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"nonsense",
        b"[" * 100_000,
        b'{"keys": 1, "values": 2}',
        b'{"keys": ["a"], "values": [1]}',
        b'{"keys": ["auroc|all_queries|all|value"], "values": []}',
        b'{"keys": ["auroc|all_queries|all|value"], "values": ["0.5"]}',
        b'{"keys": ["auroc|all_queries|all|value"], "values": [true]}',
        b'{"keys": ["auroc|all_queries|all|value"], "values": [' + b"9" * 5_000 + b"]}",
        b'{"keys": [["x"]], "values": [1]}',
        b"\xff\xfe",
    ],
)
def test_what_is_no_ledger_is_silence(line: bytes) -> None:
    answer = read(line, Case("s", "d", {}, {}, ()))
    assert isinstance(answer, Silence)
    assert "no ledger" in answer.reason


def test_more_answers_than_questions_are_not_taken() -> None:
    inbox = Inbox([Case("s", "d", {}, {}, ())])
    line = b'{"keys": [], "values": []}\n'
    assert len(inbox.take(line + line)) == 1
    assert inbox.take(line) == []


def test_the_json_of_a_gate_holds_no_line_of_a_witness(
    study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: Any
) -> None:
    (tmp_path / "loud.py").write_text(
        "print('at import', flush=True)\n"
        f"def f(data, settings):\n    print('noise')\n    return {{'{KEY}': 0.123}}\n"
    )
    monkeypatch.chdir(study)
    (study / "crosscheck.toml").write_text("k = [1]\n")
    (study / "data.csv").write_text("query_id,has_evidence,prob\na,1,0.5\nb,0,0.25\n")
    words = ["gate", "data.csv", "--witness", "loud:f", "--out", "r", "--json", "--no-figures"]
    assert run(words) == FAILED
    assert json.loads(capfd.readouterr().out)["verdict"] == "fail"
